/* claims - what is known of users and tokens, for connections with an identity (docs/identity.md). */
#pragma once

#include "workers/auth/auth.h"

/*
 * The argument `claims`, a map of names to texts, in the form of CALL, written into room; empty for no claim.  1: it
 * was given, 0: it was not; -1 with *err.
 */
int claims_read(const struct mp_value *args, struct buf *room, struct span *claims, struct err *err);

/* Add those of out's principal, whose verdict is good; where they cannot be read the verdict is UNKNOWN. */
void claims_tell(struct auth *a, const char *principal, struct ipc_verified *out);

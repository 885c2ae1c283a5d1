/* store_claim - what is known of principals, for connections with an identity. */
#pragma once

#include "workers/auth/store/store.h"

/* The claims of "user:NAME" or "token:ID", as CALL has them, appended to out.  1: found, 0: none, -1. */
int store_claims(struct store *s, const char *principal, struct buf *out, struct err *err);

/* All of them from now on; empty: it has none. */
int store_claims_set(struct store *s, const char *principal, struct span claims, struct err *err);

/* The account of the identity with this digest was removed, or is one again.  is_removed: 1, 0 or -1. */
int store_claims_mark_removed(struct store *s, const char *digest, bool removed, struct err *err);
int store_claims_are_removed(struct store *s, const char *digest, struct err *err);

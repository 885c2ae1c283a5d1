/*
 * identity - the steps at the identity provider: which address each may have, what is sent, what the answer has to
 * say.
 */
#pragma once

#include "ipc/control.h"
#include "workers/fetch/fetch.h"

/*
 * Prepare the step's request.  http, to this machine alone, and private addresses are for the issuer's own host; every
 * other host that the provider's configuration names has to be a public one.  -1 with *err: the URL cannot be used.
 */
int identity_prepare(const struct ipc_configure_fetch *step, const struct fetch_terms *common, struct fetch *f,
    struct err *err);

/* Read what came, and report it to the supervisor. */
void identity_tell(const struct ipc_configure_fetch *step, const struct fetched *got, uint64_t now_s);

/* Report a failure of the provider.  missing: there is no document at the step's address. */
void identity_fail(struct span reason, bool missing);

/* tools - carrel-auth's tools: what the owner's commands call. */
#pragma once

#include "workers/auth/tokens/tokens.h"
#include "workers/auth/store/store_token.h"

/* Read the argument "label", or "scopes" and "expires_s", of a new token into t. */
int auth_read_label(const struct mp_value *args, struct store_token *t, struct err *err);
int auth_read_grant(struct auth *a, const struct mp_value *args, struct store_token *t, struct err *err);

/* Revoke, wait until all fronts have ended what the holder had open, and answer c with the counts. */
int auth_revoke_and_tell(struct call *c, struct store_token *t, struct err *err);

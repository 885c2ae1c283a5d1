/*
 * tokens - connectivity tokens: making, verifying, counting and ending them.
 *
 * <prefix>_<id>_<secret>: the id is 8 letters and digits, the secret 32 hexadecimal digits.  The store holds a keyed
 * digest of the secret.  A token without a secret is pending: it is refused everywhere until it is revealed, and
 * lapses after a day.
 */
#pragma once

#include "base/err.h"
#include "base/mp.h"
#include "policy/token.h"
#include "workers/auth/auth.h"
#include "workers/auth/store/store_token.h"

#define TOKEN_TEXT	(16 + 1 + STORE_TOKEN_ID + 1 + POLICY_TOKEN_SECRET + 1)	/* the whole token, with its NUL */
#define TOKEN_LAPSE_MS	(UINT64_C(24) * 3600 * 1000)

enum token_state { TOKEN_PENDING, TOKEN_ACTIVE, TOKEN_EXPIRED, TOKEN_REVOKED };

/*
 * Verify a token.  Unknown, wrong and pending tokens are indistinguishable, and take the same path as valid ones.
 * VERIFIED has a principal only if the secret is right.
 */
void tokens_verify(struct auth *a, struct span text, uint64_t now_ms, struct ipc_verified *out, char principal[32]);

/*
 * Create a token with t's label, scopes and end.  reveal: draw its secret into text; otherwise it is pending.  c, here
 * and below: the call, for the audit.
 */
int tokens_create(struct auth *a, const struct call *c, struct store_token *t, bool reveal, char text[TOKEN_TEXT],
    struct err *err);

/* The token with this id, or the only one with this label. */
int tokens_find(struct auth *a, struct span name, struct store_token *out, struct err *err);

/* Draw the secret of a pending token. */
int tokens_reveal(struct auth *a, const struct call *c, struct store_token *t, char text[TOKEN_TEXT], struct err *err);

/* Revoke; no effect on a revoked token. */
int tokens_revoke(struct auth *a, const struct call *c, struct store_token *t, struct err *err);

/*
 * Do what is due by time or by changes of other processes: tell fronts of ended tokens, let pending ones lapse, write
 * uses.  Between calls; cheap when nothing is due.
 */
void tokens_tend(struct auth *a, uint64_t now_ms);

/* We changed a token, or whether tokens are accepted: invalidate what the fronts and we remember. */
void tokens_changed(struct auth *a);

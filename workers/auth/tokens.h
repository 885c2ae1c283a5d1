/*
 * tokens - connectivity tokens: how they are drawn, verified, counted and how they end.
 *
 * <prefix>_<id>_<secret>: the id is 8 letters and digits, the secret 32 digits of hexadecimal.  Of the secret
 * the store holds a keyed digest.  A token without one is pending: it is refused everywhere until it is
 * revealed, and lapses after a day.
 */
#ifndef WORKERS_AUTH_TOKENS_H
#define WORKERS_AUTH_TOKENS_H

#include "base/err.h"
#include "base/mp.h"
#include "policy/token.h"
#include "workers/auth/auth.h"

#define TOKEN_TEXT	(16 + 1 + STORE_TOKEN_ID + 1 + POLICY_TOKEN_SECRET + 1)	/* the whole token, with its NUL */
#define TOKEN_LAPSE_MS	(UINT64_C(24) * 3600 * 1000)

enum token_state { TOKEN_PENDING, TOKEN_ACTIVE, TOKEN_EXPIRED, TOKEN_REVOKED };

enum token_state token_state(const struct store_token *t, uint64_t now_ms);
const char *token_state_name(enum token_state state);

/* The parts of a token with this prefix; false: it has another form. */
bool token_split(struct span text, const char *prefix, struct span *id, struct span *secret);

/* The keyed digest of a secret. */
void token_mac(const uint8_t key[AUTH_KEY], struct span secret, uint8_t mac[STORE_TOKEN_MAC]);

/*
 * Who presents it.  What is unknown, wrong and pending is not told apart, and takes the path of what is good.
 * VERIFIED without principal, unless the secret is that of a token.
 */
void tokens_verify(struct auth *a, struct span text, uint64_t now_ms, struct ipc_verified *out, char principal[32]);

/* False: the credential of principal "token:<id>" is no good any more.  Counts a use if it is. */
bool tokens_use(struct auth *a, struct span principal, uint64_t now_ms);

/*
 * A new token with t's label, scopes and end; with reveal, its secret into text, else it is pending.  Here and
 * below, c asks for it, for the audit.
 */
int tokens_create(struct auth *a, const struct call *c, struct store_token *t, bool reveal, char text[TOKEN_TEXT],
    struct err *err);

/* The token with this id, or the only one with this label. */
int tokens_find(struct auth *a, struct span name, struct store_token *out, struct err *err);

/* Draw the secret of a pending token. */
int tokens_reveal(struct auth *a, const struct call *c, struct store_token *t, char text[TOKEN_TEXT], struct err *err);

/* The arguments "label" and "scopes" of who makes one, into t. */
int tokens_read_label(const struct mp_value *args, struct store_token *t, struct err *err);
int tokens_read_scopes(const struct mp_value *args, struct store_token *t, struct err *err);

/* Revoke, wait until all fronts have ended what its holder had open, and answer c with how much that was. */
int tokens_revoke_and_tell(struct call *c, struct store_token *t, struct err *err);

/* Revoke; nothing happens to one that is revoked. */
int tokens_revoke(struct auth *a, const struct call *c, struct store_token *t, struct err *err);

/* Append the object of cli-admin's `token`: with the uses that are not written yet. */
void token_put(const struct auth *a, const struct store_token *t, uint64_t now_ms, struct buf *out);

/* The names of scopes, an array. */
void token_put_scopes(struct buf *out, uint32_t scopes);

/* A time as text, or nil for 0. */
void token_put_time(struct buf *out, uint64_t unix_ms);

/*
 * What time and other processes have done: fronts are told of tokens that ended, pending ones lapse, uses are
 * written.  Between calls; cheap when there is nothing to do.
 */
void tokens_tend(struct auth *a, uint64_t now_ms);

/* Write the uses that the store does not know of. */
void tokens_write_uses(struct auth *a, uint64_t now_ms);

/* A token, or whether they are taken, was changed by us: what fronts and we remember of it is no good. */
void tokens_changed(struct auth *a);

#endif

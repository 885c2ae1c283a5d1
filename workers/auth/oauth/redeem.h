/* redeem - exchanges codes and refresh tokens for access tokens, verifies grants, and revokes them. */
#pragma once

#include "workers/auth/oauth/oauth.h"

struct redeem_said {
	struct buf	access;
	char		refresh[OAUTH_REFRESH_MAX + 1];
};

void redeem_said_fini(struct redeem_said *said);
void redeem_answer(struct auth *a, const struct ipc_redeem *m, uint64_t now_ms, struct redeem_said *said,
    struct ipc_redeemed *out);

/* True: the token was of a grant of that client's, which has ended, now or before. */
bool redeem_revoke(struct auth *a, const struct ipc_revoke *m, uint64_t now_ms, struct ipc_revoked *out);

/* The refresh token of a grant's turn.  refresh_read() is the reverse; false: not issued by us. */
void refresh_make(const uint8_t key[AUTH_KEY], const char *grant, uint64_t turn, char out[OAUTH_REFRESH_MAX + 1]);
bool refresh_read(const uint8_t key[AUTH_KEY], struct span text, char grant[STORE_GRANT_ID + 1], uint64_t *turn);

/* Answer VERIFY for a grant.  principal: at least 80 bytes. */
void redeem_verify(struct auth *a, struct span grant, uint64_t now_ms, struct ipc_verified *out, char principal[80]);
void redeem_write_uses(struct auth *a);

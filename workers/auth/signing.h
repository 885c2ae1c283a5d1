/*
 * signing - the keys that access tokens are signed with: one that signs, and retiring ones that still verify.
 * They are drawn here and kept in the store, encrypted under a key derived from the project's own.
 */
#ifndef WORKERS_AUTH_SIGNING_H
#define WORKERS_AUTH_SIGNING_H

#include "base/mp.h"
#include "workers/auth/store_oauth.h"

#define SIGNING_SEED	32
#define SIGNING_BYTES	64
#define SIGNING_KEYS	16	/* told to fronts, which take no more: the newest */

/* The key that signs now; what the store knows of the others is read where it is wanted. */
struct signing {
	char	kid[STORE_KID + 1];	/* empty: there is none yet */
	uint8_t	secret[64];
};

/*
 * The current key out of the store.  draw: one is made when there is none, or when its encryption is of another
 * project key: what other ones signed is good until until_ms.  A transaction of its own.
 */
int signing_load(struct signing *k, struct store *s, const uint8_t seal[32], bool draw, uint64_t now_ms,
    uint64_t until_ms, struct err *err);

/* Within a transaction: a new key, and the others retire: they verify until until_ms. */
int signing_rotate(struct store *s, const uint8_t seal[32], uint64_t now_ms, uint64_t until_ms, struct err *err);

/* Append the array of KEYS: those that verify at now_ms. */
int signing_put_keys(struct store *s, uint64_t now_ms, struct buf *out, struct err *err);

/* What an access token says. */
struct access_claims {
	const char	*issuer, *resource;	/* resource empty: the array of both */
	const char	*user, *client, *grant;
	uint32_t	 scopes;
	uint64_t	 now_s, ttl_s;
};

/* Append the whole token: RFC 9068. */
void signing_access_token(const struct signing *k, const struct access_claims *claims, struct buf *out);

#endif

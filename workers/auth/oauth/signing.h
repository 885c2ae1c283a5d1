/*
 * signing - the keys of access tokens: one that signs, and retired ones that still verify.  They are made here and kept
 * in the store, encrypted under a key derived from the project's key.
 */
#pragma once

#include "workers/auth/store/store_oauth.h"

#define SIGNING_SEED	32
#define SIGNING_BYTES	64
#define SIGNING_KEYS	16	/* the newest; the most that fronts take */

/* The current signing key; the retired ones are read from the store when needed. */
struct signing {
	char	kid[STORE_KID + 1];	/* empty: no key yet */
	uint8_t	secret[64];
};

/*
 * Load the current key from the store.  draw: make one if it is missing, or if it is encrypted under another
 * project key; tokens of other keys stay valid until until_ms.  A transaction of its own.
 */
int signing_load(struct signing *k, struct store *s, const uint8_t seal[32], bool draw, uint64_t now_ms,
    uint64_t until_ms, struct err *err);

/* Within a transaction: make a new key; the others retire and verify until until_ms. */
int signing_rotate(struct store *s, const uint8_t seal[32], uint64_t now_ms, uint64_t until_ms, struct err *err);

/*
 * Append the array of KEYS: the keys that verify at now_ms.  Each is one that the holders of the project's key made:
 * who can write the store's rows makes none.
 */
int signing_put_keys(struct store *s, const uint8_t seal[32], uint64_t now_ms, struct buf *out, struct err *err);

/* The claims of an access token. */
struct access_claims {
	const char	*issuer, *resource;	/* resource empty: the array of both */
	const char	*user, *client, *grant;
	uint32_t	 scopes;
	const char	*named;				/* as in struct policy_named */
	uint64_t	 now_s, ttl_s;
};

/* Append the whole token (RFC 9068). */
void signing_access_token(const struct signing *k, const struct access_claims *claims, struct buf *out);

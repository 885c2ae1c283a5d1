/*
 * store_oauth - users, their clients and grants: rows as structs, independent of the database.  Functions return as in
 * store.h; times are Unix milliseconds, 0: never.
 *
 * Secrets are stored as digests only, signing keys encrypted.  Write related rows between store_begin() and
 * store_commit().
 */
#pragma once

#include "workers/auth/store/store.h"

#define STORE_USER_MAX		64	/* bytes of a name */
#define STORE_ROLE_MAX		16
#define STORE_PWHASH_MAX	127	/* of Argon2's encoded digest */
#define STORE_CLIENT_MAX	2048	/* bytes of a client's id, which may be a URL */
#define STORE_CLIENT_NAME	256
#define STORE_URI_MAX		2048	/* of a redirect or a resource */
#define STORE_ISSUER_MAX	1024
#define STORE_GRANT_ID		16
#define STORE_DIGEST		32	/* BLAKE2b of a random secret */
#define STORE_CHALLENGE		43
#define STORE_KID		43
#define STORE_SEALED		72	/* nonce, MAC and seed of a signing key */

struct store_user {
	char		name[STORE_USER_MAX + 1], role[STORE_ROLE_MAX + 1];
	char		digest[STORE_PWHASH_MAX + 1];	/* of the password, or the identity (oauth_identity()); empty:
                                                         * only a proxy signs the user in */
	bool		disabled;
	uint64_t	created_ms, changed_ms, last_login_ms;
	uint64_t	grants, sessions;		/* valid ones; only set where they were counted */
};

/* source: a value of enum ipc_client_source. */
struct store_client {
	char		id[STORE_CLIENT_MAX + 1], name[STORE_CLIENT_NAME + 1];
	unsigned	source;
	uint64_t	created_ms, last_used_ms, grants;
	struct buf	redirects;			/* one a line */
};

void store_client_fini(struct store_client *c);

int store_client_add(struct store *s, const struct store_client *c, struct err *err);

/* 1: found, free with store_client_fini(); 0: none; -1. */
int store_client(struct store *s, struct span id, struct store_client *out, struct err *err);
int store_clients(struct store *s, uint64_t now_ms, bool (*fn)(void *arg, const struct store_client *c), void *arg,
    struct err *err);
/* Set its name and redirects. */
int store_client_describe(struct store *s, const struct store_client *c, struct err *err);
int store_client_used(struct store *s, const char *id, uint64_t now_ms, struct err *err);

/* Removes the users' consents as well. */
int store_client_remove(struct store *s, const char *id, struct err *err);
int store_clients_count(struct store *s, uint64_t *n, struct err *err);

/*
 * Remove clients without a grant that registered themselves, or are described by a document, before before_ms: at most
 * `most`, oldest first.
 */
int store_clients_drop(struct store *s, uint64_t before_ms, uint64_t now_ms, unsigned most, struct err *err);

struct store_grant {
	char		id[STORE_GRANT_ID + 1];
	char		user[STORE_USER_MAX + 1], client[STORE_CLIENT_MAX + 1];
	uint32_t	scopes;
	struct policy_named named;
	char		resource[STORE_URI_MAX + 1];	/* empty: all resources of the issuer */
	char		issuer[STORE_ISSUER_MAX + 1];
	uint64_t	turn;				/* the number of the newest refresh token */
	uint64_t	turned_ms;			/* when it was made, and for which address */
	char		turned_for[65];
	uint64_t	created_ms, last_used_ms, expires_ms, ended_ms;
	char		client_name[STORE_CLIENT_NAME + 1];	/* only in store_grants() */
};

int store_grant_add(struct store *s, const struct store_grant *g, struct err *err);
int store_grant(struct store *s, struct span id, struct store_grant *out, struct err *err);

/* Advance the grant from this turn to the next: 1; 0: its turn is another one; -1. */
int store_grant_turn(struct store *s, const char *id, uint64_t from, uint64_t now_ms, struct span address,
    uint64_t expires_ms, struct err *err);
int store_grant_used(struct store *s, const char *id, uint64_t now_ms, struct err *err);

/* End one: 1; 0: it had ended before; -1. */
int store_grant_end(struct store *s, const char *id, uint64_t now_ms, struct err *err);

/* End all valid grants of a user, or of a client; *n: their number. */
int store_grants_end_user(struct store *s, const char *user, uint64_t now_ms, uint64_t *n, struct err *err);
int store_grants_end_client(struct store *s, const char *client, uint64_t now_ms, uint64_t *n, struct err *err);

/*
 * Call fn for each grant that did not end before since_ms (0: that is valid at now_ms), of a user and a client (empty:
 * any).
 */
int store_grants(struct store *s, struct span user, struct span client, uint64_t since_ms, uint64_t now_ms,
    bool (*fn)(void *arg, const struct store_grant *g), void *arg, struct err *err);

struct store_code {
	uint8_t		digest[STORE_DIGEST];
	char		user[STORE_USER_MAX + 1], client[STORE_CLIENT_MAX + 1];
	char		redirect[STORE_URI_MAX + 1], resource[STORE_URI_MAX + 1], issuer[STORE_ISSUER_MAX + 1];
	char		challenge[STORE_CHALLENGE + 1];
	uint32_t	scopes;
	struct policy_named named;
	uint64_t	created_ms, expires_ms;
	char		grant[STORE_GRANT_ID + 1];	/* the grant that it created; empty: none */
};

enum store_take { STORE_TAKE_UNKNOWN, STORE_TAKE_FIRST, STORE_TAKE_AGAIN };

int store_code_add(struct store *s, const struct store_code *c, struct err *err);

/* Mark the code as used: only one caller gets STORE_TAKE_FIRST.  -1 with *err. */
int store_code_take(struct store *s, const uint8_t digest[STORE_DIGEST], uint64_t now_ms, struct store_code *out,
    struct err *err);

/* Store the grant that the code created. */
int store_code_granted(struct store *s, const uint8_t digest[STORE_DIGEST], const char *grant, struct err *err);

struct store_session {
	uint8_t		digest[STORE_DIGEST];
	char		user[STORE_USER_MAX + 1];
	uint64_t	created_ms, expires_ms;
};

#define STORE_CONSENTS_MAX	32	/* redirects of a client that a user consented to; the oldest is forgotten */

struct store_consent {
	uint32_t	scopes;
	struct policy_named named;
	uint64_t	at_ms;
	bool		exact;	/* for this very redirect; else the newest for another one */
};

struct store_key {
	char		kid[STORE_KID + 1];
	uint8_t		sealed[STORE_SEALED], public[32];
	uint64_t	created_ms, until_ms;		/* until_ms 0: the current key */
};

int store_key_add(struct store *s, const struct store_key *k, struct err *err);

/* Newest first. */
int store_keys(struct store *s, bool (*fn)(void *arg, const struct store_key *k), void *arg, struct err *err);

/* Set this end for keys without one. */
int store_keys_retire(struct store *s, uint64_t until_ms, struct err *err);

/* A value that is good once, by its digest: 1 at its first use, 0 at any other; it is remembered until until_ms. */
int store_nonce_take(struct store *s, const uint8_t digest[STORE_DIGEST], uint64_t until_ms, struct err *err);

/* Remove codes, sessions and nonces that expired before now_ms, and keys and grants that ended before before_ms. */
int store_oauth_sweep(struct store *s, uint64_t now_ms, uint64_t before_ms, struct err *err);

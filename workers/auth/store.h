/*
 * store - what is kept of credentials, settings and the audit: rows as structs, whatever holds them.
 *
 * Several processes may have the same store open, each of them with one struct
 * store.  What is read outside of store_begin() … store_commit() may be changed
 * by another process a moment later.
 *
 * Functions return 0, or -1 with *err: ERR_SERVICE_UNAVAILABLE when the store
 * cannot be used (its disk is full, it is damaged, another process holds it),
 * with a sentence that says what to do.
 */
#ifndef WORKERS_AUTH_STORE_H
#define WORKERS_AUTH_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct store;

/*
 * path: an absolute path; the store's files exist, and belong to nobody else.
 * disk: what is committed is on the disk when store_commit() returns, not only
 * in the kernel's hands.  Makes the tables in an empty store, and brings an
 * older one up to date after a copy of it was made.  NULL with *err; code
 * ERR_DATABASE_UNAVAILABLE when another try may succeed.
 */
struct store *store_open(const char *path, bool disk, struct err *err);
void store_close(struct store *s);

/*
 * Everything from begin to commit is done or not done, and no other process
 * writes meanwhile.  Not nested.  A commit that fails has rolled back.
 */
int store_begin(struct store *s, struct err *err);
int store_commit(struct store *s, struct err *err);
void store_rollback(struct store *s);

/* True when another process has written since the last call (at the first one: since the open). */
bool store_changed_elsewhere(struct store *s);

/* What was committed reaches the disk.  For stores that were opened without disk. */
int store_sync(struct store *s, struct err *err);

/* --- settings -------------------------------------------------------------------- */

/* The value of key into out.  1: there is one, 0: none, -1. */
int store_setting(struct store *s, const char *key, struct buf *out, struct err *err);
int store_set_setting(struct store *s, const char *key, struct span value, struct err *err);

/* --- connectivity tokens ----------------------------------------------------------- */

#define STORE_TOKEN_ID		8
#define STORE_TOKEN_MAC		32
#define STORE_TOKEN_LAST	4
#define STORE_LABEL_MAX		128	/* bytes */

/* Times are Unix milliseconds; 0: never. */
struct store_token {
	char		id[STORE_TOKEN_ID + 1];
	char		label[STORE_LABEL_MAX + 1];
	bool		has_secret;		/* else it is pending, or lapsed */
	uint8_t		mac[STORE_TOKEN_MAC];	/* of the secret */
	char		last[STORE_TOKEN_LAST + 1];	/* the end of the secret */
	uint32_t	scopes;
	uint64_t	created_ms, expires_ms, last_used_ms, revoked_ms;
	uint64_t	requests;
};

int store_token_add(struct store *s, const struct store_token *t, struct err *err);

/* 1: found, 0: there is none with this id, -1.  Takes the same time for both. */
int store_token(struct store *s, struct span id, struct store_token *out, struct err *err);

/* How many have this label; the id of one of them in id. */
int store_token_labelled(struct store *s, struct span label, char id[STORE_TOKEN_ID + 1], size_t *n, struct err *err);

/* Each token, oldest first, until fn returns false. */
int store_tokens(struct store *s, bool (*fn)(void *arg, const struct store_token *t), void *arg, struct err *err);

/* The secret of a token that has none. */
int store_token_reveal(struct store *s, const struct store_token *t, struct err *err);
int store_token_revoke(struct store *s, const char *id, uint64_t now_ms, struct err *err);

/* A pending token ends so long after it was made. */
int store_token_lapse(struct store *s, const char *id, uint64_t after_ms, struct err *err);

/* It was used so many times more, last at last_ms. */
int store_token_used(struct store *s, const char *id, uint64_t requests, uint64_t last_ms, struct err *err);

#endif

/*
 * store - credentials, settings and the audit: rows as structs, independent of the database.
 *
 * Several processes may have the same store open, each of them with one struct store.  Values read outside of
 * store_begin() … store_commit() may be changed by another process a moment later.
 *
 * Functions return 0, or -1 with *err: ERR_SERVICE_UNAVAILABLE when the store cannot be used (its disk is full, it is
 * damaged, another process holds it), with a sentence that says what to do.
 */
#ifndef WORKERS_AUTH_STORE_STORE_H
#define WORKERS_AUTH_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct store;

/*
 * path: an absolute path; the store's files exist and belong to this user only. disk: store_commit() waits until the
 * data is on the disk, not only in the kernel.  Creates the tables in an empty store; updates an older one after making
 * a copy of it.  NULL with *err; code ERR_DATABASE_UNAVAILABLE when a retry may succeed.
 */
struct store *store_open(const char *path, bool disk, struct err *err);
void store_close(struct store *s);

/*
 * A transaction is done as a whole or not at all, and excludes other writers.  Not nested.  A commit that fails has
 * rolled back.
 */
int store_begin(struct store *s, struct err *err);
/* For reading alone: what is read is of one moment, and other writers go on. */
int store_begin_look(struct store *s, struct err *err);
int store_commit(struct store *s, struct err *err);
void store_rollback(struct store *s);

/* True when another process has written since the last call, or since the open. */
bool store_changed_elsewhere(struct store *s);

/* Flush committed data to the disk, for stores opened without `disk`. */
int store_sync(struct store *s, struct err *err);

/* --- settings -------------------------------------------------------------------- */

/* The value of key into out.  1: found, 0: not set, -1. */
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
	bool		has_secret;		/* false: pending or lapsed */
	uint8_t		mac[STORE_TOKEN_MAC];	/* of the secret */
	char		last[STORE_TOKEN_LAST + 1];	/* the end of the secret */
	uint32_t	scopes;
	uint64_t	created_ms, expires_ms, last_used_ms, revoked_ms;
	uint64_t	requests;
};

int store_token_add(struct store *s, const struct store_token *t, struct err *err);

/* 1: found, 0: no token with this id, -1.  Takes the same time for both. */
int store_token(struct store *s, struct span id, struct store_token *out, struct err *err);

/* The number of tokens with this label; *id: one of them. */
int store_token_labelled(struct store *s, struct span label, char id[STORE_TOKEN_ID + 1], size_t *n, struct err *err);

/* Call fn for each token, oldest first, until it returns false. */
int store_tokens(struct store *s, bool (*fn)(void *arg, const struct store_token *t), void *arg, struct err *err);

/* Store the secret of a pending token. */
int store_token_reveal(struct store *s, const struct store_token *t, struct err *err);
int store_token_revoke(struct store *s, const char *id, uint64_t now_ms, struct err *err);

/* End a pending token after_ms after its creation. */
int store_token_lapse(struct store *s, const char *id, uint64_t after_ms, struct err *err);

/* Add to the number of uses, and set the last use. */
int store_token_used(struct store *s, const char *id, uint64_t requests, uint64_t last_ms, struct err *err);

#endif

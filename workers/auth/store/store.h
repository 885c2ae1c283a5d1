/*
 * store - credentials, settings and the audit: rows as structs, independent of the database.
 *
 * Several processes may have the same store open, each of them with one struct store.  Values read outside of
 * store_begin() … store_commit() may be changed by another process a moment later.
 *
 * Functions return 0, or -1 with *err: ERR_SERVICE_UNAVAILABLE when the store cannot be used (its disk is full, it is
 * damaged, another process holds it), with a sentence that says what to do.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "policy/scopes.h"

struct store;

#define STORE_TOKEN_ID		8
#define STORE_TOKEN_MAC		32
#define STORE_TOKEN_LAST	4
#define STORE_LABEL_MAX		128	/* bytes */
#define STORE_TOOLS_MAX		POLICY_NAMED_BYTES

/* Times are Unix milliseconds; 0: never. */
struct store_token {
	char		id[STORE_TOKEN_ID + 1];
	char		label[STORE_LABEL_MAX + 1];
	bool		has_secret;		/* false: pending or lapsed */
	uint8_t		mac[STORE_TOKEN_MAC];	/* of the secret */
	char		last[STORE_TOKEN_LAST + 1];	/* the end of the secret */
	uint32_t	scopes;
	char		tools[STORE_TOOLS_MAX + 1];	/* the team's tools that it names, as in struct policy_named */
	uint64_t	created_ms, expires_ms, last_used_ms, revoked_ms;
	uint64_t	requests;
	struct span	claims;			/* of a new one, as CALL has them; else empty */
};

void store_close(struct store *s);

/*
 * A transaction is done as a whole or not at all, and excludes other writers.  Not nested.  A commit that fails has
 * rolled back.
 */
int store_begin(struct store *s, struct err *err);

/*
 * The same for counts of uses, which no other node needs to hear of (store_changed_elsewhere()), and with no audit
 * entry.
 */
int store_begin_uses(struct store *s, struct err *err);

/* For reading alone: what is read is of one moment, and other writers go on. */
int store_begin_look(struct store *s, struct err *err);
int store_commit(struct store *s, struct err *err);
void store_rollback(struct store *s);

/* True when another process has written since the last call, or since the open. */
bool store_changed_elsewhere(struct store *s);

/* The number of the newest change that store_changed_elsewhere() told of; 0: the store has no numbers. */
uint64_t store_revision(struct store *s);

/* What changed up to this number has been acted upon here: what ended has ended on this node. */
void store_acted(struct store *s, uint64_t revision);

/*
 * The next thing that another node said to all of them (limits_shared.h and others): a word and what it is about, good
 * until the next call; NULL: none.  A word only makes something happen sooner: it may be lost.
 */
const char *store_word(struct store *s);

/* A descriptor that is readable when store_changed_elsewhere() has something to look at; -1 if none. */
int store_watch(struct store *s);

/*
 * The time that decides when something ends, and that is stored: Unix milliseconds.  A store that several nodes share
 * has one clock, so that theirs need not agree.
 */
uint64_t store_now_ms(struct store *s);

/*
 * How long what was read may be relied on without asking again; STORE_OWN: for as long as store_changed_elsewhere() is
 * called.  0: nothing is to be decided about credentials, as what ended elsewhere may be unknown here.
 */
#define STORE_OWN	UINT64_MAX
uint64_t store_lease_ms(struct store *s);

/* Whether other nodes use it. */
static inline bool
store_is_shared(struct store *s)
{
	return store_lease_ms(s) != STORE_OWN;
}

/* Why the server of a store that nodes share is away; NULL: it is there, or the store is a file. */
const char *store_away(struct store *s);

/* Use it no more, for this reason; nothing for a store of the node's own. */
void store_give_up(struct store *s, const char *why);

/*
 * Begin to use a store that nodes share.  own, which is borrowed, is the node's own store, of the audit: a transaction
 * of a change in s is one there too, so that the change and its entry belong together.  -1: the store is away.
 */
int store_over(struct store *s, struct store *own, struct err *err);

/* Flush committed data to the disk, for stores opened without `disk`. */
int store_sync(struct store *s, struct err *err);

/*
 * store_driver - what a database does for the store, and what the files of its rows do with it; not for others.
 *
 * A kind of row (store_token.c, store_user.c, …) is written once: it names statements of store_statements.def, gives
 * their parameters and reads columns.  Each database implements struct store_driver.
 */
#pragma once

#include "workers/auth/store/store.h"
#include "workers/auth/store/store_node.h"

#define STORE_COLUMNS_MAX	16	/* values of one statement, and columns of one table */

enum store_statement {
#define SHARED(NAME, text)		STORE_##NAME,
#define APART(NAME, text, postgres)	STORE_##NAME,
#define LOCAL(NAME, text)		STORE_##NAME,
#define NODES(NAME, text)		STORE_##NAME,
#include "workers/auth/store/store_statements.def"
#undef SHARED
#undef APART
#undef LOCAL
#undef NODES
	STORE_NSTATEMENTS
};

/*
 * Parameters of a statement, in order.  A statement has the same kinds each time.  Bytes at NULL: SQL's NULL.  The
 * last three are arrays of the kinds before, in the binary form of PostgreSQL, for statements of a shared store.
 */
struct store_value {
	enum { STORE_TEXT, STORE_NUMBER, STORE_BYTES, STORE_TEXTS, STORE_NUMBERS, STORE_BLOBS } kind;
	struct span	s;
	uint64_t	n;
};

#define STORE_T(text)		((struct store_value){ STORE_TEXT, span_str(text), 0 })
#define STORE_S(span)		((struct store_value){ STORE_TEXT, span, 0 })
#define STORE_N(number)		((struct store_value){ STORE_NUMBER, { NULL, 0 }, number })
#define STORE_B(bytes, len)	((struct store_value){ STORE_BYTES, span_of(bytes, len), 0 })
#define STORE_A(kind, array)	((struct store_value){ kind, array, 0 })

/* What a transaction is for: store_begin(), store_begin_uses(), store_begin_look(). */
enum store_purpose { STORE_CHANGE, STORE_USES, STORE_LOOK };

struct store_driver;

struct store {
	const struct store_driver	*driver;
	struct store	*own;		/* of a store that nodes share: the node's */
	char		 node[STORE_NODE + 1];	/* this node's name; empty: the store is its own alone */
	uint64_t	 epoch;		/* of this process among those of the node */
	int64_t		 ahead_ms;	/* this machine's clock, of the server's */
	uint64_t	 round_trip_us;	/* of the newest question to it */
	uint64_t	 committed, committed_ms;	/* the revision of its newest change, and when it was made */
	bool		 drained;		/* this node, as the newest answer said */
	bool		 writer_there;		/* the node of that name has a lease and is not drained */
	char		 writer[STORE_NODE + 1];	/* of the project; empty: none yet */
	char		 writer_project[STORE_PROJECT + 1];	/* as the writer says it of itself */
	char		 project[STORE_PROJECT + 1];	/* to be said with the next question: store_node_say() */
	bool		 behind;
	uint64_t	 notes_open;		/* store_note.h: as the newest question had it */
	uint64_t	 sessions_newest, tasks_unwanted;	/* store_shared.h: as the newest question had it */
	uint64_t	 files_newest, files_doubted;	/* store_file.h: the same */
	int64_t		 uncopied;	/* entries of this node's audit that are not copied; -1: unknown */
	int64_t		 missing;	/* files that this node has not; -1: unknown */
	uint64_t	 handovers_open;	/* store_handover.h: as the newest question had it */
	uint64_t	 listed_ns;	/* from then on (clock_boot_ns()) the list of nodes has all with a lease */
};

/* A statement that runs; each database has more behind it. */
struct store_query {
	struct store	*store;
};

struct store_driver {
	/* The statement with its parameters, which are borrowed until it has ended.  NULL with *err. */
	struct store_query *(*ask)(struct store *s, enum store_statement which, const struct store_value *values,
	    size_t n, struct err *err);

	/* The next row: 1; 0 if none, and the query has ended; -1: it has ended with *err. */
	int (*next)(struct store_query *q, struct err *err);

	/* Run to the end; the number of changed rows. */
	int (*run)(struct store_query *q, uint64_t *changed, struct err *err);
	void (*end)(struct store_query *q);

	/* Columns of the current row: bytes of a text or blob, valid until the next row; both are empty for NULL. */
	struct span (*bytes)(struct store_query *q, int i);
	int64_t (*number)(struct store_query *q, int i);

	int (*begin)(struct store *s, enum store_purpose purpose, struct err *err);
	int (*commit)(struct store *s, struct err *err);
	void (*rollback)(struct store *s);
	bool (*changed_elsewhere)(struct store *s);
	uint64_t (*revision)(struct store *s);
	void (*acted)(struct store *s, uint64_t revision);
	int (*watch)(struct store *s);
	int (*sync)(struct store *s, struct err *err);
	uint64_t (*now_ms)(struct store *s);
	uint64_t (*lease_ms)(struct store *s);
	/* Of a store that nodes share; NULL: it is a file. */

	/*
	 * Send a statement without waiting for its answer, outside of a transaction; any other statement waits for it.
	 * posted: 1: it was done, 0: it is not answered yet, -1: it failed; one statement at a time.
	 */
	int (*post)(struct store *s, enum store_statement which, const struct store_value *values, size_t n,
	    struct err *err);
	int (*posted)(struct store *s, struct err *err);
	const char *(*away)(struct store *s);
	const char *(*word)(struct store *s);
	int (*over)(struct store *s, struct err *err);
	void (*give_up)(struct store *s, const char *why);
	void (*close)(struct store *s);
};

#define STORE_GIVEN(s, which, err, ...) \
	store_given(s, which, (const struct store_value[]){ __VA_ARGS__ }, \
	    sizeof((const struct store_value[]){ __VA_ARGS__ }) / sizeof(struct store_value), err)

static inline struct store_query *
store_given(struct store *s, enum store_statement which, const struct store_value *values, size_t n, struct err *err)
{
	return s->driver->ask(s, which, values, n, err);
}

/* A statement without parameters. */
static inline struct store_query *
store_statement(struct store *s, enum store_statement which, struct err *err)
{
	return s->driver->ask(s, which, NULL, 0, err);
}

/* Of these four q may be NULL, after a failure in *err. */

/* Run a statement without result rows; changed, unless NULL, gets the number of changed rows. */
int store_change(struct store_query *q, uint64_t *changed, struct err *err);

/* The same for at most one row: 1 if a row changed. */
int store_change_one(struct store_query *q, struct err *err);

/* Step to the next row: 1; 0 if none; -1.  After a 1 call it again, or end with store_found(). */
int store_look(struct store_query *q, struct err *err);

/* The number in the single row of a statement. */
int store_count(struct store_query *q, uint64_t *n, struct err *err);

/* End the query; returns 1. */
int store_found(struct store_query *q);

/* A column: text, empty for NULL, cut to cap with its NUL; a number, 0 if negative; a blob, zeros at another length. */
void store_column_text(struct store_query *q, int i, char *out, size_t cap);
uint64_t store_column_uint(struct store_query *q, int i);
bool store_column_blob(struct store_query *q, int i, uint8_t *out, size_t len);

/*
 * The team's tools of a row with these scopes: none without POLICY_SCOPE_NAMED.  A version that does not know the
 * column leaves it as it was when it writes scopes, without that bit: what it let a user decide names no tool.
 */
void store_column_named(struct store_query *q, int i, uint32_t scopes, struct policy_named *out);

static inline struct span
store_column(struct store_query *q, int i)
{
	return q->store->driver->bytes(q, i);
}

/* As stored, negative ones too. */
static inline uint64_t
store_column_raw(struct store_query *q, int i)
{
	return (uint64_t)q->store->driver->number(q, i);
}

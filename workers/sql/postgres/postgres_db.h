/* postgres_db - the declarations that the files of the PostgreSQL driver share. */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_DB_H
#define WORKERS_SQL_POSTGRES_POSTGRES_DB_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "workers/sql/driver.h"
#include "workers/sql/postgres/postgres_columns.h"
#include "workers/sql/postgres/postgres_statement_check.h"
#include "workers/sql/postgres/postgres_guard.h"
#include "workers/sql/postgres/postgres_session_check.h"
#include "workers/sql/postgres/postgres_types.h"

/*
 * One round trip to the server and back, in this order; unneeded steps are left out.
 * After a failure the server skips to the next SYNC, so that ROLLBACK and the later
 * steps always run.
 *
 * In a read-only transaction that is rolled back, settings, roles, temporary objects,
 * cursors, notifications and sequences leave nothing behind.  Functions can leave
 * prepared statements and advisory locks, which the later steps remove.  The last step
 * checks after every caller's statement that nothing else was left.
 *
 * A statement that the guard has proved to run only the server's own stable functions
 * over tables (workers/sql/postgres/guard/guard_plain.h) can leave nothing.  It runs alone, in the server's
 * implicit transaction, which the session's default_transaction_read_only makes
 * read-only.  The session check is made after the next statement that is due for it
 * (pg_session_check_is_due()).
 */
enum pg_step {
	PG_BEGIN,		/* BEGIN READ ONLY */
	PG_TIMEOUT,		/* SET LOCAL statement_timeout */
	PG_QUERY,
	PG_SYNC_QUERY,
	PG_ROLLBACK,
	PG_DEALLOCATE,		/* DEALLOCATE ALL */
	PG_CHECK_SESSION,		/* postgres_session_check.h; gives back advisory locks */
	PG_SYNC_RESET,
	PG_STEPS
};

struct pg_session {
	PGconn		*conn;
	bool		 dead;			/* must not be used again: the process is about to end */
	bool		 steps[PG_STEPS];	/* of the current round trip */
	unsigned	 step;			/* the step whose answers come next; PG_STEPS: all were read */
	bool		 between;		/* a step's results were read, its closing NULL not yet */
	uint64_t	 since_ns, deadline_ns;	/* of the statement: when it was sent; the server's timeout,
                                                 * approximately */
	uint64_t	 timeout_ms;		/* the session's own statement_timeout */
	uint64_t	 owner_ms;		/* the same, where the owner allows less; else 0 */
	bool		 asleep;		/* the server ended it while it was idle */
	struct pg_session_check	 check;
	bool		 tells;			/* a changed session fails the call instead of ending the process */
};

struct sql_db {
	const struct sql_config	*cfg;
	struct pg_session	 session;
	struct pg_types		 types;
	int			 money_decimals; /* of the type money, which lc_monetary decides; -1: unknown */
	struct pg_statement_check		*statements;
	struct pg_columns	*columns;	/* NULL: no column policy */
	struct columns_pg	*finder;	/* of the names in statements over datasets */
	struct buf		 wrapped;	/* the statement as sent; kept to reuse its memory */
	Oid			*column_types;	/* of the current rows */
	int			 ncolumns, column_cap;
	struct buf		 asked;		/* the caller's text, unchanged */
	uint64_t		 asked_unix_ms;	/* and the time it came */
	size_t			 row_most;	/* bytes of the largest row since the start */
	struct late_limit	 limit;		/* of the current statement */
	struct buf		 defined;	/* "WITH dataset_… AS (…), ": the datasets of the statement */
	size_t			 ndefined;	/* length of that before the statement's own name */
	const char		*from;		/* the same followed by the end of pg_wrapped_from(); NULL: none */
	uint64_t		 brief_ms;	/* shorter time limit because of the statement's memory; 0: none */
};

/* --- postgres_session.c: connecting, and trips ------------------------------- */

int pg_connect(struct sql_db *db, struct err *err);

/* The text in front of a query as it is sent: see pg_write_query(). */
const char *pg_wrapped_from(const struct sql_db *db);

struct pg_round_trip {
	uint64_t		 deadline_ns;	/* of the statement */
	const char		*text;
	int			 nparams;
	const char *const	*params;	/* text format */
	bool			 reset;		/* a caller's statement: functions may have left something behind */
	bool			 alone;		/* it leaves nothing behind: needs no transaction of ours */
	const char		*settings;	/* ", set_config(…)…" for its transaction; NULL: none */
};

#define PG_SETTINGS	512

/* Finishes the last round trip and sends this one. */
int pg_send(struct sql_db *db, struct call *c, const struct pg_round_trip *trip, struct err *err);

enum pg_got {
	PG_ROW,			/* one row, in *res */
	PG_COMPLETE,		/* the last row has come; *res has the columns, and the rows unless they came singly */
	PG_REFUSED,		/* the server refused it; *res has its error */
	PG_FAILED		/* *err is set: cancelled, timed out here, or connection lost */
};

/* The next answer to the query; the caller clears *res.  singly: row by row as they arrive. */
enum pg_got pg_next(struct sql_db *db, struct call *c, bool singly, PGresult **res, struct err *err);

/* Reads the rest of the round trip without waiting; notices a lost connection. */
void pg_settle_idle(struct sql_db *db);

/* Marks the connection as unusable; the process ends after the call. */
void pg_give_up(struct sql_db *db, enum contract_exit code, const char *reason);

/* pg_send() and the whole result of one of our own statements; NULL with *err. */
PGresult *pg_ask(struct sql_db *db, struct call *c, const char *text, int nparams,
    const char *const *params, struct err *err);

/* --- postgres_pool.c: the pool's connections on the server --------------------------- */

#define PG_POOL_NAME	64	/* the server's limit, with the NUL */

/* The application_name of the pool's connections; empty: none. */
void pg_pool_name(const struct sql_config *cfg, char out[PG_POOL_NAME]);

/*
 * Call on a fresh connection before anything else.  -1 if the pool already has
 * all of its connections, counting abandoned ones that the server has not
 * ended; *err names them.
 */
int pg_pool_enter(struct sql_db *db, struct err *err);

/* Call before a caller's statement is sent. */
void pg_pool_note(struct sql_db *db, struct span statement);

/* Call when the connection is abandoned although the server may still run its statement. */
void pg_pool_leave(struct sql_db *db);

/* --- postgres_memory.c: statements that fill the server's memory -------------------- */

/*
 * The deadline of a checked statement: the call's, or an earlier one (then in
 * db->brief_ms) if the statement may fill the server's memory.  May ask the
 * server for its plan.
 */
uint64_t pg_memory_deadline(struct sql_db *db, struct call *c, const struct pg_statement *st, uint64_t deadline_ns);

/* --- postgres_datasets.c: statements that may only read datasets ---------------------- */

/*
 * For a checked statement, before the column policy: refuses it unless it names only datasets, and defines these in
 * front of it (db->from).  -1 with *err.
 */
int pg_datasets_define(struct sql_db *db, struct call *c, const struct sql_published *p, struct pg_statement *st,
    struct err *err);

/* Call after the statement was answered: removes its definitions. */
void pg_datasets_forget(struct sql_db *db);

/* The settings of the statement's transaction, for struct pg_round_trip. */
void pg_datasets_settings(const struct sql_db *db, const struct sql_published *p, char out[PG_SETTINGS]);

/* Explains a refusal that concerns the published table itself: true, and *err is set. */
bool pg_datasets_explain(const struct sql_db *db, const PGresult *res, const char *state, struct err *err);

/* --- postgres_errors.c --------------------------------------------------------- */

/* Translates a refusal of the server.  st is NULL for one of our own statements. */
int pg_explain(struct sql_db *db, struct call *c, const PGresult *res, const struct pg_statement *st, struct err *err);

/* The connection could not be made: one sentence without addresses; the full text goes into the detail. */
int pg_explain_connection(const PGconn *conn, struct err *err);

/* --- the rest -------------------------------------------------------------------- */

/* Writes a non-null value in text format as a cell. */
bool pg_put_value(struct buf *out, Oid type, int money_decimals, struct span s);

int pg_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err);
int pg_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p,
    struct err *err);
int pg_relate(struct sql_db *db, struct call *c, const struct relate_ask *a, struct overlap_counts *n,
    struct err *err);
int pg_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err);

/* Counts the served tables and those that the account may read, in one query.  -1 with *err. */
int pg_reach(struct sql_db *db, struct call *c, struct sql_reach *r, struct err *err);

/* Writes an array literal of the configured schemas. */
void pg_put_schemas(struct buf *out, const struct sql_config *cfg);

/* pg_ask() of a text whose $1 is the array of the configured schemas. */
PGresult *pg_ask_of_schemas(struct sql_db *db, struct call *c, const char *text, struct err *err);

static inline struct span
pg_text(const PGresult *res, int row, int column)
{
	return span_of(PQgetvalue(res, row, column), (size_t)PQgetlength(res, row, column));
}

/* "schema"."table"; schema may be NULL. */
void pg_put_table(const char *schema, const char *table, struct buf *out);

/* The same for reading the first rows, in an order that reveals no protected value (postgres_columns.h). */
void pg_put_scanned(const struct sql_db *db, const char *schema, const char *table, struct buf *out);

/*
 * Runs one of our own statements over the owner's data and reads its whole result, which the caller
 * clears in every case.
 */
int pg_sample(struct sql_db *db, struct call *c, const struct pg_round_trip *trip, PGresult **res, struct err *err);
int pg_grants(struct sql_db *db, struct call *c, const char *role, struct buf *script, struct err *err);
int pg_test(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err);
int pg_audit(struct sql_db *db, struct call *c, struct result *r, struct err *err);

/*
 * Writes the text of a checked statement as it is sent into *trip; valid until the next call.  A query runs inside a
 * WITH query: the planner plans it as if all rows were wanted, as it would alone, and the outer LIMIT stops it.  A
 * LIMIT around a sub-select would change the plan.
 */
void pg_write_query(struct sql_db *db, const struct pg_statement *st, uint64_t max_rows, struct pg_round_trip *trip);

#endif

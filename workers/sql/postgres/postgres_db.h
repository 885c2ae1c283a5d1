/* postgres_db - the parts of the PostgreSQL driver, as its own files see each other. */
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
 * One round trip to the server and back, in this order; steps that a round trip does not
 * need are left out.  A failure skips to the next SYNC, so that ROLLBACK and
 * what follows run whatever happened before them.
 *
 * In a read-only transaction that is rolled back settings, roles, temporary
 * objects, cursors, notifications and sequences leave nothing behind; what
 * functions can leave are prepared statements and advisory locks, which are
 * taken away.  That this is so, and that nobody has found a way round it, is
 * what the last step proves after every caller's statement.
 *
 * A statement of which the guard has proved that it runs nothing but the
 * server's own stable functions over tables (policy/guard_plain.h) can do none
 * of that.  It runs alone, in the transaction that the server makes for it,
 * which the session's default_transaction_read_only makes read-only; the
 * check is made behind the next one that is due (pg_session_check_is_due()).
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
	bool		 dead;			/* never to be used again: the process is about to leave */
	bool		 steps[PG_STEPS];	/* of the trip under way */
	unsigned	 step;			/* where its answers are; PG_STEPS: all read */
	bool		 between;		/* a step's results were read, its closing NULL not yet */
	uint64_t	 since_ns, deadline_ns;	/* of the statement: when it was sent, when the server gives up on it, about */
	uint64_t	 timeout_ms;		/* the session's own statement_timeout */
	struct pg_session_check	 check;
	bool		 tells;			/* a doubtful session is an error of the call, not the end of the process */
};

struct sql_db {
	const struct sql_config	*cfg;
	struct pg_session	 session;
	struct pg_types		 types;
	struct pg_statement_check		*statements;
	struct pg_columns	*columns;	/* NULL: no column policy */
	struct buf		 wrapped;	/* the statement as sent; kept for its memory */
	Oid			*column_types;	/* of the rows that are coming */
	int			 ncolumns, column_cap;
	struct buf		 asked;		/* the caller's statement under way, as it came */
	uint64_t		 asked_unix_ms;	/* and when */
	size_t			 row_most;	/* the largest row since the start, in bytes */
	uint64_t		 brief_ms;	/* what the statement under way was given because of its memory; 0: all of its time */
};

/* --- postgres_session.c: connecting, and trips ------------------------------- */

int pg_connect(struct sql_db *db, struct err *err);

/* What stands in front of a query as it is sent: see pg_write_query(). */
const char *pg_wrapped_from(const struct sql_db *db);

struct pg_round_trip {
	uint64_t		 deadline_ns;	/* of the statement */
	const char		*text;
	int			 nparams;
	const char *const	*params;	/* text format */
	bool			 reset;		/* a caller's statement: functions may have left something */
	bool			 alone;		/* it can leave nothing: no transaction of ours is needed */
};

/* Finish the last trip and send this one. */
int pg_send(struct sql_db *db, struct call *c, const struct pg_round_trip *trip, struct err *err);

enum pg_got {
	PG_ROW,			/* one row, in *res */
	PG_COMPLETE,		/* no more rows; *res has the columns, and the rows unless they came singly */
	PG_REFUSED,		/* the server said no; *res has its error */
	PG_FAILED		/* *err is set: cancelled, timed out here, or the connection is gone */
};

/*
 * The next answer to the trip's query, of which *res is the caller's to
 * clear.  singly: rows one by one as they come.
 */
enum pg_got pg_next(struct sql_db *db, struct call *c, bool singly, PGresult **res, struct err *err);

/* Read what is left of the trip without waiting; notices a connection that died. */
void pg_settle_idle(struct sql_db *db);

/* The connection must not be used any more; the process leaves after the call. */
void pg_give_up(struct sql_db *db, enum contract_exit code, const char *reason);

/* pg_send() and the whole result of a statement of our own; NULL with *err. */
PGresult *pg_ask(struct sql_db *db, struct call *c, const char *text, int nparams,
    const char *const *params, struct err *err);

/* --- postgres_pool.c: what the pool holds on the server ---------------------------- */

#define PG_POOL_NAME	64	/* as long as the server keeps one, with its NUL */

/* The application_name of the pool's connections; empty: it has none. */
void pg_pool_name(const struct sql_config *cfg, char out[PG_POOL_NAME]);

/*
 * On a fresh connection, before anything else: may it stay?  -1: the pool has
 * its number of connections, counting those that were left and that the server
 * has not ended; *err says which.
 */
int pg_pool_enter(struct sql_db *db, struct err *err);

/* A caller's statement is about to be sent. */
void pg_pool_note(struct sql_db *db, struct span statement);

/* The connection is left although the server may still be at it. */
void pg_pool_leave(struct sql_db *db);

/* --- postgres_memory.c: what a statement keeps in the server's memory -------------- */

/*
 * When a checked statement has to end: at its deadline, or earlier where it
 * may keep more and more in the server's memory, which is what db->brief_ms
 * says afterwards.  May ask the server for its plan.
 */
uint64_t pg_memory_deadline(struct sql_db *db, struct call *c, const struct statement *st, uint64_t deadline_ns);

/* --- postgres_errors.c --------------------------------------------------------- */

/* Translate what the server refused.  st may be NULL: a statement of our own. */
int pg_explain(struct sql_db *db, struct call *c, const PGresult *res, const struct statement *st, struct err *err);

/* The connection could not be made: a sentence without addresses, all of it in detail. */
int pg_explain_connection(const PGconn *conn, struct err *err);

/* --- the rest -------------------------------------------------------------------- */

/* A value, not null, in text format as a cell. */
bool pg_put_value(struct buf *out, Oid type, struct span s);

int pg_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err);
int pg_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p,
    struct err *err);
int pg_relate(struct sql_db *db, struct call *c, const struct relate_ask *a, struct relate_counts *n,
    struct err *err);
int pg_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err);

/* What is served, and what the account may read of it; one question.  -1 with *err. */
int pg_reach(struct sql_db *db, struct call *c, struct sql_reach *r, struct err *err);

/* An array literal of the configured schemas. */
void pg_put_schemas(struct buf *out, const struct sql_config *cfg);

/* pg_ask() of a text whose $1 is that array. */
PGresult *pg_ask_of_schemas(struct sql_db *db, struct call *c, const char *text, struct err *err);

static inline struct span
pg_text(const PGresult *res, int row, int column)
{
	return span_of(PQgetvalue(res, row, column), (size_t)PQgetlength(res, row, column));
}

/* "schema"."table"; schema may be NULL. */
void pg_put_table(const char *schema, const char *table, struct buf *out);

/* Likewise, to take the first rows of: in an order that tells nothing protected (postgres_columns.h). */
void pg_put_scanned(const struct sql_db *db, const char *schema, const char *table, struct buf *out);

/* A statement of our own over the owner's data: its whole result, the caller's to clear whatever comes back. */
int pg_sample(struct sql_db *db, struct call *c, const struct pg_round_trip *trip, PGresult **res, struct err *err);
int pg_grants(struct sql_db *db, struct call *c, const char *role, struct buf *script, struct err *err);
int pg_test(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err);
int pg_audit(struct sql_db *db, struct call *c, struct result *r, struct err *err);

/*
 * The text of a checked statement as it is sent, into *trip; until the next
 * one.  A query runs inside a WITH query of its own: the planner plans it as
 * if all rows were wanted, as it would plan it by itself, and the LIMIT behind
 * stops it.  A LIMIT around it as a sub-select would be a hint to the planner.
 */
void pg_write_query(struct sql_db *db, const struct statement *st, uint64_t max_rows, struct pg_round_trip *trip);

#endif

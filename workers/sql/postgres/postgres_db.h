/* postgres_db - the declarations that the files of the PostgreSQL driver share. */
#pragma once

#include <libpq-fe.h>
#include <stdbool.h>

#include "workers/sql/driver.h"
#include "workers/sql/pool.h"
#include "workers/sql/postgres/postgres_columns.h"
#include "workers/sql/postgres/postgres_statement_check.h"
#include "workers/sql/postgres/postgres_guard.h"
#include "workers/sql/postgres/postgres_prepared.h"
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
	PG_IDENTITY,		/* the settings and the role of the one who asks (postgres_identity.h) */
	PG_PREPARE,		/* the statement is kept from now on (postgres_prepared.h) */
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
	struct pg_prepared	 prepared;
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
	struct pool_asked	 asked;
	size_t			 row_most;	/* bytes of the largest row since the start */
	struct late_limit	 limit;		/* of the current statement */
	struct buf		 numbered;	/* a statement with placeholders */
	struct buf		 identity;	/* the statement of PG_IDENTITY */
	struct buf		 defined;	/* "WITH dataset_… AS (…), ": the datasets of the statement */
	size_t			 ndefined;	/* length of that before the statement's own name */
	const char		*from;		/* the same followed by the end of pg_wrapped_from(); NULL: none */
	uint64_t		 brief_ms;	/* shorter time limit because of the statement's memory; 0: none */
};

struct pg_round_trip {
	uint64_t		 deadline_ns;	/* of the statement */
	const char		*text;
	int			 nparams;
	const char *const	*params;	/* text format */
	const Oid		*types;		/* of params; NULL: the server finds them out */
	bool			 reset;		/* a caller's statement: functions may have left something behind */
	bool			 alone;		/* it leaves nothing behind: needs no transaction of ours */
	const char		*settings;	/* ", set_config(…)…" for its transaction; NULL: none */
	const struct identity_as *as;		/* as whom it runs, where the connection has an identity */
	bool			 own;		/* with reset: it reads no rows of tables, and runs as the account */
};

#define PG_SETTINGS	512

enum pg_got {
	PG_ROW,			/* one row, in *res */
	PG_COMPLETE,		/* the last row has come; *res has the columns, and the rows unless they came singly */
	PG_REFUSED,		/* the server refused it; *res has its error */
	PG_FAILED		/* *err is set: cancelled, timed out here, or connection lost */
};

/* pg_send() and the whole result of one of our own statements; NULL with *err. */
PGresult *pg_ask(struct sql_db *db, struct call *c, const char *text, int nparams,
    const char *const *params, struct err *err);

/* pg_ask() of a text whose $1 is the array of the configured schemas. */
PGresult *pg_ask_of_schemas(struct sql_db *db, struct call *c, const char *text, struct err *err);

static inline struct span
pg_text(const PGresult *res, int row, int column)
{
	return span_of(PQgetvalue(res, row, column), (size_t)PQgetlength(res, row, column));
}

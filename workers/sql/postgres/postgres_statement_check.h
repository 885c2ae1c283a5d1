/*
 * postgres_statement_check - the guard's cache on one connection: the database's
 * functions, and the statements already found harmless.
 *
 * The catalogue is read when connecting.  It is checked for changes when the last
 * check is older than STATEMENT_CHECK_MAX_AGE, or when a statement calls an unknown
 * function.  Checking costs the server about 2 ms (a sum over the row versions of
 * pg_proc and similar tables), reading about 10 ms.  A function that was made volatile
 * is refused at most that much later.
 */
#pragma once

#include <libpq-fe.h>

#include "base/err.h"
#include "workers/shared/tool.h"
#include "workers/sql/postgres/postgres_guard.h"

struct pg_statement_check;
struct sql_db;

/*
 * Call on a connection that is not yet in pipeline mode.  Keeps cfg and uses
 * of it: functions, each "schema.name", which are trusted; explain_analyze,
 * which allows EXPLAIN ANALYZE if there is no column policy.
 */
struct sql_config;
int pg_statement_check_open(struct pg_statement_check **out, PGconn *conn, const struct sql_config *cfg,
    struct err *err);

void pg_statement_check_close(struct pg_statement_check *f);

/*
 * Checks whether this text may be sent, and describes it.  The spans of *st lie
 * in sql.  May ask the server first.  A text that was allowed before is only
 * compared.  parameters: it may have placeholders.
 */
int pg_statement_check_check(struct pg_statement_check *f, struct sql_db *db, struct call *c, struct span sql,
    bool parameters, struct pg_statement *st, struct err *err);

/* The database's functions as last read; valid until the next check. */
struct guard_catalogue;
const struct guard_catalogue *pg_statement_check_catalogue(const struct pg_statement_check *f);

/* The verdict of these layers of the guard (guard_pg.h) on a text, with the current catalogue. */
struct guard_finding;
int pg_statement_check_ask(struct pg_statement_check *f, struct span sql, unsigned layers, struct guard_finding *found,
    struct err *err);

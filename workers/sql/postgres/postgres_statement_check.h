/*
 * postgres_statement_check - the guard's memory on one connection: what the database
 * says about its functions, and the statements already found harmless.
 *
 * The catalogue is read when connecting and looked at again when it is older
 * than STATEMENT_CHECK_MAX_AGE, or when a statement calls a function it does not know.
 * Looking costs the server about 2 ms (a sum over the row versions of
 * pg_proc and its like), reading about 10 ms; a function that was made
 * volatile is refused at most that much later.
 */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_STATEMENT_CHECK_H
#define WORKERS_SQL_POSTGRES_POSTGRES_STATEMENT_CHECK_H

#include <libpq-fe.h>

#include "base/err.h"
#include "workers/shared/tool.h"
#include "workers/sql/postgres/postgres_guard.h"

struct pg_statement_check;
struct sql_db;

/*
 * On a connection that is not yet in pipeline mode.  Of cfg, which is kept:
 * functions, "schema.name" each, are trusted; EXPLAIN ANALYZE is let through
 * where explain_analyze is set and there is no column policy.
 */
struct sql_config;
int pg_statement_check_open(struct pg_statement_check **out, PGconn *conn, const struct sql_config *cfg, struct err *err);

void pg_statement_check_close(struct pg_statement_check *f);

/*
 * May this text be sent, and what is it?  The spans of *st lie in sql.  May ask
 * the server first.  A text that was allowed before is only compared.
 */
int pg_statement_check_check(struct pg_statement_check *f, struct sql_db *db, struct call *c, struct span sql,
    struct statement *st, struct err *err);

/* What these layers of the guard (guard_pg.h) say about a text, by the catalogue at hand. */
struct guard_finding;
int pg_statement_check_ask(struct pg_statement_check *f, struct span sql, unsigned layers, struct guard_finding *found,
    struct err *err);

#endif

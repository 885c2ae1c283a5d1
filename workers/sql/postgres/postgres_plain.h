/*
 * postgres_plain - what the database says about its relations and types, for
 * policy/guard_plain.h: which statements can leave nothing behind.
 *
 * Read when connecting, and again when the catalogue has changed; both looks
 * take place when the statement check's do (postgres_statement_check.h).
 */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_PLAIN_H
#define WORKERS_SQL_POSTGRES_POSTGRES_PLAIN_H

#include <libpq-fe.h>

#include "policy/guard_plain.h"

#define PG_PLAIN_RELATIONS_MAX	50000	/* of a database with more no statement is plain */

/* One row, one column, another value after any change that matters here. */
extern const char pg_plain_stamp[];

/* The rows that pg_plain_read() takes. */
extern const char pg_plain_query[];

/* From a result of pg_plain_query; whatever else it is, no statement is plain. */
struct guard_plain *pg_plain_read(const PGresult *res);

#endif

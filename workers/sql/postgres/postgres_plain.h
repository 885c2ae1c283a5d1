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

#define PG_PLAIN_RELATIONS_MAX	50000	/* as in postgres_plain.sql; of a database with more no statement is plain */

/* From a result of postgres_plain.sql; whatever else it is, no statement is plain. */
struct guard_plain *pg_plain_read(const PGresult *res);

#endif

/*
 * postgres_plain - the database's relations and types for
 * workers/sql/postgres/guard/guard_plain.h, which decides which statements leave nothing behind.
 * Read when connecting, and again when the catalogue has changed; both happen
 * together with the statement check's own reading
 * (postgres_statement_check.h).
 */
#pragma once

#include <libpq-fe.h>

#include "workers/sql/postgres/guard/guard_plain.h"

#define PG_PLAIN_RELATIONS_MAX	50000	/* as in postgres_plain.sql; with more relations no statement is plain */

/* From a result of postgres_plain.sql.  With any other result no statement is plain. */
struct guard_plain *pg_plain_read(const PGresult *res);

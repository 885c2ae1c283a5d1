/* postgres_query - the queries of the .sql files here, completed with parts that are known only at run time. */
#pragma once

#include "base/buf.h"
#include "workers/sql/postgres/postgres_sql.h"

struct pg_given {
	const char *name, *text;
};

/*
 * Appends query with each ${name} replaced by its text; given ends in a row without a name.  Names
 * that are not given become empty.
 */
void pg_query_put(struct buf *out, const char *query, const struct pg_given *given);

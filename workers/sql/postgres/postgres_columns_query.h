/* postgres_columns_query - the catalogue query for a column policy; part of postgres_columns_db. */
#pragma once

#include <libpq-fe.h>

#include "policy/columns.h"

/* The columns of the answer. */
enum { PG_ASKED_WHAT, PG_ASKED_SCHEMA, PG_ASKED_NAME, PG_ASKED_A, PG_ASKED_B, PG_ASKED_C, PG_ASKED_D };

/*
 * Rows by the first letter of WHAT, in this order; schema and name are the relation's unless noted.
 *
 * 0 a relation: relkind, whether the search path finds it, what its view does (below), its definition
 * 1 a column: name, whether the account may read it, whether its type is uuid, as that of digests
 * 2 inherits from: schema, name of the parent
 * 3 a column is computed from another: both
 * 4 a view reads: schema, name, column or null
 * 5 a column of an index, whose order may be visible
 * 6 a column contains rows of, or counts about: its name, schema, name, column or null
 * 7 a column whose type runs a function that reads tables; null: the row type does
 * 8 a column whose values decide the child of a row
 * 9 a column whose values decide the rows of a partial index
 * c a column in whose order the rows are stored
 * d a column has a default
 * f o t a function, operator or type that may read tables, by name
 * x no decision is possible: why
 */
#define PG_VIEW_OPAQUE		'o'
#define PG_VIEW_WHOLE_ROWS	'w'

/* The query; the caller frees it. */
char *pg_columns_query(PGconn *conn, const struct columns *policy);

/* postgres_columns_query - the catalogue query for a column policy; part of postgres_columns_db. */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_COLUMNS_QUERY_H
#define WORKERS_SQL_POSTGRES_POSTGRES_COLUMNS_QUERY_H

#include <libpq-fe.h>

#include "policy/columns.h"

/* The columns of the answer. */
enum { PG_ASKED_WHAT, PG_ASKED_SCHEMA, PG_ASKED_NAME, PG_ASKED_A, PG_ASKED_B, PG_ASKED_C, PG_ASKED_D };

/*
 * Its rows by the first letter of WHAT, in this order; schema and name are the
 * relation's where nothing else is said.
 *
 *	0	a relation: relkind, whether its name is found, what its view does (enum below), its definition
 *	1	a column: name, whether the account may read it
 *	2	inherits from: schema, name of the parent
 *	3	a column is computed from another: both
 *	4	a view reads: schema, name, column or null
 *	5	a column stands in an index whose order others may show
 *	6	a column holds rows of, or counts for: its name, schema, name, column or null
 *	7	a column whose type runs a function that reads; null: the whole row is of such a type
 *	8	a column by whose values the rows lie in different children
 *	9	a column on whose values it depends which rows a partial index has
 *	c	a column by whose order the rows lie
 *	d	a column has a default
 *	f o t	a function, operator or type that may read tables, by name
 *	x	nothing can be decided: why
 */
#define PG_VIEW_OPAQUE		'o'
#define PG_VIEW_WHOLE_ROWS	'w'

/* The query; the caller frees it. */
char *pg_columns_query(PGconn *conn, const struct columns *policy);

#endif

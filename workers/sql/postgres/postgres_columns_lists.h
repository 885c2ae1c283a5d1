/*
 * postgres_columns_lists - the SELECT lists that replace a protected
 * relation; part of postgres_columns.
 */
#pragma once

#include <libpq-fe.h>

#include "workers/sql/postgres/postgres_columns_db.h"

/*
 * The type of a hidden column inside a view: a null of a type that no
 * function takes, so that a view that computes with it fails when it is
 * described.  PG_COLUMNS_MASK_TYPE does the same for masked columns.
 */
#define PG_COLUMNS_HIDDEN_TYPE	2970	/* txid_snapshot */
#define PG_COLUMNS_DIGEST_TYPE	2950	/* uuid */
#define PG_COLUMNS_TRACED_TYPE	3642	/* gtsvector: the same for a hashed column in a traced definition */

/* The lists of a table. */
void pg_columns_put_table(struct pg_columns_db *d, struct pg_relation *r);

/* The lists of a view.  described: the columns of its rewritten definition. */
void pg_columns_put_lists(struct pg_columns_db *d, struct pg_relation *r, const PGresult *described);

/*
 * The lists of a materialized view: a table whose columns are protected by what its traced
 * definition, as described, returns in them.
 */
void pg_columns_put_copy(struct pg_columns_db *d, struct pg_relation *r, const PGresult *described);

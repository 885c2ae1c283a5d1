/*
 * postgres_columns_lists - the SELECT lists that stand for a protected
 * relation; parts of postgres_columns.
 */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_COLUMNS_LISTS_H
#define WORKERS_SQL_POSTGRES_POSTGRES_COLUMNS_LISTS_H

#include <libpq-fe.h>

#include "workers/sql/postgres/postgres_columns_db.h"

/*
 * What a hidden column is inside a view: a null of a type that nothing can be
 * done with, so that a view that computes from it is found out when it is
 * described.  PG_COLUMNS_MASK_TYPE does the same for masked ones.
 */
#define PG_COLUMNS_HIDDEN_TYPE	2970	/* txid_snapshot */
#define PG_COLUMNS_TRACED_TYPE	3642	/* gtsvector: likewise, a hashed one while a stored copy is traced */

/* A table: it stands for itself. */
void pg_columns_put_table(struct pg_columns_db *d, struct pg_relation *r);

/* A view; described: the result of its rewritten definition. */
void pg_columns_put_lists(struct pg_columns_db *d, struct pg_relation *r, const PGresult *described);

/* A stored copy: a table whose columns are protected as what its traced definition is described to yield. */
void pg_columns_put_copy(struct pg_columns_db *d, struct pg_relation *r, const PGresult *described);

#endif

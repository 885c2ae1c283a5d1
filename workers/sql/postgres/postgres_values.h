/* postgres_values - writes PostgreSQL's values, in text format, as cells. */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_VALUES_H
#define WORKERS_SQL_POSTGRES_POSTGRES_VALUES_H

#include "workers/sql/postgres/postgres_db.h"

/* Writes a non-null value in text format as a cell. */
bool pg_put_value(struct buf *out, Oid type, int money_decimals, struct span s);

#endif

/* postgres_values - writes PostgreSQL's values, in text format, as cells. */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

/* Writes a non-null value in text format as a cell. */
bool pg_put_value(struct buf *out, Oid type, int money_decimals, struct span s);

/* postgres - the PostgreSQL driver: connects, is confined, and runs one wrapped statement at a time. */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

/*
 * Writes the text of a checked statement as it is sent into *trip; valid until the next call.  A query runs inside a
 * WITH query: the planner plans it as if all rows were wanted, as it would alone, and the outer LIMIT stops it.  A
 * LIMIT around a sub-select would change the plan.
 */
void pg_write_query(struct sql_db *db, const struct pg_statement *st, uint64_t max_rows, struct pg_round_trip *trip);

/* postgres_memory - the time limit of a statement that keeps rows in the server's memory, from its plan. */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

/*
 * The deadline of a checked statement: the call's, or an earlier one (then in
 * db->brief_ms) if the statement may fill the server's memory.  May ask the
 * server for its plan; as: whose statement it is, NULL where the connection has no identity.
 */
uint64_t pg_memory_deadline(struct sql_db *db, struct call *c, const struct pg_statement *st,
    const struct identity_as *as, uint64_t deadline_ns);

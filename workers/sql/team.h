/* team - the tool behind those that a team defines: their statements, with the values of a call bound to them. */
#pragma once

#include "workers/sql/driver.h"

/* Whether bytes are the statements of a CONFIGURE_SQL: an array of {name, sql?, maxRows, parameters}. */
bool team_is_usable(struct span statements);

/*
 * The statement of {tool, arguments}, or, of a tool that has a query, sql of {tool, sql, maxRows, arguments}; with
 * `check` explained, with values that are good for any statement.  Everything is in the call's arena.
 */
int team_read(struct call *c, struct span statements, const struct mp_value *args, struct sql_query *q,
    struct sql_bound *bound, struct err *err);

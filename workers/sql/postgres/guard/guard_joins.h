/*
 * guard_joins - how many join orders the server's planner examines.
 *
 * The planner keeps a plan for each set of tables that conditions connect, and
 * examines each division of such a set in two: up to 11 tables of a FROM list,
 * or 8 of explicit JOINs, at a time (its defaults).  Tables that all share one
 * key have 3 ^ n divisions, a fact table with its dimensions far fewer, so the
 * conditions are read.  From 12 tables on the planner only samples join orders
 * (geqo).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "workers/sql/postgres/guard/guard_tree.h"

#define GUARD_JOINS_MAX 200u /* tables in FROM of one query that are examined one by one */

/*
 * What ordering the joins of a SelectStmt (its fields) costs, in the parts of
 * guard_weight; a sub-select counts as one table.  queries[v] is not 0 for a
 * RangeVar (its fields) that names a WITH query.  inner: the query is part of
 * another one, whose conditions may be moved into it.
 */
double guard_joins_parts(const struct guard_tree *t, uint32_t select, const uint32_t *queries, bool inner);

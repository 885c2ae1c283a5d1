/*
 * guard_joins - how much the server's planner weighs when it looks for the
 * best order of joins.
 *
 * It keeps a plan for each set of tables that conditions join, and looks at each
 * division of such a set in two: up to 11 tables of a FROM list, or 8 of written
 * JOINs at a time (its defaults).  Tables that all share one key make 3 ^ n of
 * them, a fact table with its dimensions far fewer; so what the conditions join
 * is looked at.  From 12 tables on it only tries some (geqo).
 */
#ifndef POLICY_GUARD_JOINS_H
#define POLICY_GUARD_JOINS_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/guard_tree.h"

#define GUARD_JOINS_MAX 200u /* tables in FROM of one query that are looked at one by one */

/*
 * What ordering the joins of a SelectStmt (its fields) takes, in the parts of
 * guard_weight; sub-selects count only as one table each.  queries[v] is not 0
 * for a RangeVar (its fields) that names a WITH query.  inner: the query is
 * part of another one, whose conditions may become its own.
 */
double guard_joins_parts(const struct guard_tree *t, uint32_t select, const uint32_t *queries, bool inner);

#endif

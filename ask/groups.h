/* groups - the groups of a measure, and their ranking. */
#pragma once

#include "ask/plan.h"

/*
 * groups_is_grain: "hour", "day" … "year", which groups a date.  groups_add: false when the item is no group, or the
 * user is asked; a source or alias before a column tells which column is meant.
 */
bool groups_is_grain(const struct plan *p, size_t i);
bool groups_add(struct plan *p, size_t i, bool per);
/* "trips by riders with a pro plan": a condition on who made the trips, not a group. */
bool groups_is_agent(const struct plan *p, size_t by, size_t i);
void groups_add_column(struct plan *p, struct plan_column at);

/* How many places a ranking of the item has: as many as are said, one for a singular; else the user is asked. */
void groups_rank_places(struct plan *p, size_t group);

/* What has the most, rather than "top": the groups are rows where the item at `group` names them. */
void groups_rank_rows(struct plan *p, size_t group);


/* conditions - what values and columns of other sources may mean. */
#pragma once

#include "ask/plan.h"

/*
 * "Population" where states and cities have one: whether what is asked for is a number of another source, too, and the
 * question does not name the root.
 */
bool conditions_is_of_another(const struct plan *p);

/* Whether a join equates the entry's column with that column of a source. */
bool conditions_are_joined(const struct plan *p, const struct ask_entry *a, struct plan_column b);

/* The column's known value such as "none"; empty: it has none. */
struct span conditions_nothing(const struct plan *p, struct plan_column at);

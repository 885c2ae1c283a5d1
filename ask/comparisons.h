/* comparisons - conditions on numbers: "over 500 euros", "at least 3 items", "age between 20 and 30", "floor 1". */
#pragma once

#include "ask/plan.h"

/*
 * comparisons_holds_years: whether a column holds years.  comparisons_years: the period as the test, operator and
 * values of a condition on such a column; false: it is not made of whole years.
 */
bool comparisons_holds_years(const struct plan *p, const struct ask_column *c);
bool comparisons_years(struct plan *p, const struct ask_period *w, struct plan_condition *d);

/*
 * comparisons_period_of_years: the period as a condition on a column of years; false: it is not made of whole years.
 * comparisons_column_of_years: the column of a node that holds a year.
 */
bool comparisons_period_of_years(struct plan *p, size_t period, struct plan_column at);
bool comparisons_column_of_years(const struct plan *p, uint32_t node, struct plan_column *out);

/*
 * comparisons_is_own_number: a number that describes the row; no key of the source, and none of another.
 * comparisons_is_of_degree: the word, "older", compares columns of this name.
 */
bool comparisons_is_own_number(const struct plan *p, struct plan_column at);
bool comparisons_is_of_degree(const struct plan *p, struct span word, const struct ask_column *c);
/* Whether the column holds units of the row's numbers; money: only currencies count. */
bool comparisons_tells_unit(const struct plan *p, const struct ask_column *c, bool money);

/* The SQL operator of a comparator; arg: enum ask_operator. */
const char *comparisons_operator(int arg);

void comparisons_read(struct plan *p);		/* with numbers */

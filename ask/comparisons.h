/* comparisons - conditions on numbers: "over 500 euros", "at least 3 items", "age between 20 and 30", "floor 1". */
#pragma once

#include "ask/plan.h"

/*
 * comparisons_holds_years: whether a column holds years.  comparisons_years: the period as the test, operator and
 * values of a condition on such a column; false: it is not made of whole years.
 */
bool comparisons_holds_years(const struct ask_column *c);
bool comparisons_years(struct plan *p, const struct ask_period *w, struct plan_condition *d);

/*
 * comparisons_period_of_years: the period as a condition on a column of years; false: it is not made of whole years.
 * comparisons_column_of_years: the column of a node that holds a year.
 */
bool comparisons_period_of_years(struct plan *p, size_t period, struct plan_column at);
bool comparisons_column_of_years(const struct plan *p, uint32_t node, struct plan_column *out);

/*
 * comparisons_is_own_number: a number that describes the row; no key of the source, and none of another.
 * comparisons_is_of_degree: the word, "older", compares columns of this name; part: or another name or compound of it.
 */
bool comparisons_is_own_number(const struct plan *p, struct plan_column at);
bool comparisons_is_of_degree(const struct plan *p, struct span word, const struct ask_column *c, bool part);
/* Whether the column holds units of the row's numbers; money: only currencies count. */
bool comparisons_tells_unit(const struct ask_column *c, bool money);

/* A comparison: the number and its unit are one item each. */
struct comparison {
	size_t number, unit;
	size_t years; /* the word that only an age has ("years", "years old"); PLAN_NO_ITEM: none */
	size_t word; /* the word that compares; PLAN_NO_ITEM: only a column next to a number */
	struct plan_column at;
};

/*
 * comparisons_find_column: the number of the node's rows that the adjective or the unit tells.  False: no column fits,
 * or the user is asked.  comparisons_has_unit: whether the number is in the column's unit, else the user is asked;
 * nothing is converted, and money without a currency is taken in the column's.
 */
bool comparisons_find_column(struct plan *p, struct comparison *c, uint32_t node);
bool comparisons_has_unit(struct plan *p, const struct comparison *c);

/* The SQL operator of a comparator; arg: enum ask_operator. */
const char *comparisons_operator(int arg);


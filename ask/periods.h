/* periods - windows: the date of each, and the default when the question names none. */
#pragma once

#include "ask/plan.h"

/* The last of the source's date columns that may be shown; *n: how many.  ASK_NONE: none. */
uint32_t periods_only_date(const struct ask_source *s, size_t *n);
void periods_suggest_dates(struct plan *p, struct ask_clarification *q);	/* of the root */

/*
 * The date of the parent of a root without a date: order lines use the order's.  False if absent, or several are
 * equally near.
 */
bool periods_parent_date(struct plan *p, struct plan_column *out);

/*
 * Whether the period at item i limits rows of the node: by the date, or by its own one if date->column is ASK_NONE.
 * False: the user is asked, or it does not.  Changes the plan: a copy.
 */
bool periods_of_rows(struct plan *p, uint32_t node, size_t i, struct plan_column *date);

/*
 * "Paid invoices in March" is ambiguous: paid in March, or issued in March and paid since?  False: the user is asked,
 * else the date that an answer names.
 */
bool periods_ask_state(struct plan *p, size_t word, size_t period, struct plan_column *date);

/* The same for periods whose words are known: their dates, and the default where the question names none. */
void periods_settle(struct plan *p);

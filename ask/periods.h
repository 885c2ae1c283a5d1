/* periods - windows: the date of each, and the default when the question names none. */
#pragma once

#include "ask/plan.h"

/*
 * The date of the parent of a root without a date: order lines use the order's.  False if absent, or several are
 * equally near.
 */
bool periods_parent_date(struct plan *p, struct plan_column *out);

void periods_read(struct plan *p);

/* finish - the queries of a complete plan, and their description in words. */
#pragma once

#include "ask/plan.h"

void finish_plan(struct plan *p);

/* A filter with the n values of the condition from `first` on. */
void finish_filter(struct plan *p, const struct plan_condition *c, size_t first, size_t n, struct ask_filter *out);

/* finish - the queries of a complete plan, and their description in words. */
#pragma once

#include "ask/plan.h"

void finish_plan(struct plan *p);

/* Says what a row of the root is where only a scan found it out, or nothing says it. */
void finish_note_rows(struct plan *p);

/* A filter with the n values of the condition from `first` on. */
void finish_filter(struct plan *p, const struct plan_condition *c, size_t first, size_t n, struct ask_filter *out);

/* Whether a pattern of the text finds it whatever the case of its letters, on every engine. */
bool finish_may_be_like(struct span text);

/* Whether the column is a key of its rows, or of those that it leads to. */
bool finish_is_key(const struct plan *p, struct plan_column at);

/* The day as a text; empty: ASK_OPEN. */
struct span finish_day(struct plan *p, int32_t day);

/* Limit the query to days from start to before end; another date than the root's, or a second one, is a filter. */
void finish_window(struct plan *p, struct ask_query *q, struct plan_column date, int32_t start, int32_t end,
    struct span label);

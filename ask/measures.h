/*
 * measures - adds what is measured to a plan: measures of the model; counts.h has counts, aggregates.h aggregates of a
 * column.  head.c decides which of them a question means.
 */
#pragma once

#include "ask/plan.h"

bool measures_is_count(const struct ask_source_measure *f);
enum ask_measured measures_unit(const struct plan *p, const struct ask_source_measure *f);
void measures_add(struct plan *p, uint32_t source, uint32_t index);
/* An aggregate that no measure of the model is; its unit, ASK_MEASURED: none. */
void measures_add_inline(struct plan *p, uint32_t source, enum ask_measured unit, struct ask_measure measure);
/* "the due dates" may be the values of a column, where a count is called so, too. */
bool measures_counts_values(const struct plan *p, size_t item);

void measures_take(struct plan *p, size_t item);	/* the measure that the item names; may ask or refuse */

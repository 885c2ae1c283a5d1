/*
 * measures - adds what is measured to a plan: measures of the model; counts.h has counts, aggregates.h aggregates of a
 * column.  head.c decides which of them a question means.
 */
#ifndef ASK_MEASURES_H
#define ASK_MEASURES_H

#include "ask/plan.h"

enum ask_measured plan_measure_unit(const struct plan *p, const struct ask_source_measure *f);
void plan_add_measure(struct plan *p, uint32_t source, uint32_t index);
void plan_take_measure(struct plan *p, size_t item);	/* the measure that the item names; may ask or refuse */

/* The measure of a condition on groups (having.h); false: asked or refused. */
bool plan_measure_named(struct plan *p, size_t item);

#endif

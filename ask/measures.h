/*
 * measures - what can be measured, and how each is put into a plan: measures of the model (measures.c), counts
 * (counts.c), aggregates of a column (aggregates.c).  Which of them a question means is head.c's.
 */
#ifndef ASK_MEASURES_H
#define ASK_MEASURES_H

#include "ask/plan.h"

/* --- measures of the model (measures.c) ------------------------------------------------------------------ */

void plan_add_measure(struct plan *p, uint32_t source, uint32_t index);
void plan_take_measure(struct plan *p, size_t item);	/* that the item names; or it is asked, or refused */

/* --- counts (counts.c) ----------------------------------------------------------------------------------- */

uint32_t plan_choose_source(struct plan *p, size_t item);	/* ASK_NONE: none, or it is asked which */
void plan_count_rows(struct plan *p, uint32_t source);		/* by the source's own count, else by its key */

/* The item's entity; items of "how many" and "different", or PLAN_NO_ITEM. */
void plan_count_entity(struct plan *p, size_t item, size_t counting, size_t distinct);

/* --- aggregates of a column (aggregates.c); true: it is one, or is asked ----------------------------------- */

bool plan_aggregate(struct plan *p);
bool plan_latest(struct plan *p);
bool plan_count_values(struct plan *p, size_t count, size_t distinct);

/* --- what a condition on groups is of (having.c); false: it is asked or refused ---------------------------- */

bool plan_measure_named(struct plan *p, size_t item);
bool plan_measure_count(struct plan *p, size_t item);
bool plan_measure_fold(struct plan *p, size_t fold, size_t item);

/* What happened to the item ("sold at least 10 times"), said before the item `before`. */
bool plan_measure_times(struct plan *p, size_t item, size_t before);

#endif

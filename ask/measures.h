/*
 * measures - adds what is measured to a plan: measures of the model (measures.c), counts (counts.c), aggregates of a
 * column (aggregates.c).  head.c decides which of them a question means.
 */
#ifndef ASK_MEASURES_H
#define ASK_MEASURES_H

#include "ask/plan.h"

/* --- measures of the model (measures.c) ------------------------------------------------------------------ */

void plan_add_measure(struct plan *p, uint32_t source, uint32_t index);
void plan_take_measure(struct plan *p, size_t item);	/* the measure that the item names; may ask or refuse */

/* --- counts (counts.c) ----------------------------------------------------------------------------------- */

uint32_t plan_choose_source(struct plan *p, size_t item);	/* ASK_NONE: none, or the user is asked */
void plan_count_rows(struct plan *p, uint32_t source);		/* by the source's own count, else by its key */

/* Count the entity of the item.  counting, distinct: the items of "how many" and "different", or PLAN_NO_ITEM. */
void plan_count_entity(struct plan *p, size_t item, size_t counting, size_t distinct);

/* --- aggregates of a column (aggregates.c); true: taken, or the user is asked -------------------------------- */

void plan_add_fold(struct plan *p, size_t fold, uint32_t source, uint32_t column);	/* of the word at fold */
void plan_add_sum(struct plan *p, uint32_t source, uint32_t column);
void plan_add_values(struct plan *p, uint32_t source, uint32_t column);	/* how many different ones */
bool plan_aggregate(struct plan *p);
bool plan_latest(struct plan *p);
bool plan_count_values(struct plan *p, size_t count, size_t distinct);

/* --- the measure of a condition on groups (having.c); false: asked or refused --------------------------------- */

bool plan_measure_named(struct plan *p, size_t item);
bool plan_measure_count(struct plan *p, size_t item);
bool plan_measure_fold(struct plan *p, size_t fold, size_t item);

/* Measure how often the item's event happened ("sold at least 10 times"); the verb stands before item `before`. */
bool plan_measure_times(struct plan *p, size_t item, size_t before);

#endif

/* aggregates - aggregates of a column: sum, average, extremes, number of values. */
#ifndef ASK_AGGREGATES_H
#define ASK_AGGREGATES_H

#include "ask/measures.h"

void plan_add_fold(struct plan *p, size_t fold, uint32_t source, uint32_t column);	/* of the word at fold */
void plan_add_sum(struct plan *p, uint32_t source, uint32_t column);
void plan_add_values(struct plan *p, uint32_t source, uint32_t column);	/* how many different ones */
bool plan_aggregate(struct plan *p);
bool plan_latest(struct plan *p);
bool plan_count_values(struct plan *p, size_t count, size_t distinct);

bool plan_measure_fold(struct plan *p, size_t fold, size_t item);

#endif

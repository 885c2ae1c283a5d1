/* aggregates - aggregates of a column: sum, average, extremes, number of values. */
#pragma once

#include "ask/measures.h"

/* fold: the word at it */
void aggregates_add_extreme(struct plan *p, bool highest, uint32_t source, uint32_t column);
void aggregates_add_fold(struct plan *p, size_t fold, uint32_t source, uint32_t column);
void aggregates_add_sum(struct plan *p, uint32_t source, uint32_t column);
void aggregates_add_values(struct plan *p, uint32_t source, uint32_t column);	/* how many different ones */

/*
 * The aggregate word before a measure that is called as the column it sums ("average invoice total"): of the column.
 * False: nothing is taken.
 */
bool aggregates_of_summed(struct plan *p, size_t fold, size_t item);

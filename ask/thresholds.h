/* Suggest conditions on the number columns of what the item is said of. */
void plan_suggest_thresholds(struct plan *p, size_t i, struct ask_clarification *q);

/*
 * thresholds - words for which the asker's preferences define a condition: large means orders.total >= 1000.
 *
 * A condition is a column, an operator and a value.  Without a column it applies to the only number of the entity
 * after the word.
 */
#ifndef ASK_THRESHOLDS_H
#define ASK_THRESHOLDS_H

#include "ask/plan.h"

void plan_thresholds(struct plan *p);		/* words that the preferences define */

#endif

/* head - finds what a question measures: a measure, a count of an entity, or an aggregate of a column. */
#ifndef ASK_HEAD_H
#define ASK_HEAD_H

#include "ask/plan.h"

void head_measure(struct plan *p);			/* what is measured */

#endif

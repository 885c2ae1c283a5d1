/* say_plan - describes a plan in words: as a sentence, and as the title of its chart. */
#ifndef ASK_SAY_PLAN_H
#define ASK_SAY_PLAN_H

#include "ask/plan.h"

void say_plan(struct plan *p);			/* describes an answer */

#endif

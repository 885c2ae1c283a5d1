/* finish - the queries of a complete plan, and their description in words. */
#ifndef ASK_FINISH_H
#define ASK_FINISH_H

#include "ask/plan.h"

void finish_plan(struct plan *p);

#endif

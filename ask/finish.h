/* finish - the queries of a complete plan, and their description in words. */
#ifndef ASK_FINISH_H
#define ASK_FINISH_H

#include "ask/plan.h"

void plan_finish(struct plan *p);

#endif

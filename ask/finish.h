/* finish - the queries of a complete plan, and their description in words. */
#pragma once

#include "ask/plan.h"

void finish_plan(struct plan *p);

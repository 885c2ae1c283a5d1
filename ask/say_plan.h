/* say_plan - describes a plan in words: as a sentence, and as the title of its chart. */
#pragma once

#include "ask/plan.h"

void say_plan(struct plan *p);			/* describes an answer */

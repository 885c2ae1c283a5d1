/* head - finds what a question measures: a measure, a count of an entity, or an aggregate of a column. */
#pragma once

#include "ask/plan.h"

void head_measure(struct plan *p);			/* what is measured */

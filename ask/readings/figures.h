/* figures - private to the readings: the plan of a draft that asks for figures. */
#pragma once

#include "ask/readings/draft.h"

/*
 * Measure, group and limit as the draft says, and make the queries; conditions on related rows are left to the caller.
 * False: the draft is no reading.  The user may be asked: p->out has the question.
 */
bool figures_fill(struct plan *p, const struct draft *d);

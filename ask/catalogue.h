/* catalogue - questions about the model itself: what it contains, what a name means. */
#pragma once

#include "ask/plan.h"

bool catalogue_read(struct plan *p);		/* true: a question about the model itself */

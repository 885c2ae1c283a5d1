/* conditions - filters: values and segments. */
#pragma once

#include "ask/plan.h"

/*
 * "Population" where states and cities have one: whether what is asked for is a number of another source, too, and the
 * question does not name the root.
 */
bool conditions_is_of_another(const struct plan *p);

void conditions_read(struct plan *p);

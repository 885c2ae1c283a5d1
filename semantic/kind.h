/*
 * kind - private to this folder: whether values are numbers, text, times or booleans, as far as model and text tell;
 * see sem_plan.h.
 */
#pragma once

#include "semantic/sem_plan.h"

enum value_kind kind_of_column(const struct source_column *column);

/* The value of e in the measure m, or of all of m. */
enum value_kind kind_of_measure(struct sem_plan *c, const struct plan_measure *m, const struct expr *e);

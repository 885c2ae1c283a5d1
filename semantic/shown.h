/*
 * shown - names as discover_data shows them: source.member, with any dots, spaces and quotes in either.  As an
 * expression such a name is invalid or means something else; a query may use it all the same.
 */
#pragma once

#include "base/arena.h"
#include "semantic/model.h"
#include "semantic/query.h"

/*
 * Rewrite q: every measure, dimension, segment and order field that is the shown name of exactly one column, measure
 * or segment becomes a quoted reference; everything else is unchanged.  Returns q itself when nothing changes; NULL
 * when a is full.
 */
const struct sem_query *sem_shown(const struct sem_model *m, const struct sem_query *q, struct arena *a);

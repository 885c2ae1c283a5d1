/*
 * shown - names as discover_data shows them: source.member, whatever dots,
 * spaces and quotes either of them has.  As an expression such a name is
 * nothing, or something else; a query may ask for it all the same.
 */
#ifndef SEMANTIC_SHOWN_H
#define SEMANTIC_SHOWN_H

#include "base/arena.h"
#include "semantic/model.h"
#include "semantic/query.h"

/*
 * q with every measure, dimension, segment and field to order by that is the
 * shown name of exactly one column, measure or segment written as a quoted
 * reference; everything else is as it was.  q itself when there is nothing to
 * do; NULL when a is full.
 */
const struct sem_query *sem_shown(const struct sem_model *m, const struct sem_query *q, struct arena *a);

#endif

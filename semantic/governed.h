/*
 * governed - private to this folder: a query on a connection of query_policy: semantic-layer-only, or of sources that
 * are named.
 *
 * Its measures are those of the model, by name, and the first and last value of a time column, which says how far the
 * data reach; its filters compare columns and measures with values.  Any other aggregate, a sub-query, or a function
 * that is not known to look at its arguments alone would be SQL of the caller's own.
 */
#pragma once

#include "semantic/sem_plan.h"

/* Refuses with QUERY_POLICY what query_policy: semantic-layer-only keeps out.  After all is resolved. */
int governed_check(struct sem_plan *c);

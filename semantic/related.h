/*
 * related - private to this folder: has(orders, condition) and its kin: about the rows of a source that lead, over
 * joins that are safe from it, to the row of the filter.  One sub-query, which names no table that is not a source.
 */
#pragma once

#include "semantic/sem_plan.h"

/* Whether e is such a call; one that counts. */
bool related_is(const struct expr *e);
bool related_is_aggregate(const struct expr *e);

/* The first source in such calls of e whose rows do not lead to node; SEM_NONE: all do. */
uint32_t related_astray(struct sem_plan *c, const struct expr *e, uint32_t node);

/* Append a condition on the rows of the fact: emits what is in the sub-query. */
typedef int related_condition(struct sem_plan *c, struct buf *out, struct plan_fact *fact, const void *arg,
    const struct expr *e);

/* Append the sub-query of e, for the row that outer has of node. */
int related_put(struct sem_plan *c, struct buf *out, struct plan_fact *outer, uint32_t node, const struct expr *e,
    related_condition *condition, const void *arg);

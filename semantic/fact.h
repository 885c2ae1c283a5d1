/* fact - private to this folder: what one fact joins in, and the columns it computes for each group; see sem_plan.h. */
#pragma once

#include "semantic/sem_plan.h"

/* Join node into fact's FROM. */
int fact_need(struct sem_plan *c, struct plan_fact *fact, uint32_t node);

/* The fact whose rows node's measures aggregate; made when it is new.  SEM_NONE: too many. */
uint32_t fact_of(struct sem_plan *c, uint32_t node);

/* A fact of which nothing is measured, behind the others.  NULL: too many. */
struct plan_fact *fact_beside(struct sem_plan *c, uint32_t node);

/* The column of fact that holds a measure or one aggregate of it; made when it is new. */
struct sem_column *fact_column(struct sem_plan *c, uint32_t fact, const struct plan_measure *m,
    const struct expr *part, const struct plan_cond *conds, struct span name);

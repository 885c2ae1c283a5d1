/* from - private to this folder: the sources and joins of one fact; see sem_plan.h. */
#pragma once

#include "semantic/sem_plan.h"

/* The source at which the fact's FROM starts. */
uint32_t from_start(const struct sem_plan *c, const struct plan_fact *fact);

/* FROM start, and what the fact needs. */
int from_put(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t start);

/* The condition of the fact's last join to child, whose columns are those of the child's row in outer. */
int from_put_pairs(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t child,
    struct plan_fact *outer);

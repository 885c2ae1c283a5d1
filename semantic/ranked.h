/*
 * ranked - private to this folder: a fact's rows as a derived table with their ranks, for databases without an
 * aggregate for percentiles.  What the fact's SELECT names of its sources are then columns of that table; see
 * sem_plan.h.
 */
#pragma once

#include "semantic/sem_plan.h"

/* Whether what is written now stands outside of the derived table, so that ranked_put_column() is to be used. */
bool ranked_outside(const struct sem_plan *c, const struct plan_fact *fact);

/* Append the name of the derived table's column with this expression, which it has from now on. */
int ranked_put_column(struct sem_plan *c, struct buf *out, struct plan_fact *fact, struct span expr);

/* Append FROM and WHERE, as from has them, or the derived table over them. */
void ranked_put_from(struct buf *out, const struct plan_fact *fact, struct span from);

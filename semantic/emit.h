/*
 * emit - private to this folder: expressions into SQL text: the text as it was written, with the spans that are
 * understood replaced.  See sem_plan.h.
 */
#pragma once

#include "semantic/sem_plan.h"

/* Whether the aggregate is median or percentile. */
bool emit_is_percentile(const struct expr *call);

/* A row expression; joins what it needs into fact. */
int emit_row_expr(struct sem_plan *c, struct buf *out, struct plan_fact *fact, struct span text,
    const struct expr *e, uint32_t scope, bool user);
int emit_column(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t node,
    const struct source_column *column, struct span name);

/* A dimension, cut to its grain. */
int emit_dimension(struct sem_plan *c, struct buf *out, struct plan_fact *fact, const struct plan_dimension *d);

/* The same as emit_column(), for joins: the column as the database has it. */
int emit_stored_column(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t node,
    const struct source_column *column, struct span name);

/* A measure inside one fact's SELECT. */
int emit_measure(struct sem_plan *c, struct buf *out, struct plan_fact *fact,
    const struct plan_measure *m, const struct expr *e, const struct plan_cond *conds);

/* A measure over columns of several facts; a fact without rows in the group counts as 0. */
int emit_combined(struct sem_plan *c, struct buf *out, const struct plan_measure *m,
    const struct expr *e, const struct plan_cond *conds);

/* The one value of a fact's column among the rows of all facts in a group. */
void emit_side(struct sem_plan *c, struct buf *out, const struct sem_column *column);

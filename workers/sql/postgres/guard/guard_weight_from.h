/* guard_weight_from - counts FROM: tables, WITH queries, sub-selects, functions, joins; see guard_weight.h. */
#pragma once

#include "workers/sql/postgres/guard/guard_weight_parts.h"

/* The alias of a relation, and the names of its columns. */
struct span weight_alias_of(const struct guard_tree *t, uint32_t v, struct span otherwise, uint32_t *columns);

/* A result that is computed before it is read: each of its columns is one part. */
uint32_t weight_computed(struct guard_weight *w, uint32_t columns);

/* Count WITH query i, once; its result. */
const struct outcome *weight_count_cte(struct guard_weight *w, struct weight_scope *outer, uint32_t i);

/* Count what FROM, or one item of FROM, names; its columns and rows are added to s.  The parts. */
double weight_count_from(struct guard_weight *w, struct weight_scope *s, uint32_t v);

/* Whether the server computes the WITH query once, instead of at each use. */
bool weight_is_materialised(const struct guard_weight *w, const struct cte *c);

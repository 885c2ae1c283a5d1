/*
 * guard_operators - which operators a node of a statement uses: those that it
 * spells, and those that a keyword implies (BETWEEN, CASE, IN, USING,
 * NATURAL).
 */
#pragma once

#include "workers/sql/postgres/guard/guard_tree.h"

/* An implied operator has no schema: the search path finds it. */
struct guard_operator {
	struct span	schema, name;
};

#define GUARD_OPERATORS_MAX	3

/* Returns the number of operators. */
size_t guard_operators(const struct guard_tree *t, enum guard_key kind, uint32_t v,
    struct guard_operator out[GUARD_OPERATORS_MAX]);

/*
 * guard_growth - does a recursion multiply the size of its values, and how
 * fast?
 *
 * x || 'a' adds a constant in each step; x || x doubles, and exceeds every
 * bound after thirty steps.
 */
#pragma once

#include "workers/sql/postgres/guard/guard_tree.h"

enum guard_growth {
	GUARD_GROWTH_NONE,	/* nothing is multiplied; the steps may still add */
	GUARD_GROWTH_BOUNDED,	/* multiplied, in as many steps as a condition on a counter allows */
	GUARD_GROWTH_EXCEEDS	/* multiplied beyond GUARD_VALUE_BYTES_MAX, or in unlimited steps */
};

#define GUARD_GROWTH_COLUMNS	32u	/* further columns are not followed */

/* The columns of a recursive WITH query, with the size of each in the first step. */
struct guard_growth_columns {
	size_t		n;
	struct span	name[GUARD_GROWTH_COLUMNS];
	double		bytes[GUARD_GROWTH_COLUMNS];
};

/*
 * select: the recursive part, a SelectStmt's fields.  of: the alias of the WITH query in its FROM.  *steps: how many a
 * condition on a counter allows; INFINITY: unknown.
 */
enum guard_growth guard_growth(const struct guard_tree *t, uint32_t select, struct span of,
    const struct guard_growth_columns *columns, double *steps);

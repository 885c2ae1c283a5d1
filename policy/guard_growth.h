/*
 * guard_growth - does a recursion make its values larger step by step, and
 * how fast?  x || 'a' adds, as long as the time lasts; x || x doubles, and is
 * beyond all bounds after thirty steps.
 */
#ifndef POLICY_GUARD_GROWTH_H
#define POLICY_GUARD_GROWTH_H

#include "policy/guard_tree.h"

enum guard_growth {
	GUARD_GROWTH_NONE,	/* nothing is multiplied: it may still add */
	GUARD_GROWTH_BOUNDED,	/* multiplied, in as many steps as a condition allows a counter */
	GUARD_GROWTH_EXCEEDS	/* multiplied beyond GUARD_VALUE_BYTES_MAX, or as often as it likes */
};

#define GUARD_GROWTH_COLUMNS	32u	/* beyond that no more of them are followed */

/* The columns of a recursive WITH query, and what of each is known when it begins. */
struct guard_growth_columns {
	size_t		n;
	struct span	name[GUARD_GROWTH_COLUMNS];
	double		bytes[GUARD_GROWTH_COLUMNS];
};

/* select: the recursive part, a SelectStmt's fields.  of: as what the WITH query stands in its FROM. */
enum guard_growth guard_growth(const struct guard_tree *t, uint32_t select, struct span of,
    const struct guard_growth_columns *columns);

#endif

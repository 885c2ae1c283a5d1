/*
 * guard_weight - what a statement grows into before and while it runs, as far
 * as its text tells.
 *
 * The server's planner copies: a WITH query for each place that names it
 * (unless it is materialised), the expression behind a column of a sub-select
 * for each place that names the column, an operand of BETWEEN for each
 * comparison.  Copies of copies multiply, and no interrupt is looked at while
 * they are made, so that a statement of 1 KB can take all of the server's memory.
 * Here they are counted instead, each WITH query and column once.
 *
 * On the way it is noted how large columns of sub-selects and what aggregates
 * gather become, where it follows from constants: guard_fold goes on from
 * there.
 */
#ifndef POLICY_GUARD_WEIGHT_H
#define POLICY_GUARD_WEIGHT_H

#include "policy/guard_fold.h"
#include "policy/guard_memory.h"
#include "policy/guard_tree.h"

/*
 * Parts (operands, columns, tables) of the statement when all is copied.  The
 * server takes about 1 KB and 2 us for each: 250 MB and half a second at most.
 */
#define GUARD_PARTS_MAX		250000.0
#define GUARD_SETS_MAX		4096.0			/* grouping sets; the server's own bound */
#define GUARD_GATHERED_MAX	(256.0 * 1024 * 1024)	/* bytes gathered into one value by an aggregate */

enum guard_excess {
	GUARD_FITS,
	GUARD_EXCESS_PARTS,		/* size: parts */
	GUARD_EXCESS_JOINS,		/* size: parts, for the orders of joins alone */
	GUARD_EXCESS_SETS,		/* size: grouping sets */
	GUARD_EXCESS_GATHERED,		/* size: bytes */
	GUARD_EXCESS_VALUE,		/* size: bytes of one value */
	GUARD_EXCESS_TOGETHER,		/* size: bytes of the values of one row */
	GUARD_EXCESS_GROWTH,		/* a recursion that multiplies its values */
	GUARD_EXCESS_NESTING		/* too involved to be counted */
};

struct guard_weight;

struct guard_weight *guard_weight_new(void);
void guard_weight_free(struct guard_weight *w);		/* accepts NULL */

/*
 * Count the statement under stmt.  On an excess *at is the fields of the node
 * where it was noticed.  Sets t->known, which is w's until the next count.
 * *memory: what of it the server keeps in memory.
 */
enum guard_excess guard_weight_count(struct guard_weight *w, struct guard_tree *t, uint32_t stmt, uint32_t *at,
    double *size, struct guard_memory *memory);

#endif

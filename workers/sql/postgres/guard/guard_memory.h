/*
 * guard_memory - the parts of a statement whose rows the server keeps in memory
 * until the end, however many: values that an aggregate or ARRAY(SELECT …)
 * gathers, and the rows that are hashed for a sub-select, for EXCEPT or for a
 * recursion's UNION.
 *
 * Sorts, joins and groups go to disk when they grow (temp_file_limit), these do
 * not.  Their size depends on the stored rows.  The statement's text tells
 * whether it has such parts, and how far the server's own row estimate may be
 * wrong; guard_plan.h turns this into a time limit.
 */
#pragma once

#include "workers/sql/postgres/guard/guard_tree.h"

struct guard_memory {
	bool	gathers;	/* an aggregate that keeps all its input, or ARRAY(SELECT …) */
	bool	hashes;		/* a sub-select behind IN, ANY, ALL; EXCEPT, INTERSECT; rows joined by an expression */
	bool	distinct;	/* a recursion with UNION, which keeps all its rows */
	bool	recurs;		/* a recursion: the row estimate says nothing about it */
	bool	brief;		/* many values whose size depends on stored data: short time limit */
	double	doubt;		/* factor: rows that may pass the conditions / the server's estimate */
	double	made;		/* factor: rows that functions may return / the server's estimate */
	double	bytes;		/* size of the largest value made from constants */
};

/* Whether an aggregate of that name keeps all its input.  *known: the name is one of the server's aggregates. */
bool guard_memory_gathers(struct span name, bool *known);

/* Whether a text from the server's plan calls such an aggregate. */
bool guard_memory_tells_gathering(struct span text);

/*
 * How many times more rows than the server estimates may pass a condition
 * (WHERE, ON, HAVING; GUARD_NIL: none).  1 for conditions on columns, which have
 * statistics; for comparisons of expressions the server guesses that one row in
 * 200, or one in three, passes.
 */
double guard_memory_doubt(const struct guard_tree *t, uint32_t condition);

/* Whether the condition joins two relations by expressions rather than by plain columns. */
bool guard_memory_is_skewed(const struct guard_tree *t, uint32_t condition);

/*
 * The same factor for the rows that a function returns.  name: the last name of the function.
 * rows: their number if constants tell it, else 0.
 */
double guard_memory_made(struct span name, double rows);

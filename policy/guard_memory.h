/*
 * guard_memory - what of a statement the server keeps in its memory until the
 * end, however much it is: values that an aggregate or ARRAY(SELECT …)
 * gathers, the rows of a sub-select, of EXCEPT or of a recursion's UNION
 * that it hashes.  Sorts, joins and groups go to its disk when they grow
 * (temp_file_limit), these do not.
 *
 * How much it is depends on what is stored.  The statement's text says
 * whether there is such a thing, and how far the server's own estimate of
 * the rows may be wrong; guard_plan.h makes of it how long the statement may run.
 */
#ifndef POLICY_GUARD_MEMORY_H
#define POLICY_GUARD_MEMORY_H

#include "policy/guard_tree.h"

struct guard_memory {
	bool	gathers;	/* an aggregate that keeps what it is given, ARRAY(SELECT …) */
	bool	hashes;		/* a sub-select behind IN, ANY, ALL; EXCEPT, INTERSECT; rows joined by an expression */
	bool	distinct;	/* a recursion with UNION keeps all rows that it has had */
	bool	recurs;		/* how many rows a recursion makes no estimate says */
	bool	brief;		/* values as large as data asks for, many at once */
	double	doubt;		/* so many times the rows that the server expects may pass the conditions */
	double	made;		/* and so many times the rows may come out of functions */
	double	bytes;		/* of the largest value that follows from constants */
};

/* Whether an aggregate of that name keeps all that it is given; *known: it is one of the server's aggregates. */
bool guard_memory_gathers(struct span name, bool *known);

/* Whether a text that the server has written of its plan calls such an aggregate. */
bool guard_memory_tells_gathering(struct span text);

/*
 * How many times more rows may pass a condition (WHERE, ON, HAVING; GUARD_NIL:
 * none) than the server expects.  1 where its statistics of columns tell; of
 * a comparison of expressions it takes that one row in 200, or in three, passes.
 */
double guard_memory_doubt(const struct guard_tree *t, uint32_t condition);

/* Whether two relations are joined by something other than their columns as they are. */
bool guard_memory_is_skewed(const struct guard_tree *t, uint32_t condition);

/* The same for the rows that a function (the fields of a FuncCall) makes, `rows` of which follow from constants (0: unknown). */
double guard_memory_made(struct span name, double rows);

#endif

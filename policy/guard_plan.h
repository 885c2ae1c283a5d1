/*
 * guard_plan - how long a statement may run that keeps rows in the server's
 * memory (guard_memory.h), from the server's own plan of it.
 *
 * No setting of PostgreSQL bounds that memory.  What can be bounded is how
 * long it grows: a statement that would come to more than
 * GUARD_GATHERED_MAX, by as many rows as may be there, runs as long as it takes
 * to gather GUARD_PLAN_BYTES, which is between a second and all of its time.
 */
#ifndef POLICY_GUARD_PLAN_H
#define POLICY_GUARD_PLAN_H

#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "policy/guard_memory.h"

#define GUARD_PLAN_BYTES	1e9		/* what a statement may come to that cannot be estimated otherwise */
#define GUARD_PLAN_ROWS		8e6		/* gathered in a second: half of what array_agg() of empty text was seen to do */
#define GUARD_PLAN_LEAST_MS	1000u
#define GUARD_PLAN_UNBOUNDED	UINT64_MAX

/* How much of a relation stands out of line, in bytes for each row: the server's widths leave it out. */
struct guard_plan_stored {
	struct span	name;
	double		bytes;
};

/* Whether the plan has to be asked for. */
bool guard_plan_is_needed(const struct guard_memory *m);

/*
 * json: what EXPLAIN (VERBOSE, FORMAT JSON) says.  Milliseconds that the statement may
 * run, GUARD_PLAN_UNBOUNDED: as long as any.  A plan that is not understood
 * gives the least.
 */
uint64_t guard_plan_ms(struct span json, const struct guard_memory *m, const struct guard_plan_stored *stored, size_t nstored);

/* The names of the relations in it, as the elements of an array literal: "a","b". */
void guard_plan_relations(struct span json, struct buf *out);

#endif

/*
 * guard_plan - the time limit of a statement that keeps rows in the server's
 * memory (guard_memory.h), from the server's own plan.
 *
 * No setting of PostgreSQL limits that memory, but the time in which it grows
 * can be limited.  A statement that may gather more than GUARD_GATHERED_MAX, by
 * the largest possible number of rows, may run as long as it takes to gather
 * GUARD_PLAN_BYTES: at least a second, at most its usual limit.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "workers/sql/postgres/guard/guard_memory.h"

#define GUARD_PLAN_BYTES	1e9		/* limit of a statement's gathered bytes that no estimate bounds */
#define GUARD_PLAN_ROWS		8e6		/* gathered in a second: half the measured rate of array_agg('') */
#define GUARD_PLAN_LEAST_MS	1000u
#define GUARD_PLAN_UNBOUNDED	UINT64_MAX

/* The bytes per row that a relation stores out of line: the widths in a plan leave them out. */
struct guard_plan_stored {
	struct span	name;
	double		bytes;
};

/* Whether guard_plan_ms() needs the plan of this statement. */
bool guard_plan_is_needed(const struct guard_memory *m);

/*
 * json: the output of EXPLAIN (VERBOSE, FORMAT JSON).  Returns the milliseconds that
 * the statement may run; GUARD_PLAN_UNBOUNDED: only the usual limit.  A plan
 * that is not understood gives the shortest limit.
 */
uint64_t guard_plan_ms(struct span json, const struct guard_memory *m, const struct guard_plan_stored *stored,
    size_t nstored);

/* The names of the relations in the plan, as the elements of an array literal: "a","b". */
void guard_plan_relations(struct span json, struct buf *out);

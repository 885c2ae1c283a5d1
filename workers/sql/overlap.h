/*
 * overlap - the tool `relate`: how many values of some columns of one table
 * occur in as many columns of another, or how many values a column has.  A deep
 * scan uses it to check relationships and keys that nothing declares.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct call;
struct mp_value;

#define RELATE_WIDTH_MAX	3	/* columns of a key */

struct relate_side {
	const char	*db, *table;	/* db NULL: the engine has none */
	const char	*columns[RELATE_WIDTH_MAX];
};

struct relate_ask {
	struct relate_side	child, parent;	/* parent.table NULL: all rows of the child alone are counted */
	size_t			width;		/* 1 without a parent */
	uint64_t		rows;		/* limit for the rows of each table that are read to count */
	uint64_t		deadline_ns;	/* of the statement */
	const struct identity_as *as;		/* as profile_ask.as */
};

/* Rows with a null in any of the columns are in child_rows and parent_rows only. */
struct overlap_counts {
	uint64_t	child_rows, child_filled, child_distinct;	/* of the sample */
	uint64_t	found_rows, found_distinct;			/* of those, the ones with a parent anywhere */
	uint64_t	parent_rows, parent_filled, parent_distinct;	/* of the parent's own sample */
};

/* The statement that counts a child alone: count is the function, name and table as the engine reads them. */
void overlap_put_alone(struct buf *out, const char *count, struct span name, struct span table);

int relate_run(struct call *c, const struct mp_value *args, struct err *err);

/* "k0, k1": the names that the statements give to a key's columns, with what is behind each and between them. */
static inline void
overlap_put_keys(struct buf *out, size_t width, const char *after, const char *between)
{
	for (size_t i = 0; i < width; i++)
		buf_printf(out, "%sk%zu%s", i > 0 ? between : "", i, after);
}

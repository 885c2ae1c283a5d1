/*
 * profile - the tool `profile`: what a sample of one table says about its columns.
 *
 * The driver looks at one column at a time (sql_driver.sample), so that a
 * column that cannot be read, compared or printed is lost alone.
 */
#ifndef WORKERS_SQL_PROFILE_H
#define WORKERS_SQL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct call;
struct mp_value;

#define PROFILE_TEXT_MAX	256	/* characters; a longer value is counted and not told */
#define PROFILE_TEXT_SEEN	1024	/* characters by which values are told apart */
#define PROFILE_DISTINCT	200	/* a column with more distinct values, and more than were asked for, tells few */
#define PROFILE_FEW		5	/* values told of a column that has more than were asked for */

/* Which column of which table, and how much of it. */
struct profile_ask {
	const char	*db, *table, *column;	/* db NULL: none */
	uint64_t	 rows;		/* at most as many are read */
	uint64_t	 values;	/* at most as many distinct ones are wanted */
	uint64_t	 deadline_ns;	/* of the statement */
};

struct profile_column {
	uint64_t	 rows, nulls, distinct;
	uint64_t	 shortest, longest;	/* characters as text; of no use without a value */
	bool		 is_enum;
	size_t		 nvalues;
	struct buf	 values;		/* msgpack texts, the most frequent first */
};

/* For drivers: one more value; what is no text, too long or too much is left out. */
void profile_add(struct profile_column *p, struct span value);

int profile_run(struct call *c, const struct mp_value *args, struct err *err);
extern const char profile_input[];

#endif

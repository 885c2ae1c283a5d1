/*
 * sample - the tool `profile`: statistics of one table's columns from a sample.
 *
 * The driver reads one column at a time (sql_driver.sample), so that a column that
 * cannot be read, compared or printed fails alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct call;
struct mp_value;

#define PROFILE_TEXT_MAX	256	/* characters; a longer value is counted and not shown */
#define PROFILE_TEXT_SEEN	1024	/* characters that are compared to tell values apart */
#define PROFILE_DISTINCT	200	/* with more distinct values than this, and than requested, few are shown */
#define PROFILE_FEW		5	/* values shown of a column with too many */

/* The column to sample, and the limits of the sample. */
struct profile_ask {
	const struct identity_as *as;	/* where the connection has an identity: as whom it is read */
	const char	*db, *table, *column;	/* db NULL: the engine has none */
	uint64_t	 rows;		/* limit for the rows read */
	uint64_t	 values;	/* limit for the distinct values */
	uint64_t	 deadline_ns;	/* of the statement */
};

struct profile_column {
	uint64_t	 rows, nulls, distinct;
	uint64_t	 shortest, longest;	/* characters as text; meaningless without a value */
	bool		 is_enum;
	size_t		 nvalues;
	struct buf	 values;		/* msgpack texts, most frequent first */
};

/* For drivers: adds one value.  A value that is no text, too long or beyond the limit is left out. */
void profile_add(struct profile_column *p, struct span value);

int profile_run(struct call *c, const struct mp_value *args, struct err *err);

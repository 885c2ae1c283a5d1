/*
 * column_profile - the data side of a deep scan: what the SQL worker's samples say
 * about every column, as enrichment/relationship-profile.json,
 * in ktx's format, which is what dictionary_search reads.
 *
 * Only tables are sampled: a view repeats what its tables hold, and reading it
 * runs whatever its author put in.  Which values of a column may be kept is
 * decided in one place, values_of() in column_profile.c.
 */
#ifndef WORKERS_MEMORY_SCAN_COLUMN_PROFILE_H
#define WORKERS_MEMORY_SCAN_COLUMN_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "workers/memory/scan/deep.h"

#define PROFILE_FILE	"relationship-profile.json"	/* below enrichment/ */

struct profile_limits {
	uint64_t	sample_rows, values_per_column, statement_ms;
};

enum profile_state {
	PROFILE_LEFT_OUT,	/* the time or the room was up */
	PROFILE_DONE,
	PROFILE_FAILED
};

struct profile_table {
	size_t			 at, len;		/* its arguments in plans */
	size_t			 version_at, version_len;	/* introspection's dataVersion, there too */
	int64_t			 rows;			/* estimated by introspection; -1: unknown */
	enum profile_state	 state;
	size_t			 result_at, result_len;	/* DONE: {sampledRows, failures, columns} in results */
	char			*why;			/* FAILED */
};

struct profile {
	struct profile_limits	 limits;
	const char		*policy;		/* columns_digest() of the connection; "" or NULL: none */
	struct buf		 plans, results;
	size_t			 n, cap;
	struct profile_table	*v;			/* in the order they were planned */
	size_t			 nqueries, nfailed, nleft_out, nreused;
};

/*
 * Plan to profile a table as artifacts_table() gave it; version is
 * introspection's dataVersion, empty when it has none.  The server's own
 * catalogue is passed over: it describes itself, and holds what not everybody
 * may see.
 */
void profile_plan(struct profile *p, const struct mp_value *table, struct span version);

/*
 * Sample every planned table but for those that d->recall knows.  A table that
 * fails becomes a warning; -1 with *err when the call is over or the database
 * is gone.  Progress runs from..to.
 */
int profile_sample(struct profile *p, const struct deep *d, unsigned from, unsigned to, struct err *err);

/*
 * What is known of the table planned as number i: its arguments, and the
 * result.  False: nothing.
 */
bool profile_known(const struct profile *p, size_t i, struct mp_value *args, struct mp_value *result);

/* The number of rows in the table, as far as known. */
uint64_t profile_rows(const struct profile *p, size_t i, const struct mp_value *result);

/* The artifact as a map. */
void profile_put(const struct profile *p, const char *connection, struct span driver, uint64_t at_ms,
    struct buf *out);

/* Calls fn for each failure, in order: a table (column empty) or one of its columns. */
void profile_failures(const struct profile *p, void (*fn)(void *arg, struct span table, struct span column,
    struct span message), void *arg);

void profile_fini(struct profile *p);

#endif

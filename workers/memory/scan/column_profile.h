/*
 * column_profile - the data side of a deep scan: the SQL worker's samples of every column, as
 * enrichment/relationship-profile.json in ktx's format, which dictionary_search reads.
 *
 * Only tables are sampled: a view repeats the data of tables, and reading it runs its author's code.  values_of() in
 * column_profile.c alone decides which values of a column may be kept.
 */
#pragma once

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
	PROFILE_LEFT_OUT,	/* no time or room was left */
	PROFILE_DONE,
	PROFILE_FAILED
};

struct profile_table {
	size_t			 at, len;		/* its arguments in plans */
	size_t			 version_at, version_len;	/* introspection's dataVersion, also in plans */
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
 * Plans the profile of a table from artifacts_table(); version is introspection's dataVersion, possibly empty.  The
 * server's own catalogue is skipped: it describes itself, and contains restricted data.
 */
void profile_plan(struct profile *p, const struct mp_value *table, struct span version);

/* The arguments and the result of planned table i.  False: it has no result. */
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

/*
 * profile - the data side of a deep scan: what the SQL worker's samples say
 * about every column, as enrichment/relationship-profile.json
 * (ktx-compat.md sections 1.7 and 10.4), which is what dictionary_search reads.
 *
 * Only tables are sampled: a view repeats what its tables hold, and reading it
 * runs whatever its author put in.  Which values of a column may be kept is
 * decided in one place, values_of() in profile.c.
 */
#ifndef WORKERS_MEMORY_PROFILE_H
#define WORKERS_MEMORY_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "workers/memory/report.h"
#include "workers/shared/tool.h"

#define PROFILE_FILE	"relationship-profile.json"	/* below enrichment/ */

struct profile_limits {
	uint64_t	sample_rows, values_per_column, statement_ms;
};

struct profile_table {
	size_t	at, len;	/* its arguments in plans */
	int64_t	rows;		/* estimated by introspection; -1: unknown */
};

struct profile {
	struct profile_limits	 limits;
	struct buf		 plans;
	size_t			 n, cap;
	struct profile_table	*v;
	/* The artifact's parts, growing. */
	struct buf		 tables, columns, warnings;
	size_t			 ntables, ncolumns, nwarnings, nqueries, nfailed;
	uint64_t		*keys;		/* digests of the keys in columns, hashed */
	size_t			 nkeys, capkeys;
};

/* Plan to profile a table as artifacts_table() gave it. */
void profile_plan(struct profile *p, const struct mp_value *table);

/*
 * Sample every planned table, one after another.  A table that fails becomes a
 * warning; -1 with *err when the call is over or the database is gone.
 * Progress runs from..to.
 */
int profile_sample(struct profile *p, struct call *c, const char *connection, struct warnings *w, unsigned from,
    unsigned to, struct err *err);

/* The artifact as a map. */
void profile_put(const struct profile *p, const char *connection, struct span driver, uint64_t at_ms,
    struct buf *out);

void profile_fini(struct profile *p);

#endif

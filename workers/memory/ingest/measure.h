/*
 * measure - a measure proposed by a text, and its place in a source's file.
 *
 * Only what can be said without guessing: an aggregate over the columns of one
 * source, named by the text.  Whether it compiles is for sl_query to say.
 */
#ifndef WORKERS_MEMORY_INGEST_MEASURE_H
#define WORKERS_MEMORY_INGEST_MEASURE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "workers/memory/ingest/formula.h"

struct measure {
	bool		column;			/* a computed column of the source instead of a measure */
	const char	*type;			/* of a column: "string", "number", "time", "boolean" */
	struct span	source, name;
	struct span	expr, filter;		/* with bare column names, as in a source's file; filter may be empty */
	struct span	asked, asked_filter;	/* with qualified names for sl_query: source.column */
};

/*
 * The measure that a text calls name, of expr and filter as they stand there;
 * the scope's source is found out when it is empty.  -1 with *err: it is none,
 * and why.
 */
int measure_make(struct arena *a, struct span name, struct span expr, struct span filter, struct formula_scope *scope,
    struct measure *m, struct err *err);

enum measure_fit { MEASURE_NEW, MEASURE_THERE, MEASURE_OTHER };

/* Whether the source's file (YAML text) defines the measure: no, with the same formula, or with another (in *expr). */
int measure_fit(struct arena *a, struct span text, const struct measure *m, enum measure_fit *fit, struct span *expr,
    struct err *err);

/*
 * A comment above the source's measure of that name that the wiki page key
 * says otherwise; the YAML means what it meant.  1: *out has the text; 0: the
 * comment is there already; -1 with *err when it is not safe.
 */
int measure_mark(struct arena *a, struct span text, const struct measure *m, struct span key, struct buf *out,
    struct err *err);

/*
 * text with the measure added to its list, every other byte as it was; an
 * empty text becomes an overlay.  -1 with *err when that is not safe.
 */
int measure_add(struct arena *a, struct span text, const struct measure *m, struct span description, struct buf *out,
    struct err *err);

#endif

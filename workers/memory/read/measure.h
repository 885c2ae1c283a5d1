/*
 * A measure is only made if nothing must be guessed: an aggregate over columns of one source, named by the text.
 * sl_query decides whether it compiles.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "workers/memory/read/formula.h"

struct measure {
	bool		column;			/* a computed column of the source instead of a measure */
	const char	*type;			/* of a column: "string", "number", "time", "boolean" */
	struct span	source, name;
	struct span	expr, filter;		/* with bare column names, as in a source's file; filter may be empty */
	struct span	label;			/* what people call it; may be empty */
	struct span	asked, asked_filter;	/* with qualified names for sl_query: source.column */
};

/*
 * Makes the measure that a text calls name, from expr and filter as written; an empty source in the scope is filled
 * in.  -1 with *err: why it is not a measure.
 */
int measure_make(struct arena *a, struct span name, struct span expr, struct span filter, struct formula_scope *scope,
    struct measure *m, struct err *err);

enum measure_fit { MEASURE_NEW, MEASURE_THERE, MEASURE_OTHER };

/*
 * Whether the source's file (YAML text) has the measure: not at all, with the same formula, or with another one (in
 * the expr and filter of *there).
 */
int measure_fit(struct arena *a, struct span text, const struct measure *m, enum measure_fit *fit,
    struct measure *there, struct err *err);

/* The list of the file that the measure belongs to. */
const char *measure_list(const struct measure *m);

/*
 * Adds the measure to its list in text, leaving all other bytes unchanged; an empty text becomes an overlay.  -1 with
 * *err when the edit is not safe.
 */
int measure_add(struct arena *a, struct span text, const struct measure *m, struct span description, struct buf *out,
    struct err *err);

/*
 * Gives the measure of that name in text the formula and the description, and leaves its other members.  -1 with *err
 * as measure_add().
 */
int measure_replace(struct arena *a, struct span text, const struct measure *m, struct span description,
    struct buf *out, struct err *err);

/*
 * measure - a measure proposed by a text, and its place in a source's file.
 *
 * Only what can be said without guessing: an aggregate over the columns of one
 * source, named by the text.  Whether it compiles is for sl_query to say.
 */
#ifndef WORKERS_MEMORY_MEASURE_H
#define WORKERS_MEMORY_MEASURE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct measure {
	struct span	source, name;
	struct span	expr, filter;		/* as a source's file has them: bare columns; filter may be empty */
	struct span	asked, asked_filter;	/* as sl_query takes them: source.column */
};

/*
 * The measure that content proposes; title names it when nothing else does.
 * Returns 1, 0 when it proposes none, -1 with *err when it does and that
 * cannot be taken over, and why.
 */
int measure_read(struct arena *a, struct span content, struct span title, struct measure *m, struct err *err);

enum measure_fit { MEASURE_NEW, MEASURE_THERE, MEASURE_OTHER };

/* Whether the source's file (YAML text) defines it: not, the same, or otherwise (*expr says how). */
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

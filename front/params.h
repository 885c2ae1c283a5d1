/*
 * params - Mcp-Param-* headers of the 2026-07-28 revision: arguments of a tool
 * that its input schema also wants to see in a header, for whoever routes
 * requests without reading bodies ("x-mcp-header").
 *
 * Only over HTTP, and only in that revision.  The product's own tools declare
 * none.  Pure.
 */
#ifndef FRONT_PARAMS_H
#define FRONT_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mp.h"
#include "base/span.h"

#define PARAMS_MAX		16u	/* of one tool; a tool that declares more is refused */
#define PARAMS_DEPTH		4u	/* properties within properties */
#define PARAMS_PROBLEM_MAX	160u	/* bytes of a sentence, NUL included */
#define PARAMS_NAME_MAX		64u	/* bytes of a header's own part */

/* One declaration.  Spans borrow from the schema. */
struct param {
	struct span	path[PARAMS_DEPTH];
	size_t		npath;
	struct span	header;		/* "Region" of Mcp-Param-Region */
};

struct params {
	struct param	all[PARAMS_MAX];
	size_t		n;
};

/*
 * Find what schema declares.  NULL, or why it may not: a name that is no token
 * or occurs twice, a type that has no one text, a place that not every call
 * has.
 */
const char *params_read(const struct mp_value *schema, struct params *out);

/*
 * Do fields, the header lines of a request, agree with args?  NULL, or what is
 * wrong, written to said.
 */
const char *params_check(const struct params *p, const struct mp_value *args, struct span fields,
    char said[PARAMS_PROBLEM_MAX]);

#endif

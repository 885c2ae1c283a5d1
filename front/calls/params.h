/*
 * params - Mcp-Param-* headers of the 2026-07-28 revision ("x-mcp-header").  A tool's input schema may
 * declare that some arguments are repeated in headers, for intermediaries that route requests without
 * reading bodies.  Only over HTTP, and only in that revision.  The product's own tools declare none.
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/mp.h"
#include "base/span.h"

#define PARAMS_MAX		16u	/* declarations of one tool; a tool with more is not offered */
#define PARAMS_DEPTH		4u	/* depth of nested properties */
#define PARAMS_PROBLEM_MAX	160u	/* bytes of the description of a problem, NUL included */
#define PARAMS_NAME_MAX		64u	/* bytes of the <name> in Mcp-Param-<name> */

/* One declaration.  Spans borrow from the schema. */
struct param {
	struct span	path[PARAMS_DEPTH];
	size_t		npath;
	struct span	header;		/* "Region" for Mcp-Param-Region */
};

struct params {
	struct param	all[PARAMS_MAX];
	size_t		n;
};

/*
 * Find the declarations in schema.  NULL, or why the schema is invalid: a name is no token or is
 * repeated, a type has more than one textual form, or a place does not exist in every call.
 */
const char *params_read(const struct mp_value *schema, struct params *out);

/* Decode a header that repeats a parameter, in base64 sentinel form or literal.  False: not decodable. */
bool params_decode(struct span header, struct buf *out);

/* Compare fields, the header lines of a request, with args.  NULL, or the mismatch, written to said. */
const char *params_check(const struct params *p, const struct mp_value *args, struct span fields,
    char said[PARAMS_PROBLEM_MAX]);

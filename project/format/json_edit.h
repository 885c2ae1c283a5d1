/*
 * json_edit - inserts or removes one member of another program's JSON file and leaves every other byte
 * as it was: order, indentation, comments, line ends.  JSON libraries drop comments and layout.  The
 * whole text is checked first; invalid JSON is refused.  Comments and trailing commas are allowed only
 * where asked for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct json_edit_path {
	size_t			 n;
	const char *const	*keys;		/* as they are, not escaped */
};

/*
 * The value at path as text: 1 with *value, 0: absent, -1 with *err: the text is not a JSON object, or a part of the
 * path is not an object or is duplicated.
 */
int json_edit_get(struct span text, struct json_edit_path path, bool comments, struct span *value, struct err *err);

/*
 * Append text with value (compact JSON) at path; objects on the way are made.
 * An empty text is an empty object.
 */
int json_edit_set(struct span text, struct json_edit_path path, struct span value, bool comments, struct buf *out,
    struct err *err);

/* Append text without the member at path; a missing one is no failure. */
int json_edit_remove(struct span text, struct json_edit_path path, bool comments, struct buf *out, struct err *err);

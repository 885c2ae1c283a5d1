/*
 * result_shape - the form of rows that a caller asks for: a bound of bytes of JSON, and columns in place of rows.
 *
 * The bytes are those of the result's object as clients get it.  The rows that do not fit are left out, at least one is
 * given; truncated and truncatedBy say so, and the member note how to go on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mp.h"
#include "front/calls/tool_result.h"

struct result_shape {
	uint64_t	max_bytes;	/* 0: any number */
	bool		columns;
};

/* By the arguments maxBytes and format of a call, which its schema has checked. */
struct result_shape result_shape_of(const struct mp_value *args);

/* Give a finished result this shape.  -1 as result_add_rows(). */
int result_shape(struct tool_result *r, const struct result_shape *shape, struct err *err);

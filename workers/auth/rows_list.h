/*
 * rows_list - an answer that is one list, {"<name>": [ … ]}: begin it, let a function of the store append rows to out
 * and count them in n, and end it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct call;

struct list_rows {
	struct buf	out;
	size_t		n, mark;
	uint64_t	now_ms;		/* the store's, where rows depend on it */
};

void rows_begin(struct list_rows *r, const char *name);

/* Answer c when result is 0; returns result. */
int rows_end(struct list_rows *r, struct call *c, int result);

/* arguments - the arguments of a tool, a map that is built member by member from the options. */
#pragma once

#include "base/mp.h"

struct arguments {
	struct buf	mp;		/* the caller's to buf_fini() */
	size_t		mark, n;
};

void arguments_begin(struct arguments *a);

/* Add a member; the caller appends its value to the buffer returned. */
struct buf *arguments_key(struct arguments *a, const char *key);

/* The whole map; borrows from *a. */
struct span arguments_end(struct arguments *a);

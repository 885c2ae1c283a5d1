/* store_copy - what nodes share, from one database into another. */
#pragma once

#include "workers/auth/store/store.h"

/*
 * Copy all rows but those of a node's own audit into a store that has none.  The caller has begun a transaction of
 * each store, unless one is the node's own store of the other; it commits.  *rows: how many were copied.  -1 with
 * *err; code ERR_INVALID_ARGUMENTS if there are rows in `to`.
 */
int store_copy(struct store *from, struct store *to, uint64_t *rows, struct err *err);

/* Remove these rows, in the open transaction. */
int store_copy_clear(struct store *s, struct err *err);

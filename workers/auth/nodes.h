/*
 * nodes - revocation over the nodes that share a store: each says when it has acted upon a change of another, and the
 * one that made the change waits for that.  With a store of the node's own alone, nothing is done.
 */
#pragma once

#include "workers/auth/auth.h"

/* Tell the others what this node has acted upon: after what ended elsewhere was looked up and told to the fronts. */
void nodes_tend(struct auth *a);

/* Whether this node writes the project's files, as one of those that share a store does. */
bool nodes_may_write(const struct auth *a);

/*
 * Wait until all nodes have acted upon this node's newest change, or have no lease any more; the result is in
 * a->fronts.total.  For tools with `waits`, after fronts_wait().
 */
void nodes_wait(struct call *c);

/* Append what nodes_wait() found, as a map; nothing if the store is this node's alone. */
void nodes_put(const struct store_heard *heard, struct buf *out);

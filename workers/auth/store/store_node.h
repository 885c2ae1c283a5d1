/* store_node - the nodes that share a store; errors as in store.h. */
#pragma once

#include "workers/auth/store/store.h"

#define STORE_NODE	64	/* bytes of a node's name */
#define STORE_NAMES	256	/* bytes of several, a comma between; cut */

/*
 * Who has acted upon this node's newest change, of the nodes that had a lease when it was made.  away: their lease has
 * ended, so that they honour nothing that they were told before; waiting: neither.
 */
struct store_heard {
	unsigned	nodes, heard;	/* this one included; both 0: the store is this node's alone */
	char		away[STORE_NAMES], waiting[STORE_NAMES];
	uint64_t	after_ms;	/* since the change */
};

int store_heard(struct store *s, struct store_heard *out, struct err *err);

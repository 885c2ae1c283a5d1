/* route - shortest routes from the measured source over joins that do not multiply rows. */
#pragma once

#include "ask/ask_model.h"

struct ask_routes {
	uint32_t	 root;
	uint32_t	*hops;		/* number of joins to each node; ASK_NONE: not reachable */
	bool		*several;	/* there are several shortest routes */
};

/* Whether a join leads from the node by this column alone. */
bool ask_is_foreign(const struct ask_model *m, uint32_t node, struct span column);

/* Returns -1 when a is full. */
int ask_routes_from(const struct ask_model *m, uint32_t root, struct arena *a, struct ask_routes *out);

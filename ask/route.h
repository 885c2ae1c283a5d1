/* route - ways over joins that multiply no row, from the source that is measured. */
#ifndef ASK_ROUTE_H
#define ASK_ROUTE_H

#include "ask/ask_model.h"

struct ask_routes {
	uint32_t	 root;
	uint32_t	*hops;		/* to each node; ASK_NONE: there is no way */
	bool		*several;	/* more than one shortest way */
};

/* -1: a is full. */
int ask_routes_from(const struct ask_model *m, uint32_t root, struct arena *a, struct ask_routes *out);

#endif

/*
 * store_limits - what principals may do in a minute and at the same time, counted for all nodes that share the store;
 * errors as in store.h.  Not for a store of the node's own alone.
 */
#pragma once

#include "workers/auth/store/store.h"

#define STORE_QUOTA	320	/* bytes of the name of what is counted */

/* Calls in the last minute, second by second, by the store's clock.  most 0: not limited. */
struct store_quota {
	char		name[STORE_QUOTA];
	uint64_t	most;
};

struct store_admit {
	struct span		who;
	uint64_t		own, most;	/* calls in flight of this node; of all nodes, 0: not limited */
	struct store_quota	quotas[2];	/* of `who` alone */
	struct store_quota	of_all;		/* of several principals together */
};

struct store_admission {
	enum store_verdict { STORE_ADMITTED = 1, STORE_RATE, STORE_IN_FLIGHT } verdict;
	uint64_t	retry_s;
	uint64_t	limit, remaining, reset_s;	/* of the quota that is nearest to its end; limit 0: none */
	uint64_t	in_flight;			/* of all nodes, with this call */
};

/*
 * Whether a call may begin.  If it may, it is counted, in one statement.  A call in flight counts until
 * store_released() tells a smaller number of this node's, or until the node's lease ends.
 */
int store_admit(struct store *s, const struct store_admit *ask, struct store_admission *out, struct err *err);
int store_released(struct store *s, struct span who, uint64_t own, struct err *err);

/* Remove counts that are of no use any more; due every minute. */
int store_limits_sweep(struct store *s, struct err *err);

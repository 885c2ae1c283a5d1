/*
 * events - what may happen at most so often: authorizations, registrations, codes of devices, begun sign-ins, by
 * address; and codes that were typed, by user and by address.  Counted over all nodes that share a store, in one
 * statement each, else in memory.
 */
#pragma once

#include "base/err.h"
#include "workers/auth/auth.h"
#include "workers/auth/oauth/tally.h"

struct event {
	const char	*what;		/* tells it from others of the same name */
	struct span	 name, also;	/* each of them at most so often; also may be empty */
	unsigned	 most, span_s;	/* as tally has them */
	struct tally	*tally;
};

/* 0: it may happen, and counts; else the seconds until it may; -1 with *err. */
int events_take(struct auth *a, const struct event *e, uint64_t now_ns, struct err *err);

/* One that was taken counts no more. */
void events_back(struct auth *a, const struct event *e, uint64_t now_ns);

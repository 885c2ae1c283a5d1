/*
 * ahead - short calls are sent to an SQL worker while it runs another, so that several calls share a write,
 * a wake-up and a read on both sides.  How many are sent depends on what the pool's statements have cost
 * lately.  Where the running one turns out long, those behind it are taken back and given to another worker.
 *
 * Only calls that read are sent ahead: a worker may have begun one when it is taken back, which it then ends for
 * nothing.  After a worker's
 * death calls run one by one for a while, so that each statement answers for itself (quarantine.h).  A worker that
 * meant to end, as one does whose call was cancelled, has not died in this sense; the supervisor says so afterwards.
 */
#pragma once

#include <stdbool.h>

#include "front/calls/router_parts.h"

#define AHEAD_MOST	8u			/* calls at one worker, with the running one */
#define AHEAD_NS	UINT64_C(1000000)	/* work that may lie at one worker, going by the cost */
#define AHEAD_LONG_NS	UINT64_C(2000000)	/* a call that runs this long keeps no other behind it */
#define AHEAD_ALONE_NS	(UINT64_C(60) * 1000000000)	/* after a death calls run one by one for that long */

/* Whether w, which runs a call, may have c behind it. */
bool ahead_may(const struct worker *w, const struct front_call *c);

/* A call was sent to w.  It runs when it is the only one. */
void ahead_sent(struct worker *w);

/* The call that w was running is over, and the next one runs. */
void ahead_ended(struct worker *w);

/* w died with calls.  Unless that was planned, calls run one by one. */
void ahead_died(struct worker *w);

/* The worker of this generation, which died with calls, meant to end: nothing is held against the calls. */
void ahead_died_planned(struct router *r, uint64_t generation);

/* The timer that looks for long calls; made with the router, freed with it. */
void ahead_init(struct router *r);
void ahead_fini(struct router *r);

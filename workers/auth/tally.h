/*
 * tally - how often something came from somebody in a span of time, for limits of sign-in.  Pure: the caller gives the
 * time, in CLOCK_MONOTONIC nanoseconds.
 *
 * The span is counted in sixteenths: what came is forgotten after it and at most a fifteenth of it more.  Of names
 * beyond TALLY_MAX the one that was longest unheard of is forgotten.
 */
#ifndef WORKERS_AUTH_TALLY_H
#define WORKERS_AUTH_TALLY_H

#include <stdint.h>

#include "base/span.h"

#define TALLY_MAX	8192u
#define TALLY_NAME	192u	/* bytes of a name that count */

struct tally;

/* At most limit (from 1) in so many seconds. */
struct tally *tally_new(unsigned seconds, uint32_t limit);
void tally_free(struct tally *t);

/* 0: one more may come; else the seconds until it may. */
unsigned tally_wait(struct tally *t, struct span name, uint64_t now_ns);

/* One came; or, after all, did not. */
void tally_add(struct tally *t, struct span name, uint64_t now_ns);
void tally_take_back(struct tally *t, struct span name, uint64_t now_ns);

/* How many came in the span. */
uint32_t tally_count(struct tally *t, struct span name, uint64_t now_ns);

#endif

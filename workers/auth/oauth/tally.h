/*
 * tally - counts events by name within a time span, for the limits of sign-in.  Pure: the caller passes the time, in
 * CLOCK_MONOTONIC nanoseconds.
 *
 * The span is counted in sixteenths: an event is forgotten after the span, at most a fifteenth later.  Beyond
 * TALLY_MAX names the least recently used is forgotten.
 */
#pragma once

#include <stdint.h>

#include "base/span.h"

#define TALLY_MAX	8192u
#define TALLY_NAME	192u	/* significant bytes of a name */

struct tally;

/* At most limit (from 1) events in that many seconds. */
struct tally *tally_new(unsigned seconds, uint32_t limit);
void tally_free(struct tally *t);

/* 0: another event is allowed; else the seconds until it is. */
unsigned tally_wait(struct tally *t, struct span name, uint64_t now_ns);

/*
 * The seconds until another event of a name that had more than the limit: one after its last, and twice as many after
 * each further one, up to TALLY_DELAY_MAX.  0: now.
 */
#define TALLY_DELAY_MAX	256u
unsigned tally_delay(struct tally *t, struct span name, uint64_t now_ns);

/* Count an event; take_back: undo that. */
void tally_add(struct tally *t, struct span name, uint64_t now_ns);
void tally_take_back(struct tally *t, struct span name, uint64_t now_ns);

/* The number of events in the span. */
uint32_t tally_count(struct tally *t, struct span name, uint64_t now_ns);

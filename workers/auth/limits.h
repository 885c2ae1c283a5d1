/*
 * limits - how many calls a principal makes in a minute and at one time, and which addresses present wrong
 * credentials; over all fronts.  Pure: the caller gives the time, in CLOCK_MONOTONIC nanoseconds.
 *
 * A minute is the last 60 seconds, second by second.  What is refused does not count.  Everything is
 * bounded: of principals and addresses beyond the bound, those that were longest unheard of are forgotten.
 */
#ifndef WORKERS_AUTH_LIMITS_H
#define WORKERS_AUTH_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "ipc/ipc.h"

#define LIMITS_PRINCIPALS	2048	/* counted at one time */
#define LIMITS_ADDRESSES	4096
#define LIMITS_GRANTS		65536	/* calls of tokens in flight, of all fronts */

/* 0: no limit. */
struct limits_conf {
	uint32_t	token_per_min, token_sql_per_min, tokens_per_min;	/* of one token, of all tokens */
	uint32_t	token_in_flight;
	uint32_t	research_per_min;	/* of a local principal or the static token */
	uint32_t	resources_per_min, ask_per_min;	/* of whoever is no local principal */
	uint32_t	failures_per_min, block_s;	/* of an address */
};

struct limits;

struct limits *limits_new(const struct limits_conf *conf);
void limits_free(struct limits *l);

/*
 * May a call of principal begin?  Granted, it counts, and one of a token is in flight until limits_release()
 * with the same peer and id.  One that is held was granted before: it is in flight, and no more.  False: that id
 * is in flight already, or there is no such principal: the front is broken.
 */
bool limits_admit(struct limits *l, uint64_t peer, uint64_t id, const struct ipc_admit *msg, uint64_t now_ns,
    struct ipc_admitted *out);

/* The call has ended; one that is not known is none of ours. */
void limits_release(struct limits *l, uint64_t peer, uint64_t id);

/* How many calls of tokens are in flight. */
size_t limits_in_flight(const struct limits *l);

/* The front is gone, and with it its calls. */
void limits_gone(struct limits *l, uint64_t peer);

/* A wrong credential came from there.  The seconds for which the address is blocked from now; 0: it is not. */
unsigned limits_failure(struct limits *l, struct span address, uint64_t now_ns);

/* Each address that is blocked, with the seconds that are left. */
void limits_each_block(struct limits *l, uint64_t now_ns, void (*fn)(void *arg, const char *address, unsigned seconds),
    void *arg);

#endif

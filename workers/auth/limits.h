/*
 * limits - calls of a principal per minute and at one time, and wrong credentials per address, over all fronts.  Pure:
 * the caller passes the time, in CLOCK_MONOTONIC nanoseconds.
 *
 * A minute is the last 60 seconds, second by second.  Refused calls do not count.  Memory is bounded: beyond the
 * maximal number of principals or addresses the least recently used is forgotten.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "ipc/messages.h"

#define LIMITS_PRINCIPALS	2048	/* counted at one time */
#define LIMITS_ADDRESSES	4096
#define LIMITS_GRANTS		65536	/* calls of tokens in flight, of all fronts */

#define LIMITS_QUOTAS		3	/* that a call counts against */

/* 0: no limit. */
struct limits_conf {
	uint32_t	token_per_min, token_sql_per_min, tokens_per_min;	/* of one token; of all tokens */
	uint32_t	token_in_flight;
	uint32_t	research_per_min;	/* of a local principal or the static token */
	uint32_t	resources_per_min, ask_per_min;	/* for all but local principals */
	uint32_t	failures_per_min, block_s;	/* of an address */
};

struct limits;

struct limits *limits_new(const struct limits_conf *conf);
void limits_free(struct limits *l);

/*
 * Whether a call of principal may begin.  An admitted call counts; a token's call is in flight until limits_release()
 * with the same peer and id.  A `held` call was admitted before: it is in flight but not counted again.  False: the id
 * is in flight already or the principal is malformed, so the front is broken.
 */
bool limits_admit(struct limits *l, uint64_t peer, uint64_t id, const struct ipc_admit *msg, uint64_t now_ns,
    struct ipc_admitted *out);

/*
 * The same where the nodes of a store count together (limits_shared.h): these are its parts.  limits_known() does what
 * needs no counting.
 */
enum limits_known { LIMITS_BROKEN, LIMITS_DECIDED, LIMITS_COUNT };
enum limits_known limits_known(struct limits *l, uint64_t peer, uint64_t id, const struct ipc_admit *msg,
    uint64_t now_ns, struct ipc_admitted *out);

/* What a call counts against: what is counted, and how many of it in a minute.  The number of quotas. */
struct limits_quota {
	enum limits_rate { RATE_CALL, RATE_SQL, RATE_RESOURCE, RATE_ASK, RATES, RATE_TOKENS = RATES /* of all */ } rate;
	uint32_t	most;
};
size_t limits_quotas(const struct limits *l, struct span principal, unsigned class,
    struct limits_quota list[LIMITS_QUOTAS]);

/* A token's calls in flight here; the most of all nodes, 0: no limit.  limits_begin: one more. */
uint32_t limits_own(struct limits *l, struct span principal, uint64_t now_ns, uint32_t *most);
void limits_begin(struct limits *l, uint64_t peer, uint64_t id, struct span principal, uint64_t now_ns);

/*
 * Call fn, until it returns false, for each principal whose calls in flight changed since limits_told(): all of them,
 * or those that another node wants to hear of until now_ns or later.
 */
void limits_each_changed(struct limits *l, bool all, uint64_t now_ns,
    bool (*fn)(void *arg, const char *principal, uint32_t own), void *arg);
bool limits_wanted(struct limits *l, struct span principal, uint64_t until_ns);	/* false: it is not known here */

/* Whether half of the principals that can be counted are: what was not told keeps its place. */
bool limits_crowded(const struct limits *l);
void limits_told(struct limits *l, struct span principal, uint32_t own, uint64_t now_ns);

/* The call has ended; an unknown call is ignored. */
void limits_release(struct limits *l, uint64_t peer, uint64_t id);

/* The number of token calls in flight. */
size_t limits_in_flight(const struct limits *l);

/* The front disconnected: its calls have ended. */
void limits_gone(struct limits *l, uint64_t peer);

/* Count a wrong credential from address.  Returns the seconds for which it is blocked from now on; 0: not blocked. */
unsigned limits_failure(struct limits *l, struct span address, uint64_t now_ns);

/* The same where it was counted elsewhere: whether it is blocked, and block it for so long. */
bool limits_is_blocked(struct limits *l, struct span address, uint64_t now_ns);
void limits_block(struct limits *l, struct span address, unsigned seconds, uint64_t now_ns);

/* Call fn for each blocked address, with the remaining seconds. */
void limits_each_block(struct limits *l, uint64_t now_ns, void (*fn)(void *arg, const char *address, unsigned seconds),
    void *arg);

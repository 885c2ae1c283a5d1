/*
 * contract - what a parent and its child rely on before either has said a word:
 * descriptor numbers, exit codes, timeouts.
 *
 * Every child is started by fork + exec of one binary per role with an empty
 * environment and no arguments.  Which connection it serves, with which
 * secrets, it learns over the control channel.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* Descriptors a child finds open.  0 and 1 are /dev/null, 2 is its log pipe. */
enum {
	CONTRACT_FD_CONTROL = 3,	/* SOCK_SEQPACKET to the supervisor */
	CONTRACT_FD_WATCH = 4,		/* one page, struct contract_watch, shared */
	CONTRACT_FD_NEXT = 5		/* everything from here on arrives by ATTACH */
};

/*
 * What the supervisor may look at without asking: written by the child only,
 * relaxed atomics, believed only to the child's disadvantage.
 */
struct contract_watch {
	_Atomic uint64_t	deadline_ns;	/* of the request being served; 0 when idle */
	_Atomic uint64_t	answered;	/* requests and pings answered so far */
	_Atomic uint64_t	requests;	/* requests answered so far */
};

/* Exit codes.  The supervisor's restart table is keyed by them. */
enum contract_exit {
	EXIT_STOPPED = 0,	/* asked to, and done */
	EXIT_CONFIG = 10,	/* configuration wrong: no restart until reload */
	EXIT_CONFINEMENT = 11,	/* could not confine itself: no restart */
	EXIT_VERSION = 12,	/* parent and child are different builds: no restart */
	EXIT_CONNECTION = 13,	/* database connection lost or not made: restart with back-off until ready once */
	EXIT_ORPHANED = 14,	/* the control channel closed: the supervisor is gone */
	EXIT_PEER = 15,		/* the peer broke the protocol: restart */
	EXIT_RECYCLE = 16,	/* max_requests, byte cap, client left: restart at once, no failure */
	EXIT_MEMORY = 17,	/* out of memory: a death of its own making */
	EXIT_DATABASE_CHANGED = 18, /* the file was replaced or needs reopening: restart at once */
	EXIT_EXEC = 19		/* the binary could not be executed: no restart */
};

/*
 * Timeouts, defined relative to each other: a worker gives up at the
 * request's deadline, the front answers in its stead a little later, the
 * supervisor kills what is still at it after that.
 */
#define CONTRACT_READY_MS		30000	/* spawn to ready, else killed */
#define CONTRACT_FRONT_GRACE_MS		500	/* deadline to the front's own answer */
#define CONTRACT_STUCK_MS		2000	/* deadline to SIGKILL; > FRONT_GRACE */
#define CONTRACT_PING_MS		2000	/* between pings of an idle child */
#define CONTRACT_PONG_MS		10000	/* ping to SIGKILL when idle */
#define CONTRACT_DRAIN_MS		10000	/* SIGTERM to the last answer */
#define CONTRACT_STOP_MS		12000	/* `mcp stop` to SIGKILL; > DRAIN */
#define CONTRACT_STEP_MS		1000	/* longest step of search or memory without looking at its channels */
#define CONTRACT_BACKOFF_FIRST_MS	100	/* died before it answered anything; doubles to */
#define CONTRACT_BACKOFF_LAST_MS	60000
#define CONTRACT_DEATHS_MAX		20	/* deaths of its own making within */
#define CONTRACT_DEATHS_WINDOW_MS	10000	/* this window, then throttled from */
#define CONTRACT_THROTTLE_FIRST_MS	1000	/* doubling to BACKOFF_LAST */

_Static_assert(CONTRACT_FRONT_GRACE_MS < CONTRACT_STUCK_MS, "the front answers before the kill");
_Static_assert(CONTRACT_DRAIN_MS < CONTRACT_STOP_MS, "a drain fits into a stop");

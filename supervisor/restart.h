/*
 * restart - when a child is started, restarted, or left alone: a child's life
 * as a table of states and events.  Pure: no processes, no clock of its own.
 * children.c feeds it events and carries out its answers; the unit test
 * visits every cell.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/contract.h"

enum life_state {
	LIFE_IDLE,		/* never started */
	LIFE_STARTING,		/* a process runs and is not ready */
	LIFE_SERVING,		/* it is ready */
	LIFE_WAITING,		/* no process; one is due at due_ns */
	LIFE_HELD,		/* no process, and none until a configuration or a peer changes */
	LIFE_LEAVING,		/* SHUTDOWN was sent; another child takes its place */
	LIFE_GONE,		/* over */
	LIFE_STATES
};

enum life_event {
	LIFE_START,		/* to be started: at boot, by a reload, or because an obstacle may be gone */
	LIFE_DUE,		/* due_ns has come */
	LIFE_READY,		/* READY came */
	LIFE_DIED_PLANNED,	/* recycled, database changed */
	LIFE_DIED_OUTSIDE,	/* killed from outside, or an exit without fault */
	LIFE_DIED_CONNECTION,	/* database connection lost or not made */
	LIFE_DIED_OWN,		/* by its own fault */
	LIFE_DIED_REFUSED,	/* configuration, confinement, version, executable */
	LIFE_STOP,		/* no longer wanted */
	LIFE_EVENTS
};

enum life_action {
	LIFE_NOTHING,
	LIFE_SPAWN,
	LIFE_WAIT,		/* until due_ns, then feed LIFE_DUE */
	LIFE_TELL,		/* send SHUTDOWN */
	LIFE_FORGET,		/* free the child */
	LIFE_IMPOSSIBLE		/* a bug in Carrel: log it, change nothing */
};

struct life {
	enum life_state	state;
	uint64_t	wait_max_ns;	/* no wait is longer: 1 s for what serving needs */
	uint64_t	due_ns;
	uint64_t	since_ns;	/* when the current process was started */
	unsigned	unproven;	/* deaths in a row without any answer */
	unsigned	throttle;	/* throttled restarts in a row */
	uint64_t	own[CONTRACT_DEATHS_MAX + 1];	/* ring: times of the latest deaths by its own fault */
	size_t		nown;
};

/* wait_max_ms 0: CONTRACT_BACKOFF_LAST_MS. */
void life_init(struct life *l, unsigned wait_max_ms);

/*
 * Handle event at now_ns (CLOCK_MONOTONIC); returns the action to take.  answered: for a death, whether the process
 * had answered a request or ping.
 */
enum life_action life_step(struct life *l, enum life_event event, uint64_t now_ns, bool answered);

const char *life_state_name(enum life_state state);

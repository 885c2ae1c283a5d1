#include <string.h>

#include "base/system/clock.h"
#include "supervisor/restart.h"

#define AGAIN	(LIFE_IMPOSSIBLE + 1)	/* spawn at once or wait: retry_wait() decides */

struct restart_cell {
	unsigned char	next;		/* enum life_state */
	unsigned char	action;		/* enum life_action, or AGAIN */
};

#define GO(next, action)	{ LIFE_##next, LIFE_##action }
#define RETRY			{ LIFE_WAITING, AGAIN }
#define STAY(state)		{ LIFE_##state, LIFE_NOTHING }
#define NEVER(state)		{ LIFE_##state, LIFE_IMPOSSIBLE }

/*
 * Legend: GO(new state, action); RETRY spawns again, now or after a wait; STAY
 * ignores the event; NEVER cannot happen.
 */
static const struct restart_cell table[LIFE_STATES][LIFE_EVENTS] = {
	[LIFE_IDLE] = {
		[LIFE_START] = GO(STARTING, SPAWN),
		[LIFE_DUE] = STAY(IDLE), [LIFE_READY] = NEVER(IDLE),
		[LIFE_DIED_PLANNED] = NEVER(IDLE), [LIFE_DIED_OUTSIDE] = NEVER(IDLE),
		[LIFE_DIED_CONNECTION] = NEVER(IDLE), [LIFE_DIED_OWN] = NEVER(IDLE),
		[LIFE_DIED_REFUSED] = NEVER(IDLE),
		[LIFE_STOP] = GO(GONE, FORGET),
	},
	[LIFE_STARTING] = {
		[LIFE_START] = STAY(STARTING), [LIFE_DUE] = STAY(STARTING),
		[LIFE_READY] = GO(SERVING, NOTHING),
		[LIFE_DIED_PLANNED] = RETRY, [LIFE_DIED_OUTSIDE] = RETRY,
		[LIFE_DIED_CONNECTION] = RETRY, [LIFE_DIED_OWN] = RETRY,
		[LIFE_DIED_REFUSED] = GO(HELD, NOTHING),
		[LIFE_STOP] = GO(LEAVING, TELL),
	},
	[LIFE_SERVING] = {
		[LIFE_START] = STAY(SERVING), [LIFE_DUE] = STAY(SERVING), [LIFE_READY] = NEVER(SERVING),
		[LIFE_DIED_PLANNED] = RETRY, [LIFE_DIED_OUTSIDE] = RETRY,
		[LIFE_DIED_CONNECTION] = RETRY, [LIFE_DIED_OWN] = RETRY,
		[LIFE_DIED_REFUSED] = GO(HELD, NOTHING),
		[LIFE_STOP] = GO(LEAVING, TELL),
	},
	[LIFE_WAITING] = {
		[LIFE_START] = GO(STARTING, SPAWN), [LIFE_DUE] = GO(STARTING, SPAWN),
		[LIFE_READY] = NEVER(WAITING),
		[LIFE_DIED_PLANNED] = NEVER(WAITING), [LIFE_DIED_OUTSIDE] = NEVER(WAITING),
		[LIFE_DIED_CONNECTION] = NEVER(WAITING), [LIFE_DIED_OWN] = NEVER(WAITING),
		[LIFE_DIED_REFUSED] = NEVER(WAITING),
		[LIFE_STOP] = GO(GONE, FORGET),
	},
	[LIFE_HELD] = {
		[LIFE_START] = GO(STARTING, SPAWN),
		[LIFE_DUE] = STAY(HELD), [LIFE_READY] = NEVER(HELD),
		[LIFE_DIED_PLANNED] = NEVER(HELD), [LIFE_DIED_OUTSIDE] = NEVER(HELD),
		[LIFE_DIED_CONNECTION] = NEVER(HELD), [LIFE_DIED_OWN] = NEVER(HELD),
		[LIFE_DIED_REFUSED] = NEVER(HELD),
		[LIFE_STOP] = GO(GONE, FORGET),
	},
	[LIFE_LEAVING] = {
		[LIFE_START] = STAY(LEAVING), [LIFE_DUE] = STAY(LEAVING), [LIFE_READY] = STAY(LEAVING),
		[LIFE_DIED_PLANNED] = GO(GONE, FORGET), [LIFE_DIED_OUTSIDE] = GO(GONE, FORGET),
		[LIFE_DIED_CONNECTION] = GO(GONE, FORGET), [LIFE_DIED_OWN] = GO(GONE, FORGET),
		[LIFE_DIED_REFUSED] = GO(GONE, FORGET),
		[LIFE_STOP] = STAY(LEAVING),
	},
	[LIFE_GONE] = {
		[LIFE_START] = STAY(GONE), [LIFE_DUE] = STAY(GONE), [LIFE_READY] = NEVER(GONE),
		[LIFE_DIED_PLANNED] = NEVER(GONE), [LIFE_DIED_OUTSIDE] = NEVER(GONE),
		[LIFE_DIED_CONNECTION] = NEVER(GONE), [LIFE_DIED_OWN] = NEVER(GONE),
		[LIFE_DIED_REFUSED] = NEVER(GONE), [LIFE_STOP] = STAY(GONE),
	},
};

void
life_init(struct life *l, unsigned wait_max_ms)
{
	memset(l, 0, sizeof(*l));
	l->wait_max_ns = (wait_max_ms > 0 ? wait_max_ms : CONTRACT_BACKOFF_LAST_MS) * CLOCK_MS;
}

/* first_ms, doubled for every step beyond the first, at most BACKOFF_LAST. */
static uint64_t
doubled(unsigned first_ms, unsigned step)
{
	uint64_t ms = first_ms;

	while (step-- > 1 && ms < CONTRACT_BACKOFF_LAST_MS)
		ms *= 2;
	return (ms < CONTRACT_BACKOFF_LAST_MS ? ms : CONTRACT_BACKOFF_LAST_MS) * CLOCK_MS;
}

/*
 * Deaths by its own fault: more than CONTRACT_DEATHS_MAX within the window
 * start the throttle.  From then on each one has to wait, until a process has
 * lived through a whole window.
 */
static uint64_t
throttle_wait(struct life *l, uint64_t now_ns)
{
	const uint64_t window = CONTRACT_DEATHS_WINDOW_MS * CLOCK_MS;
	const size_t size = sizeof(l->own) / sizeof(l->own[0]);

	if (now_ns - l->since_ns >= window) {
		l->throttle = 0;
		l->nown = 0;
	}
	l->own[l->nown++ % size] = now_ns;
	if (l->throttle == 0 && (l->nown < size || now_ns - l->own[l->nown % size] > window))
		return 0;
	return doubled(CONTRACT_THROTTLE_FIRST_MS, ++l->throttle);
}

/* The time until the next process is started after this death. */
static uint64_t
retry_wait(struct life *l, enum life_state was, enum life_event event, uint64_t now_ns, bool answered)
{
	bool planned = event == LIFE_DIED_PLANNED && was == LIFE_SERVING;
	uint64_t wait = 0, throttled;

	/* A connection that has worked before is worth another try soon. */
	if (answered || (event == LIFE_DIED_CONNECTION && was == LIFE_SERVING))
		l->unproven = 0;
	if (!answered && !planned)
		wait = doubled(CONTRACT_BACKOFF_FIRST_MS, ++l->unproven);
	if (event == LIFE_DIED_OWN && (throttled = throttle_wait(l, now_ns)) > wait)
		wait = throttled;
	return wait < l->wait_max_ns ? wait : l->wait_max_ns;
}

enum life_action
life_step(struct life *l, enum life_event event, uint64_t now_ns, bool answered)
{
	const struct restart_cell cell = table[l->state][event];
	enum life_state was = l->state;
	uint64_t wait;

	if (cell.action == LIFE_IMPOSSIBLE)
		return LIFE_IMPOSSIBLE;
	l->state = (enum life_state)cell.next;
	if (cell.action == AGAIN) {
		wait = retry_wait(l, was, event, now_ns, answered);
		l->due_ns = now_ns + wait;
		if (wait > 0)
			return LIFE_WAIT;
		l->state = LIFE_STARTING;
	}
	if (cell.action != AGAIN && cell.action != LIFE_SPAWN)
		return (enum life_action)cell.action;
	l->since_ns = now_ns;
	return LIFE_SPAWN;
}

const char *
life_state_name(enum life_state state)
{
	static const char *const names[LIFE_STATES] = {
		[LIFE_IDLE] = "idle", [LIFE_STARTING] = "starting", [LIFE_SERVING] = "ready",
		[LIFE_WAITING] = "waiting", [LIFE_HELD] = "stopped", [LIFE_LEAVING] = "leaving",
		[LIFE_GONE] = "gone",
	};

	return names[state];
}

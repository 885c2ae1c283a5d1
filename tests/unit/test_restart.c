// libs: carrel_supervisor carrel_base
/* test_restart.c - a child's life: every cell of the table, every wait, every kind of death. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/system/clock.h"
#include "supervisor/death.h"
#include "supervisor/restart.h"

#define S	CLOCK_SECOND
#define MS	CLOCK_MS

static const enum life_event deaths[] = {
	LIFE_DIED_PLANNED, LIFE_DIED_OUTSIDE, LIFE_DIED_CONNECTION, LIFE_DIED_OWN, LIFE_DIED_REFUSED
};

static struct life
in_state(enum life_state state)
{
	struct life l;

	life_init(&l, 0);
	l.state = state;
	return l;
}

static void
step(enum life_state from, enum life_event event, enum life_action action, enum life_state to)
{
	struct life l = in_state(from);
	enum life_action got = life_step(&l, event, 100 * S, true);

	if (got != action || l.state != to)
		fail_msg("state %d event %d: action %d state %d, expected %d %d", from, event, got, l.state, action,
		    to);
}

static void
test_every_cell(void **state)
{
	(void)state;
	step(LIFE_IDLE, LIFE_START, LIFE_SPAWN, LIFE_STARTING);
	step(LIFE_IDLE, LIFE_DUE, LIFE_NOTHING, LIFE_IDLE);
	step(LIFE_IDLE, LIFE_READY, LIFE_IMPOSSIBLE, LIFE_IDLE);
	step(LIFE_IDLE, LIFE_STOP, LIFE_FORGET, LIFE_GONE);
	step(LIFE_STARTING, LIFE_START, LIFE_NOTHING, LIFE_STARTING);
	step(LIFE_STARTING, LIFE_DUE, LIFE_NOTHING, LIFE_STARTING);
	step(LIFE_STARTING, LIFE_READY, LIFE_NOTHING, LIFE_SERVING);
	step(LIFE_STARTING, LIFE_STOP, LIFE_TELL, LIFE_LEAVING);
	step(LIFE_SERVING, LIFE_START, LIFE_NOTHING, LIFE_SERVING);
	step(LIFE_SERVING, LIFE_DUE, LIFE_NOTHING, LIFE_SERVING);
	step(LIFE_SERVING, LIFE_READY, LIFE_IMPOSSIBLE, LIFE_SERVING);
	step(LIFE_SERVING, LIFE_STOP, LIFE_TELL, LIFE_LEAVING);
	step(LIFE_WAITING, LIFE_START, LIFE_SPAWN, LIFE_STARTING);
	step(LIFE_WAITING, LIFE_DUE, LIFE_SPAWN, LIFE_STARTING);
	step(LIFE_WAITING, LIFE_READY, LIFE_IMPOSSIBLE, LIFE_WAITING);
	step(LIFE_WAITING, LIFE_STOP, LIFE_FORGET, LIFE_GONE);
	step(LIFE_HELD, LIFE_START, LIFE_SPAWN, LIFE_STARTING);
	step(LIFE_HELD, LIFE_DUE, LIFE_NOTHING, LIFE_HELD);
	step(LIFE_HELD, LIFE_READY, LIFE_IMPOSSIBLE, LIFE_HELD);
	step(LIFE_HELD, LIFE_STOP, LIFE_FORGET, LIFE_GONE);
	step(LIFE_LEAVING, LIFE_START, LIFE_NOTHING, LIFE_LEAVING);
	step(LIFE_LEAVING, LIFE_DUE, LIFE_NOTHING, LIFE_LEAVING);
	step(LIFE_LEAVING, LIFE_READY, LIFE_NOTHING, LIFE_LEAVING);
	step(LIFE_LEAVING, LIFE_STOP, LIFE_NOTHING, LIFE_LEAVING);
	step(LIFE_GONE, LIFE_START, LIFE_NOTHING, LIFE_GONE);
	step(LIFE_GONE, LIFE_DUE, LIFE_NOTHING, LIFE_GONE);
	step(LIFE_GONE, LIFE_READY, LIFE_IMPOSSIBLE, LIFE_GONE);
	step(LIFE_GONE, LIFE_STOP, LIFE_NOTHING, LIFE_GONE);
	for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
		bool refused = deaths[i] == LIFE_DIED_REFUSED;

		step(LIFE_STARTING, deaths[i], refused ? LIFE_NOTHING : LIFE_SPAWN,
		    refused ? LIFE_HELD : LIFE_STARTING);
		step(LIFE_SERVING, deaths[i], refused ? LIFE_NOTHING : LIFE_SPAWN, refused ? LIFE_HELD : LIFE_STARTING);
		step(LIFE_LEAVING, deaths[i], LIFE_FORGET, LIFE_GONE);
		step(LIFE_IDLE, deaths[i], LIFE_IMPOSSIBLE, LIFE_IDLE);
		step(LIFE_WAITING, deaths[i], LIFE_IMPOSSIBLE, LIFE_WAITING);
		step(LIFE_HELD, deaths[i], LIFE_IMPOSSIBLE, LIFE_HELD);
		step(LIFE_GONE, deaths[i], LIFE_IMPOSSIBLE, LIFE_GONE);
	}
}

/* Feed a death and return the wait in ms; afterwards the child is starting again. */
static uint64_t
die(struct life *l, enum life_event event, uint64_t *now, bool answered)
{
	enum life_action action = life_step(l, event, *now, answered);
	uint64_t wait = 0;

	if (action == LIFE_WAIT) {
		assert_int_equal(l->state, LIFE_WAITING);
		wait = l->due_ns - *now;
		*now = l->due_ns;
		assert_int_equal(life_step(l, LIFE_DUE, *now, false), LIFE_SPAWN);
	} else
		assert_int_equal(action, LIFE_SPAWN);
	assert_int_equal(l->state, LIFE_STARTING);
	return wait / MS;
}

static void
test_backoff(void **state)
{
	static const enum life_event kinds[] = { LIFE_DIED_OUTSIDE, LIFE_DIED_CONNECTION, LIFE_DIED_OWN,
		LIFE_DIED_PLANNED };
	static const uint64_t want[] = { 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200, 60000, 60000 };

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct life l = in_state(LIFE_STARTING);
		uint64_t now = 50 * S;

		for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
			assert_int_equal(die(&l, kinds[k], &now, false), want[i]);
		/* One that answered starts the count anew. */
		life_step(&l, LIFE_READY, now, false);
		now += 20 * S;
		assert_int_equal(die(&l, kinds[k], &now, true), 0);
		assert_int_equal(die(&l, kinds[k], &now, false), 100);
	}
}

static void
test_proven_restarts_at_once(void **state)
{
	struct life l = in_state(LIFE_SERVING);
	uint64_t now = 5 * S;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(die(&l, LIFE_DIED_OUTSIDE, &now, true), 0);
		life_step(&l, LIFE_READY, now, false);
		assert_int_equal(die(&l, LIFE_DIED_PLANNED, &now, false), 0);
		life_step(&l, LIFE_READY, now, false);
		now += 1 * MS;
	}
}

static void
test_throttle(void **state)
{
	static const uint64_t waits[] = { 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000 };
	struct life l = in_state(LIFE_SERVING);
	uint64_t now = 100 * S;

	(void)state;
	for (int i = 0; i < CONTRACT_DEATHS_MAX; i++) {
		assert_int_equal(die(&l, LIFE_DIED_OWN, &now, true), 0);
		life_step(&l, LIFE_READY, now, false);
		now += 10 * MS;
	}
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		assert_int_equal(die(&l, LIFE_DIED_OWN, &now, true), waits[i]);
		life_step(&l, LIFE_READY, now, false);
		now += 10 * MS;
	}
	/* Deaths from outside are not held against it. */
	assert_int_equal(die(&l, LIFE_DIED_OUTSIDE, &now, true), 0);
	life_step(&l, LIFE_READY, now, false);
	/* A whole window survived: a clean sheet. */
	now += 10 * S;
	assert_int_equal(die(&l, LIFE_DIED_OWN, &now, true), 0);
}

static void
test_slow_deaths_are_not_throttled(void **state)
{
	struct life l = in_state(LIFE_SERVING);
	uint64_t now = 100 * S;

	(void)state;
	for (int i = 0; i < 200; i++) {
		assert_int_equal(die(&l, LIFE_DIED_OWN, &now, true), 0);
		life_step(&l, LIFE_READY, now, false);
		now += 501 * MS;
	}
}

static void
test_connection(void **state)
{
	struct life l = in_state(LIFE_STARTING);
	uint64_t now = 9 * S;

	(void)state;
	assert_int_equal(die(&l, LIFE_DIED_CONNECTION, &now, false), 100);
	assert_int_equal(die(&l, LIFE_DIED_CONNECTION, &now, false), 200);
	/* Ready once: the wait begins again at its shortest. */
	life_step(&l, LIFE_READY, now, false);
	assert_int_equal(die(&l, LIFE_DIED_CONNECTION, &now, false), 100);
	assert_int_equal(die(&l, LIFE_DIED_CONNECTION, &now, false), 200);
}

static void
test_front_waits_a_second_at_most(void **state)
{
	struct life l;
	uint64_t now = 9 * S;

	(void)state;
	life_init(&l, 1000);
	assert_int_equal(life_step(&l, LIFE_START, now, false), LIFE_SPAWN);
	for (int i = 0; i < 40; i++)
		assert_true(die(&l, LIFE_DIED_OWN, &now, false) <= 1000);
	for (int i = 0; i < 60; i++) {
		life_step(&l, LIFE_READY, now, false);
		assert_true(die(&l, LIFE_DIED_OWN, &now, true) <= 1000);
	}
}

static void
test_held_until_asked(void **state)
{
	struct life l = in_state(LIFE_STARTING);

	(void)state;
	assert_int_equal(life_step(&l, LIFE_DIED_REFUSED, 5 * S, false), LIFE_NOTHING);
	assert_int_equal(l.state, LIFE_HELD);
	assert_int_equal(life_step(&l, LIFE_DUE, 500 * S, false), LIFE_NOTHING);
	assert_int_equal(life_step(&l, LIFE_START, 501 * S, false), LIFE_SPAWN);
}

static void
death(bool signalled, int status, enum death_by by, enum life_event event, enum ipc_detach_cause cause, const char *text)
{
	struct death d = { signalled, status, by };
	char got[128];

	assert_int_equal(death_event(&d), event);
	assert_int_equal(death_cause(&d), cause);
	death_text(&d, got, sizeof(got));
	if (strstr(got, text) == NULL)
		fail_msg("\"%s\" does not contain \"%s\"", got, text);
}

static void
test_deaths(void **state)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGSYS, SIGFPE };

	(void)state;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		death(true, own[i], DEATH_BY_OTHERS, LIFE_DIED_OWN, IPC_DETACH_OWN, "");
	death(true, SIGSYS, DEATH_BY_OTHERS, LIFE_DIED_OWN, IPC_DETACH_OWN, "forbidden system call");
	death(true, SIGKILL, DEATH_BY_OTHERS, LIFE_DIED_OUTSIDE, IPC_DETACH_OUTSIDE, "killed by signal 9");
	death(true, SIGTERM, DEATH_BY_OTHERS, LIFE_DIED_OUTSIDE, IPC_DETACH_OUTSIDE, "killed by signal 15");
	death(true, SIGKILL, DEATH_BY_WATCHDOG, LIFE_DIED_OWN, IPC_DETACH_OWN, "did not answer in time");
	death(true, SIGKILL, DEATH_BY_FAULT, LIFE_DIED_OWN, IPC_DETACH_OWN, "broke the protocol");
	death(true, SIGKILL, DEATH_BY_SLOW_START, LIFE_DIED_OUTSIDE, IPC_DETACH_OUTSIDE, "not ready in time");
	death(true, SIGKILL, DEATH_BY_STOP, LIFE_DIED_OUTSIDE, IPC_DETACH_OUTSIDE, "did not stop");
	death(false, EXIT_STOPPED, DEATH_BY_OTHERS, LIFE_DIED_OUTSIDE, IPC_DETACH_OUTSIDE, "stopped");
	death(false, EXIT_CONFIG, DEATH_BY_OTHERS, LIFE_DIED_REFUSED, IPC_DETACH_OUTSIDE, "configuration");
	death(false, EXIT_CONFINEMENT, DEATH_BY_OTHERS, LIFE_DIED_REFUSED, IPC_DETACH_OUTSIDE, "confine");
	death(false, EXIT_VERSION, DEATH_BY_OTHERS, LIFE_DIED_REFUSED, IPC_DETACH_OUTSIDE, "another build");
	death(false, EXIT_EXEC, DEATH_BY_OTHERS, LIFE_DIED_REFUSED, IPC_DETACH_OUTSIDE, "executed");
	death(false, EXIT_CONNECTION, DEATH_BY_OTHERS, LIFE_DIED_CONNECTION, IPC_DETACH_OUTSIDE, "connection");
	death(false, EXIT_ORPHANED, DEATH_BY_OTHERS, LIFE_DIED_OUTSIDE, IPC_DETACH_OUTSIDE, "control channel");
	death(false, EXIT_PEER, DEATH_BY_OTHERS, LIFE_DIED_OUTSIDE, IPC_DETACH_OUTSIDE, "peer");
	death(false, EXIT_RECYCLE, DEATH_BY_OTHERS, LIFE_DIED_PLANNED, IPC_DETACH_PLANNED, "recycled");
	death(false, EXIT_DATABASE_CHANGED, DEATH_BY_OTHERS, LIFE_DIED_PLANNED, IPC_DETACH_PLANNED, "change");
	death(false, EXIT_MEMORY, DEATH_BY_OTHERS, LIFE_DIED_OWN, IPC_DETACH_OWN, "memory");
	death(false, 1, DEATH_BY_OTHERS, LIFE_DIED_OWN, IPC_DETACH_OWN, "exit code 1");
	/* The exit that a kill of ours overtook is still its own. */
	death(false, EXIT_RECYCLE, DEATH_BY_WATCHDOG, LIFE_DIED_OWN, IPC_DETACH_OWN, "in time");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_cell), cmocka_unit_test(test_backoff),
		cmocka_unit_test(test_proven_restarts_at_once), cmocka_unit_test(test_throttle),
		cmocka_unit_test(test_slow_deaths_are_not_throttled), cmocka_unit_test(test_connection),
		cmocka_unit_test(test_front_waits_a_second_at_most), cmocka_unit_test(test_held_until_asked),
		cmocka_unit_test(test_deaths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

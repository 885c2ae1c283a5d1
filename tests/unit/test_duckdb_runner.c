// libs: carrel_sql_duckdb carrel_sql carrel_base
/* test_duckdb_runner.c - how jobs on the library's thread end: by themselves, by the interrupt, or given up. */
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include "base/system/clock.h"
#include "tests/unit/harness.h"
#include "workers/shared/call.h"
#include "workers/sql/duckdb/duckdb_runner.h"

static atomic_bool cancelled;
static struct call *const call = (struct call *)(void *)&cancelled; /* only call_wait() looks at it, which is here */

/* Serves nothing; a cancelled call ends. */
bool
call_wait(struct call *c, int fd, bool write, unsigned timeout_ms, struct err *err)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	(void)write;
	assert_ptr_equal(c, call);
	(void)poll(&p, 1, (int)timeout_ms);
	return !cancelled || err_set(err, ERR_QUERY_CANCELLED, "cancelled") == 0;
}

static atomic_uint ran, asked_to_stop;
static sem_t released;

static void
job_quick(void *arg)
{
	(void)arg;
	ran++;
}

/* Looks whether it shall stop, as most of the library does. */
static void
job_obedient(void *arg)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	(void)arg;
	while (asked_to_stop == 0)
		nanosleep(&pause, NULL);
	ran++;
}

/* Looks at nothing. */
static void
job_deaf(void *arg)
{
	(void)arg;
	while (sem_wait(&released) == -1)
		;
	ran++;
}

static void
stop(void *arg)
{
	(void)arg;
	asked_to_stop++;
}

static enum duckdb_ran
run(struct duckdb_runner *r, void (*job)(void *arg), uint64_t ns, struct err *err)
{
	asked_to_stop = 0;
	*err = (struct err){ .code = ERR_NONE };
	return duckdb_runner_run(r, call, clock_ns() + ns, job, stop, NULL, err);
}

static void
test_ends_jobs(void **state)
{
	struct duckdb_runner *r;
	struct err err;

	(void)state;
	ran = 0;
	assert_non_null(r = duckdb_runner_new(&err));
	assert_int_equal(duckdb_runner_run(r, NULL, UINT64_MAX, job_quick, stop, NULL, &err), DUCKDB_RAN);
	assert_int_equal(run(r, job_quick, 60 * CLOCK_SECOND, &err), DUCKDB_RAN);
	assert_int_equal(ran, 2);
	assert_int_equal(run(r, job_obedient, 20 * CLOCK_MS, &err), DUCKDB_STOPPED);
	assert_int_equal(err.code, ERR_QUERY_TIMEOUT);
	assert_int_equal(asked_to_stop, 1);
	cancelled = true;
	assert_int_equal(run(r, job_obedient, 60 * CLOCK_SECOND, &err), DUCKDB_STOPPED);
	assert_int_equal(err.code, ERR_QUERY_CANCELLED);
	cancelled = false;
	assert_false(duckdb_runner_is_lost(r));
	assert_int_equal(run(r, job_quick, 60 * CLOCK_SECOND, &err), DUCKDB_RAN);
	assert_int_equal(ran, 5);
	duckdb_runner_free(r);
}

/* Two parts, of which the first is interrupted at its limit. */
static void
job_limited(void *arg)
{
	struct duckdb_runner *r = arg;

	(void)duckdb_runner_limit(r, clock_ns() + 20 * CLOCK_MS);
	job_obedient(NULL);
	assert_true(duckdb_runner_limit(r, clock_ns() + 60 * CLOCK_SECOND));
	asked_to_stop = 0;
	job_quick(NULL);
	assert_false(duckdb_runner_limit(r, 0));
}

static void
test_limits_parts(void **state)
{
	struct duckdb_runner *r;
	struct err err;

	(void)state;
	ran = 0;
	asked_to_stop = 0;
	assert_non_null(r = duckdb_runner_new(&err));
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(duckdb_runner_run(r, i == 0 ? NULL : call, UINT64_MAX, job_limited, stop, r, &err),
		    DUCKDB_RAN);
		assert_int_equal(asked_to_stop, 0);
		assert_int_equal(ran, 2 * (i + 1));
	}
	duckdb_runner_free(r);
}

/* The call is answered while the job still runs, and nothing takes the thread's memory from under it. */
static void
test_gives_up(void **state)
{
	static struct duckdb_runner *r; /* kept: it is never freed */
	struct timespec pause = { .tv_nsec = 1000000 };
	struct err err;
	uint64_t since;

	(void)state;
	ran = 0;
	assert_int_equal(sem_init(&released, 0, 0), 0);
	assert_non_null(r = duckdb_runner_new(&err));
	since = clock_ns();
	assert_int_equal(run(r, job_deaf, 20 * CLOCK_MS, &err), DUCKDB_GIVEN_UP);
	assert_int_equal(err.code, ERR_QUERY_TIMEOUT);
	assert_true(clock_ns() - since >= DUCKDB_RUNNER_GRACE_MS * CLOCK_MS);
	assert_int_equal(asked_to_stop, 1);
	assert_true(duckdb_runner_is_lost(r));
	assert_int_equal(ran, 0);
	duckdb_runner_free(r);
	sem_post(&released);
	while (ran == 0)
		nanosleep(&pause, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends_jobs),
		cmocka_unit_test(test_limits_parts),
		cmocka_unit_test(test_gives_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "workers/sql/duckdb/duckdb_runner.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "workers/shared/call.h"

#define STACK		((size_t)64 << 20)
#define STEP_MS		50u	/* between readings of the clock */
#define LIMIT_GRACE_NS	(4 * CLOCK_SECOND)	/* from a limit until the job is given up */

struct duckdb_runner {
	pthread_t	 thread;
	int		 wake, done;	/* eventfds: a job for the thread; its end */
	void		(*work)(void *arg);	/* NULL: the thread shall end */
	void		*arg;
	bool		 lost;
	pthread_mutex_t	 limiting;	/* of the next two */
	uint64_t	 until_ns;	/* duckdb_runner_limit(); 0: no limit */
	bool		 late;		/* the job was interrupted at it */
};

static void
send_event(int fd)
{
	uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) == -1 && errno == EINTR)
		;
}

static void
take_event(int fd)
{
	uint64_t n;

	while (read(fd, &n, sizeof(n)) == -1 && errno == EINTR)
		;
}

static void *
runner_main(void *arg)
{
	struct duckdb_runner *r = arg;

	for (;;) {
		take_event(r->wake);
		if (r->work == NULL)
			return NULL;
		r->work(r->arg);
		send_event(r->done);
	}
}

struct duckdb_runner *
duckdb_runner_new(struct err *err)
{
	struct duckdb_runner *r = mem_new(1, sizeof(*r));
	pthread_attr_t attr;
	sigset_t all, old;
	int rc;

	r->wake = eventfd(0, EFD_CLOEXEC);
	r->done = eventfd(0, EFD_CLOEXEC);
	pthread_mutex_init(&r->limiting, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	/* Signals are the process's own thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = r->wake == -1 || r->done == -1 ? errno : pthread_create(&r->thread, &attr, runner_main, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (rc == 0)
		return r;
	err_set(err, ERR_INTERNAL, "the thread of the database library cannot be started: %s", strerror(rc));
	free(r);
	return NULL;
}

void
duckdb_runner_free(struct duckdb_runner *r)
{
	if (r == NULL || r->lost)
		return;
	r->work = NULL;
	send_event(r->wake);
	pthread_join(r->thread, NULL);
	close(r->wake);
	close(r->done);
	free(r);
}

/* Whether the job ends within that time; nothing else is served meanwhile. */
static bool
ends_within(struct duckdb_runner *r, int ms)
{
	struct pollfd p = { .fd = r->done, .events = POLLIN };
	int n;

	while ((n = poll(&p, 1, ms)) == -1 && errno == EINTR)
		;
	if (n > 0)
		take_event(r->done);
	return n > 0;
}

bool
duckdb_runner_limit(struct duckdb_runner *r, uint64_t until_ns)
{
	bool late;

	pthread_mutex_lock(&r->limiting);
	late = r->late;
	r->late = false;
	r->until_ns = until_ns;
	pthread_mutex_unlock(&r->limiting);
	return late;
}

/* Whether the job has ended the part whose limit has passed, or may yet. */
static bool
keeps_limit(struct duckdb_runner *r, uint64_t now, void (*stop)(void *arg), void *arg)
{
	bool kept;

	pthread_mutex_lock(&r->limiting);
	if (r->until_ns != 0 && now >= r->until_ns) {
		r->late = true;
		stop(arg);
	}
	kept = !r->late || now - r->until_ns < LIMIT_GRACE_NS;
	pthread_mutex_unlock(&r->limiting);
	return kept;
}

/* Waits for the job's end; false with *err when the call has ended or its deadline has passed. */
static bool
wait_for_job(struct duckdb_runner *r, struct call *c, uint64_t deadline_ns, void (*stop)(void *arg), void *arg,
    struct err *err)
{
	for (;;) {
		uint64_t now = clock_ns();
		unsigned ms = STEP_MS;

		if (now >= deadline_ns || !keeps_limit(r, now, stop, arg))
			return !(err_set(err, ERR_QUERY_TIMEOUT, "the statement ran until its deadline") == -1);
		if ((deadline_ns - now) / CLOCK_MS < ms)
			ms = (unsigned)((deadline_ns - now) / CLOCK_MS) + 1;
		if (c != NULL && !call_wait(c, r->done, false, ms, err))
			return false;
		if (ends_within(r, c != NULL ? 0 : (int)ms))
			return true;
	}
}

enum duckdb_ran
duckdb_runner_run(struct duckdb_runner *r, struct call *c, uint64_t deadline_ns, void (*work)(void *arg),
    void (*stop)(void *arg), void *arg, struct err *err)
{
	r->work = work;
	r->arg = arg;
	send_event(r->wake);
	if (wait_for_job(r, c, deadline_ns, stop, arg, err))
		return DUCKDB_RAN;
	stop(arg);
	if (ends_within(r, DUCKDB_RUNNER_GRACE_MS))
		return DUCKDB_STOPPED;
	r->lost = true;
	return DUCKDB_GIVEN_UP;
}

bool
duckdb_runner_is_lost(const struct duckdb_runner *r)
{
	return r->lost;
}

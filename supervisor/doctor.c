#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "supervisor/doctor.h"
#include "supervisor/post.h"
#include "supervisor/spawn.h"

#define LIFE_NS		(60 * CLOCK_SECOND)	/* databases that do not answer are waited for */
#define FRESH_NS	(3 * CLOCK_SECOND)	/* so long one answer is everybody's */
#define WAITING_MAX	64u

struct doctor_wait {
	TAILQ_ENTRY(doctor_wait) entry;
	struct child		*from;
	uint64_t		 serial;
};

struct doctor {
	TAILQ_HEAD(, doctor_wait) waits;
	size_t			 n;
	int			 pidfd, out;		/* -1: none is at work */
	struct event		*on_out;
	uint64_t		 until_ns, done_ns;	/* done: 0: none has been */
	struct buf		 found;
};

static void
doctor_say(struct child *from, uint64_t serial, struct span found)
{
	post(from, IPC_MSG_DOCTOR, &(struct ipc_doctor){ .serial = serial, .found = found }, -1);
}

static void
doctor_drop(struct doctor *d, struct doctor_wait *w)
{
	TAILQ_REMOVE(&d->waits, w, entry);
	d->n--;
	free(w);
}

/* The doctor's process has ended, or is killed here; those who wait get its output. */
static void
doctor_finish(struct doctor *d, const char *wrong)
{
	struct doctor_wait *w;

	drop_event(&d->on_out);
	(void)syscall(SYS_pidfd_send_signal, d->pidfd, SIGKILL, NULL, 0);
	close(d->pidfd);
	close(d->out);
	d->pidfd = d->out = -1;
	if (wrong == NULL && d->found.len == 0)
		wrong = "said nothing";
	if (wrong != NULL) {
		log_warn("`carrel doctor`, for the administration page, %s", wrong);
		buf_reset(&d->found, SIZE_MAX);
	}
	d->done_ns = clock_ns();
	while ((w = TAILQ_FIRST(&d->waits)) != NULL) {
		doctor_say(w->from, w->serial, buf_view(&d->found));
		doctor_drop(d, w);
	}
}

static void
doctor_heard(evutil_socket_t fd, short what, void *arg)
{
	struct doctor *d = arg;
	uint8_t some[4096];
	ssize_t n = read(fd, some, sizeof(some));

	(void)what;
	if (n > 0)
		buf_span(&d->found, span_of(some, (size_t)n));
	if (d->found.full)
		doctor_finish(d, "found more than can be passed on");
	else if (n == 0)
		doctor_finish(d, NULL);
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		doctor_finish(d, strerror(errno));
}

/* Between fork and exec: async-signal-safe calls only. */
__attribute__((noreturn)) static void
doctor_become(const char *path, const char *project, int null, int out, pid_t parent)
{
	char *argv[] = { (char *)(uintptr_t) "carrel", (char *)(uintptr_t) "--project-dir",
		(char *)(uintptr_t)project, (char *)(uintptr_t) "doctor", (char *)(uintptr_t) "--json", NULL };

	if (dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
	    syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0) != 0)
		_exit(EXIT_EXEC);
	spawn_exec(path, argv, environ, parent);
}

/* -1: errno says why.  The end of the output shows that the process died; orphans_reap() reaps it. */
static int
doctor_start(struct doctor *d, const struct supervisor *sup)
{
	int out[2] = { -1, -1 }, null = open("/dev/null", O_RDWR | O_CLOEXEC), result = -1;
	pid_t pid, parent = getpid();
	char path[4200];

	snprintf(path, sizeof(path), "%s/carrel", sup->bin_dir);
	if (null < 0 || pipe2(out, O_CLOEXEC) != 0 || fcntl(out[0], F_SETFL, O_NONBLOCK) != 0 || (pid = fork()) < 0)
		goto out;
	if (pid == 0)
		doctor_become(path, sup->project_dir, null, out[1], parent);
	if ((d->pidfd = (int)syscall(SYS_pidfd_open, pid, 0)) < 0) {
		(void)kill(pid, SIGKILL); /* nothing has reaped it yet */
		goto out;
	}
	d->out = out[0];
	out[0] = -1;
	d->until_ns = clock_ns() + LIFE_NS;
	buf_reset(&d->found, SIZE_MAX);
	d->on_out = mem_must(event_new(sup->base, d->out, EV_READ | EV_PERSIST, doctor_heard, d));
	event_add(d->on_out, NULL);
	result = 0;
out:
	for (size_t i = 0; i < 2; i++)
		if (out[i] >= 0)
			close(out[i]);
	if (null >= 0)
		close(null);
	return result;
}

static struct doctor *
doctor_of(struct supervisor *sup)
{
	if (sup->doctor == NULL) {
		sup->doctor = mem_new(1, sizeof(*sup->doctor));
		*sup->doctor = (struct doctor){ .pidfd = -1, .out = -1, .found = BUF_MAX(IPC_DOCTOR_MAX) };
		TAILQ_INIT(&sup->doctor->waits);
	}
	return sup->doctor;
}

void
doctor_order(struct child *from, uint64_t serial)
{
	struct doctor *d = doctor_of(from->sup);
	struct doctor_wait *w;

	if (d->pidfd < 0 && d->done_ns != 0 && clock_ns() - d->done_ns < FRESH_NS) {
		doctor_say(from, serial, buf_view(&d->found));
		return;
	}
	if (d->n == WAITING_MAX || (d->pidfd < 0 && doctor_start(d, from->sup) != 0)) {
		log_warn("`carrel doctor`, for the administration page, was not run: %s",
		    d->n == WAITING_MAX ? "too many wait for it" : strerror(errno));
		doctor_say(from, serial, SPAN(""));
		return;
	}
	w = mem_new(1, sizeof(*w));
	*w = (struct doctor_wait){ .from = from, .serial = serial };
	TAILQ_INSERT_TAIL(&d->waits, w, entry);
	d->n++;
}

void
doctor_forget(const struct child *from)
{
	struct doctor *d = from->sup->doctor;
	struct doctor_wait *w, *next;

	for (w = d != NULL ? TAILQ_FIRST(&d->waits) : NULL; w != NULL; w = next) {
		next = TAILQ_NEXT(w, entry);
		if (w->from == from)
			doctor_drop(d, w);
	}
}

void
doctor_tick(struct supervisor *sup, uint64_t now_ns)
{
	struct doctor *d = sup->doctor;

	if (d != NULL && d->pidfd >= 0 && now_ns >= d->until_ns)
		doctor_finish(d, "was not done in time");
}

void
doctor_close(struct supervisor *sup)
{
	struct doctor *d = sup->doctor;

	if (d == NULL)
		return;
	while (!TAILQ_EMPTY(&d->waits))
		doctor_drop(d, TAILQ_FIRST(&d->waits));
	if (d->pidfd >= 0)
		doctor_finish(d, "was ended: the daemon stops");
	buf_fini(&d->found);
	free(d);
	sup->doctor = NULL;
}

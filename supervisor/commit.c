/*
 * commit.c - carrel-git: one short-lived process for each commit that the memory
 * worker asks for.  It is no place in the household: it has no data channels, is
 * not restarted, and its death is reported as an ordinary answer.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "project/repository.h"
#include "supervisor/supervisor.h"

#define LIFE_NS		(60 * CLOCK_SECOND)	/* of one commit; it waits 2 s for git's own locks */
#define WAITING_MAX	64
#define BINARY		(ipc_role_row(IPC_GIT)->binary)


struct order {
	TAILQ_ENTRY(order)	 entry;
	struct child		*from;		/* NULL: the worker has died, nobody waits */
	uint64_t		 serial;
	char			 run[65];
};

struct committer {
	struct supervisor	*sup;
	TAILQ_HEAD(, order)	 orders;	/* the first one is being carried out */
	size_t			 n;
	struct spawned		 process;	/* pid -1: none */
	struct event		*on_control, *on_exit, *on_log, *on_late, *on_next;
	struct log_lines	 lines;
	struct configuration	 config;
	enum greet_state	 greet;
	bool			 answered;
};

static void commit_next(struct committer *k);

/* --- the answer ---------------------------------------------------------------------- */

static void
commit_answer(struct committer *k, uint64_t outcome, struct span commit, struct span reason)
{
	const struct order *o = TAILQ_FIRST(&k->orders);
	struct ipc_committed msg = { .serial = o->serial, .outcome = outcome, .commit = commit, .reason = reason };

	k->answered = true;
	if (o->from != NULL)
		post(o->from, IPC_MSG_COMMITTED, &msg, -1);
}

static void
start_next(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	commit_next(arg);
}

/* The current order is done; the event loop starts the next one, not this function. */
static void
commit_finish(struct committer *k)
{
	struct order *o = TAILQ_FIRST(&k->orders);

	drop_event(&k->on_control);
	drop_event(&k->on_exit);
	drop_event(&k->on_log);
	drop_event(&k->on_late);
	if (k->process.pid >= 0)
		spawn_close(&k->process);
	buf_wipe(&k->config.body);
	TAILQ_REMOVE(&k->orders, o, entry);
	k->n--;
	free(o);
	if (!TAILQ_EMPTY(&k->orders))
		event_active(k->on_next, EV_TIMEOUT, 1);
}

/* --- what the process says -------------------------------------------------------------- */

static void
commit_configure(struct committer *k)
{
	(void)control_send_packed(k->process.control, k->config.type, buf_view(&k->config.body), -1);
	buf_wipe(&k->config.body);
}

static void
send_order(struct committer *k)
{
	const struct order *o = TAILQ_FIRST(&k->orders);
	struct ipc_commit msg = { .serial = o->serial, .run = span_str(o->run) };

	(void)control_send(k->process.control, IPC_MSG_COMMIT, &msg, -1);
}

/* False: it broke the protocol. */
static bool
take_frame(struct committer *k, const struct ipc_frame *f)
{
	enum greet_state then = greet_next(k->greet, f->type);
	union ipc_any msg;

	if (then == GREET_STATES || ipc_unpack_any(f->type, IPC_GIT, IPC_SUPERVISOR, f->body, &msg) != IPC_OK)
		return false;
	k->greet = then;
	switch (f->type) {
	case IPC_MSG_HELLO:
		commit_configure(k);
		return msg.hello.version == IPC_VERSION;
	case IPC_MSG_READY:
		send_order(k);
		return true;
	case IPC_MSG_UNABLE:
		if (!k->answered)
			commit_answer(k, IPC_COMMIT_REFUSED, SPAN(""), msg.unable.reason);
		return true;
	case IPC_MSG_COMMITTED:
		if (!k->answered && msg.committed.serial == TAILQ_FIRST(&k->orders)->serial)
			commit_answer(k, msg.committed.outcome, msg.committed.commit, msg.committed.reason);
		return true;
	default:
		return false;
	}
}

static void
listen_to(struct committer *k)
{
	struct buf packet = { 0 };
	struct ipc_frame frame;
	enum ipc_fault fault;
	int passed;

	for (int i = 0; i < 16; i++) {
		enum channel_status status = control_recv(k->process.control, &packet, &frame, &passed, &fault);

		if (status == CHANNEL_MORE)
			break;
		if (status == CHANNEL_FRAME && passed >= 0)
			close(passed);
		if (status == CHANNEL_FRAME && take_frame(k, &frame))
			continue;
		if (status != CHANNEL_CLOSED) {
			log_error("carrel-git broke the control protocol");
			(void)syscall(SYS_pidfd_send_signal, k->process.pidfd, SIGKILL, NULL, 0);
		}
		event_del(k->on_control);
		break;
	}
	buf_fini(&packet);
}

static void
control_readable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	listen_to(arg);
}

static void
log_readable(evutil_socket_t fd, short what, void *arg)
{
	struct committer *k = arg;

	(void)what;
	if (!log_file_drain(&k->sup->log, &k->lines, fd, BINARY, (int)k->process.pid, false))
		drop_event(&k->on_log);
}

static void
too_late(evutil_socket_t fd, short what, void *arg)
{
	struct committer *k = arg;

	(void)fd, (void)what;
	log_error("carrel-git is not done after %u s", (unsigned)(LIFE_NS / CLOCK_SECOND));
	(void)syscall(SYS_pidfd_send_signal, k->process.pidfd, SIGKILL, NULL, 0);
}

static void
process_exited(evutil_socket_t fd, short what, void *arg)
{
	struct committer *k = arg;
	siginfo_t info = { .si_pid = 0 };
	struct death d = { .by = DEATH_BY_OTHERS };
	char text[128];

	(void)what;
	if (waitid(P_PIDFD, (id_t)fd, &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0)
		return;
	listen_to(k);
	if (k->on_log != NULL)
		(void)log_file_drain(&k->sup->log, &k->lines, k->process.log, BINARY, (int)k->process.pid, true);
	d.signalled = info.si_code != CLD_EXITED;
	d.status = info.si_status;
	death_text(&d, text, sizeof(text));
	if (d.signalled && d.status == SIGSYS)
		log_error("policy violation: carrel-git (pid %d) %s", (int)k->process.pid, text);
	else if (d.signalled || d.status != EXIT_STOPPED)
		log_warn("carrel-git (pid %d) %s", (int)k->process.pid, text);
	if (!k->answered)
		commit_answer(k, IPC_COMMIT_LOST, SPAN(""), span_str(text));
	commit_finish(k);
	orphans_reap(k->sup);
}

/* --- a life ---------------------------------------------------------------------------------- */

static struct event *
watch_fd(struct committer *k, int fd, short what, event_callback_fn fn)
{
	struct event *ev = mem_must(event_new(k->sup->base, fd, what, fn, k));

	event_add(ev, NULL);
	return ev;
}

/* -1: no process was started, *outcome is the answer and *err the reason. */
static int
commit_spawn(struct committer *k, uint64_t *outcome, struct err *err)
{
	const struct timeval late = { .tv_sec = (time_t)(LIFE_NS / CLOCK_SECOND) };
	struct repository *where = mem_alloc(sizeof(*where));
	int found;

	err->message[0] = '\0';
	found = repository_find(k->sup->cfg->project_dir, where, err);
	free(where);
	*outcome = found == 0 ? IPC_COMMIT_NO_REPOSITORY : IPC_COMMIT_REFUSED;
	if (found <= 0 || configure_pack(k->sup, k->sup->cfg, IPC_GIT, "", &k->config, err) != 0)
		return -1;
	*outcome = IPC_COMMIT_LOST;
	if (spawn_child(k->sup->bin_dir, BINARY, &k->process, err) != 0)
		return -1;
	k->on_control = watch_fd(k, k->process.control, EV_READ | EV_PERSIST, control_readable);
	k->on_exit = watch_fd(k, k->process.pidfd, EV_READ | EV_PERSIST, process_exited);
	k->on_log = watch_fd(k, k->process.log, EV_READ | EV_PERSIST, log_readable);
	k->on_late = mem_must(event_new(k->sup->base, -1, 0, too_late, k));
	event_add(k->on_late, &late);
	return 0;
}

static void
commit_next(struct committer *k)
{
	uint64_t outcome;
	struct err err;

	while (!TAILQ_EMPTY(&k->orders) && k->process.pid < 0) {
		k->answered = false;
		k->greet = GREET_NEW;
		log_lines_end(&k->lines);
		if (commit_spawn(k, &outcome, &err) == 0)
			return;
		commit_answer(k, outcome, SPAN(""), span_str(err.message));
		commit_finish(k);
	}
}

static struct committer *
committer_new(struct supervisor *sup)
{
	struct committer *k = mem_new(1, sizeof(*k));

	k->sup = sup;
	TAILQ_INIT(&k->orders);
	k->process = (struct spawned){ .pid = -1, .pidfd = -1, .control = -1, .log = -1 };
	k->on_next = mem_must(event_new(sup->base, -1, 0, start_next, k));
	return k;
}

void
commit_order(struct child *from, const struct ipc_commit *msg)
{
	struct supervisor *sup = from->sup;
	struct order *o;

	if (sup->committer == NULL)
		sup->committer = committer_new(sup);
	if (sup->committer->n == WAITING_MAX) {
		struct ipc_committed full = {
			.serial = msg->serial, .outcome = IPC_COMMIT_LOST, .reason = SPAN("too many commits wait")
		};

		post(from, IPC_MSG_COMMITTED, &full, -1);
		return;
	}
	o = mem_new(1, sizeof(*o));
	o->from = from;
	o->serial = msg->serial;
	memcpy(o->run, msg->run.p, msg->run.len);
	TAILQ_INSERT_TAIL(&sup->committer->orders, o, entry);
	sup->committer->n++;
	event_active(sup->committer->on_next, EV_TIMEOUT, 1);
}

void
commit_forget(const struct child *from)
{
	struct order *o;

	if (from->sup->committer == NULL)
		return;
	TAILQ_FOREACH(o, &from->sup->committer->orders, entry)
		if (o->from == from)
			o->from = NULL;
}

bool
commit_is_process(const struct supervisor *sup, pid_t pid)
{
	return sup->committer != NULL && sup->committer->process.pid == pid;
}

void
commit_close(struct supervisor *sup)
{
	struct committer *k = sup->committer;

	if (k == NULL)
		return;
	/* The process dies with us at the latest; the next start resumes the run. */
	if (k->process.pid >= 0) {
		(void)syscall(SYS_pidfd_send_signal, k->process.pidfd, SIGKILL, NULL, 0);
		(void)waitid(P_PIDFD, (id_t)k->process.pidfd, &(siginfo_t){ .si_pid = 0 }, WEXITED);
	}
	while (!TAILQ_EMPTY(&k->orders))
		commit_finish(k);
	event_free(k->on_next);
	free(k);
	sup->committer = NULL;
	orphans_reap_last(sup);
}

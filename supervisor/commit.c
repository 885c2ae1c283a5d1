/*
 * commit.c - carrel-git: one short-lived process for each commit that the memory
 * worker asks for.  It is no place in the household: it has no data channels, is
 * not restarted, and its death is reported as an ordinary answer.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "project/repository.h"
#include "supervisor/supervisor.h"

#define LIFE_NS		(60 * CLOCK_SECOND)	/* of one commit; it waits 2 s for git's own locks */
#define WAITING_MAX	64


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
	struct process		 process;
	struct event		*on_next;
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

	process_close(&k->process);
	TAILQ_REMOVE(&k->orders, o, entry);
	k->n--;
	free(o);
	if (!TAILQ_EMPTY(&k->orders))
		event_active(k->on_next, EV_TIMEOUT, 1);
}

/* --- what the process says -------------------------------------------------------------- */

static void
send_order(struct committer *k)
{
	const struct order *o = TAILQ_FIRST(&k->orders);
	struct ipc_commit msg = { .serial = o->serial, .run = span_str(o->run) };

	(void)control_send(k->process.control, IPC_MSG_COMMIT, &msg, -1);
}

static bool
git_said(void *arg, const struct ipc_frame *frame, const union ipc_any *msg)
{
	struct committer *k = arg;

	switch (frame->type) {
	case IPC_MSG_READY:
		send_order(k);
		break;
	case IPC_MSG_UNABLE:
		if (!k->answered)
			commit_answer(k, IPC_COMMIT_REFUSED, SPAN(""), msg->unable.reason);
		break;
	case IPC_MSG_COMMITTED:
		if (!k->answered && msg->committed.serial == TAILQ_FIRST(&k->orders)->serial)
			commit_answer(k, msg->committed.outcome, msg->committed.commit, msg->committed.reason);
		break;
	default:
		break;
	}
	return true;
}

static void
git_broke(void *arg, const char *what, enum ipc_fault fault)
{
	(void)arg;
	log_error("carrel-git broke the control protocol: %s (%s)", what, ipc_fault_name(fault));
}

static void
git_ended(void *arg, const struct death *d)
{
	struct committer *k = arg;
	char text[128];

	death_text(d, text, sizeof(text));
	if (d->signalled && d->status == SIGSYS) {
		metric_add(k->sup->metrics, METRIC_SANDBOX_KILLS, metric_row_of_role(IPC_GIT), 1);
		log_error("policy violation: carrel-git (pid %d) %s", (int)k->process.pid, text);
	} else if (d->signalled || d->status != EXIT_STOPPED)
		log_warn("carrel-git (pid %d) %s", (int)k->process.pid, text);
	if (!k->answered)
		commit_answer(k, IPC_COMMIT_LOST, SPAN(""), span_str(text));
	commit_finish(k);
	orphans_reap(k->sup);
}

static const struct process_hooks git_hooks = { .frame = git_said, .broken = git_broke, .ended = git_ended };

void
commit_tick(struct supervisor *sup, uint64_t now_ns)
{
	struct committer *k = sup->committer;

	if (k != NULL && process_tick(&k->process, now_ns))
		log_error("carrel-git is not done in time");
}

/* --- a life ---------------------------------------------------------------------------------- */

/* -1: no process was started, *outcome is the answer and *err the reason. */
static int
commit_spawn(struct committer *k, uint64_t *outcome, struct err *err)
{
	struct repository *where = mem_alloc(sizeof(*where));
	int found;

	err->message[0] = '\0';
	found = repository_find(k->sup->cfg->project_dir, where, err);
	free(where);
	*outcome = found == 0 ? IPC_COMMIT_NO_REPOSITORY : IPC_COMMIT_REFUSED;
	if (found <= 0 || configure_pack(k->sup, k->sup->cfg, IPC_GIT, "", &k->process.config, err) != 0)
		return -1;
	*outcome = IPC_COMMIT_LOST;
	if (process_start(&k->process, k->sup->bin_dir, ipc_role_row(IPC_GIT)->binary, 0, err) != 0)
		return -1;
	process_hurry(&k->process, LIFE_NS, DEATH_BY_WATCHDOG);
	return 0;
}

static void
commit_next(struct committer *k)
{
	uint64_t outcome;
	struct err err;

	while (!TAILQ_EMPTY(&k->orders) && k->process.pid < 0) {
		k->answered = false;
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
	process_init(&k->process, IPC_GIT, &git_hooks, k, sup->base, &sup->log);
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
	process_kill(&k->process, DEATH_BY_STOP);
	(void)process_reap(&k->process, &(struct death){ .status = 0 });
	while (!TAILQ_EMPTY(&k->orders))
		commit_finish(k);
	event_free(k->on_next);
	free(k);
	sup->committer = NULL;
	orphans_reap_last(sup);
}

#include <signal.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <unistd.h>

#include <sodium.h>

#include "base/system/log.h"
#include "base/mem.h"
#include "supervisor/errand.h"
#include "supervisor/orphans.h"

struct errands {
	struct supervisor		*sup;
	const struct errand_kind	*kind;
	const char			*binary;
	TAILQ_HEAD(, errand)		 orders;	/* the first one is being carried out */
	size_t				 n;
	struct process			 process;
	struct event			*on_next;
	bool				 answered;
};

static void errand_next(struct errands *k);

static void
errand_fail(struct errands *k, uint64_t outcome, struct span reason)
{
	const struct errand *e = TAILQ_FIRST(&k->orders);

	k->answered = true;
	if (e->from != NULL)
		k->kind->fail(e->from, e->serial, outcome, reason);
}

static void
start_next(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	errand_next(arg);
}

/* The current order is done; the event loop starts the next one, not this function. */
static void
errand_finish(struct errands *k)
{
	struct errand *e = TAILQ_FIRST(&k->orders);

	process_close(&k->process);
	TAILQ_REMOVE(&k->orders, e, entry);
	k->n--;
	sodium_memzero(e->what, e->len); /* a code is in it */
	free(e->what);
	free(e);
	if (!TAILQ_EMPTY(&k->orders))
		event_active(k->on_next, EV_TIMEOUT, 1);
}

static bool
errand_said(void *arg, const struct ipc_frame *frame, const union ipc_any *msg)
{
	struct errands *k = arg;

	switch (frame->type) {
	case IPC_MSG_READY:
		if (k->kind->begin != NULL)
			k->kind->begin(TAILQ_FIRST(&k->orders), &k->process);
		break;
	case IPC_MSG_UNABLE:
		if (!k->answered)
			errand_fail(k, k->kind->unable, msg->unable.reason);
		break;
	default:
		if (!k->answered)
			k->answered = k->kind->answered(TAILQ_FIRST(&k->orders), frame->type, msg);
		break;
	}
	return true;
}

static void
errand_broke(void *arg, const char *what, enum ipc_fault fault)
{
	const struct errands *k = arg;

	log_error("%s broke the control protocol: %s (%s)", k->binary, what, ipc_fault_name(fault));
}

static void
errand_ended(void *arg, const struct death *d)
{
	struct errands *k = arg;
	char text[128];

	death_text(d, text, sizeof(text));
	if (d->signalled && d->status == SIGSYS) {
		metric_add(k->sup->metrics, METRIC_SANDBOX_KILLS, metric_row_of_role(k->kind->role), 1);
		log_error("policy violation: %s (pid %d) %s", k->binary, (int)k->process.pid, text);
	} else if (d->signalled || d->status != EXIT_STOPPED)
		log_warn("%s (pid %d) %s", k->binary, (int)k->process.pid, text);
	if (!k->answered)
		errand_fail(k, k->kind->lost, span_str(text));
	errand_finish(k);
	orphans_reap(k->sup);
}

static const struct process_hooks errand_hooks = {
	.frame = errand_said, .broken = errand_broke, .ended = errand_ended
};

void
errands_tick(struct errands *k, uint64_t now_ns)
{
	if (k != NULL && process_tick(&k->process, now_ns))
		log_error("%s is not done in time", k->binary);
}

/* -1: no process was started, *outcome is the answer and *err the reason. */
static int
errand_spawn(struct errands *k, uint64_t *outcome, struct err *err)
{
	err->message[0] = '\0';
	*outcome = k->kind->lost;
	if (k->kind->configure(k->sup, TAILQ_FIRST(&k->orders), &k->process.config, outcome, err) != 0 ||
	    process_start(&k->process, k->sup->bin_dir, k->binary, 0, err) != 0)
		return -1;
	process_hurry(&k->process, k->kind->life_ns, DEATH_BY_WATCHDOG);
	return 0;
}

static void
errand_next(struct errands *k)
{
	uint64_t outcome;
	struct err err;

	while (!TAILQ_EMPTY(&k->orders) && k->process.pid < 0) {
		k->answered = false;
		if (errand_spawn(k, &outcome, &err) == 0)
			return;
		errand_fail(k, outcome, span_str(err.message));
		errand_finish(k);
	}
}

struct errands *
errands_new(struct supervisor *sup, const struct errand_kind *kind)
{
	struct errands *k = mem_new(1, sizeof(*k));

	k->sup = sup;
	k->kind = kind;
	k->binary = ipc_role_row(kind->role)->binary;
	TAILQ_INIT(&k->orders);
	process_init(&k->process, kind->role, &errand_hooks, k, sup->base, &sup->log);
	k->on_next = mem_must(event_new(sup->base, -1, 0, start_next, k));
	return k;
}

void
errands_order(struct errands *k, struct child *from, uint64_t serial, struct span what)
{
	struct errand *e;

	if (k->n == k->kind->waiting_max) {
		k->kind->fail(from, serial, k->kind->lost, SPAN("too many wait for it"));
		return;
	}
	e = mem_new(1, sizeof(*e));
	e->from = from;
	e->serial = serial;
	e->what = mem_text(what);
	e->len = what.len;
	TAILQ_INSERT_TAIL(&k->orders, e, entry);
	k->n++;
	event_active(k->on_next, EV_TIMEOUT, 1);
}

void
errands_forget(struct errands *k, const struct child *from)
{
	struct errand *e;

	if (k == NULL)
		return;
	TAILQ_FOREACH(e, &k->orders, entry)
		if (e->from == from)
			e->from = NULL;
}

bool
errands_are(const struct errands *k, pid_t pid)
{
	return k != NULL && k->process.pid == pid;
}

void
errands_close(struct errands *k)
{
	if (k == NULL)
		return;
	process_kill(&k->process, DEATH_BY_STOP);
	(void)process_reap(&k->process, &(struct death){ .status = 0 });
	while (!TAILQ_EMPTY(&k->orders))
		errand_finish(k);
	event_free(k->on_next);
	free(k);
}

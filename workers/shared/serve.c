/*
 * serve.c - see serve.h: the worker's loop, its queue and the order of things.
 *
 * Scheduling
 *
 * A worker is one thread with one poll(2), serve_pump(): over the control channel to the supervisor, the channels of
 * those that call it, the role's own descriptor, and what calls wait for.  Reading a channel puts calls into one queue
 * (links.c); serve_queue() takes them from it.  No call is ever interrupted by another one: it gives way where it
 * calls call_poll() or call_wait(), which also tell it that it was cancelled, is too late, or has lost its caller.
 * Between two such points the tool has the process for itself, and needs no lock.
 *
 * What happens at a wait depends on the role:
 *
 *	at_once 0	Calls run on the process's own stack, one after the other.  A call that waits for a sub-call
 *			(`waits`) lets one queued call that does not wait run inside it: level 2 of rt->calls.  It
 *			returns to the waiting one only when it has ended, so only short ones may do this, and a
 *			second call that waits stays in the queue or is refused by its tool's meanwhile().  Most
 *			workers need just one: an engine's session serves one statement at a time.
 *	at_once n	Each call has a stack of its own (base/system/coroutine.h).  serve_park() suspends it with
 *			the descriptor and the time that it waits for; resume_calls() enters each parked call after
 *			every poll, and one that is not ready parks again.  n calls wait at the same time, half of
 *			them of one principal, so that one user's slow questions do not stop another's; SERVE_BESIDE
 *			further calls that do not wait run next to them.  Only the agent works so: its calls may wait
 *			seconds for queries and for a model.
 *
 * Whatever a tool keeps across a wait belongs to its call; the state of the role may have changed meanwhile.
 *
 * Three rules keep the loop fair.  A caller that does not read its answers (SERVE_OUT_MAX) is neither read from nor
 * served, and waits alone.  Answers are gathered for one write, but a full buffer (SERVE_FLUSH_BYTES) or a millisecond
 * (SERVE_LOOK_NS) sends them, so a long queue does not delay the first answer.  Nor does a call that waits for its
 * database, unless several are queued behind it (serve_holds()).  And the role's own work, idle(), is
 * called before each call and at most for a short step.
 *
 * The end: SHUTDOWN lets the calls that were sent be answered until its grace has passed.  A role that has to end
 * (serve_stop_after_call()) finishes the running call and leaves the queue unanswered: the front sends these calls to
 * another worker.  The watch page has the earliest deadline of what is running, by which the supervisor knows a worker
 * that is stuck from one that is busy.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "workers/shared/runtime.h"
#include "workers/shared/links.h"
#include "workers/shared/serve.h"
#include "workers/shared/changes.h"
#include "workers/shared/probe.h"
#include "ipc/control.h"

#define LAST_FLUSH_MS	1000	/* how long an ending worker waits for fronts to read */
#define IDLE_MS		1000	/* between calls of the role's serve_idle() when nothing happens */

/* The one runtime of this process, for serve_stop_after_call() and serve_report(). */
static struct runtime *ours;

#ifdef CARREL_FAULT_POINTS
/* "sql.before_reply": the same points in every worker, by role. */
static void
pass_fault_point(const struct runtime *rt, const char *where)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", ipc_role_name(rt->role->role), where);
	(void)fault_point(name);
}
#else
#define pass_fault_point(rt, where)	((void)(rt))
#endif

void
serve_stop_after_call(enum contract_exit code, const char *reason)
{
	if (ours == NULL || ours->stop_asked)
		return;
	ours->stop_asked = true;
	ours->code = code;
	snprintf(ours->reason, sizeof(ours->reason), "%s", reason);
}

static void
send_report(struct runtime *rt)
{
	struct ipc_report msg = { .report = buf_view(&rt->report) };

	if (control_send(CONTRACT_FD_CONTROL, IPC_MSG_REPORT, &msg, -1) == 0)
		rt->report_due = false;
	else if (errno != EAGAIN) {
		log_error("a report does not fit its message");
		rt->report_due = false;
	}
}

void
serve_report(struct span report)
{
	if (ours == NULL)
		return;
	buf_reset(&ours->report, IPC_CONTROL_MAX);
	buf_span(&ours->report, report);
	ours->report_due = true;
	send_report(ours);
}

void
serve_changed(unsigned lists, struct span uri)
{
	if (ours != NULL)
		changes_note(ours, lists, false, uri);
}

void
serve_changed_all(unsigned lists)
{
	if (ours != NULL)
		changes_note(ours, lists, true, SPAN_NONE);
}

void
serve_left_behind(const struct ipc_left_behind *msg)
{
	if (control_send(CONTRACT_FD_CONTROL, IPC_MSG_LEFT_BEHIND, msg, -1) != 0)
		log_warn("the supervisor could not be told of server process %llu", (unsigned long long)msg->pid);
}

void
serve_pool_seen(const struct ipc_pool_seen *msg)
{
	if (control_send(CONTRACT_FD_CONTROL, IPC_MSG_POOL_SEEN, msg, -1) != 0)
		log_warn("the supervisor could not be told of the pool's server processes");
}

int
serve_send(uint64_t peer, unsigned type, uint64_t id, const void *msg)
{
	if (ours != NULL)
		for (struct worker_link *l = ours->links; l != NULL; l = l->next)
			if (!l->dead && l->ch.generation == peer)
				return channel_send(&l->ch, type, id, msg);
	return -1;
}

int
serve_commit(uint64_t serial, const char *run)
{
	struct ipc_commit msg = { .serial = serial, .run = span_str(run) };

	return control_send(CONTRACT_FD_CONTROL, IPC_MSG_COMMIT, &msg, -1);
}

void
serve_store_away(const char *reason)
{
	(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_STORE_AWAY,
	    &(struct ipc_store_away){ .reason = span_str(reason) }, -1);
}

int
serve_fetch(uint64_t serial, struct span url)
{
	struct ipc_fetch msg = { .serial = serial, .url = url };

	return control_send(CONTRACT_FD_CONTROL, IPC_MSG_FETCH, &msg, -1);
}

int
serve_identify(const struct ipc_identify *msg)
{
	return control_send(CONTRACT_FD_CONTROL, IPC_MSG_IDENTIFY, msg, -1);
}

int
serve_dial(enum ipc_outside place, uint64_t serial)
{
	struct ipc_dial msg = { .place = place, .serial = serial };

	return control_send(CONTRACT_FD_CONTROL, IPC_MSG_DIAL, &msg, -1);
}

static void
set_deadline(const struct runtime *rt)
{
	uint64_t deadline = rt->level == 0 ? 0 : rt->calls[rt->level - 1].from->msg.deadline_ns;

	/* The earliest deadline of the calls that are served side by side. */
	for (unsigned i = 0; rt->role->at_once > 0 && i < SERVE_CALLS; i++)
		if (rt->calls[i].from != NULL && (deadline == 0 || rt->calls[i].from->msg.deadline_ns < deadline))
			deadline = rt->calls[i].from->msg.deadline_ns;
	atomic_store_explicit(&rt->watch->deadline_ns, deadline, memory_order_relaxed);
}

static void
serve_count(_Atomic uint64_t *counter)
{
	/* Only this process writes the watch page. */
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

static void
exit_child(struct runtime *rt, enum contract_exit code)
{
	if (!rt->over)
		rt->code = code;
	rt->over = true;
}

/* Whether one of the two asks the other, by ipc/roles.def. */
static bool
is_partner(enum ipc_role own, uint64_t role)
{
	for (unsigned i = 0; i < IPC_ROLES; i++)
		if (ipc_roles[i].role == role)
			return ipc_role_row(own)->peer == ipc_roles[i].role || ipc_roles[i].peer == own;
	return false;
}

static void
take_attach(struct runtime *rt, const struct ipc_attach *msg, int fd)
{
	if (msg->kind == IPC_ATTACH_DATA && is_partner(rt->role->role, msg->role)) {
		links_attach(rt, fd, msg->generation, (enum ipc_role)msg->role);
		return;
	}
	if (msg->kind == IPC_ATTACH_JOURNAL && rt->role->journal != NULL) {
		rt->role->journal(rt->state, msg->generation, (unsigned)msg->number, fd);
		return;
	}
	if (msg->kind == IPC_ATTACH_SPANS && rt->role->spans != NULL) {
		rt->role->spans(rt->state, fd);
		return;
	}
	log_error("attached to what a worker has no use for: kind %llu", (unsigned long long)msg->kind);
	close(fd);
	exit_child(rt, EXIT_PEER);
}

static void
take_state(struct runtime *rt, struct span body)
{
	struct sub_answer *a;

	if (rt->role->connection_state == NULL)
		return;
	a = mem_new(1, sizeof(*a));
	buf_span(&a->body, body);
	*rt->last_state = a;
	rt->last_state = &a->next;
}

static void
take_ping(struct runtime *rt, const struct ipc_ping *msg)
{
	/* A supervisor that lets its packets pile up misses a pong and asks again. */
	(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_PONG, &(struct ipc_pong){ .serial = msg->serial },
	    -1);
	serve_count(&rt->watch->answered);
}

/* False: the frame is not allowed for a worker in service. */
static bool
take_control(struct runtime *rt, const struct ipc_frame *f, int fd)
{
	union ipc_any msg;

	if (ipc_unpack_any(f->type, IPC_SUPERVISOR, rt->role->role, f->body, &msg) != IPC_OK)
		return false;
	switch (f->type) {
	case IPC_MSG_ATTACH:
		take_attach(rt, &msg.attach, fd);
		return true;
	case IPC_MSG_DETACH:
		links_detach(rt, msg.detach.generation, msg.detach.cause);
		return true;
	case IPC_MSG_CONNECTION_STATE:
		take_state(rt, f->body);
		return true;
	case IPC_MSG_PING:
		take_ping(rt, &msg.ping);
		return true;
	case IPC_MSG_SHUTDOWN:
		rt->draining = true;
		rt->drain_until = clock_ns() + msg.shutdown.grace_ms * CLOCK_MS;
		return true;
	case IPC_MSG_PROBE:
		probe_child(rt->profile, &msg.probe);
		return true;
	case IPC_MSG_COMMITTED:
		if (rt->role->committed == NULL)
			return false;
		rt->role->committed(rt->state, &msg.committed);
		return true;
	case IPC_MSG_FETCHED:
		if (rt->role->fetched == NULL)
			return false;
		rt->turn_due = true;
		rt->role->fetched(rt->state, &msg.fetched);
		return true;
	case IPC_MSG_IDENTIFIED:
		if (rt->role->identified == NULL)
			return false;
		rt->turn_due = true;
		rt->role->identified(rt->state, &msg.identified);
		return true;
	case IPC_MSG_DIALLED:
		if (rt->role->dialled == NULL || fd < 0)
			return false;
		rt->role->dialled(rt->state, (enum ipc_outside)msg.dialled.place, msg.dialled.serial, fd);
		return true;
	case IPC_MSG_MEASURED:
		if (rt->role->measured == NULL)
			return false;
		rt->role->measured(rt->state, &msg.measured);
		return true;
	case IPC_MSG_EVENT:
		if (rt->role->event == NULL)
			return false;
		rt->turn_due = true;
		rt->role->event(rt->state, &msg.event);
		return true;
	case IPC_MSG_SYNCED:
		if (rt->role->synced == NULL)
			return false;
		rt->role->synced(rt->state, &msg.synced);
		return true;
	default:
		return false;
	}
}

static void
read_control(struct runtime *rt)
{
	struct ipc_frame frame;
	enum ipc_fault fault;
	int fd;

	while (!rt->over)
		switch (control_recv(CONTRACT_FD_CONTROL, &rt->control, &frame, &fd, &fault)) {
		case CHANNEL_MORE:
			return;
		case CHANNEL_CLOSED:
			exit_child(rt, EXIT_ORPHANED);
			return;
		case CHANNEL_BROKEN:
			log_error("the supervisor broke the protocol: %s", ipc_fault_name(fault));
			exit_child(rt, EXIT_PEER);
			return;
		case CHANNEL_FRAME:
			if (take_control(rt, &frame, fd))
				break;
			log_error("the supervisor sent a %s that makes no sense here", ipc_type_name(frame.type));
			if (fd != -1)
				close(fd);
			exit_child(rt, EXIT_PEER);
		}
}

void
serve_flush_link(struct runtime *rt, struct worker_link *l)
{
	if (!l->dead && channel_pending(&l->ch) > 0 && channel_flush(&l->ch) == CHANNEL_CLOSED)
		links_close(rt, l);
}

void
serve_flush(struct runtime *rt)
{
	rt->flushed_ns = clock_ns();
	for (struct worker_link *l = rt->links; l != NULL; l = l->next)
		serve_flush_link(rt, l);
}

bool
serve_holds(const struct runtime *rt, uint64_t now_ns)
{
	return rt->queued >= SERVE_HOLD_QUEUED && now_ns - rt->flushed_ns < SERVE_LOOK_NS;
}

void
serve_flush_now(void)
{
	if (ours != NULL)
		serve_flush(ours);
}

#define FIXED	3	/* control, the role's own, the caller's */
#define AT_ONCE	65	/* data channels looked at in one round; as many as links.c has */

/*
 * The role's descriptor is watched between calls only: it stays readable until
 * serve_idle() has read it, and serve_idle() is not called inside a call.
 */
static nfds_t
serve_fill(const struct runtime *rt, struct pollfd *p, struct worker_link **links, int fd, short events)
{
	nfds_t n = FIXED;

	p[0] = (struct pollfd){ CONTRACT_FD_CONTROL, POLLIN, 0 };
	if (rt->report_due)
		p[0].events |= POLLOUT;
	p[1] = (struct pollfd){ rt->level == 0 ? rt->watch_fd : -1, POLLIN, 0 };
	p[2] = (struct pollfd){ fd, events, 0 };
	for (struct worker_link *l = rt->links; l != NULL && n < FIXED + AT_ONCE; l = l->next) {
		if (l->dead)
			continue;
		links[n - FIXED] = l;
		p[n].fd = l->ch.fd;
		/* A front that does not read its answers is not read from either. */
		p[n].events = channel_pending(&l->ch) < SERVE_OUT_MAX ? POLLIN : 0;
		if (channel_pending(&l->ch) > 0 && !rt->holding)
			p[n].events |= POLLOUT;
		p[n++].revents = 0;
	}
	return n;
}

/* Behind them, with at_once: what the calls wait for, by slot. */
static nfds_t
serve_fill_parked(const struct runtime *rt, struct pollfd *p, nfds_t n)
{
	for (unsigned i = 0; rt->role->at_once > 0 && i < SERVE_CALLS; i++)
		p[n++] = (struct pollfd){ rt->calls[i].parked ? rt->calls[i].fd : -1, rt->calls[i].events, 0 };
	return n;
}

/* Leave a little time for what others are about to send, where the role says that it is worth it. */
static void
serve_gather(struct runtime *rt)
{
	unsigned us = rt->turn_due && rt->role->gather_us != NULL ? rt->role->gather_us(rt->state) : 0;

	if (us == 0)
		return;
	nanosleep(&(struct timespec){ .tv_nsec = (long)us * 1000 }, NULL);
	for (struct worker_link *l = rt->links; l != NULL; l = l->next)
		if (!l->dead)
			links_read(rt, l);
}

bool
serve_pump(struct runtime *rt, int timeout_ms, int fd, short events)
{
	struct pollfd p[FIXED + AT_ONCE + SERVE_CALLS];
	struct worker_link *links[AT_ONCE];
	nfds_t n = serve_fill(rt, p, links, fd, events), all = serve_fill_parked(rt, p, n);

	if (poll(p, all, timeout_ms) <= 0)
		return false;
	for (nfds_t i = n; i < all; i++)
		rt->calls[i - n].ready |= p[i].revents != 0;
	if (p[0].revents != 0) {
		if ((p[0].revents & POLLOUT) != 0 && rt->report_due)
			send_report(rt);
		read_control(rt);
	}
	for (nfds_t i = FIXED; i < n; i++) {
		struct worker_link *l = links[i - FIXED];

		if ((p[i].revents & POLLOUT) != 0)
			serve_flush_link(rt, l);
		if ((p[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0)
			links_read(rt, l);
	}
	serve_gather(rt);
	links_turn(rt);
	return p[2].revents != 0;
}

bool
serve_may_go_on(const struct call *c, uint64_t now, struct err *err)
{
	if (c->from->link->dead)
		err_set(err, ERR_QUERY_CANCELLED, "the caller is gone");
	else if (c->cancelled)
		err_set(err, ERR_QUERY_CANCELLED, "cancelled by the caller");
	else if (now >= c->from->msg.deadline_ns)
		err_set(err, ERR_QUERY_TIMEOUT, "not done within the time allowed");
	else if (c->rt->over || (c->rt->draining && now >= c->rt->drain_until))
		err_set(err, ERR_SERVICE_UNAVAILABLE, "the service is shutting down");
	else
		return true;
	return false;
}

/* Database error messages are untrusted text. */
static void
make_utf8(char *s)
{
	size_t len = strlen(s);

	if (utf8_valid((const uint8_t *)s, len))
		return;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] >= 0x80)
			s[i] = '?';
}

void
serve_fail(struct call *c, const struct err *err)
{
	struct ipc_fail msg = { .code = err->code, .details = MP_EMPTY_MAP };
	struct channel *ch = &c->from->link->ch;
	char text[sizeof(err->message)];

	if (c->finished || c->from->link->dead)
		return;
	c->finished = true;
	snprintf(text, sizeof(text), "%s", err->message);
	make_utf8(text);
	if (err->code == ERR_NONE || err->code == ERR_INTERNAL) {
		/* Details of an internal error go to the log only. */
		log_error("%.*s: %s", SPAN_FMT(c->from->msg.tool), text);
		snprintf(text, sizeof(text), "%s", err_text(ERR_INTERNAL));
		msg.code = ERR_INTERNAL;
	}
	if (text[0] == '\0')
		snprintf(text, sizeof(text), "%s", err_text(err->code));
	msg.message = span_str(text);
	if (c->details.len > 0 && !c->details.full)
		msg.details = buf_view(&c->details);
	if (channel_send(ch, IPC_MSG_FAIL, c->from->id, &msg) == 0)
		return;
	log_error("%.*s: the error details break their own bounds", SPAN_FMT(c->from->msg.tool));
	msg.details = MP_EMPTY_MAP;
	(void)channel_send(ch, IPC_MSG_FAIL, c->from->id, &msg);
}

static void
run_call(struct runtime *rt, struct call *c)
{
	const struct pending *p = c->from;
	struct err err = { .code = ERR_NONE };
	struct mp_value args;
	int r;

	if (!serve_may_go_on(c, c->looked_ns, &err)) {
		serve_fail(c, &err);
		return;
	}
	if (p->tool == NULL) {
		err_set(&err, ERR_INTERNAL, "there is no such tool here");
		serve_fail(c, &err);
		return;
	}
	(void)mp_value(p->msg.args, &args); /* was scanned when it was unpacked */
	r = (rt->level > 1 && p->tool->waits ? p->tool->meanwhile : p->tool->run)(c, &args, &err);
	pass_fault_point(rt, "before_reply");
	if (err.detail[0] != '\0')
		log_warn("%s: %s", p->tool->name, err.detail);
	if (r == 0 && !c->finished)
		err_set(&err, ERR_INTERNAL, "the tool ended without an answer");
	else if (r != 0 && c->finished)
		log_error("%s: failed after it had answered: %s", p->tool->name, err.message);
	serve_fail(c, &err);
}

/* Lines belong to the innermost call. */
static void
name_request(const struct runtime *rt)
{
	const struct call *c = rt->level > 0 ? &rt->calls[rt->level - 1] : rt->apart;

	if (c == NULL || c->own) {
		log_request(SPAN_NONE);
		return;
	}
	log_request(c->from->msg.request_id);
	log_trace(c->from->msg.trace);
}

static void
begin_call(struct call *c, struct pending *p, uint64_t now)
{
	c->from = p;
	c->credit = IPC_CREDIT_FIRST;
	c->rows_sent = c->finished = c->cancelled = c->dropped = c->own = false;
	c->stands = (struct stands){ .n = 0 };
	c->artifacts[0] = '\0';
	c->file_rows = 0;
	c->file_parquet = false;
	c->looked_ns = now;
}

static void
end_call(struct runtime *rt, struct call *c)
{
	struct pending *p = c->from;

	serve_count(&rt->watch->requests);
	serve_count(&rt->watch->answered);
	arena_reset(c->arena);
	buf_reset(&c->details, 4096);
	c->from = NULL;
	links_recycle(rt, p);
}

static void
serve_one(struct runtime *rt, struct pending *p, uint64_t now)
{
	struct call *c = &rt->calls[rt->level++];

	begin_call(c, p, now);
	name_request(rt);
	set_deadline(rt);
	run_call(rt, c);
	end_call(rt, c);
	rt->level--;
	set_deadline(rt);
	name_request(rt);
}

static void
run_apart(void *arg)
{
	struct call *c = arg;

	run_call(c->rt, c);
}

/* Begin a call, or go on with one, until it waits or ends. */
static void
enter_call(struct runtime *rt, struct call *c, bool begins)
{
	bool ended;

	rt->apart = c;
	name_request(rt);
	set_deadline(rt);
	c->parked = false;
	ended = begins ? coroutine_start(c->co, run_apart, c) : coroutine_resume(c->co);
	rt->apart = NULL;
	if (ended)
		end_call(rt, c);
	set_deadline(rt);
	name_request(rt);
}

bool
serve_park(struct call *c, int fd, short events, uint64_t until)
{
	c->parked = true;
	c->ready = false;
	c->fd = fd;
	c->events = events;
	c->until = until;
	coroutine_yield(c->co);
	return c->ready;
}

/* Let each call that waits look whether what came is for it. */
static void
resume_calls(struct runtime *rt)
{
	for (unsigned i = 0; i < SERVE_CALLS; i++)
		if (rt->calls[i].parked)
			enter_call(rt, &rt->calls[i], false);
}

/* The slot for one more of tool, for principal; NULL: its time has not come. */
static struct call *
free_slot(struct runtime *rt, const struct pending *p)
{
	unsigned n = 0, same = 0, share = rt->role->at_once / 2 > 0 ? rt->role->at_once / 2 : 1;
	bool waits = p->tool != NULL && p->tool->waits;
	struct call *found = NULL;

	for (unsigned i = 0; i < SERVE_CALLS; i++) {
		const struct pending *other = rt->calls[i].from;

		if (other == NULL) {
			found = &rt->calls[i];
			continue;
		}
		if (waits != (other->tool != NULL && other->tool->waits))
			continue;
		n++;
		same += span_is(other->msg.principal, p->msg.principal);
	}
	return (waits ? n < rt->role->at_once && same < share : n < SERVE_BESIDE) ? found : NULL;
}

static void
serve_apart(struct runtime *rt, struct pending *p, uint64_t now)
{
	struct call *c = free_slot(rt, p);
	struct err err;

	begin_call(c, p, now);
	if (c->co == NULL && (c->co = coroutine_new()) == NULL) {
		err_set(&err, ERR_BUSY, "there is no memory for one more call; try again in a moment");
		serve_fail(c, &err);
		end_call(rt, c);
		return;
	}
	enter_call(rt, c, true);
}

static bool
is_parked(const struct runtime *rt)
{
	for (unsigned i = 0; i < SERVE_CALLS; i++)
		if (rt->calls[i].parked)
			return true;
	return false;
}

#define LAST_LOOKS 1000 /* far more than any tool takes to see that it must stop */

/* The process ends: each call sees it where it waits, and says so to its caller. */
static void
end_calls(struct runtime *rt)
{
	for (unsigned i = 0; i < LAST_LOOKS && is_parked(rt); i++)
		resume_calls(rt);
}

/* The oldest front that is connected and reads; NULL: none. */
static struct worker_link *
any_front(const struct runtime *rt)
{
	struct worker_link *l = rt->links;

	while (l != NULL &&
	    (l->dead || l->detached || l->peer != IPC_FRONT || channel_pending(&l->ch) >= SERVE_OUT_MAX))
		l = l->next;
	return l;
}

int
serve_ask_for(struct span ticket, uint64_t budget_ns, int (*work)(struct call *c, void *arg, struct err *err), void *arg,
    struct err *err)
{
	static const struct tool own = { .name = "own work", .waits = true };
	struct runtime *rt = ours;
	struct pending from = { .tool = &own };
	struct call *c;
	int r;

	if (rt == NULL || rt->level != 0 || rt->over || rt->draining || (from.link = any_front(rt)) == NULL)
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "no front is there to ask through");
	from.msg =
	    (struct ipc_call){ .tool = span_str(own.name), .ticket = ticket, .deadline_ns = clock_ns() + budget_ns };
	c = &rt->calls[rt->level++];
	c->from = &from;
	c->rows_sent = c->cancelled = c->dropped = false;
	/* The role's own work: no answer is sent. */
	c->own = c->finished = true;
	c->keep = NULL;
	c->stands = (struct stands){ .n = 0 };
	c->looked_ns = clock_ns();
	name_request(rt);
	set_deadline(rt);
	r = work(c, arg, err);
	arena_reset(c->arena);
	buf_reset(&c->details, 4096);
	c->from = NULL;
	c->keep = NULL;
	c->own = false;
	rt->level--;
	set_deadline(rt);
	name_request(rt);
	return r;
}

bool
serve_accepts(struct span proof, const struct proof_call *call)
{
	return ours != NULL && ours->has_local_key &&
	    proof_accept(&ours->proofs, ours->local_key, proof, call, clock_ns());
}

/* Whether a tool's meanwhile() may run: inside the role's own work only if that does a call's, for tools that read. */
static bool
lets_in(const struct runtime *rt, const struct tool *tool)
{
	return !rt->calls[0].own || (rt->calls[0].keep != NULL && (tool->hints & TOOL_READ_ONLY) != 0);
}

/*
 * The link to the first call that may be served now; NULL: none.  Its front must be reading, and only
 * one call at a time may wait for others.
 */
static struct pending **
find_next(struct runtime *rt)
{
	if (rt->role->at_once > 0) {
		for (struct pending **at = &rt->first; *at != NULL; at = &(*at)->next)
			if (free_slot(rt, *at) != NULL && channel_pending(&(*at)->link->ch) < SERVE_OUT_MAX)
				return at;
		return NULL;
	}
	for (struct pending **at = &rt->first; *at != NULL; at = &(*at)->next)
		if ((rt->level == 0 || (*at)->tool == NULL || !(*at)->tool->waits ||
			((*at)->tool->meanwhile != NULL && lets_in(rt, (*at)->tool))) &&
		    channel_pending(&(*at)->link->ch) < SERVE_OUT_MAX)
			return at;
	return NULL;
}

static struct pending *
take_next(struct runtime *rt)
{
	struct pending **at = find_next(rt);

	return at == NULL ? NULL : links_unqueue(rt, at);
}

bool
serve_another(struct runtime *rt)
{
	struct pending *p;

	if (rt->level != 1 || rt->stop_asked || rt->over || (p = take_next(rt)) == NULL)
		return false;
	serve_one(rt, p, clock_ns());
	return true;
}

static void
tell_states(struct runtime *rt)
{
	struct sub_answer *a;

	while ((a = rt->states) != NULL) {
		struct ipc_connection_state msg;

		if ((rt->states = a->next) == NULL)
			rt->last_state = &rt->states;
		if (ipc_unpack(IPC_MSG_CONNECTION_STATE, IPC_SUPERVISOR, rt->role->role, buf_view(&a->body), &msg,
			sizeof(msg)) == IPC_OK)
			rt->role->connection_state(rt->state, &msg);
		links_answer_free(a);
	}
}

static void
serve_idle(struct runtime *rt)
{
	tell_states(rt);
	if (rt->role->idle != NULL)
		rt->role->idle(rt->state);
	if (rt->role->watch != NULL) /* what has ended stays readable */
		rt->watch_fd = rt->role->watch(rt->state);
	changes_tell(rt, clock_ns());
}

/*
 * Serve what is queued.  Answers leave together, but none waits long for the
 * ones after it.
 */
static void
serve_queue(struct runtime *rt)
{
	uint64_t now, looked = clock_ns();
	struct pending *p;
	struct worker_link *l;

	while (!rt->over && !rt->stop_asked && find_next(rt) != NULL) {
		serve_idle(rt);
		/* If the role must end now, the call stays unanswered, and the front sends it to another worker. */
		if (rt->stop_asked || (p = take_next(rt)) == NULL)
			break;
		l = p->link;
		now = clock_ns();
		(rt->role->at_once > 0 ? serve_apart : serve_one)(rt, p, now);
		if (channel_pending(&l->ch) >= SERVE_FLUSH_BYTES)
			serve_flush_link(rt, l);
		if (rt->first == NULL || clock_ns() - looked < SERVE_LOOK_NS)
			continue;
		serve_flush(rt);
		serve_pump(rt, 0, -1, 0);
		looked = clock_ns();
	}
	serve_flush(rt);
}

/* Timeout for poll(2) while idle. */
static int
patience(const struct runtime *rt)
{
	uint64_t now = clock_ns();
	int idle = rt->role->idle == NULL ? -1 :
	    rt->role->idle_ms == NULL     ? IDLE_MS :
					    (int)rt->role->idle_ms(rt->state);

	if (rt->draining)
		idle = now >= rt->drain_until ? 0 : (int)((rt->drain_until - now) / CLOCK_MS) + 1;
	else
		idle = changes_patience(rt, now, idle);
	for (unsigned i = 0; i < SERVE_CALLS; i++) {
		const struct call *c = &rt->calls[i];
		int left = !c->parked ? -1 : c->until <= now ? 0 : (int)((c->until - now + CLOCK_MS - 1) / CLOCK_MS);

		idle = left >= 0 && (idle < 0 || left < idle) ? left : idle;
	}
	return idle;
}

static bool
is_drained(struct runtime *rt)
{
	if (!rt->draining)
		return false;
	if (clock_ns() >= rt->drain_until)
		return true;
	/* Calls that the fronts sent before they learned of the end are still answered. */
	serve_pump(rt, 0, -1, 0);
	if (rt->first != NULL || is_parked(rt))
		return false;
	for (const struct worker_link *l = rt->links; l != NULL; l = l->next)
		if (!l->dead && channel_pending(&l->ch) > 0)
			return false;
	return true;
}

static void
last_words(struct runtime *rt)
{
	uint64_t until = clock_ns() + LAST_FLUSH_MS * CLOCK_MS;
	struct ipc_unable msg = { .reason = span_str(rt->reason) };

	if (rt->stop_asked && rt->code != EXIT_STOPPED && msg.reason.len > 0)
		(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_UNABLE, &msg, -1);
	for (;;) {
		struct pollfd p = { -1, POLLOUT, 0 };
		uint64_t now = clock_ns();

		serve_flush(rt);
		for (const struct worker_link *l = rt->links; l != NULL && p.fd == -1; l = l->next)
			if (!l->dead && channel_pending(&l->ch) > 0)
				p.fd = l->ch.fd;
		if (p.fd == -1 || now >= until)
			return;
		(void)poll(&p, 1, (int)((until - now) / CLOCK_MS) + 1);
	}
}

enum contract_exit
serve_run(struct runtime *rt)
{
	size_t n = rt->role->at_once > 0 ? SERVE_CALLS : 2;

	ours = rt;
	for (size_t i = 0; i < n; i++) {
		rt->calls[i].rt = rt;
		rt->calls[i].arena = arena_new(SERVE_ARENA_MAX);
	}
	while (!rt->over && !rt->stop_asked && !is_drained(rt)) {
		serve_pump(rt, find_next(rt) != NULL ? 0 : patience(rt), -1, 0);
		resume_calls(rt);
		if (rt->first == NULL && !rt->over)
			serve_idle(rt);
		serve_queue(rt);
		links_sweep(rt);
	}
	end_calls(rt);
	if (rt->code != EXIT_ORPHANED)
		last_words(rt);
	links_free(rt);
	while (rt->states != NULL) {
		struct sub_answer *a = rt->states;

		rt->states = a->next;
		links_answer_free(a);
	}
	for (size_t i = 0; i < n; i++) {
		arena_free(rt->calls[i].arena);
		if (!rt->calls[i].parked)
			coroutine_free(rt->calls[i].co);
		buf_fini(&rt->calls[i].details);
	}
	buf_fini(&rt->changes.uris);
	buf_fini(&rt->control);
	buf_fini(&rt->report);
	ours = NULL;
	return rt->code;
}

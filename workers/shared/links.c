/* links.c - see links.h: what arrives on the data channels, and where it goes. */
#include <stdlib.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "policy/tools.h"
#include "workers/shared/runtime.h"
#include "workers/shared/links.h"
#include "ipc/control.h"
#include "workers/shared/call.h"

#define LINKS_MAX	65			/* one per front process, and one to carrel-pwhash; more are refused */
#define SPARE_MAX	64			/* finished calls kept for their memory */
#define SPARE_BYTES	((size_t)16 * 1024)	/* and how much of it */
#define CREDIT_MAX	(1u << 20)
#define WAITING_EACH	4u			/* with at_once: calls waiting for each that may be under way */

static struct pending *
pending_new(struct runtime *rt)
{
	struct pending *p = rt->spare;

	if (p == NULL)
		return mem_new(1, sizeof(*p));
	rt->spare = p->next;
	rt->nspare--;
	return p;
}

void
links_recycle(struct runtime *rt, struct pending *p)
{
	if (rt->nspare >= SPARE_MAX) {
		buf_fini(&p->body);
		free(p);
		return;
	}
	buf_reset(&p->body, SPARE_BYTES);
	p->link = NULL;
	p->next = rt->spare;
	rt->spare = p;
	rt->nspare++;
}

struct pending *
links_unqueue(struct runtime *rt, struct pending **at)
{
	struct pending *p = *at;

	if ((*at = p->next) == NULL)
		rt->last = at;
	rt->queued--;
	rt->queued_bytes -= p->body.len;
	p->next = NULL;
	return p;
}

static void
links_enqueue(struct runtime *rt, struct pending *p)
{
	p->next = NULL;
	*rt->last = p;
	rt->last = &p->next;
	rt->queued++;
	rt->queued_bytes += p->body.len;
}

static struct pending **
queued_call(struct runtime *rt, const struct worker_link *l, uint64_t id)
{
	for (struct pending **at = &rt->first; *at != NULL; at = &(*at)->next)
		if ((*at)->link == l && (*at)->id == id)
			return at;
	return NULL;
}

static struct call *
running_call(struct runtime *rt, const struct worker_link *l, uint64_t id)
{
	for (unsigned i = 0; i < SERVE_CALLS; i++)
		if (rt->calls[i].from != NULL && rt->calls[i].from->link == l && rt->calls[i].from->id == id)
			return &rt->calls[i];
	return NULL;
}

/* With at_once: whether the queue of calls that wait for others is full. */
static bool
is_crowded(const struct runtime *rt)
{
	size_t n = 0;

	for (const struct pending *p = rt->first; rt->role->at_once > 0 && p != NULL; p = p->next)
		n += p->tool != NULL && p->tool->waits;
	return rt->role->at_once > 0 && n >= (size_t)rt->role->at_once * WAITING_EACH;
}

/* Answer a call that is never served. */
static void
refuse_call(struct worker_link *l, uint64_t id, enum err_code code, const char *message)
{
	struct ipc_fail msg = {
		.code = code, .message = span_str(message), .details = MP_EMPTY_MAP
	};

	(void)channel_send(&l->ch, IPC_MSG_FAIL, id, &msg);
}

static const struct tool *
find_tool(const struct role *role, struct span name)
{
	for (const struct tool *t = role->tools; t != NULL && t->name != NULL; t++)
		if (span_is_str(name, t->name))
			return t;
	return NULL;
}

/*
 * Whether the front had a right to send this call.  The front checks the same by the same table, but it also reads what
 * strangers send, and may be in their hands.
 */
static bool
may_call(struct runtime *rt, const struct ipc_call *msg, struct err *err)
{
	const struct policy_tool *tool = policy_tool(msg->tool);

	if (tool == NULL || tool->role != rt->role->role)
		return err_set(err, ERR_INTERNAL, "there is no such tool here") == 0;
	if (msg->asker != 0 ?
		policy_tool_askable(tool, (enum ipc_role)msg->asker, (uint32_t)msg->scopes) :
		tool->toolset != POLICY_TOOLSET_INNER && policy_tool_allowed(tool, (uint32_t)msg->scopes)) {
		if (tool->toolset != POLICY_TOOLSET_LOCAL ||
		    (rt->has_local_key &&
			proof_accept(&rt->proofs, rt->local_key, msg->proof,
			    &(struct proof_call){ msg->tool, msg->connection, msg->args }, clock_ns())))
			return true;
		return err_set(err, ERR_SCOPE_DENIED,
			   "%.*s is for the project's own user at the command line, which proves it "
			   "with .carrel/signing.key: run the carrel command as that user, and restart the daemon if "
			   "that file "
			   "was replaced",
			   SPAN_FMT(msg->tool)) == 0;
	}
	log_warn("a call of %.*s for \"%.*s\" was refused: the policy does not allow it", SPAN_FMT(msg->tool),
	    SPAN_FMT(msg->principal));
	return err_set(err, ERR_SCOPE_DENIED, "%s", err_text(ERR_SCOPE_DENIED)) == 0;
}

static enum ipc_fault
take_call(struct runtime *rt, struct worker_link *l, const struct ipc_frame *f)
{
	struct ipc_frame copy = *f;
	struct pending *p;
	struct err err;

	if ((f->id & IPC_SUB) != 0 || running_call(rt, l, f->id) != NULL || queued_call(rt, l, f->id) != NULL)
		return IPC_OUT_OF_STATE;
	if (rt->queued >= SERVE_QUEUE_MAX || rt->queued_bytes + f->body.len > SERVE_QUEUE_BYTES) {
		refuse_call(l, f->id, ERR_BUSY, "too many calls are waiting");
		return IPC_OK;
	}
	p = pending_new(rt);
	buf_span(&p->body, f->body);
	copy.body = buf_view(&p->body);
	if (!channel_unpack(&l->ch, &copy, &p->msg, sizeof(p->msg))) {
		links_recycle(rt, p);
		return l->ch.fault;
	}
	p->link = l;
	p->id = f->id;
	if (!may_call(rt, &p->msg, &err)) {
		refuse_call(l, f->id, err.code, err.message);
		links_recycle(rt, p);
		return IPC_OK;
	}
	p->tool = find_tool(rt->role, p->msg.tool);
	if (p->tool != NULL && p->tool->waits && is_crowded(rt)) {
		refuse_call(l, f->id, ERR_BUSY,
		    "as many calls as may be are under way or waiting; try again in a moment");
		links_recycle(rt, p);
		return IPC_OK;
	}
	links_enqueue(rt, p);
	return IPC_OK;
}

static enum ipc_fault
take_cancel(struct runtime *rt, struct worker_link *l, const struct ipc_frame *f)
{
	struct pending **at = queued_call(rt, l, f->id);
	struct call *c = running_call(rt, l, f->id);
	struct ipc_cancel msg;

	if (!channel_unpack(&l->ch, f, &msg, sizeof(msg)))
		return l->ch.fault;
	if (c != NULL && msg.queued != 0)
		c->dropped = true;
	else if (c != NULL)
		c->cancelled = true;
	if (at != NULL) {
		links_recycle(rt, links_unqueue(rt, at));
		refuse_call(l, f->id, ERR_QUERY_CANCELLED, "cancelled by the caller");
	}
	return IPC_OK;
}

static enum ipc_fault
take_credit(struct runtime *rt, struct worker_link *l, const struct ipc_frame *f)
{
	struct call *c = running_call(rt, l, f->id);
	struct ipc_credit msg;

	if (!channel_unpack(&l->ch, f, &msg, sizeof(msg)))
		return l->ch.fault;
	if (c != NULL && c->credit < CREDIT_MAX)
		c->credit += (unsigned)msg.chunks;
	return IPC_OK;
}

void
links_answer_free(struct sub_answer *a)
{
	buf_fini(&a->body);
	free(a);
}

struct sub_answer *
links_sub_take(struct sub *s)
{
	struct sub_answer *a = s->first;

	if (a != NULL && (s->first = a->next) == NULL)
		s->last = &s->first;
	return a;
}

struct sub *
links_sub_new(struct runtime *rt, struct worker_link *l)
{
	struct sub *s;

	if (rt->nsubs >= SERVE_SUBS_MAX)
		return NULL;
	s = mem_new(1, sizeof(*s));
	s->link = l;
	s->id = IPC_SUB | ++rt->next_sub;
	s->state = CALL_OPEN;
	s->credit = IPC_CREDIT_FIRST;
	s->last = &s->first;
	s->next = rt->subs;
	rt->subs = s;
	rt->nsubs++;
	return s;
}

static void
sub_free(struct runtime *rt, struct sub *s)
{
	struct sub_answer *a;
	struct sub **at = &rt->subs;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	rt->nsubs--;
	while ((a = links_sub_take(s)) != NULL)
		links_answer_free(a);
	free(s);
}

void
links_sub_done(struct runtime *rt, struct sub *s)
{
	struct sub_answer *a;

	if (s->state == CALL_NONE || s->link->dead) {
		sub_free(rt, s);
		return;
	}
	(void)channel_send(&s->link->ch, IPC_MSG_CANCEL, s->id, &(struct ipc_cancel){ .queued = 0 });
	s->abandoned = true;
	while ((a = links_sub_take(s)) != NULL)
		links_answer_free(a);
}

static struct sub *
find_sub(struct runtime *rt, const struct worker_link *l, uint64_t id)
{
	for (struct sub *s = rt->subs; s != NULL; s = s->next)
		if (s->link == l && s->id == id)
			return s;
	return NULL;
}

/* Rows are bounded by credit; unread progress messages replace each other. */
static void
keep_answer(struct sub *s, const struct ipc_frame *f)
{
	struct sub_answer *a = s->first;

	while (a != NULL && a->next != NULL)
		a = a->next;
	if (a == NULL || a->type != IPC_MSG_PROGRESS || f->type != IPC_MSG_PROGRESS) {
		a = mem_new(1, sizeof(*a));
		*s->last = a;
		s->last = &a->next;
	}
	a->type = f->type;
	buf_reset(&a->body, SIZE_MAX);
	buf_span(&a->body, f->body);
}

static enum ipc_fault
take_answer(struct runtime *rt, struct worker_link *l, const struct ipc_frame *f)
{
	struct sub *s = find_sub(rt, l, f->id);
	enum call_state next = s == NULL ? CALL_STATES : call_next(s->state, f->type);

	if (next == CALL_STATES || (f->type == IPC_MSG_ROWS && s->credit == 0 && !s->abandoned))
		return IPC_OUT_OF_STATE;
	s->state = next;
	if (s->abandoned) {
		if (next == CALL_NONE)
			sub_free(rt, s);
		return IPC_OK;
	}
	if (f->type == IPC_MSG_ROWS)
		s->credit--;
	keep_answer(s, f);
	return IPC_OK;
}

/* A message of the role's own conversation. */
static enum ipc_fault
take_own(struct runtime *rt, struct worker_link *l, const struct ipc_frame *f)
{
	union ipc_any msg;
	enum ipc_fault fault;

	if (rt->role->frame == NULL)
		return IPC_NOT_ALLOWED;
	if ((fault = ipc_unpack_any(f->type, l->peer, rt->role->role, f->body, &msg)) != IPC_OK)
		return fault;
	rt->turn_due = true;
	return rt->role->frame(rt->state, l->ch.generation, f->id, f->type, &msg);
}

void
links_turn(struct runtime *rt)
{
	if (!rt->turn_due || rt->in_turn)
		return;
	rt->turn_due = false;
	rt->in_turn = true;
	if (rt->role->turn != NULL)
		rt->role->turn(rt->state);
	rt->in_turn = false;
}

static enum ipc_fault
take_frame(struct runtime *rt, struct worker_link *l, const struct ipc_frame *f)
{
	switch (f->type) {
	case IPC_MSG_CALL:
		return take_call(rt, l, f);
	case IPC_MSG_CANCEL:
		return take_cancel(rt, l, f);
	case IPC_MSG_CREDIT:
		return take_credit(rt, l, f);
	case IPC_MSG_PROGRESS:
	case IPC_MSG_ROWS:
	case IPC_MSG_RESULT:
	case IPC_MSG_FAIL:
		return take_answer(rt, l, f);
	default:
		return take_own(rt, l, f);
	}
}

void
links_broken(struct runtime *rt, struct worker_link *l, enum ipc_fault fault)
{
	struct ipc_complaint msg = { .generation = l->ch.generation, .reason = IPC_COMPLAINT_PROTOCOL };

	if (l->dead)
		return;
	log_warn("the %s on channel %llu broke the protocol: %s", ipc_role_name(l->peer),
	    (unsigned long long)l->ch.generation, ipc_fault_name(fault));
	(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_COMPLAINT, &msg, -1);
	links_close(rt, l);
}

void
links_read(struct runtime *rt, struct worker_link *l)
{
	enum channel_status status;
	enum ipc_fault fault;
	struct ipc_frame f;

	if (l->dead)
		return;
	(void)channel_read(&l->ch);
	while ((status = channel_next(&l->ch, &f)) == CHANNEL_FRAME)
		if ((fault = take_frame(rt, l, &f)) != IPC_OK) {
			links_broken(rt, l, fault);
			return;
		}
	if (status == CHANNEL_BROKEN)
		links_broken(rt, l, l->ch.fault);
	else if (status == CHANNEL_CLOSED)
		links_close(rt, l);
}

void
links_close(struct runtime *rt, struct worker_link *l)
{
	if (l->dead)
		return;
	channel_fini(&l->ch);
	l->dead = true;
	if (rt->role->detached != NULL)
		rt->role->detached(rt->state, l->ch.generation);
	for (struct pending **at = &rt->first; *at != NULL;)
		if ((*at)->link == l)
			links_recycle(rt, links_unqueue(rt, at));
		else
			at = &(*at)->next;
	for (struct sub *s = rt->subs, *next; s != NULL; s = next) {
		next = s->next;
		if (s->link == l && s->abandoned)
			sub_free(rt, s);
	}
}

void
links_attach(struct runtime *rt, int fd, uint64_t generation, enum ipc_role peer)
{
	struct worker_link **at = &rt->links, *l;
	unsigned n = 0;

	for (; *at != NULL; at = &(*at)->next) {
		if ((*at)->ch.generation == generation)
			links_close(rt, *at);
		n += !(*at)->dead;
	}
	if (n >= LINKS_MAX) {
		log_error("more than %d channels at once", LINKS_MAX);
		close(fd);
		return;
	}
	l = mem_new(1, sizeof(*l));
	l->peer = peer;
	channel_init(&l->ch, fd, rt->role->role, peer, generation);
	*at = l;
	if (rt->role->attached != NULL)
		rt->role->attached(rt->state, generation, peer);
}

void
links_detach(struct runtime *rt, uint64_t generation, uint64_t cause)
{
	for (struct worker_link *l = rt->links; l != NULL; l = l->next) {
		if (l->ch.generation != generation || l->dead)
			continue;
		if (cause == IPC_DETACH_PLANNED)
			l->detached = true;
		else
			links_close(rt, l);
	}
}

/* Whether a call is under way that came over l: with at_once there may be some between calls. */
static bool
is_used(const struct runtime *rt, const struct worker_link *l)
{
	for (unsigned i = 0; i < SERVE_CALLS; i++)
		if (rt->calls[i].from != NULL && rt->calls[i].from->link == l)
			return true;
	return false;
}

static bool
is_done(struct runtime *rt, struct worker_link *l)
{
	/* What was sent before the front heard of it is still ours to answer. */
	links_read(rt, l);
	links_turn(rt);
	if (l->dead)
		return true;
	for (const struct pending *p = rt->first; p != NULL; p = p->next)
		if (p->link == l)
			return false;
	return !is_used(rt, l) && channel_pending(&l->ch) == 0;
}

void
links_sweep(struct runtime *rt)
{
	for (struct worker_link **at = &rt->links; *at != NULL;) {
		struct worker_link *l = *at;

		if (l->detached && !l->dead && is_done(rt, l))
			links_close(rt, l);
		if (!l->dead || is_used(rt, l)) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		free(l);
	}
}

void
links_free(struct runtime *rt)
{
	struct pending *p;
	struct worker_link *l;

	for (l = rt->links; l != NULL; l = l->next)
		links_close(rt, l);
	while ((l = rt->links) != NULL) {
		rt->links = l->next;
		free(l);
	}
	while ((p = rt->spare) != NULL) {
		rt->spare = p->next;
		buf_fini(&p->body);
		free(p);
	}
}

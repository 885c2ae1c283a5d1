/* subcall.c - calls that a worker asks for while it serves another call. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "front/calls/router_parts.h"
#include "front/calls/subcall.h"
#include "front/calls/ticket.h"
#include "front/calls/router_worker.h"
#include "policy/identity.h"

#define CREDIT_MAX	(1u << 20)	/* same as the workers' bound */
#define SUBS_MAX	64u	/* sub-calls of one worker at one time; beyond: busy */

struct subcall {
	LIST_ENTRY(subcall)	 next;
	struct worker	*asker;
	uint64_t	 id, parent;	/* parent: the call that it belongs to; 0: that has ended */
	struct front_call	*call;
};

static struct subcall *
find_subcall(const struct worker *asker, uint64_t id, unsigned *n)
{
	struct subcall *s;

	*n = 0;
	LIST_FOREACH(s, &asker->subs, next) {
		if (s->id == id)
			return s;
		++*n;
	}
	return NULL;
}

static void
subcall_drop(struct subcall *s)
{
	LIST_REMOVE(s, next);
	free(s);
}

static void
send_fail(struct worker *asker, uint64_t id, const struct err *err, struct span details)
{
	struct ipc_fail msg = {
		.code = err->code, .message = span_str(err->message[0] != '\0' ? err->message : err_text(err->code)),
		.details = details.len > 0 ? details : MP_EMPTY_MAP,
	};

	asker->answered += IPC_HEAD_SIZE + msg.message.len + msg.details.len;
	worker_send(asker, IPC_MSG_FAIL, id, &msg);
}

static void
on_progress(void *arg, unsigned permille, struct span message)
{
	struct subcall *s = arg;

	if (channel_pending(&s->asker->ch) < AHEAD_MAX)
		worker_send(s->asker, IPC_MSG_PROGRESS, s->id,
		    &(struct ipc_progress){ .permille = permille, .message = message });
}

static void
on_rows(void *arg, struct span rows)
{
	struct subcall *s = arg;

	s->asker->answered += rows.len;
	worker_send(s->asker, IPC_MSG_ROWS, s->id, &(struct ipc_rows){ .rows = rows });
}

/* Append map's members to out, a map under construction; returns their number. */
static size_t
put_members(struct buf *out, struct span map)
{
	struct mp_value v, member;
	struct mp_iter it;
	struct span key;
	size_t n = 0;

	if (map.len == 0 || !mp_value(map, &v))
		return 0;
	it = mp_iter(&v);
	while (mp_next_pair(&it, &key, &member)) {
		mp_put_str(out, key);
		buf_span(out, member.raw);
		n++;
	}
	return n;
}

static void
on_finished(void *arg, struct span front, const struct ipc_result *msg)
{
	struct subcall *s = arg;
	struct buf head = { .max = IPC_RAW_MAX };
	struct ipc_result out = *msg;
	struct err e;

	if (front.len > 0) {
		size_t mark = mp_open_map(&head);

		mp_close(&head, mark, put_members(&head, front) + put_members(&head, msg->head));
		out.head = buf_view(&head);
	}
	s->asker->answered += out.head.len + out.tail.len + out.content.len;
	if (head.full || worker_send(s->asker, IPC_MSG_RESULT, s->id, &out) != 0) {
		err_set(&e, ERR_INTERNAL, "%s", err_text(ERR_INTERNAL));
		send_fail(s->asker, s->id, &e, SPAN_NONE);
	}
	buf_fini(&head);
	subcall_drop(s);
}

static void
on_failed(void *arg, const struct err *err, struct span details)
{
	struct subcall *s = arg;

	send_fail(s->asker, s->id, err, details);
	subcall_drop(s);
}

/* The audit knows the client's call alone. */
static void
on_ran_as(void *arg, struct span text)
{
	const struct subcall *s = arg;
	struct front_call *parent = call_find(s->asker->router, s->parent);

	if (parent != NULL && parent->worker == s->asker && parent->q.sink != NULL && parent->q.sink->ran_as != NULL)
		parent->q.sink->ran_as(parent->q.arg, text);
}

static const struct sink sub_sink = {
	.progress = on_progress, .ran_as = on_ran_as, .rows = on_rows, .finished = on_finished, .failed = on_failed,
};

/* The caller on whose behalf a sub-call is made: that of the parent call, or of a ticket. */
struct behalf {
	struct span	principal, claims, trace;
	uint32_t	scopes;
	uint64_t	serial, deadline_ns;
	unsigned	depth;
};

/* Check that the asker's role may call the tool, and may do so for this caller. */
static const struct tool_entry *
permitted(const struct worker *asker, const struct behalf *of, struct span name, struct err *err)
{
	const struct policy_tool *policy = policy_tool(name);
	const struct tool_entry *tool = tools_find_inner(asker->router->tools, name);

	/* Check the permission before the offer: a denial must not depend on which workers run. */
	if (policy != NULL && !policy_tool_askable(policy, asker->pool->role, of->scopes)) {
		err_set(err, ERR_SCOPE_DENIED, "%s", err_text(ERR_SCOPE_DENIED));
		return NULL;
	}
	if (tool == NULL)
		err_set(err, ERR_SERVICE_UNAVAILABLE, "No worker offers %.*s.", SPAN_FMT(name));
	return tool;
}

/* Read the caller from the parent call, which the asker must be serving. */
static int
of_call(const struct worker *asker, uint64_t id, struct behalf *of, struct err *err)
{
	const struct front_call *parent = call_find(asker->router, id);

	if (parent == NULL || parent->worker != asker || parent->q.sink == NULL)
		return err_set(err, ERR_QUERY_CANCELLED, "The call that this sub-call belongs to has ended.");
	/* What memory reads it keeps, for all callers. */
	*of = (struct behalf){ parent->q.msg.principal,
		asker->pool->role == IPC_MEMORY ? IDENTITY_FOR_ALL : parent->q.msg.claims, parent->q.msg.trace,
		(uint32_t)parent->q.msg.scopes, parent->q.serial, parent->q.msg.deadline_ns, parent->q.depth };
	return 0;
}

/* Read the caller from a ticket.  Only the memory worker gets tickets. */
static int
of_ticket(const struct worker *asker, struct span raw, struct behalf *of, struct err *err)
{
	struct ticket t;

	if (asker->pool->role != IPC_MEMORY)
		return err_set(err, ERR_SCOPE_DENIED, "%s may not use a ticket; only the memory worker may.",
		    ipc_role_name(asker->pool->role));
	if (ticket_read(&asker->router->tickets, raw, &t, err) != 0)
		return -1;
	*of = (struct behalf){
		.principal = t.principal, .claims = IDENTITY_FOR_ALL,
		.trace = t.trace, .scopes = t.scopes, .deadline_ns = UINT64_MAX
	};
	of->serial = request_id_read(t.request);
	return 0;
}

/* What memory asks of carrel-auth for itself: permitted() lets it have what needs no scope. */
static int
of_itself(const struct worker *asker, struct span name, struct behalf *of, struct err *err)
{
	const struct policy_tool *tool = policy_tool(name);

	if (asker->pool->role != IPC_MEMORY || tool == NULL || tool->role != IPC_AUTH)
		return err_set(err, ERR_SCOPE_DENIED, "%s may not ask for that in its own name.",
		    ipc_role_name(asker->pool->role));
	*of = (struct behalf){ .principal = SPAN("carrel-memory"), .deadline_ns = UINT64_MAX };
	return 0;
}

static int
read_behalf(const struct worker *asker, const struct ipc_subcall *msg, struct behalf *of, struct err *err)
{
	if (msg->ticket.len > 0)
		return of_ticket(asker, msg->ticket, of, err);
	return msg->parent != 0 ? of_call(asker, msg->parent, of, err) : of_itself(asker, msg->tool, of, err);
}

static struct front_call *
start_call(struct subcall *s, const struct behalf *of, const struct ipc_subcall *msg, struct err *err,
    struct buf *details)
{
	struct router *r = s->asker->router;
	const struct tool_entry *tool = permitted(s->asker, of, msg->tool, err);
	struct buf scratch = { .max = IPC_ARGS_MAX };
	struct schema_result issues;
	struct mp_value args, checked;
	struct front_call *c = NULL;

	if (tool == NULL)
		return NULL;
	if (!mp_value(msg->args, &args) || args.class != MP_MAP ||
	    !tools_check_args(tool, &args, &scratch, &checked, &issues))
		err_set(err, ERR_INVALID_ARGUMENTS, "%s", err_text(ERR_INVALID_ARGUMENTS));
	else
		c = router_call(r, &(struct call_request){
			.tool = tool,
			.msg = { .connection = msg->connection, .principal = of->principal,
			    .claims = of->claims, .scopes = of->scopes,
			    .asker = s->asker->pool->role, .trace = of->trace, .args = checked.raw, .progress = 1,
			    .deadline_ns = msg->deadline_ns < of->deadline_ns ? msg->deadline_ns : of->deadline_ns },
			.serial = of->serial, .depth = of->depth + 1, .sink = &sub_sink, .arg = s,
		}, err, details);
	buf_fini(&scratch);
	return c;
}

bool
subcall_start(struct worker *asker, uint64_t id, const struct ipc_subcall *msg)
{
	struct buf details = { .max = 65536 };
	struct behalf of = { .serial = 0 };
	struct subcall *s;
	struct err e;
	unsigned n;

	/* A repeated id, or an asker that never reads the answers that are buffered for it. */
	if (find_subcall(asker, id, &n) != NULL || asker->answered > ANSWERS_MAX)
		return false;
	s = mem_new(1, sizeof(*s));
	s->asker = asker;
	s->id = id;
	s->parent = msg->ticket.len > 0 ? 0 : msg->parent;
	LIST_INSERT_HEAD(&asker->subs, s, next);
	if (read_behalf(asker, msg, &of, &e) == 0) {
		if (of.depth + 1 > DEPTH_MAX || n >= SUBS_MAX)
			err_set(&e, ERR_BUSY, "Too many sub-calls at one time, or nested too deeply.");
		else
			s->call = start_call(s, &of, msg, &e, &details);
	}
	if (s->call == NULL)
		on_failed(s, &e, buf_view(&details));
	buf_fini(&details);
	return true;
}

bool
subcall_cancel(struct worker *asker, uint64_t id)
{
	unsigned n;
	struct subcall *s = find_subcall(asker, id, &n);
	struct err e;

	if (s == NULL)
		return true; /* the cancel crossed the answer */
	router_cancel(s->call);
	err_set(&e, ERR_QUERY_CANCELLED, "%s", err_text(ERR_QUERY_CANCELLED));
	on_failed(s, &e, SPAN_NONE);
	return true;
}

bool
subcall_credit(struct worker *asker, uint64_t id, uint64_t chunks)
{
	unsigned n;
	struct subcall *s = find_subcall(asker, id, &n);

	/* An honest asker never returns more credit than it can have used. */
	if (s != NULL && chunks > CREDIT_MAX - s->call->credit)
		return false;
	if (s != NULL && s->call->place == PLACE_SENT) {
		s->call->credit += (unsigned)chunks;
		worker_send(s->call->worker, IPC_MSG_CREDIT, s->call->id, &(struct ipc_credit){ .chunks = chunks });
	}
	return true;
}

void
subcall_drop_all(struct worker *asker)
{
	struct subcall *s;

	while ((s = LIST_FIRST(&asker->subs)) != NULL) {
		router_cancel(s->call);
		subcall_drop(s);
	}
}

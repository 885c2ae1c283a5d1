/* router.c - see router.h: pools, the call table, deadlines. */
#include <stdlib.h>

#include "base/ascii.h"
#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/mem.h"
#include "front/calls/ahead.h"
#include "front/calls/router_parts.h"
#include "front/calls/ticket.h"
#include "front/calls/router_worker.h"
#include "front/wire/share.h"

#define KEEP_DETAILS	4096	/* bytes of details buffer that a spare call keeps */
#define SPARE_MAX	64u
#define UNSETTLED_NS	CLOCK_SECOND	/* wait for the supervisor to report how a worker ended */

void
request_id_print(uint64_t serial, char out[REQUEST_ID_MAX])
{
	static const char digits[] = "0123456789abcdef";
	uint32_t count = (uint32_t)serial;
	unsigned n = 0, shift = 28;

	out[n++] = 'r';
	out[n++] = '-';
	for (int i = 60; i >= 32; i -= 4)
		out[n++] = digits[serial >> i & 15];
	out[n++] = '-';
	while (shift > 0 && count >> shift == 0)
		shift -= 4;
	for (;; shift -= 4) {
		out[n++] = digits[count >> shift & 15];
		if (shift == 0)
			break;
	}
	out[n] = '\0';
}

uint64_t
request_id_read(struct span text)
{
	char printed[REQUEST_ID_MAX];
	uint64_t serial = 0;
	size_t at = 2;

	for (; at < text.len && text.p[at] != '-'; at++)
		serial = serial << 4 | (uint64_t)(ascii_hex(text.p[at]) & 15);
	serial <<= 32;
	for (uint32_t count = 0; ++at < text.len; serial = serial >> 32 << 32 | count)
		count = count << 4 | (uint32_t)(ascii_hex(text.p[at]) & 15);
	request_id_print(serial, printed);
	return span_is_str(text, printed) ? serial : 0;
}

struct pool *
pool_find(struct router *r, enum ipc_role role, struct span connection)
{
	struct pool *p;

	LIST_FOREACH(p, &r->pools, next)
		if (p->role == role && (!ipc_role_is_pooled(role) || span_is_str(connection, p->name)))
			return p;
	return NULL;
}

static bool
worker_can_take(const struct worker *w, const struct front_call *c)
{
	if (w->retiring)
		return false;
	return ipc_role_is_pooled(w->pool->role) ? w->ncalls == 0 || ahead_may(w, c) : w->ncalls < PIPELINE_MAX;
}

static struct worker *
pool_pick(struct pool *p, const struct front_call *c)
{
	struct worker *w, *best = NULL;

	LIST_FOREACH(w, &p->workers, of_pool)
		if (worker_can_take(w, c) && (best == NULL || w->ncalls < best->ncalls))
			best = w;
	return best;
}

static struct worker *
worker_of_auth(struct router *r)
{
	struct pool *p = pool_find(r, IPC_AUTH, SPAN_NONE);
	struct worker *w;

	if (p == NULL)
		return NULL;
	LIST_FOREACH(w, &p->workers, of_pool)
		if (!w->retiring)
			return w;
	return NULL;
}

bool
router_has_auth(struct router *r)
{
	return worker_of_auth(r) != NULL;
}

bool
router_say_auth(struct router *r, unsigned type, uint64_t id, const void *msg)
{
	struct worker *w = worker_of_auth(r);

	return w != NULL && worker_send(w, type, id, msg) == 0;
}

/* Reset the counters of a call: no worker has run it yet. */
static void
begin_anew(struct front_call *c)
{
	c->attempts = c->deaths = c->nunsettled = 0;
}

static struct front_call *
call_new(struct router *r)
{
	struct front_call *c = TAILQ_FIRST(&r->spare);
	unsigned slot;

	if (r->nfree == 0)
		return NULL;
	if (c != NULL) {
		TAILQ_REMOVE(&r->spare, c, queue);
		r->nspare--;
	} else
		c = mem_new(1, sizeof(*c));
	slot = r->free_slots[--r->nfree];
	*c = (struct front_call){ .router = r, .id = ++r->next_serial * SLOTS + slot, .place = PLACE_FREE,
		.proto = CALL_NONE,
		.front = c->front, .details = c->details };
	r->calls[slot] = c;
	return c;
}

/* Copy q into the call with all spans in one buffer.  The spans may point into that buffer's old content. */
static void
call_keep(struct front_call *c, const struct call_request *q)
{
	struct buf before = c->kept;
	struct ipc_call *msg = &c->q.msg;
	struct span *const texts[] = {
		&msg->connection, &msg->principal, &msg->claims, &msg->trace, &msg->proof, &msg->state, &msg->answers,
		&msg->args
	};
	size_t n = sizeof(texts) / sizeof(texts[0]), size = 0, at = 0;

	c->q = *q;
	for (size_t i = 0; i < n; i++)
		size += texts[i]->len;
	c->kept = (struct buf){ .max = 0 };
	(void)buf_reserve(&c->kept, size);
	for (size_t i = 0; i < n; i++)
		buf_span(&c->kept, *texts[i]);
	for (size_t i = 0; i < n; at += texts[i++]->len)
		*texts[i] = span_of(c->kept.p + at, texts[i]->len);
	buf_fini(&before);
}

struct front_call *
call_find(struct router *r, uint64_t id)
{
	struct front_call *c = r->calls[id % SLOTS];

	return c != NULL && c->id == id ? c : NULL;
}

static void
leave_queue(struct front_call *c)
{
	if (c->place == PLACE_WAITING) {
		TAILQ_REMOVE(&c->pool->waiting, c, queue);
		c->pool->nwaiting--;
	} else if (c->place == PLACE_SENT) {
		if (c == TAILQ_FIRST(&c->worker->calls))
			ahead_ended(c->worker);
		TAILQ_REMOVE(&c->worker->calls, c, queue);
		c->worker->ncalls--;
	}
	c->place = PLACE_FREE;
	c->worker = NULL;
}

static void
detach_sink(struct front_call *c)
{
	if (c->q.sink != NULL && c->q.depth == 0)
		c->router->in_flight--;
	c->q.sink = NULL;
}

void
call_drop(struct front_call *c)
{
	buf_fini(&c->kept);
	buf_fini(&c->front);
	buf_fini(&c->details);
	free(c);
}

void
call_free(struct front_call *c)
{
	struct router *r = c->router;

	detach_sink(c);
	leave_queue(c);
	result_free(c->result);
	r->calls[c->id % SLOTS] = NULL;
	r->free_slots[r->nfree++] = (uint16_t)(c->id % SLOTS);
	buf_fini(&c->kept);
	buf_reset(&c->front, 0);
	buf_reset(&c->details, KEEP_DETAILS);
	if (r->nspare < SPARE_MAX) {
		TAILQ_INSERT_HEAD(&r->spare, c, queue);
		r->nspare++;
		return;
	}
	call_drop(c);
}

void
call_fail(struct front_call *c, const struct err *err, struct span details)
{
	const struct sink *sink = c->q.sink;
	void *arg = c->q.arg;

	call_free(c); /* free the slot before the sink reacts, so that the sink can start a new call */
	if (sink != NULL)
		sink->failed(arg, err, details);
}

static void
wait_in(struct pool *p, struct front_call *c, bool first)
{
	c->place = PLACE_WAITING;
	c->pool = p;
	c->waiting_ns = clock_ns();
	if (first)
		TAILQ_INSERT_HEAD(&p->waiting, c, queue);
	else
		TAILQ_INSERT_TAIL(&p->waiting, c, queue);
	p->nwaiting++;
}

static void
send_to(struct worker *w, struct front_call *c)
{
	char request_id[REQUEST_ID_MAX];
	struct buf ticket = { .max = IPC_TICKET_MAX };
	struct ipc_call msg = c->q.msg;

	request_id_print(c->q.serial, request_id);
	msg.tool = span_str(c->q.tool->policy->name);
	msg.connection = pool_connection(w->pool);
	msg.request_id = span_str(request_id);
	if (msg.answers.len == 0)
		msg.answers = MP_EMPTY_MAP;
	if (w->pool->role != IPC_SQL)
		msg.claims = SPAN(""); /* only who runs statements needs them */
	if (msg.asker == 0 && (policy_tool_goes_on(c->q.tool->policy) || policy_tool_handed_over(c->q.tool->policy))) {
		ticket_put(&w->router->tickets,
		    &(struct ticket){ msg.principal, msg.request_id, msg.trace, (uint32_t)msg.scopes }, &ticket);
		msg.ticket = buf_view(&ticket);
	}
	leave_queue(c);
	c->place = PLACE_SENT;
	c->proto = CALL_OPEN;
	c->worker = w;
	c->attempts++;
	c->owed = 0;
	c->credit = IPC_CREDIT_FIRST;
	TAILQ_INSERT_TAIL(&w->calls, c, queue);
	w->ncalls++;
	ahead_sent(w);
	w->pool->calls++;
	(void)fault_point("front.before_call");
	if (worker_send(w, IPC_MSG_CALL, c->id, &msg) != 0)
		leave_queue(c); /* a bug, logged by worker_send(); the next tick fails the call */
	buf_fini(&ticket);
}

/* Another record takes the call's id and its place with the worker, until that has answered. */
bool
call_take_back(struct front_call *c)
{
	struct worker *w = c->worker;
	struct front_call *rest = call_new(w->router);
	uint64_t id = c->id;

	if (rest == NULL)
		return false;
	c->id = rest->id;
	rest->id = id;
	w->router->calls[c->id % SLOTS] = c;
	w->router->calls[id % SLOTS] = rest;
	rest->place = PLACE_SENT;
	rest->proto = c->proto;
	rest->credit = c->credit;
	rest->worker = w;
	rest->pool = c->pool;
	rest->q = (struct call_request){ .tool = c->q.tool, .msg.deadline_ns = c->q.msg.deadline_ns };
	TAILQ_INSERT_AFTER(&w->calls, c, rest, queue);
	w->ncalls++;
	leave_queue(c);
	worker_send(w, IPC_MSG_CANCEL, id, &(struct ipc_cancel){ .queued = 1 });
	c->proto = CALL_NONE;
	c->attempts--;
	wait_in(c->pool, c, true);
	return true;
}

/*
 * An export keeps its worker for as long as its client reads.  One worker is left to other calls; where the pool has
 * only one, one export at a time is sent to it.  Of the others a principal has its share.
 */
static bool
export_must_wait(const struct pool *p, const struct front_call *next)
{
	unsigned most = p->nworkers > 2 ? p->nworkers - 1 : 1, n = 0, own = 0;
	const struct front_call *c;
	const struct worker *w;

	LIST_FOREACH(w, &p->workers, of_pool)
		TAILQ_FOREACH(c, &w->calls, queue)
			if (c->q.msg.export_rows > 0) {
				n++;
				own += span_is(c->q.msg.principal, next->q.msg.principal);
			}
	return !share_allows(own, n, 1, most);
}

void
pool_dispatch(struct pool *p)
{
	struct front_call *c, *next;
	struct worker *w;

	for (c = TAILQ_FIRST(&p->waiting); c != NULL; c = next) {
		next = TAILQ_NEXT(c, queue);
		if (c->q.msg.export_rows > 0 && ipc_role_is_pooled(p->role) && export_must_wait(p, c))
			continue;
		if ((w = pool_pick(p, c)) == NULL)
			return;
		send_to(w, c);
	}
}

int
pool_unavailable(const struct pool *p, struct err *err)
{
	const char *reason = p->reason;

	if (*reason == '\0')
		reason = p->state == IPC_POOL_CONNECTING ?
		    "its database has not answered; check its address and the network between" :
		    "its workers are being replaced";
	return err_set(err, ERR_DATABASE_UNAVAILABLE, "The connection \"%s\" is not available: %s", p->name, reason);
}

/* Whether the pool has a worker, or will have one.  A connection that is being made is waited for. */
static int
check_pool(const struct pool *p, struct err *err)
{
	return p->nworkers > 0 || p->state != IPC_POOL_UNAVAILABLE ? 0 : pool_unavailable(p, err);
}

/* A statement of the team's is known by the name of its tool. */
struct span
router_statement(const struct mp_value *args)
{
	return mp_get_str(args, "tool", mp_get_str(args, "sql", SPAN_NONE));
}

static int
check_statement(struct router *r, const struct pool *p, struct span args, struct err *err)
{
	struct mp_value map;
	struct span sql;

	if (r->quarantine.count == 0 || p->role != IPC_SQL || !mp_value(args, &map))
		return 0;
	sql = router_statement(&map);
	return sql.len == 0 ? 0 : quarantine_check(&r->quarantine, span_str(p->name), sql, clock_ns(), err);
}

static uint64_t
deadline_of(const struct router *r, const struct tool_entry *tool)
{
	bool sql = tool->role == IPC_SQL &&
	    (tool->policy->toolset == POLICY_TOOLSET_RESEARCH || tool->policy->toolset == POLICY_TOOLSET_TEAM ||
		(tool->policy->askers & POLICY_ASKER_GOES_ON) != 0);
	unsigned ms = sql || tool->budget_ms == 0 ? r->sql_timeout_ms : tool->budget_ms;

	return clock_ns() + ms * CLOCK_MS;
}

/* The pool that serves q.  NULL with *err: the connection is not configured, or no worker runs. */
static struct pool *
pool_of(struct router *r, const struct call_request *q, struct buf *details, struct err *err)
{
	enum ipc_role role = q->tool->role;
	struct pool *p = pool_find(r, role, q->msg.connection);

	/* The search worker also knows connections without a pool and reports unknown ones itself. */
	if (ipc_role_is_pooled(role) ?
		p == NULL :
		role != IPC_SEARCH && q->msg.connection.len > 0 && pool_find(r, IPC_SQL, q->msg.connection) == NULL) {
		(void)router_no_connection(r, q->msg.connection, details, err);
		return NULL;
	}
	if (p == NULL)
		err_set(err, ERR_SERVICE_UNAVAILABLE, "%s is not running.", ipc_role_name(role));
	return p;
}

struct front_call *
router_call(struct router *r, const struct call_request *q, struct err *err, struct buf *details)
{
	struct pool *p;
	struct front_call *c;

	if (q->msg.args.len > IPC_ARGS_MAX) {
		err_set(err, ERR_INVALID_ARGUMENTS, "The arguments are too large.");
		return NULL;
	}
	if ((p = pool_of(r, q, details, err)) == NULL)
		return NULL;
	if (check_pool(p, err) != 0 || check_statement(r, p, q->msg.args, err) != 0)
		return NULL;
	if ((c = call_new(r)) == NULL) {
		err_set(err, ERR_BUSY, "Too many calls wait for workers that do not answer; try again in a moment.");
		return NULL;
	}
	call_keep(c, q);
	if (q->msg.deadline_ns == 0)
		c->q.msg.deadline_ns = deadline_of(r, q->tool);
	if (q->sink->rows == NULL)
		c->result = result_new(r->results, q->held);
	if (q->tool->role == IPC_AUTH && c->result != NULL)
		result_hold_secret(c->result);
	if (c->q.depth == 0)
		r->in_flight++;
	wait_in(p, c, false);
	pool_dispatch(p);
	return c;
}

unsigned
router_in_flight(const struct router *r)
{
	return r->in_flight;
}

void
router_release(struct front_call *c)
{
	detach_sink(c);
	result_free(c->result);
	c->result = NULL;
	if (c->place != PLACE_SENT)
		call_free(c);
}

void
router_cancel(struct front_call *c)
{
	if (c->place != PLACE_SENT) {
		call_free(c);
		return;
	}
	router_release(c);
	worker_send(c->worker, IPC_MSG_CANCEL, c->id, &(struct ipc_cancel){ .queued = 0 });
}

void
call_ask_client(struct front_call *c, const struct ipc_ask *msg)
{
	struct err e;

	if (c->q.sink == NULL) {
		call_free(c);
		return;
	}
	if (c->q.sink->asked == NULL || c->q.depth > 0) {
		err_set(&e, ERR_SERVICE_UNAVAILABLE,
		    "This needs an answer of the client's, which cannot be asked here.");
		call_fail(c, &e, SPAN_NONE);
		return;
	}
	leave_queue(c);
	c->place = PLACE_ASKING;
	c->proto = CALL_NONE;
	c->q.msg.deadline_ns = clock_ns() + ROUTER_ASK_MS * CLOCK_MS;
	c->q.sink->asked(c->q.arg, msg);
}

void
router_resume(struct front_call *c, struct span state, struct span answers)
{
	struct call_request q = c->q;

	q.msg.state = state;
	q.msg.answers = answers;
	q.msg.deadline_ns = deadline_of(c->router, q.tool);
	call_keep(c, &q);
	begin_anew(c);
	wait_in(c->pool, c, false);
	pool_dispatch(c->pool);
}

void
router_credit(struct front_call *c, unsigned chunks)
{
	if (c->place != PLACE_SENT || chunks == 0)
		return;
	c->credit += chunks;
	worker_send(c->worker, IPC_MSG_CREDIT, c->id, &(struct ipc_credit){ .chunks = chunks });
}

void
router_hand_over(struct front_call *c, const struct sink *sink, void *arg)
{
	c->q.sink = sink;
	c->q.arg = arg;
}

void
router_identify(const struct front_call *c, struct span *tool, struct span *args)
{
	*tool = c->q.tool->name;
	*args = c->q.msg.args;
}

/*
 * Check the arguments of a continuation like a caller's.  The one exception is maxRows 0, which asks
 * whether there is any row.
 */
static bool
check_continued(const struct tool_entry *tool, const struct mp_value *args, struct buf *scratch,
    struct mp_value *checked)
{
	struct buf one = { .max = IPC_ARGS_MAX };
	struct mp_iter it = mp_iter(args);
	struct schema_result issues;
	struct mp_value v, with_one;
	struct span key;
	bool fits;

	if (args->class != MP_MAP || mp_get_uint(args, "maxRows", 1) != 0)
		return args->class == MP_MAP && tools_check_args(tool, args, scratch, checked, &issues);
	mp_put_map(&one, args->n);
	while (mp_next_pair(&it, &key, &v)) {
		mp_put_str(&one, key);
		if (span_is_str(key, "maxRows"))
			mp_put_uint(&one, 1);
		else
			buf_span(&one, v.raw);
	}
	fits = mp_value(buf_view(&one), &with_one) && tools_check_args(tool, &with_one, scratch, checked, &issues);
	*checked = *args;
	buf_fini(&one);
	return fits;
}

int
call_continue_with(struct front_call *c, const struct ipc_continue_with *msg, struct err *err,
    struct buf *details)
{
	struct router *r = c->router;
	const struct policy_tool *policy = policy_tool(msg->tool);
	const struct tool_entry *tool = tools_find_inner(r->tools, msg->tool);
	struct call_request q;
	struct mp_value args, checked;
	struct buf scratch = { .max = IPC_ARGS_MAX };
	struct pool *p;
	int status = -1;

	if (policy != NULL && !policy_tool_continues(policy, c->q.tool->role, (uint32_t)c->q.msg.scopes)) {
		err_set(err, ERR_SCOPE_DENIED, "%s", err_text(ERR_SCOPE_DENIED));
		goto out;
	}
	if (tool == NULL) {
		err_set(err, ERR_SERVICE_UNAVAILABLE, "No worker offers %.*s.", SPAN_FMT(msg->tool));
		goto out;
	}
	if ((p = pool_find(r, tool->role, msg->connection)) == NULL) {
		(void)router_no_connection(r, msg->connection, details, err);
		goto out;
	}
	if (!mp_value(msg->args, &args) || !check_continued(tool, &args, &scratch, &checked)) {
		err_set(err, ERR_INTERNAL, "%s", err_text(ERR_INTERNAL));
		goto out;
	}
	if (check_pool(p, err) != 0 || check_statement(r, p, checked.raw, err) != 0)
		goto out;
	leave_queue(c);
	if (c->q.sink != NULL && c->q.sink->continued != NULL)
		c->q.sink->continued(c->q.arg, msg);
	q = c->q;
	q.msg.args = checked.raw;
	q.msg.asker = q.tool->role; /* the asker is now the role of this worker, which wrote the continuation */
	if (q.msg.export_rows == 0)
		q.msg.deadline_ns = deadline_of(r, tool);
	q.tool = tool;
	call_keep(c, &q);
	buf_span(&c->front, msg->head);
	c->continued = true;
	begin_anew(c);
	c->proto = CALL_NONE;
	wait_in(p, c, false);
	pool_dispatch(p);
	status = 0;
out:
	buf_fini(&scratch);
	return status;
}

static void
note_cause(struct front_call *c, unsigned cause)
{
	c->deaths += cause != IPC_DETACH_PLANNED;
}

/* Count the loss of the call's worker. */
static void
note_loss(struct front_call *c, const struct worker *w)
{
	if (w->cause != 0)
		note_cause(c, w->cause);
	else if (c->nunsettled < DEATHS_MAX)
		c->unsettled[c->nunsettled++] = w->ch.generation;
	else
		c->deaths++;
}

/*
 * A planned exit of the worker does not count as a death.  The bound on attempts ends a call that only
 * meets such workers.
 */
static bool
may_be_sent_again(const struct front_call *c)
{
	return c->q.tool->policy->effect == POLICY_READS && c->deaths < DEATHS_MAX && !c->forwarded &&
	    c->attempts < c->pool->most + DEATHS_MAX && c->q.msg.deadline_ns > clock_ns();
}

static void
fail_lost(struct front_call *c)
{
	struct err e;

	err_set(&e, ERR_WORKER_LOST,
	    c->attempts > 1 ?
		"The worker that ran this call stopped, and so did a second one; change the call before trying again." :
		"The worker that ran this call stopped; whether it took effect is not known.");
	call_fail(c, &e, SPAN_NONE);
}

/* Send the call again.  If the outcome of earlier losses decides, wait for the supervisor's report first. */
static void
send_again(struct front_call *c)
{
	if (c->deaths + c->nunsettled < DEATHS_MAX)
		wait_in(c->pool, c, true);
	else {
		c->place = PLACE_UNSETTLED;
		c->waiting_ns = clock_ns();
	}
}

void
call_worker_lost(struct front_call *c)
{
	if (c->q.sink == NULL) {
		call_free(c);
		return;
	}
	note_loss(c, c->worker);
	if (!may_be_sent_again(c)) {
		fail_lost(c);
		return;
	}
	if (c->result != NULL)
		result_forget_rows(c->result);
	leave_queue(c);
	c->proto = CALL_NONE;
	send_again(c); /* dispatched after all calls of the lost worker have been handled */
}

/* The cause of a worker's end is known now: update a call that the worker was running. */
static void
settle_call(struct front_call *c, uint64_t generation, unsigned cause)
{
	unsigned i = 0;

	while (i < c->nunsettled && c->unsettled[i] != generation)
		i++;
	if (i == c->nunsettled)
		return;
	c->unsettled[i] = c->unsettled[--c->nunsettled];
	note_cause(c, cause);
	if (c->place != PLACE_UNSETTLED)
		return;
	if (!may_be_sent_again(c)) {
		fail_lost(c);
		return;
	}
	c->place = PLACE_FREE;
	send_again(c);
	pool_dispatch(c->pool);
}

static void
settle_calls(struct router *r, uint64_t generation, unsigned cause)
{
	for (size_t i = 0; i < SLOTS; i++)
		if (r->calls[i] != NULL)
			settle_call(r->calls[i], generation, cause);
}

void
router_detach(struct router *r, uint64_t generation, unsigned cause)
{
	struct worker *w;

	LIST_FOREACH(w, &r->workers, all)
		if (w->ch.generation == generation && !w->gone) {
			w->cause = cause;
			w->retiring = true;
			if (w->ncalls == 0 && cause == IPC_DETACH_PLANNED)
				worker_gone(w);
			return;
		}
	quarantine_settle(&r->quarantine, generation, cause == IPC_DETACH_OWN, clock_ns());
	if (cause == IPC_DETACH_PLANNED)
		ahead_died_planned(r, generation);
	settle_calls(r, generation, cause);
}

static void
time_out_sent(struct front_call *c, uint64_t now)
{
	struct worker *w = c->worker;
	struct err e;

	if (now < c->q.msg.deadline_ns + CONTRACT_FRONT_GRACE_MS * CLOCK_MS)
		return;
	if (!w->complained) {
		w->complained = true;
		c->router->hooks.complain(c->router->hooks.arg, w->ch.generation, 2);
	}
	if (c->q.sink != NULL) {
		const struct sink *sink = c->q.sink;
		void *arg = c->q.arg;

		router_cancel(c);
		err_set(&e, ERR_QUERY_TIMEOUT, "The call took longer than it may and was stopped.");
		sink->failed(arg, &e, SPAN_NONE);
	}
}

static void
time_out_asking(struct front_call *c, uint64_t now)
{
	struct err e;

	if (now < c->q.msg.deadline_ns)
		return;
	err_set(&e, ERR_QUERY_TIMEOUT, "The client did not answer the question in time.");
	call_fail(c, &e, SPAN_NONE);
}

/* No report came on how the call's workers ended.  The call is taken as the cause of their deaths. */
static void
time_out_unsettled(struct front_call *c, uint64_t now)
{
	if (now >= c->q.msg.deadline_ns || now - c->waiting_ns >= UNSETTLED_NS)
		fail_lost(c);
}

static void
time_out_waiting(struct front_call *c, uint64_t now)
{
	struct pool *p = c->pool;
	bool opening = p->state == IPC_POOL_CONNECTING;
	struct err e;

	if (p->nworkers == 0 &&
	    (now >= c->q.msg.deadline_ns || (!opening && now - c->waiting_ns >= ROUTER_RESPAWN_MS * CLOCK_MS))) {
		if (c->attempts > 0)
			err_set(&e, ERR_WORKER_LOST,
			    "The worker that ran this call stopped and no other took its place in time; try again.");
		else if (ipc_role_is_pooled(p->role))
			(void)pool_unavailable(p, &e);
		else
			err_set(&e, ERR_SERVICE_UNAVAILABLE, "%s is being restarted; try again in a moment.", p->name);
	} else if (now >= c->q.msg.deadline_ns)
		err_set(&e, ERR_BUSY, "All %u workers of %s were busy; try again.", p->nworkers, p->name);
	else
		return;
	call_fail(c, &e, SPAN_NONE);
}

void
router_tick(struct router *r, uint64_t now)
{
	if (r->nfree == SLOTS)
		return;
	for (size_t i = 0; i < SLOTS; i++) {
		struct front_call *c = r->calls[i];

		if (c == NULL)
			continue;
		if (c->place == PLACE_SENT)
			time_out_sent(c, now);
		else if (c->place == PLACE_WAITING)
			time_out_waiting(c, now);
		else if (c->place == PLACE_ASKING)
			time_out_asking(c, now);
		else if (c->place == PLACE_UNSETTLED)
			time_out_unsettled(c, now);
		else {
			struct err e;

			err_set(&e, ERR_INTERNAL, "%s", err_text(ERR_INTERNAL));
			call_fail(c, &e, SPAN_NONE);
		}
	}
}

void
router_turn(struct router *r)
{
	struct worker *w, *next;

	while ((w = TAILQ_FIRST(&r->dirty)) != NULL) {
		TAILQ_REMOVE(&r->dirty, w, dirty_next);
		w->dirty = false;
		worker_flush(w);
	}
	if (!r->burying)
		return;
	r->burying = false;
	for (w = LIST_FIRST(&r->workers); w != NULL; w = next) {
		next = LIST_NEXT(w, all);
		if (w->gone)
			worker_free(w);
	}
}

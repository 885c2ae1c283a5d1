/* call.c - see tool.h: what a tool may do with the call it serves. */
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "workers/shared/serve.h"

#define SUB_GRACE_NS	(2 * CONTRACT_FRONT_GRACE_MS * CLOCK_MS)	/* past a sub-call's deadline: no answer will come */
#define CREDIT_STEP	(IPC_CREDIT_FIRST / 2)	/* chunks taken before new credit is given */

static const uint8_t empty_map[] = { 0x80 }, empty_array[] = { 0x90 };

struct arena *
call_arena(struct call *c)
{
	return c->arena;
}

void *
call_state(struct call *c)
{
	return c->rt->state;
}

struct span
call_principal(const struct call *c)
{
	return c->from->msg.principal;
}

uint32_t
call_scopes(const struct call *c)
{
	return (uint32_t)c->from->msg.scopes;
}

uint64_t
call_deadline(const struct call *c)
{
	return c->from->msg.deadline_ns;
}

struct span
call_connection(const struct call *c)
{
	return c->from->msg.connection;
}

unsigned
call_can(const struct call *c)
{
	return (unsigned)c->from->msg.can;
}

struct span
call_asked_state(const struct call *c)
{
	return c->from->msg.state;
}

bool
call_asked_answer(const struct call *c, const char *key, struct mp_value *result)
{
	struct mp_value answers;

	return mp_value(c->from->msg.answers, &answers) && mp_get(&answers, key, result) &&
	    result->class == MP_MAP;
}

struct buf *
call_details(struct call *c)
{
	return &c->details;
}

bool
call_poll(struct call *c, struct err *err)
{
	uint64_t now = clock_ns();

	if (now - c->looked_ns >= SERVE_LOOK_NS) {
		c->looked_ns = now;
		serve_flush(c->rt);
		serve_pump(c->rt, 0, -1, 0);
	}
	return serve_may_go_on(c, now, err);
}

/*
 * Sleep until fd is ready, the channels have something, until or the deadline;
 * or serve another call in between.  False: stop.
 */
static bool
wait_step(struct call *c, int fd, short events, uint64_t until, bool *ready, struct err *err)
{
	uint64_t now = clock_ns();

	*ready = false;
	if (!serve_may_go_on(c, now, err))
		return false;
	if (c->from->tool->waits && serve_another(c->rt))
		return true;
	serve_flush(c->rt);
	if (until > c->from->msg.deadline_ns)
		until = c->from->msg.deadline_ns;
	if (c->rt->draining && until > c->rt->drain_until)
		until = c->rt->drain_until;
	if (until > now && until - now > CONTRACT_READY_MS * CLOCK_MS)
		until = now + CONTRACT_READY_MS * CLOCK_MS;
	*ready = serve_pump(c->rt, until <= now ? 0 : (int)((until - now + CLOCK_MS - 1) / CLOCK_MS), fd,
	    events);
	c->looked_ns = now;
	return true;
}

bool
call_wait(struct call *c, int fd, bool write, unsigned timeout_ms, struct err *err)
{
	uint64_t until = clock_ns() + timeout_ms * CLOCK_MS;
	bool ready;

	do
		if (!wait_step(c, fd, write ? POLLOUT : POLLIN, until, &ready, err))
			return false;
	while (!ready && clock_ns() < until);
	return serve_may_go_on(c, clock_ns(), err);
}

void
call_progress(struct call *c, unsigned permille, const char *fmt, ...)
{
	struct ipc_progress msg = { .permille = permille };
	char text[512];
	va_list ap;

	if (c->from->msg.progress == 0 || c->finished || c->from->link->dead)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	msg.message = span_of(text, utf8_cut((const uint8_t *)text, strlen(text), sizeof(text) - 1));
	if (channel_send(&c->from->link->ch, IPC_MSG_PROGRESS, c->from->id, &msg) == -1)
		log_warn("%s: a progress message breaks its own bounds", c->from->tool->name);
	serve_flush_link(c->rt, c->from->link);
}

int
call_rows(struct call *c, struct span rows, struct err *err)
{
	struct ipc_rows msg = { .rows = rows };
	struct link *l = c->from->link;
	bool ready;

	while (c->credit == 0 && !c->finished)
		if (!wait_step(c, -1, 0, UINT64_MAX, &ready, err))
			return -1;
	if (!call_poll(c, err))
		return -1;
	if (c->finished)
		return err_set(err, ERR_INTERNAL, "rows after the answer");
	if (channel_send(&l->ch, IPC_MSG_ROWS, c->from->id, &msg) == -1)
		return err_set(err, ERR_RESULT_TOO_LARGE, "one row is larger than the result limit");
	c->credit--;
	c->rows_sent = true;
	if (channel_pending(&l->ch) >= SERVE_FLUSH_BYTES)
		serve_flush_link(c->rt, l);
	return 0;
}

static void
send_result(struct call *c, const struct ipc_result *msg)
{
	struct err err;

	if (c->finished || c->from->link->dead) {
		c->finished = true;
		return;
	}
	if (channel_send(&c->from->link->ch, IPC_MSG_RESULT, c->from->id, msg) == 0) {
		c->finished = true;
		return;
	}
	err_set(&err, ERR_INTERNAL, "the result breaks its own bounds (%zu + %zu + %zu bytes)",
	    msg->head.len, msg->tail.len, msg->content.len);
	serve_fail(c, &err);
}

void
call_result_rows(struct call *c, struct span head, const char *rows_field, struct span tail)
{
	send_result(c, &(struct ipc_result){ .head = head, .rows_field = span_str(rows_field),
	    .tail = tail, .content = span_of(empty_array, 1) });
}

void
call_result(struct call *c, struct span head)
{
	call_result_rows(c, head, NULL, span_of(empty_map, 1));
}

void
call_result_content(struct call *c, struct span head, struct span content)
{
	send_result(c, &(struct ipc_result){ .head = head, .tail = span_of(empty_map, 1),
	    .content = content });
}

void
call_notice(struct call *c, enum ipc_level level, const char *logger, struct span data)
{
	struct ipc_notice msg = { .level = level, .logger = span_str(logger), .data = data };

	if (c->from->msg.notices == 0 || level + 1u < c->from->msg.notices || c->finished ||
	    c->from->link->dead)
		return;
	if (channel_send(&c->from->link->ch, IPC_MSG_NOTICE, c->from->id, &msg) == -1)
		log_warn("%s: a notice breaks its own bounds", c->from->tool->name);
	serve_flush_link(c->rt, c->from->link);
}

void
call_ask(struct call *c, struct span requests, struct span state)
{
	struct ipc_ask msg = { .requests = requests, .state = state };
	struct err err;

	if (c->finished || c->from->link->dead) {
		c->finished = true;
		return;
	}
	if (!c->rows_sent && channel_send(&c->from->link->ch, IPC_MSG_ASK, c->from->id, &msg) == 0) {
		c->finished = true;
		return;
	}
	err_set(&err, ERR_INTERNAL, "what the client is to be asked breaks its own bounds");
	serve_fail(c, &err);
}

void
call_continue(struct call *c, const char *tool, struct span connection, struct span args, struct span head)
{
	struct ipc_continue_with msg = {
		.tool = span_str(tool), .connection = connection, .args = args, .head = head
	};
	struct err err;

	if (c->finished || c->from->link->dead) {
		c->finished = true;
		return;
	}
	if (!c->rows_sent &&
	    channel_send(&c->from->link->ch, IPC_MSG_CONTINUE, c->from->id, &msg) == 0) {
		c->finished = true;
		return;
	}
	err_set(&err, ERR_INTERNAL, "the continuation breaks its own bounds");
	serve_fail(c, &err);
}

/* --- sub-calls ------------------------------------------------------------------ */

/* The members of map without its head. */
static struct span
members(struct span map, size_t *pairs)
{
	struct mp_value v = { .class = MP_NIL };
	size_t head = mp_head(map.p, map.len, &v);

	*pairs = v.class == MP_MAP ? v.n : 0;
	return v.class == MP_MAP ? span_of(map.p + head, map.len - head) : span_of(NULL, 0);
}

static int
merge(struct call *c, const struct ipc_result *msg, struct mp_value *result, struct err *err)
{
	struct buf head = BUF_MAX(16);
	size_t nhead, ntail;
	struct span a = members(msg->head, &nhead), b = members(msg->tail, &ntail);
	uint8_t *p;
	int r = 0;

	mp_put_map(&head, nhead + ntail);
	p = arena_alloc(c->arena, head.len + a.len + b.len);
	if (p == NULL)
		r = err_set(err, ERR_RESULT_TOO_LARGE, "the answer of a sub-call is too large");
	else {
		memcpy(p, head.p, head.len);
		if (a.len > 0)
			memcpy(p + head.len, a.p, a.len);
		if (b.len > 0)
			memcpy(p + head.len + a.len, b.p, b.len);
		if (!mp_value(span_of(p, head.len + a.len + b.len), result))
			r = err_set(err, ERR_INTERNAL, "a sub-call answered with no map");
	}
	buf_fini(&head);
	return r;
}

/* What call_sub() was given, and how far it is. */
struct asking {
	struct call	*c;
	struct sub	*sub;
	int		(*on_rows)(void *arg, const struct mp_value *rows, struct err *err);
	void		(*on_progress)(void *arg, unsigned permille, struct span message);
	void		*arg;
	struct mp_value	*result;
	unsigned	 taken;		/* chunks since credit was given */
	bool		 done;
};

static void
give_credit(struct asking *q)
{
	struct ipc_credit msg = { .chunks = q->taken };

	if (q->taken < CREDIT_STEP || q->sub->state == CALL_NONE || q->sub->link->dead)
		return;
	(void)channel_send(&q->sub->link->ch, IPC_MSG_CREDIT, q->sub->id, &msg);
	q->sub->credit += q->taken;
	q->taken = 0;
}

static int
fail_like(struct asking *q, const struct ipc_fail *msg, struct err *err)
{
	size_t pairs;

	(void)members(msg->details, &pairs);
	if (pairs > 0) {
		buf_reset(&q->c->details, SIZE_MAX);
		buf_span(&q->c->details, msg->details);
	}
	return err_set(err, (enum err_code)msg->code, "%.*s", SPAN_FMT(msg->message));
}

static int
take_one(struct asking *q, const struct answer *a, struct err *err)
{
	union {
		struct ipc_progress	progress;
		struct ipc_rows		rows;
		struct ipc_result	result;
		struct ipc_fail		fail;
	} msg;
	struct ipc_frame f = { .type = a->type, .id = q->sub->id, .body = buf_view(&a->body) };
	struct mp_value rows;

	if (!channel_unpack(&q->sub->link->ch, &f, &msg, ipc_schema(a->type)->size)) {
		serve_broken(q->c->rt, q->sub->link, q->sub->link->ch.fault);
		return err_set(err, ERR_INTERNAL, "the answer of a sub-call is malformed");
	}
	switch (a->type) {
	case IPC_MSG_PROGRESS:
		if (q->on_progress != NULL)
			q->on_progress(q->arg, (unsigned)msg.progress.permille, msg.progress.message);
		return 0;
	case IPC_MSG_ROWS:
		q->taken++;
		if (mp_value(msg.rows.rows, &rows) && q->on_rows(q->arg, &rows, err) == -1)
			return -1;
		give_credit(q);
		return 0;
	case IPC_MSG_RESULT:
		q->done = true;
		return merge(q->c, &msg.result, q->result, err);
	default:
		return fail_like(q, &msg.fail, err);
	}
}

static int
converse(struct asking *q, uint64_t give_up, struct err *err)
{
	struct answer *a;
	bool ready;
	int r;

	while (!q->done) {
		if ((a = serve_sub_take(q->sub)) != NULL) {
			r = take_one(q, a, err);
			serve_answer_free(a);
			if (r == -1)
				return -1;
		} else if (clock_ns() >= give_up)
			return err_set(err, ERR_QUERY_TIMEOUT, "a sub-call was not answered in time");
		else if (!wait_step(q->c, -1, 0, give_up, &ready, err))
			return -1;
	}
	return 0;
}

int
call_sub(struct call *c, const char *tool, struct span connection, struct span args, uint64_t deadline_ns,
    int (*on_rows)(void *arg, const struct mp_value *rows, struct err *err),
    void (*on_progress)(void *arg, unsigned permille, struct span message), void *arg,
    struct mp_value *result, struct err *err)
{
	struct asking q = {
		.c = c, .on_rows = on_rows, .on_progress = on_progress, .arg = arg, .result = result
	};
	struct ipc_subcall msg = {
		.parent = c->from->id, .tool = span_str(tool), .connection = connection,
		.deadline_ns = deadline_ns, .args = args
	};
	int r = -1;

	if (!c->from->tool->waits)
		return err_set(err, ERR_INTERNAL, "a tool that does not wait cannot ask others");
	if (!call_poll(c, err))
		return -1;
	if (deadline_ns == 0 || deadline_ns > call_deadline(c))
		msg.deadline_ns = call_deadline(c);
	if ((q.sub = serve_sub_new(c->rt, c->from->link)) == NULL)
		return err_set(err, ERR_BUSY, "too many sub-calls are unanswered");
	if (channel_send(&c->from->link->ch, IPC_MSG_SUBCALL, q.sub->id, &msg) == -1) {
		q.sub->state = CALL_NONE;
		err_set(err, ERR_INTERNAL, "a sub-call breaks its own bounds");
	} else
		r = converse(&q, msg.deadline_ns + SUB_GRACE_NS, err);
	serve_sub_done(c->rt, q.sub);
	return r;
}

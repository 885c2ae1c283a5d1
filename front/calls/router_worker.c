/* router_worker.c - one data channel: receiving frames, sending frames, and the loss of the worker. */
#include <stdlib.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "front/calls/ahead.h"
#include "front/calls/router_parts.h"
#include "front/calls/subcall.h"
#include "front/calls/router_worker.h"

int
worker_send(struct worker *w, unsigned type, uint64_t id, const void *msg)
{
	if (w->gone)
		return 0; /* the worker is gone; worker_gone() has handled the call */
	if (channel_send(&w->ch, type, id, msg) != 0) {
		log_error("a %s message to %s breaks its own table", ipc_type_name(type), w->pool->name);
		return -1;
	}
	if (!w->dirty) {
		w->dirty = true;
		TAILQ_INSERT_TAIL(&w->router->dirty, w, dirty_next);
	}
	return 0;
}

void
worker_flush(struct worker *w)
{
	enum channel_status status;

	if (w->gone)
		return;
	status = channel_flush(&w->ch);
	if (channel_pending(&w->ch) == 0)
		w->answered = 0;
	if (status == CHANNEL_MORE && channel_pending(&w->ch) > 0) {
		if (!w->write_armed)
			event_add(&w->writable, NULL);
		w->write_armed = true;
		return;
	}
	if (w->write_armed)
		event_del(&w->writable);
	w->write_armed = false;
	/* A peer that does not read may still have sent data.  Its end is noticed when reading. */
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	worker_flush(arg);
}

static void
finish_pending(struct front_call *c, const struct ipc_result *msg)
{
	struct ipc_result passed = *msg;
	const struct sink *sink = c->q.sink;
	struct tool_result *result = c->result;
	struct err e;
	void *arg = c->q.arg;

	if (sink == NULL) {
		call_free(c);
		return;
	}
	if (sink->rows != NULL) {
		if (passed.snapshot.len == 0)
			passed.snapshot = span_str(c->snapshot);
		sink->finished(arg, buf_view(&c->front), &passed);
		call_free(c);
		return;
	}
	if ((c->continued && result_put_front(result, buf_view(&c->front), &e) != 0) ||
	    result_finish(result, msg->head, msg->rows_field, msg->tail, &e) != 0 ||
	    result_put_content(result, msg->content, &e) != 0) {
		call_fail(c, &e, SPAN_NONE);
		return;
	}
	result_put_texts(result, msg->texts);
	result_put_snapshot(result, msg->snapshot);
	result_put_artifacts(result, msg->artifacts);
	result_put_file(result, (struct result_file){ .rows = msg->file_rows, .parquet = msg->file_parquet != 0 });
	c->result = NULL;
	call_free(c);
	sink->done(arg, result);
}

static void
store_rows(struct worker *w, struct front_call *c, struct span rows)
{
	struct err e;

	if (c->q.sink == NULL)
		return;
	if (c->q.sink->rows != NULL) {
		c->forwarded = true;
		c->q.sink->rows(c->q.arg, rows);
		return;
	}
	if (result_add_rows(c->result, rows, &e) != 0) {
		const struct sink *sink = c->q.sink;
		void *arg = c->q.arg;

		router_cancel(c);
		sink->failed(arg, &e, SPAN_NONE);
		return;
	}
	if (++c->owed >= CREDIT_STEP) {
		worker_send(w, IPC_MSG_CREDIT, c->id, &(struct ipc_credit){ .chunks = c->owed });
		c->credit += c->owed;
		c->owed = 0;
	}
}

static void
fail_from(struct front_call *c, const struct ipc_fail *msg)
{
	struct err e;

	err_set(&e, (enum err_code)msg->code, "%.*s", SPAN_FMT(msg->message));
	/* The details borrow from the frame, which is valid until the next one is read. */
	call_fail(c, &e, msg->details);
}

static void
continue_from(struct front_call *c, const struct ipc_continue_with *msg)
{
	struct err e;

	if (c->q.sink == NULL) {
		call_free(c);
		return;
	}
	buf_reset(&c->details, SIZE_MAX);
	if (c->result != NULL)
		result_put_snapshot(c->result, msg->snapshot);
	else if (msg->snapshot.len > 0) {
		memcpy(c->snapshot, msg->snapshot.p, msg->snapshot.len);
		c->snapshot[msg->snapshot.len] = '\0';
	}
	if (call_continue_with(c, msg, &e, &c->details) != 0) {
		struct buf details = c->details;

		c->details = (struct buf){ .max = 0 };
		call_fail(c, &e, buf_view(&details));
		buf_fini(&details);
	}
}

static bool
is_a(struct span raw, enum mp_class class)
{
	struct mp_value v;

	return mp_value(raw, &v) && v.class == class;
}

/* Whether the values of a message are the maps and arrays that messages.def says. */
static bool
has_shape(unsigned type, const union ipc_any *m)
{
	switch (type) {
	case IPC_MSG_ROWS:
		return is_a(m->rows.rows, MP_ARRAY);
	case IPC_MSG_RESULT:
		return is_a(m->result.head, MP_MAP) && is_a(m->result.tail, MP_MAP) &&
		    is_a(m->result.content, MP_ARRAY);
	case IPC_MSG_FAIL:
		return is_a(m->fail.details, MP_MAP);
	case IPC_MSG_CONTINUE:
		return is_a(m->continue_with.args, MP_MAP) && is_a(m->continue_with.head, MP_MAP);
	case IPC_MSG_ASK:
		return is_a(m->ask.requests, MP_MAP);
	default:
		return true;
	}
}

/* A frame about a call sent to the worker.  False: the frame breaks the protocol. */
static bool
on_answer(struct worker *w, const struct ipc_frame *frame)
{
	struct front_call *c = call_find(w->router, frame->id);
	union ipc_any m;
	enum call_state state;

	if (c == NULL || c->place != PLACE_SENT || c->worker != w)
		return false;
	state = call_next(c->proto, frame->type);
	if (state == CALL_STATES || !channel_unpack_any(&w->ch, frame, &m) || !has_shape(frame->type, &m))
		return false;
	c->proto = state;
	switch (frame->type) {
	case IPC_MSG_PROGRESS:
		if (c->q.sink != NULL && c->q.msg.progress != 0)
			c->q.sink->progress(c->q.arg, (unsigned)m.progress.permille, m.progress.message);
		return true;
	case IPC_MSG_RAN_AS:
		if (c->q.sink != NULL && c->q.sink->ran_as != NULL)
			c->q.sink->ran_as(c->q.arg, m.ran_as.text);
		return true;
	case IPC_MSG_ROWS:
		/*
		 * Rows without credit break the protocol: they would overflow the asker they are forwarded to, or the
		 * front's memory.
		 */
		if (c->credit == 0)
			return false;
		c->credit--;
		store_rows(w, c, m.rows.rows);
		return true;
	case IPC_MSG_RESULT:
		finish_pending(c, &m.result);
		return true;
	case IPC_MSG_FAIL:
		fail_from(c, &m.fail);
		return true;
	case IPC_MSG_CONTINUE:
		continue_from(c, &m.continue_with);
		return true;
	case IPC_MSG_ASK:
		call_ask_client(c, &m.ask);
		return true;
	case IPC_MSG_LONG:
		if (c->q.sink != NULL && c->q.sink->lasts != NULL)
			c->q.sink->lasts(c->q.arg, m.lasting.required != 0);
		return true;
	case IPC_MSG_NOTICE:
		if (c->q.sink != NULL && c->q.sink->notice != NULL && m.notice.level + 1 >= c->q.msg.notices &&
		    c->q.msg.notices != 0)
			c->q.sink->notice(c->q.arg, &m.notice);
		return true;
	default:
		return false;
	}
}

/* A frame about a sub-call that the worker asked for. */
static bool
on_subcall(struct worker *w, const struct ipc_frame *frame)
{
	union ipc_any m;

	if (!channel_unpack_any(&w->ch, frame, &m))
		return false;
	switch (frame->type) {
	case IPC_MSG_SUBCALL:
		return subcall_start(w, frame->id, &m.subcall);
	case IPC_MSG_CANCEL:
		return subcall_cancel(w, frame->id);
	case IPC_MSG_CREDIT:
		return subcall_credit(w, frame->id, m.credit.chunks);
	default:
		return false;
	}
}

/* A frame that belongs to no call.  False: the frame breaks the protocol. */
static bool
on_unasked(struct worker *w, const struct ipc_frame *frame)
{
	struct ipc_changed changed;

	return frame->type == IPC_MSG_CHANGED && channel_unpack(&w->ch, frame, &changed, sizeof(changed)) &&
	    w->router->hooks.changed(w->router->hooks.arg, w->pool->role, &changed);
}

/* Whether the message is one that only carrel-auth sends to fronts: the rest of its traffic are calls. */
static bool
is_auth_word(unsigned type)
{
	const struct ipc_schema *s = ipc_schema(type);

	/* Some words are said both ways. */
	return s != NULL && (s->from & IPC_AUTH) != 0 && (s->from & ~(unsigned)(IPC_AUTH | IPC_FRONT)) == 0 &&
	    (s->to & IPC_FRONT) != 0 && (s->to & ~(unsigned)(IPC_AUTH | IPC_FRONT)) == 0;
}

static bool
on_auth(struct worker *w, const struct ipc_frame *frame)
{
	union ipc_any m;

	return channel_unpack_any(&w->ch, frame, &m) && w->router->hooks.auth(w->router->hooks.arg, frame, &m);
}

static bool
on_frame(struct worker *w, const struct ipc_frame *frame)
{
	if (w->pool->role == IPC_AUTH && is_auth_word(frame->type))
		return on_auth(w, frame);
	w->router->hooks.heard(w->router->hooks.arg);
	if (frame->id == 0)
		return on_unasked(w, frame);
	return (frame->id & IPC_SUB) != 0 ? on_subcall(w, frame) : on_answer(w, frame);
}

static void
break_off(struct worker *w)
{
	struct router *r = w->router;

	log_error("%s broke the protocol (%s)", w->pool->name,
	    w->ch.fault != IPC_OK ? ipc_fault_name(w->ch.fault) : ipc_fault_name(IPC_OUT_OF_STATE));
	r->hooks.complain(r->hooks.arg, w->ch.generation, 1);
	worker_gone(w);
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct worker *w = arg;
	struct pool *p = w->pool;
	struct ipc_frame frame;
	enum channel_status status = CHANNEL_MORE;

	(void)fd, (void)what;
	if (!w->gone)
		channel_read(&w->ch);
	while (!w->gone && (status = channel_next(&w->ch, &frame)) == CHANNEL_FRAME)
		if (!on_frame(w, &frame))
			break;
	if (w->gone)
		return;
	if (status == CHANNEL_CLOSED ||
	    (w->retiring && w->ncalls == 0 && LIST_EMPTY(&w->subs) && w->cause == IPC_DETACH_PLANNED))
		worker_gone(w);
	else if (status != CHANNEL_MORE)
		break_off(w);
	pool_dispatch(p);
}

struct worker *
worker_new(struct router *r, struct pool *p, uint64_t generation, int fd)
{
	struct worker *w = mem_new(1, sizeof(*w));

	w->router = r;
	w->pool = p;
	TAILQ_INIT(&w->calls);
	LIST_INIT(&w->subs);
	channel_init(&w->ch, fd, IPC_FRONT, p->role, generation);
	event_assign(&w->readable, r->base, fd, EV_READ | EV_PERSIST, on_readable, w);
	event_assign(&w->writable, r->base, fd, EV_WRITE | EV_PERSIST, on_writable, w);
	event_add(&w->readable, NULL);
	LIST_INSERT_HEAD(&p->workers, w, of_pool);
	LIST_INSERT_HEAD(&r->workers, w, all);
	if (++p->nworkers > p->most)
		p->most = p->nworkers;
	if (p->role == IPC_AUTH)
		r->hooks.auth_channel(r->hooks.arg, true);
	return w;
}

void
worker_free(struct worker *w)
{
	subcall_drop_all(w);
	if (w->dirty)
		TAILQ_REMOVE(&w->router->dirty, w, dirty_next);
	LIST_REMOVE(w, all);
	if (!w->gone) {
		LIST_REMOVE(w, of_pool);
		w->pool->nworkers--;
		event_del(&w->readable);
		event_del(&w->writable);
		channel_fini(&w->ch);
	}
	free(w);
}

/* Remember the statement that the worker was running until the supervisor reports the cause of its death. */
static void
bury_statement(struct worker *w)
{
	struct quarantine *q = &w->router->quarantine;
	struct front_call *c = TAILQ_FIRST(&w->calls);
	struct mp_value args;
	struct span sql = SPAN_NONE;

	if (c == NULL || w->pool->role != IPC_SQL)
		return;
	/* Of several calls it is not known which one ran; each is run alone now. */
	for (const struct front_call *next = TAILQ_NEXT(c, queue); next != NULL; next = TAILQ_NEXT(next, queue))
		if (next->q.sink != NULL)
			return;
	if (mp_value(c->q.msg.args, &args))
		sql = router_statement(&args);
	if (sql.len == 0)
		return;
	quarantine_bury(q, w->ch.generation, span_str(w->pool->name), sql);
	if (w->cause != 0)
		quarantine_settle(q, w->ch.generation, w->cause == IPC_DETACH_OWN, clock_ns());
}

void
worker_gone(struct worker *w)
{
	struct pool *p = w->pool;
	struct front_call *c;

	w->gone = true;
	w->router->burying = true;
	LIST_REMOVE(w, of_pool);
	p->nworkers--;
	if (w->ncalls > 0) {
		p->deaths++;
		ahead_died(w);
	}
	bury_statement(w);
	event_del(&w->readable);
	event_del(&w->writable);
	w->write_armed = false;
	subcall_drop_all(w);
	/* Newest first: calls that are sent again go to the front of the queue and keep their order. */
	while ((c = TAILQ_LAST(&w->calls, callq)) != NULL)
		call_worker_lost(c);
	channel_fini(&w->ch);
	if (p->role == IPC_AUTH)
		w->router->hooks.auth_channel(w->router->hooks.arg, false);
	pool_dispatch(p);
}

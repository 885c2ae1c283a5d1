#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "workers/shared/runtime.h"
#include "workers/shared/call.h"
#include "workers/shared/links.h"
#include "workers/shared/ask_worker.h"

#define SUB_GRACE_NS	(2 * CONTRACT_FRONT_GRACE_MS * CLOCK_MS)	/* past a sub-call's deadline: no answer will come */
#define CREDIT_STEP	(IPC_CREDIT_FIRST / 2)	/* chunks taken before new credit is given */
#define SUB_RESULT_MAX	((size_t)64 << 20)	/* of an answer's head and tail */

/* The members of map without its head. */
static struct span
ask_members(struct span map, size_t *pairs)
{
	struct mp_value v = { .class = MP_NIL };
	size_t head = mp_head(map.p, map.len, &v);

	*pairs = v.class == MP_MAP ? v.n : 0;
	return v.class == MP_MAP ? span_of(map.p + head, map.len - head) : SPAN_NONE;
}

static int
ask_merge(struct arena *arena, const struct ipc_result *msg, struct mp_value *result, struct err *err)
{
	struct buf head = BUF_MAX(16);
	size_t nhead, ntail;
	struct span a = ask_members(msg->head, &nhead), b = ask_members(msg->tail, &ntail);
	uint8_t *p;
	int r = 0;

	mp_put_map(&head, nhead + ntail);
	p = arena_alloc(arena, head.len + a.len + b.len);
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

/* What the answer of a sub-call stands on, the call's stands on as well: one id, or a list (serve.h). */
static void
ask_stands_on(struct call *c, struct span list)
{
	while (list.len > 0) {
		const uint8_t *comma = memchr(list.p, ',', list.len);
		size_t n = comma != NULL ? (size_t)(comma - list.p) : list.len,
		       next = n + 2 < list.len ? n + 2 : list.len;

		call_stands_on(c, SPAN_NONE, span_of(list.p, n));
		list = span_of(list.p + next, list.len - next);
	}
}

/* One sub-call and its progress. */
struct sub_call {
	struct call	*c;
	struct call_ask	 ask;
	struct arena	*arena;		/* for the result */
	struct mp_value	*result;
	struct sub	*sub;
	uint64_t	 give_up;
	unsigned	 taken;		/* chunks since credit was given */
	bool		 done;
};

static void
give_credit(struct sub_call *q)
{
	struct ipc_credit msg = { .chunks = q->taken };

	if (q->taken < CREDIT_STEP || q->sub->state == CALL_NONE || q->sub->link->dead)
		return;
	(void)channel_send(&q->sub->link->ch, IPC_MSG_CREDIT, q->sub->id, &msg);
	q->sub->credit += q->taken;
	q->taken = 0;
}

static int
fail_like(struct sub_call *q, const struct ipc_fail *msg, struct err *err)
{
	size_t pairs;

	(void)ask_members(msg->details, &pairs);
	if (pairs > 0) {
		buf_reset(&q->c->details, SIZE_MAX);
		buf_span(&q->c->details, msg->details);
	}
	return err_set(err, (enum err_code)msg->code, "%.*s", SPAN_FMT(msg->message));
}

static int
take_one(struct sub_call *q, const struct sub_answer *a, struct err *err)
{
	union ipc_any msg;
	struct ipc_frame f = { .type = a->type, .id = q->sub->id, .body = buf_view(&a->body) };
	struct mp_value rows;

	if (!channel_unpack_any(&q->sub->link->ch, &f, &msg)) {
		links_broken(q->c->rt, q->sub->link, q->sub->link->ch.fault);
		return err_set(err, ERR_INTERNAL, "the answer of a sub-call is malformed");
	}
	switch (a->type) {
	case IPC_MSG_PROGRESS:
		if (q->ask.on_progress != NULL)
			q->ask.on_progress(q->ask.arg, (unsigned)msg.progress.permille, msg.progress.message);
		return 0;
	case IPC_MSG_ROWS:
		if (q->ask.on_rows == NULL)
			return err_set(err, ERR_INTERNAL, "%s sent rows", q->ask.tool);
		q->taken++;
		if (mp_value(msg.rows.rows, &rows) && q->ask.on_rows(q->ask.arg, &rows, err) == -1)
			return -1;
		give_credit(q);
		return 0;
	case IPC_MSG_RESULT:
		q->done = true;
		ask_stands_on(q->c, msg.result.snapshot);
		return ask_merge(q->arena, &msg.result, q->result, err);
	default:
		return fail_like(q, &msg.fail, err);
	}
}

static int
ask_converse(struct sub_call *q, struct err *err)
{
	struct sub_answer *a;
	bool ready;
	int r;

	while (!q->done) {
		if ((a = links_sub_take(q->sub)) != NULL) {
			r = take_one(q, a, err);
			links_answer_free(a);
			if (r == -1)
				return -1;
		} else if (clock_ns() >= q->give_up)
			return err_set(err, ERR_QUERY_TIMEOUT,
			    "no answer came in time; try again, or ask for less at once");
		else if (!call_wait_until(q->c, -1, 0, q->give_up, &ready, err))
			return -1;
	}
	return 0;
}

/* Send the sub-call.  -1: it was not sent, so no answer will come. */
static int
send_subcall(struct sub_call *q, struct err *err)
{
	struct call *c = q->c;
	struct ipc_subcall msg = {
		.parent = c->own ? 0 : c->from->id, .ticket = c->own ? c->from->msg.ticket : SPAN(""), .tool = span_str(q->ask.tool), .connection = q->ask.connection,
		.deadline_ns = q->ask.deadline_ns == 0 || q->ask.deadline_ns > call_deadline(c) ? call_deadline(c) :
		    q->ask.deadline_ns,
		.args = q->ask.args.len == 0 ? MP_EMPTY_MAP : q->ask.args
	};

	q->give_up = msg.deadline_ns + SUB_GRACE_NS;
	if ((q->sub = links_sub_new(c->rt, c->from->link)) == NULL)
		return err_set(err, ERR_BUSY, "too many sub-calls are unanswered");
	if (channel_send(&c->from->link->ch, IPC_MSG_SUBCALL, q->sub->id, &msg) == 0)
		return 0;
	q->sub->state = CALL_NONE;
	links_sub_done(c->rt, q->sub);
	q->sub = NULL;
	return err_set(err, ERR_INTERNAL, "the sub-call does not fit its message");
}

int
call_sub(struct call *c, const struct call_ask *ask, struct mp_value *result, struct err *err)
{
	struct sub_call q = { .c = c, .ask = *ask, .arena = c->arena, .result = result };
	int r;

	if (!c->from->tool->waits)
		return err_set(err, ERR_INTERNAL, "a tool that does not wait cannot ask others");
	if (!call_poll(c, err) || send_subcall(&q, err) == -1)
		return -1;
	r = ask_converse(&q, err);
	links_sub_done(c->rt, q.sub);
	return r;
}

struct sub_slot {
	bool		 open;
	struct sub_call	 q;
	struct mp_value	 result;
};

struct crowd {
	struct call	*c;
	struct arena	*arena;		/* of one answer at a time */
	size_t		 width, nopen;
	struct sub_slot	*slots;
	bool		 dry;		/* next() has returned false */
	bool		 (*next)(void *arg, struct call_ask *ask);
	int		 (*done)(void *arg, const struct call_ask *ask, const struct mp_value *result,
			    const struct err *why, struct err *err);
	void		*arg;
};

/* A sub-call has ended; result is NULL when it failed. */
static int
close_slot(struct crowd *w, struct sub_slot *s, const struct mp_value *result, const struct err *why, struct err *err)
{
	int r;

	if (s->q.sub != NULL)
		links_sub_done(w->c->rt, s->q.sub);
	s->open = false;
	w->nopen--;
	/* The error of one sub-call must not become the error of the whole call. */
	buf_reset(&w->c->details, SIZE_MAX);
	r = w->done(w->arg, &s->q.ask, result, why, err);
	arena_reset(w->arena);
	return r;
}

static int
ask_fill(struct crowd *w, struct err *err)
{
	struct err why;

	for (size_t i = 0; i < w->width && !w->dry; i++) {
		struct sub_slot *s = &w->slots[i];

		if (s->open)
			continue;
		*s = (struct sub_slot){ .q = { .c = w->c, .arena = w->arena, .result = &s->result } };
		if (!w->next(w->arg, &s->q.ask)) {
			w->dry = true;
			break;
		}
		s->open = true;
		w->nopen++;
		if (send_subcall(&s->q, &why) == -1 && close_slot(w, s, NULL, &why, err) == -1)
			return -1;
	}
	return 0;
}

/* Take the frames received for one sub-call.  *moved: there were some. */
static int
listen_to(struct crowd *w, struct sub_slot *s, bool *moved, struct err *err)
{
	struct sub_answer *a;
	struct err why;

	while (s->open && (a = links_sub_take(s->q.sub)) != NULL) {
		int r = take_one(&s->q, a, &why);

		links_answer_free(a);
		*moved = true;
		if ((r == -1 || s->q.done) && close_slot(w, s, r == -1 ? NULL : &s->result, &why, err) == -1)
			return -1;
	}
	if (s->open && clock_ns() >= s->q.give_up) {
		err_set(&why, ERR_QUERY_TIMEOUT, "no answer came in time; try again, or ask for less at once");
		*moved = true;
		return close_slot(w, s, NULL, &why, err);
	}
	return 0;
}

static int
attend(struct crowd *w, struct err *err)
{
	for (;;) {
		uint64_t until = UINT64_MAX;
		bool moved = false, ready;

		if (ask_fill(w, err) == -1)
			return -1;
		if (w->nopen == 0 && w->dry)
			return 0;
		for (size_t i = 0; i < w->width; i++) {
			if (w->slots[i].open && listen_to(w, &w->slots[i], &moved, err) == -1)
				return -1;
			if (w->slots[i].open && w->slots[i].q.give_up < until)
				until = w->slots[i].q.give_up;
		}
		if (moved ? !call_poll(w->c, err) : !call_wait_until(w->c, -1, 0, until, &ready, err))
			return -1;
	}
}

int
call_sub_many(struct call *c, size_t width, bool (*next)(void *arg, struct call_ask *ask),
    int (*done)(void *arg, const struct call_ask *ask, const struct mp_value *result, const struct err *why,
	struct err *err), void *arg, struct err *err)
{
	struct crowd w = { .c = c, .width = width < 1 ? 1 : width > CALL_SUBS_MAX ? CALL_SUBS_MAX : width, .next = next,
		.done = done, .arg = arg };
	int r;

	if (!c->from->tool->waits)
		return err_set(err, ERR_INTERNAL, "a tool that does not wait cannot ask others");
	if (!call_poll(c, err))
		return -1;
	w.slots = mem_new(w.width, sizeof(*w.slots));
	w.arena = arena_new(SUB_RESULT_MAX);
	r = attend(&w, err);
	for (size_t i = 0; i < w.width; i++)
		if (w.slots[i].open && w.slots[i].q.sub != NULL)
			links_sub_done(c->rt, w.slots[i].q.sub);
	arena_free(w.arena);
	free(w.slots);
	return r;
}

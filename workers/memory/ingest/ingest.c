/*
 * ingest.c - see ingest.h.  A call journals its run and answers.  The run
 * itself is done between calls, one step at a time, and asks in its own right
 * (consult.h).
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "project/format/files.h"
#include "workers/memory/ingest/assemble.h"
#include "workers/memory/ingest/compose.h"
#include "workers/memory/ingest/consult.h"
#include "workers/memory/ingest/ingest.h"
#include "workers/memory/ingest/knowledge.h"
#include "workers/memory/ingest/queue.h"
#include "workers/memory/ingest/shared_notes.h"
#include "workers/memory/read/signals.h"
#include "workers/memory/ingest/work.h"
#include "workers/memory/worker.h"
#include "workers/shared/call.h"

#define WAITING_MAX	1000u
#define CONTENT_MAX	(256u << 10)
#define WAIT_MS		2	/* between checks whether a commit was made */

static void
answer_run(struct call *c, const char *id)
{
	struct buf out = { 0 };

	mp_put_pairs(&out, mp_cstr("runId", id));
	call_result(c, buf_view(&out));
	buf_fini(&out);
}

static int
read_args(struct call *c, const struct mp_value *args, struct run *r, struct err *err)
{
	const struct memory *m = call_state(c);
	struct span connection = mp_get_str(args, "connectionId", SPAN(""));

	if (connection.len > 0 && memory_connection(m, connection) == NULL)
		return err_set(err, ERR_CONNECTION_NOT_FOUND,
		    "There is no connection \"%.*s\"; connection_list names them.",
		    (int)(connection.len < 128 ? connection.len : 128), (const char *)connection.p);
	if (mp_get_str(args, "content", SPAN("")).len > CONTENT_MAX)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "content is larger than %u KiB; keep what matters, in several parts", CONTENT_MAX >> 10);
	r->at_ms = clock_unix_ms();
	r->principal = arena_span(r->arena, call_principal(c));
	r->connection = arena_span(r->arena, connection);
	r->content = arena_span(r->arena, mp_get_str(args, "content", SPAN("")));
	r->signals = signals_read(r->arena, r->content, NULL, NULL);
	r->ticket = arena_span(r->arena, call_ticket(c));
	run_identify(r);
	return 0;
}

/* Journals the run and queues it; *id is its id, or that of an equal run.  -1 with *err. */
static int
accept_run(struct call *c, const struct mp_value *args, const char **id, struct err *err)
{
	struct memory *m = call_state(c);
	struct run *r = run_new(false);
	int state = -1, status = -1;

	if (read_args(c, args, r, err) != 0)
		goto out;
	if ((*id = queue_seen(m->queue, r)) != NULL)
		status = 0;
	else if (m->queue->nwaiting >= WAITING_MAX)
		err_set(err, ERR_BUSY, "%u runs are waiting; try again", WAITING_MAX);
	else if ((state = memory_open_place(m, QUEUE_STATE, err)) >= 0 && run_accept(r, state, err) == 0) {
		queue_remember(m->queue, r->id);
		*id = r->id;
		queue_add(m->queue, r);
		r = NULL;
		status = 0;
	}
out:
	if (state >= 0)
		close(state);
	run_free(r);
	return status;
}

/* The store of several nodes accepts it, for the node that writes. */
static int
offer_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct run *r = run_new(false);
	int result = read_args(c, args, r, err);

	if (result == 0)
		shared_notes_offer(c, r);
	run_free(r);
	return result;
}

int
ingest_run(struct call *c, const struct mp_value *args, struct err *err)
{
	const struct memory *m = call_state(c);
	const char *id;

	if (m->shared)
		return offer_run(c, args, err);
	if (accept_run(c, args, &id, err) != 0)
		return -1;
	answer_run(c, id);
	return 0;
}

/* The current state of the run; *mine: the caller frees it. */
static const struct run *
find_run(const struct memory *m, struct span id, struct run **mine, struct err *err)
{
	char whole[RUN_ID_MAX];
	int state;

	*mine = NULL;
	for (const struct run *r = m->queue->first; r != NULL; r = r->next)
		if (span_is_str(id, r->id))
			return r;
	if ((state = memory_open_place(m, QUEUE_STATE, err)) < 0)
		return NULL;
	if (queue_resolve(state, id, whole, err) == 0) {
		for (const struct run *r = m->queue->first; r != NULL && *mine == NULL; r = r->next)
			if (strcmp(whole, r->id) == 0) {
				close(state);
				return r;
			}
		*mine = run_load(state, span_str(whole), err);
	}
	close(state);
	return *mine;
}

static int
show_run(struct call *c, const struct mp_value *args, enum run_detail detail, bool elsewhere, struct err *err)
{
	const struct memory *m = call_state(c);
	struct span id = mp_get_str(args, "runId", SPAN(""));
	struct run *mine;
	const struct run *r = find_run(m, id, &mine, err);
	struct buf out = { 0 };

	if (r == NULL && elsewhere && m->shared && err->code == ERR_PAGE_NOT_FOUND) {
		shared_notes_look(c, id);
		return 0;
	}
	if (r == NULL)
		return -1;
	run_put(r, detail, &out);
	call_result(c, buf_view(&out));
	buf_fini(&out);
	run_free(mine);
	return 0;
}

int
ingest_status(struct call *c, const struct mp_value *args, struct err *err)
{
	return show_run(c, args, RUN_STATUS, true, err);
}

int
ingest_show(struct call *c, const struct mp_value *args, struct err *err)
{
	return show_run(c, args, RUN_ALL, true, err);
}

int
ingest_show_own(struct call *c, const struct mp_value *args, struct err *err)
{
	return show_run(c, args, RUN_ALL, false, err);
}

/* The runs of another node, newest first, as its log has them. */
struct log_others {
	struct mp_iter	 it;
	struct mp_value	 each;
	struct span	 node;
	bool		 more;		/* each is the next one */
};

static void
next_other(struct log_others *o)
{
	o->more = mp_next(&o->it, &o->each);
}

/* Put those that are newer than id (NULL: all), with the node's name, while there are fewer than limit. */
static void
put_others(struct log_others *o, const char *id, uint64_t limit, uint64_t *n, struct buf *out)
{
	char other[RUN_ID_MAX];
	struct mp_iter it;
	struct mp_value v;
	struct span key;
	size_t map;

	for (; o->more && *n < limit; next_other(o)) {
		snprintf(other, sizeof(other), "%.*s", SPAN_FMT(mp_get_str(&o->each, "runId", SPAN(""))));
		if (id != NULL && strcmp(other, id) < 0)
			return;
		/* A run that was released has a record on two nodes. */
		if (o->each.class != MP_MAP || (id != NULL && strcmp(other, id) == 0))
			continue;
		map = mp_open_pairs(out, mp_str("node", o->node));
		for (it = mp_iter(&o->each); mp_next_pair(&it, &key, &v);) {
			mp_put_str(out, key);
			buf_span(out, v.raw);
		}
		mp_close(out, map, o->each.n + 1);
		++*n;
	}
}

int
ingest_log_with(struct call *c, const struct mp_value *args, const struct mp_value *log, struct span node,
    struct err *err)
{
	const struct memory *m = call_state(c);
	uint64_t limit = mp_get_uint(args, "limit", 20), n = 0, waiting = m->queue->nwaiting;
	struct log_others others = { .node = node };
	struct mp_value theirs;
	struct buf out = { 0 };
	struct files_list list;
	char id[RUN_ID_MAX];
	struct run *r;
	size_t mark, map;
	int state;

	if (log != NULL && mp_get(log, "runs", &theirs) && theirs.class == MP_ARRAY) {
		others.it = mp_iter(&theirs);
		next_other(&others);
		waiting = mp_get_uint(log, "waiting", waiting);
	}
	if ((state = memory_open_place(m, QUEUE_STATE, err)) < 0)
		return -1;
	map = mp_open_pairs(&out, mp_uint("waiting", waiting), mp_some("writer", node));
	mark = mp_pair_open_array(&out, "runs");
	for (size_t i = queue_records(state, "runs", call_arena(c), &list); i-- > 0 && n < limit;) {
		if (!queue_id(list.entries[i].name, id) || (r = run_load(state, span_str(id), NULL)) == NULL)
			continue;
		put_others(&others, id, limit, &n, &out);
		if (n < limit) {
			run_put(r, RUN_LOG, &out);
			n++;
		}
		run_free(r);
	}
	put_others(&others, NULL, limit, &n, &out);
	mp_close(&out, mark, n);
	mp_end(&out, map);
	close(state);
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}

int
ingest_log(struct call *c, const struct mp_value *args, struct err *err)
{
	return ingest_log_with(c, args, NULL, SPAN(""), err);
}

/* Whether the step is allowed in the run's state, and its changes. */
static int
prepare_step(struct call *c, struct run *r, enum run_step step, struct err *err)
{
	if (r->stage != RUN_DONE)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the run %s is not done, so there is nothing to %s", r->id,
		    step == RUN_STEP_REVERT ? "take back" : "approve");
	if (r->reverted)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the run %s was taken back before", r->id);
	if (step == RUN_STEP_REVERT)
		return 0;
	if (r->review != RUN_PROPOSED)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    r->review == RUN_APPROVED ? "the run %s is approved already" :
						"the run %s does not wait for approval",
		    r->id);
	if (r->report.len > 0)
		return knowledge_compose(c, r, &r->moves, NULL, err);
	consult_call(c, r);
	return compose_approval(call_state(c), r, err);
}

/* Waits for the commit, or until the call must end. */
static int
await_commit(struct call *c, int state, struct err *err)
{
	struct memory *m = call_state(c);
	struct queue *q = m->queue;

	while (q->asked != NULL) {
		if (queue_is_settled(q) && q->asked == q->first)
			queue_step(m, state);
		else if (q->answered)
			return 0;
		if (q->asked != NULL && !call_wait(c, -1, false, WAIT_MS, err) && !call_poll(c, err))
			return -1;
	}
	if (q->held >= 0 && q->asked == NULL) {
		close(q->held);
		q->held = -1;
	}
	return 0;
}

/*
 * Makes the step, whose changes are journaled, within the call.  1: it was handed to the queue, because the caller left
 * or the journal cannot be written; then *err has the reason.
 */
static int
finish_step(struct call *c, struct run *r, int state, int *lock, struct err *err)
{
	struct memory *m = call_state(c);
	struct queue *q = m->queue;
	struct err why = { .code = ERR_NONE };

	while (!queue_go(m, r, state, &why)) {
		if (q->asked == r && (queue_is_settled(q) || call_wait(c, -1, false, WAIT_MS, err)))
			continue;
		if (q->asked != r)
			err_set(err, ERR_SERVICE_UNAVAILABLE, "%s", why.message);
		queue_hand_over(q, r, lock);
		return 1;
	}
	if (r->stage != RUN_ERROR)
		return 0;
	*err = why;
	return -1;
}

/* A step of a finished run; as finish_step(). */
static int
take_step(struct call *c, struct run *r, enum run_step step, int state, int *lock, struct err *err)
{
	return prepare_step(c, r, step, err) != 0 || work_begin(r, step, state, err) != 0 ?
	    -1 :
	    finish_step(c, r, state, lock, err);
}

static void
answer_all(struct call *c, const struct run *r)
{
	struct buf out = { 0 };

	run_put(r, RUN_ALL, &out);
	call_result(c, buf_view(&out));
	buf_fini(&out);
}

/* That a part came, and how much there is by now. */
static void
answer_received(struct call *c, size_t len)
{
	struct buf out = { 0 };

	mp_put_pairs(&out, mp_uint("received", len));
	call_result(c, buf_view(&out));
	buf_fini(&out);
}

/* The run of a step: of several nodes that share a store, each has the runs that it wrote.  NULL with *err. */
static struct run *
load_run(struct call *c, int state, struct span id, struct err *err)
{
	const struct memory *m = call_state(c);
	char whole[RUN_ID_MAX];

	if (queue_resolve(state, id, whole, err) == 0)
		return run_load(state, span_str(whole), err);
	if (m->shared && err->code == ERR_PAGE_NOT_FOUND)
		shared_notes_refuse(c, id, err);
	return NULL;
}

static int
step_on(struct call *c, const struct mp_value *args, enum run_step step, struct err *err)
{
	struct run *r = NULL;
	int state, lock = -1, result = -1;

	if ((state = memory_open_place(call_state(c), QUEUE_STATE, err)) < 0)
		return -1;
	if (await_commit(c, state, err) != 0)
		goto out;
	if ((lock = queue_lock(state, QUEUE_TRIES)) < 0)
		err_set(err, ERR_BUSY, "another run is being written; try again");
	else if ((r = load_run(c, state, mp_get_str(args, "runId", SPAN("")), err)) != NULL)
		result = take_step(c, r, step, state, &lock, err);
	if (result == 0)
		answer_all(c, r);
	if (result <= 0)
		run_free(r);
out:
	if (lock >= 0)
		close(lock);
	close(state);
	return result == 0 ? 0 : -1;
}

static int
stands(struct call *c, const struct mp_value *args, bool (*is)(const struct run *r))
{
	struct run *mine;
	const struct run *r = find_run(call_state(c), mp_get_str(args, "runId", SPAN("")), &mine, NULL);
	bool made = r != NULL && is(r);

	if (made)
		answer_all(c, r);
	run_free(mine);
	return made;
}

static bool
is_approved(const struct run *r)
{
	return r->review == RUN_APPROVED && r->stage == RUN_DONE;
}

static bool
is_reverted(const struct run *r)
{
	return r->reverted && r->stage == RUN_DONE;
}

int
ingest_is_approved(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)err;
	return stands(c, args, is_approved);
}

int
ingest_is_reverted(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)err;
	return stands(c, args, is_reverted);
}

int
ingest_approve(struct call *c, const struct mp_value *args, struct err *err)
{
	return step_on(c, args, RUN_STEP_APPROVE, err);
}

int
ingest_revert(struct call *c, const struct mp_value *args, struct err *err)
{
	return step_on(c, args, RUN_STEP_REVERT, err);
}

/* With propose, marks each change as waiting for approval, so that nothing is written; the approval recomputes them. */
static void
hold_changes(struct run *r, bool propose)
{
	r->review = propose && r->changes.n > 0 ? RUN_PROPOSED : RUN_UNREVIEWED;
	for (size_t i = 0; propose && i < r->changes.n; i++) {
		r->changes.v[i].action = RUN_SKIPPED;
		r->changes.v[i].reason = span_str(mem_must(arena_printf(r->arena,
		    "it waits for approval: carrel memory approve %s", r->id)));
	}
}

/* The run of an import, within the call: it is journaled once its changes are known. */
static int
import_knowledge(struct call *c, struct run *r, const struct mp_value *args, int state, int *lock, struct err *err)
{
	const struct memory *m = call_state(c);
	bool dry = mp_get_bool(args, "dryRun", false), propose = m->review || mp_get_bool(args, "review", false);
	bool evidence = false;

	if (knowledge_compose(c, r, &r->changes, &evidence, err) != 0)
		return -1;
	if (!dry)
		hold_changes(r, propose || evidence);
	r->consulted = true;
	r->steps = 1;
	r->stage = dry ? RUN_DONE : RUN_WRITE;
	if (dry)
		return 0;
	return run_save(r, state, err) != 0 ? -1 : finish_step(c, r, state, lock, err);
}

int
ingest_knowledge(struct call *c, const struct mp_value *args, struct err *err)
{
	struct err why = { .code = ERR_NONE };
	int state, lock = -1, result = -1;
	struct span content;
	struct run *r;

	if (!assemble_part(c, args, &content, &why)) {
		if (why.code != ERR_NONE) {
			*err = why;
			return -1;
		}
		answer_received(c, content.len);
		return 0;
	}
	r = run_new(true);
	r->at_ms = clock_unix_ms();
	r->principal = arena_span(r->arena, call_principal(c));
	r->connection = arena_span(r->arena, mp_get_str(args, "connectionId", SPAN("")));
	r->content = arena_span(r->arena, content);
	assemble_forget(call_state(c));
	run_identify(r);
	if ((state = memory_open_place(call_state(c), QUEUE_STATE, err)) < 0) {
		run_free(r);
		return -1;
	}
	if (await_commit(c, state, err) == 0) {
		if ((lock = queue_lock(state, QUEUE_TRIES)) < 0)
			err_set(err, ERR_BUSY, "another run is being written; try again");
		else
			result = import_knowledge(c, r, args, state, &lock, err);
	}
	if (result == 0)
		answer_all(c, r);
	if (result <= 0)
		run_free(r);
	if (lock >= 0)
		close(lock);
	close(state);
	return result == 0 ? 0 : -1;
}

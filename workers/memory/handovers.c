#include "workers/memory/handovers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/system/log.h"
#include "policy/proof.h"
#include "workers/memory/ingest/ingest.h"
#include "workers/memory/ingest/queue.h"
#include "workers/memory/scan/scan.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/serve.h"

#define LOOK_MS		100u	/* between questions what became of it */
#define GONE_NS		(5 * CLOCK_SECOND)	/* its lease may come back a moment later */
#define STEP_NS		(5 * CLOCK_SECOND)	/* a question to the store */
#define NEXT_MS		250u	/* between questions whether there is something to do */
#define ID_MAX		33
#define ANSWER_MAX	((size_t)1 << 20)	/* of a result that goes back; beyond, without its longest members */
#define MEMBER_MAX	((size_t)16 << 10)

struct handed_tool {
	const char	*tool;
	bool		 reads;
	unsigned	 patience_ms;	/* for the writing node to begin */
	uint64_t	 budget_ms;	/* there */
	int		 (*run)(struct call *c, const struct mp_value *args, struct err *err);
	/* What a process before this one began: 1: it stands, and is answered; 0: to be done; -1.  NULL: it is not. */
	int		 (*again)(struct call *c, const struct mp_value *args, struct err *err);
};

static int
do_anew(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)c, (void)args, (void)err;
	return 0;
}

static const struct handed_tool kinds[] = {
	{ "scan", false, 10000, 1800000, scan_run, NULL },
	{ "memory_log", true, 3000, 10000, ingest_log, do_anew },
	{ "memory_show", true, 3000, 5000, ingest_show_own, do_anew },
	{ "memory_approve", false, 10000, 30000, ingest_approve, ingest_is_approved },
	{ "memory_revert", false, 10000, 30000, ingest_revert, ingest_is_reverted },
};

/* What was taken and is not ended in the store yet. */
struct handover {
	char		 id[ID_MAX];
	struct buf	 answer;	/* the arguments of its end; empty: it is not done yet */
};

static const struct handed_tool *
kind_of(struct span tool)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (span_is_str(tool, kinds[i].tool))
			return &kinds[i];
	return NULL;
}

static void
put_hex(struct buf *out, const char *key, struct span bytes)
{
	char hex[2 * RUN_TICKET_MAX + 1] = "";

	if (bytes.len <= RUN_TICKET_MAX)
		sodium_bin2hex(hex, sizeof(hex), bytes.p, bytes.len);
	mp_pair_cstr(out, key, hex);
}

static int
ask_store(struct call *c, const char *id, const struct handed_tool *k, const struct mp_value *args, struct mp_value *answer,
    struct err *err)
{
	struct buf q = { 0 };
	size_t map = mp_open_map(&q), pairs = 1;
	int result;

	if (id[0] != '\0')
		mp_pair_cstr(&q, "id", id);
	else {
		mp_pair_str(&q, "tool", call_tool(c));
		mp_pair_str(&q, "connection", call_connection(c));
		mp_pair_raw(&q, "args", args->raw);
		put_hex(&q, "proof", call_proof(c));
		put_hex(&q, "ticket", call_ticket(c));
		mp_pair_uint(&q, "patienceMs", k->patience_ms);
		pairs = 6;
	}
	mp_close(&q, map, pairs);
	result = call_sub(c, &(struct call_ask){ .tool = "handover_ask", .args = buf_view(&q) }, answer, err);
	buf_fini(&q);
	return result;
}

/* Answer as the node that did it.  -1 with *err: it failed there. */
static int
take_ended(struct call *c, const struct handed_tool *k, const struct mp_value *args, const struct mp_value *answer,
    struct err *err)
{
	struct mp_value result;
	char code[64];

	if (k->run == ingest_log && mp_get(answer, "result", &result) && result.class == MP_MAP)
		return ingest_log_with(c, args, &result, mp_get_str(answer, "node", SPAN("")), err);
	if (mp_get(answer, "result", &result) && result.class == MP_MAP) {
		call_result(c, result.raw);
		return 0;
	}
	snprintf(code, sizeof(code), "%.*s", SPAN_FMT(mp_get_str(answer, "code", SPAN(""))));
	return err_set(err, err_from_name(code) == ERR_NONE ? ERR_INTERNAL : err_from_name(code), "%.*s",
	    SPAN_FMT(mp_get_str(answer, "message", SPAN(""))));
}

/* What a state means that is the last one; -1 with *err. */
static int
refuse_state(const char *state, const struct handed_tool *k, struct span node, struct err *err)
{
	if (strcmp(state, "late") == 0)
		return err_set(err, ERR_BUSY,
		    "the node that writes this project did not begin this within %u s, and nothing was done: try "
		    "again, "
		    "or see `carrel cluster status`",
		    k->patience_ms / 1000);
	if (strcmp(state, "gone") == 0)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the node %.*s had begun this when it went away: whether it was done `carrel memory show` and the "
		    "time of the scan say when it is back; it finishes what it had begun to write",
		    SPAN_FMT(node));
	if (strcmp(state, "moved") == 0)
		return err_set(err, ERR_BUSY, "the node %.*s is still at it; this one writes the project from now on",
		    SPAN_FMT(node));
	return err_set(err, ERR_SERVICE_UNAVAILABLE,
	    "the state store does not have any more what became of this: look at `carrel memory log` before asking "
	    "again");
}

/* Have the writing node do it.  1: it was answered; 0: this node is to do it; -1. */
static int
hand_over(struct call *c, const struct handed_tool *k, const struct mp_value *args, struct err *err)
{
	uint64_t gone_ns = 0;
	struct mp_value answer;
	char id[ID_MAX] = "", state[16];

	do {
		if (ask_store(c, id, k, args, &answer, err) != 0)
			return -1;
		snprintf(state, sizeof(state), "%.*s", SPAN_FMT(mp_get_str(&answer, "state", SPAN(""))));
		if (strcmp(state, "here") == 0)
			return 0;
		if (strcmp(state, "ended") == 0)
			return take_ended(c, k, args, &answer, err) == 0 ? 1 : -1;
		if (strcmp(state, "given") == 0)
			snprintf(id, sizeof(id), "%.*s", SPAN_FMT(mp_get_str(&answer, "id", SPAN(""))));
		if (strcmp(state, "gone") != 0)
			gone_ns = 0;
		else if (gone_ns == 0)
			gone_ns = clock_ns() + GONE_NS;
		if (strcmp(state, "given") != 0 && strcmp(state, "wait") != 0 && strcmp(state, "waits") != 0 &&
		    (gone_ns == 0 || clock_ns() > gone_ns))
			return refuse_state(state, k, mp_get_str(&answer, "node", SPAN("")), err);
	} while (call_wait(c, -1, false, LOOK_MS, err));
	return -1;
}

int
handovers_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct memory *m = call_state(c);
	const struct handed_tool *k = kind_of(call_tool(c));
	struct err own = { .code = ERR_NONE };
	int handed = 0;

	if (k == NULL)
		return err_set(err, ERR_INTERNAL, "there is no such tool here");
	if (m->shared) {
		m->asking = true;
		handed = hand_over(c, k, args, &own);
		m->asking = false;
	}
	if (handed == 1)
		return 0;
	/* What was handed over and failed is not done here; but each node tells of its own runs. */
	if (handed < 0 && !k->reads) {
		*err = own;
		return -1;
	}
	if (handed < 0 && own.code != ERR_PAGE_NOT_FOUND)
		log_warn("%s is answered of this node's own runs: %s", k->tool, own.message);
	return (k->run == ingest_show_own ? ingest_show : k->run)(c, args, err);
}

int
handovers_meanwhile(struct call *c, const struct mp_value *args, struct err *err)
{
	const struct memory *m = call_state(c);
	const struct handed_tool *k = kind_of(call_tool(c));

	if (k == NULL || m->asking)
		return err_set(err, ERR_BUSY,
		    "this node waits for the node that writes the project; try again in a moment");
	return (k->run == ingest_show_own ? ingest_show : k->run)(c, args, err);
}

/* One question to the store, of this worker itself; take, unless NULL, has the answer while it is there. */
struct handover_question {
	struct span	args;
	void		(*take)(void *arg, const struct mp_value *answer);
	void		*arg;
};

static int
ask_step(struct call *c, void *arg, struct err *err)
{
	const struct handover_question *q = arg;
	struct mp_value answer;
	struct call_ask ask = { .tool = "handover_step", .args = q->args, .deadline_ns = clock_ns() + STEP_NS };

	if (call_sub(c, &ask, &answer, err) != 0)
		return -1;
	if (q->take != NULL)
		q->take(q->arg, &answer);
	return 0;
}

static int
do_step(struct span args, void (*take)(void *arg, const struct mp_value *answer), void *arg)
{
	struct handover_question q = { args, take, arg };
	struct err err;
	int result = serve_ask_for(SPAN(""), STEP_NS, ask_step, &q, &err);

	if (result != 0)
		log_debug("the state store was not asked what other nodes want: %s", err.message);
	return result;
}

/* What another node was asked for; the spans borrow from raw. */
struct handed_call {
	struct buf	 raw, result;
	struct mp_value	 v, args;
	const struct handed_tool *kind;	/* NULL: there is nothing, or it is not proved that it may be done */
	char		 id[ID_MAX];
	bool		 again, may, more;	/* may: this node writes still */
};

static void
take_order(void *arg, const struct mp_value *answer)
{
	struct handed_call *o = arg;

	buf_span(&o->raw, answer->raw);
}

static void
read_order(struct handed_call *o)
{
	uint8_t proof[PROOF_SIZE];
	struct span hex, tool;
	size_t len = 0;

	if (!mp_value(buf_view(&o->raw), &o->v) || o->v.class != MP_MAP)
		return;
	o->more = mp_get_bool(&o->v, "more", false);
	snprintf(o->id, sizeof(o->id), "%.*s", SPAN_FMT(mp_get_str(&o->v, "id", SPAN(""))));
	o->again = mp_get_bool(&o->v, "again", false);
	o->may = mp_get_bool(&o->v, "may", false);
	hex = mp_get_str(&o->v, "proof", SPAN(""));
	tool = mp_get_str(&o->v, "tool", SPAN(""));
	if (mp_get(&o->v, "args", &o->args) && o->args.class == MP_MAP &&
	    sodium_hex2bin(proof, sizeof(proof), (const char *)hex.p, hex.len, NULL, &len, NULL) == 0 &&
	    serve_accepts(span_of(proof, len),
		&(struct proof_call){ tool, mp_get_str(&o->v, "connection", SPAN("")), o->args.raw }))
		o->kind = kind_of(tool);
}

static int
do_order(struct call *c, void *arg, struct err *err)
{
	struct handed_call *o = arg;
	int stands = 0;

	call_keep(c, &o->result);
	if (o->again && o->kind->again == NULL)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the worker that did this ended before it was done, and it is not done again by itself: ask again");
	if (o->again && (stands = o->kind->again(c, &o->args, err)) != 0)
		return stands < 0 ? -1 : 0;
	if (!o->may)
		return err_set(err, ERR_BUSY,
		    "the node that had begun this writes the project no more, and did nothing of it: do it again");
	return o->kind->run(c, &o->args, err);
}

/* The result; if it is too large, without what is long in it. */
static void
put_result(struct span raw, struct buf *out)
{
	struct mp_value result, v;
	struct mp_iter it;
	struct span key;
	size_t map, pairs = 0;

	mp_put_cstr(out, "result");
	if (raw.len <= ANSWER_MAX || !mp_value(raw, &result)) {
		buf_span(out, raw);
		return;
	}
	map = mp_open_map(out);
	for (it = mp_iter(&result); mp_next_pair(&it, &key, &v);)
		if (v.raw.len <= MEMBER_MAX) {
			mp_put_str(out, key);
			buf_span(out, v.raw);
			pairs++;
		}
	mp_pair_bool(out, "cut", true);
	mp_close(out, map, pairs + 1);
}

static void
keep_end(struct memory *m, const struct handed_call *o, const struct err *err)
{
	struct handover *h = mem_new(1, sizeof(*h));
	size_t map = mp_open_pairs(&h->answer, mp_cstr("id", o->id)), pairs = 1;

	snprintf(h->id, sizeof(h->id), "%s", o->id);
	if (err == NULL) {
		put_result(buf_view(&o->result), &h->answer);
		pairs++;
	} else {
		mp_pair_cstr(&h->answer, "code", err_name(err->code));
		mp_pair_cstr(&h->answer, "message", err->message);
		pairs += 2;
	}
	mp_close(&h->answer, map, pairs);
	m->handover = h;
}

void
handovers_free(struct memory *m)
{
	if (m->handover == NULL)
		return;
	buf_fini(&m->handover->answer);
	free(m->handover);
	m->handover = NULL;
}

/* Do it, and keep what became of it until the store has that. */
static void
carry_out(struct memory *m, struct handed_call *o)
{
	uint8_t ticket[RUN_TICKET_MAX];
	struct span hex = mp_get_str(&o->v, "ticket", SPAN(""));
	struct err err = { .code = ERR_NONE };
	size_t len = 0;
	int result = -1;

	(void)fault_point("memory.handed");
	if (sodium_hex2bin(ticket, sizeof(ticket), (const char *)hex.p, hex.len, NULL, &len, NULL) != 0)
		len = 0;
	if (o->kind == NULL)
		err_set(&err, ERR_SCOPE_DENIED, "%s", err_text(ERR_SCOPE_DENIED));
	else
		result = serve_ask_for(span_of(ticket, len), o->kind->budget_ms * CLOCK_MS, do_order, o, &err);
	(void)fault_point("memory.done");
	if (result == 0 && o->result.len == 0)
		result =
		    err_set(&err, ERR_PAGE_NOT_FOUND, "the node that writes this project has nothing of that name");
	/* A step that the queue has to finish is looked at again when it has. */
	if (result != 0 && m->queue->first != NULL)
		return;
	keep_end(m, o, result == 0 ? NULL : &err);
}

void
handovers_idle(struct memory *m)
{
	struct handed_call o = { .kind = NULL };
	struct buf next = { 0 };
	bool asked;

	if (!m->shared || m->queue->first != NULL || clock_ns() < m->handovers_ns)
		return;
	m->handovers_ns = clock_ns() + NEXT_MS * CLOCK_MS;
	if (m->handover != NULL) {
		if (do_step(buf_view(&m->handover->answer), NULL, NULL) != 0)
			return;
		(void)fault_point("memory.answered");
		handovers_free(m);
	}
	buf_span(&next, MP_EMPTY_MAP);
	asked = do_step(buf_view(&next), take_order, &o) == 0;
	buf_fini(&next);
	if (asked)
		read_order(&o);
	if (o.id[0] != '\0')
		carry_out(m, &o);
	if (o.id[0] != '\0' || o.more)
		m->handovers_ns = 0;
	buf_fini(&o.result);
	buf_fini(&o.raw);
}

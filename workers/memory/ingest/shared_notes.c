#include "workers/memory/ingest/shared_notes.h"

#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/system/log.h"
#include "workers/memory/read/signals.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/serve.h"

#define STEP_NS	(5 * CLOCK_SECOND)	/* a question to the store */

static void
put_note(const struct run *r, struct buf *out)
{
	char ticket[2 * RUN_TICKET_MAX + 1] = "";

	if (r->ticket.len <= RUN_TICKET_MAX)
		sodium_bin2hex(ticket, sizeof(ticket), r->ticket.p, r->ticket.len);
	mp_put_pairs(out, mp_uint("at", r->at_ms), mp_str("connectionId", r->connection), mp_str("content", r->content),
	    mp_cstr("ticket", ticket));
}

void
shared_notes_offer(struct call *c, const struct run *r)
{
	struct buf args = { 0 };
	size_t map = mp_open_pairs(&args, mp_cstr("runId", r->id));

	mp_put_cstr(&args, "note");
	put_note(r, &args);
	mp_put_cstr(&args, "status");
	run_put(r, RUN_STATUS, &args);
	mp_end(&args, map);
	call_continue(c, "note_offer", SPAN(""), buf_view(&args), MP_EMPTY_MAP);
	buf_fini(&args);
}

void
shared_notes_look(struct call *c, struct span id)
{
	struct buf args = { 0 };

	mp_put_pairs(&args, mp_str("runId", id));
	call_continue(c, "note_look", SPAN(""), buf_view(&args), MP_EMPTY_MAP);
	buf_fini(&args);
}

void
shared_notes_refuse(struct call *c, struct span id, struct err *err)
{
	struct buf args = { 0 };
	struct mp_value answer;
	struct call_ask ask = { .tool = "note_look", .deadline_ns = clock_ns() + STEP_NS };
	struct err why;
	struct span node = SPAN("");

	mp_put_pairs(&args, mp_str("runId", id), mp_bool("where", true));
	ask.args = buf_view(&args);
	if (call_sub(c, &ask, &answer, &why) == 0)
		node = mp_get_str(&answer, "node", SPAN(""));
	if (node.len > 0)
		err_set(err, ERR_BUSY,
		    "the node %.*s wrote this run, and has what it replaced: `carrel cluster drain` this node, and do "
		    "it "
		    "there",
		    SPAN_FMT(node));
	else
		err_set(err, ERR_PAGE_NOT_FOUND,
		    "There is no such memory run on this node; of nodes that share a store, each has the runs that it "
		    "wrote: `carrel memory log` there shows them");
	buf_fini(&args);
}

/* One question to the store; take, unless NULL, has the answer while it is there. */
struct notes_step {
	struct buf	 args;
	void		(*take)(struct notes_step *s, const struct mp_value *answer);
	enum shared_notes_may may;
};

static int
ask_step(struct call *c, void *arg, struct err *err)
{
	struct notes_step *s = arg;
	struct mp_value answer;
	struct call_ask ask = { .tool = "note_step", .args = buf_view(&s->args), .deadline_ns = clock_ns() + STEP_NS };

	if (call_sub(c, &ask, &answer, err) != 0)
		return -1;
	if (s->take != NULL)
		s->take(s, &answer);
	return 0;
}

/* -1: the store was not asked; it is asked again. */
static int
do_step(struct notes_step *s)
{
	struct err err;
	int result = serve_ask_for(SPAN(""), STEP_NS, ask_step, s, &err);

	if (result != 0)
		log_debug("the state store was not asked about notes: %s", err.message);
	buf_fini(&s->args);
	return result;
}

struct notes_end {
	struct notes_step	step;
	enum shared_notes_end	end;
	bool			wrote;	/* this node changed files */
};

/* Whether a status says that pages or measures were written. */
static bool
has_captured(const struct mp_value *status)
{
	struct mp_value captured, each;
	struct mp_iter it;
	struct span key;

	if (!mp_get(status, "captured", &captured) || captured.class != MP_MAP)
		return false;
	for (it = mp_iter(&captured); mp_next_pair(&it, &key, &each);)
		if (each.class == MP_ARRAY && each.n > 0)
			return true;
	return false;
}

static void
take_end(struct notes_step *s, const struct mp_value *answer)
{
	struct notes_end *e = (struct notes_end *)s;
	struct mp_value there;

	e->end = SHARED_NOTES_OVER;
	if (!e->wrote)
		return;
	if (mp_get_bool(answer, "wait", false))
		e->end = SHARED_NOTES_LATER;
	else if (mp_get(answer, "elsewhere", &there) && there.class == MP_MAP &&
	    (has_captured(&there) || !span_is_str(mp_get_str(&there, "status", SPAN("")), "done")))
		e->end = SHARED_NOTES_UNDO;
}

enum shared_notes_end
shared_notes_end(const struct run *r, bool wrote)
{
	struct notes_end e = { .step = { .take = take_end }, .end = SHARED_NOTES_LATER,
		.wrote = wrote };
	struct notes_step *s = &e.step;
	size_t map = mp_open_pairs(&s->args, mp_cstr("step", "end"), mp_cstr("runId", r->id),
	    mp_bool("done", r->stage == RUN_DONE));

	mp_put_cstr(&s->args, "status");
	run_put(r, RUN_STATUS, &s->args);
	mp_end(&s->args, map);
	return do_step(s) == 0 ? e.end : SHARED_NOTES_LATER;
}

/* A run that was not made, for this reason. */
static void
fail_note(struct span id, const char *why)
{
	struct run *r = run_new(false);

	snprintf(r->id, sizeof(r->id), "%.*s", SPAN_FMT(id));
	log_warn("run %s: %s", r->id, why);
	r->at_ms = run_time(r->id);
	r->stage = RUN_ERROR;
	r->finished_ms = clock_unix_ms();
	r->error = arena_span(r->arena, span_str(why));
	(void)shared_notes_end(r, false);
	run_free(r);
}

static void
read_note(struct run *r, struct span principal, const struct mp_value *note)
{
	struct span hex = mp_get_str(note, "ticket", SPAN(""));
	uint8_t ticket[RUN_TICKET_MAX];
	size_t len = 0;

	r->at_ms = mp_get_uint(note, "at", 0);
	r->principal = arena_span(r->arena, principal);
	r->connection = arena_span(r->arena, mp_get_str(note, "connectionId", SPAN("")));
	r->content = arena_span(r->arena, mp_get_str(note, "content", SPAN("")));
	r->signals = signals_read(r->arena, r->content, NULL, NULL);
	if (sodium_hex2bin(ticket, sizeof(ticket), (const char *)hex.p, hex.len, NULL, &len, NULL) == 0)
		r->ticket = arena_span(r->arena, span_of(ticket, len));
	r->shared = true;
	run_identify(r);
}

/* What is to be done once the question has been answered: nothing more is asked within it. */
struct taken_note {
	char		 id[RUN_ID_MAX];
	struct run	*r;		/* to be journaled; NULL: it cannot be read */
	bool		 begun;		/* this node was writing it */
};

struct notes_next {
	struct notes_step	step;
	struct taken_note	note;
};

static void
take_next(struct notes_step *s, const struct mp_value *answer)
{
	struct notes_next *n = (struct notes_next *)s;
	struct span id = mp_get_str(answer, "runId", SPAN(""));
	struct mp_value note;

	if (id.len == 0 || id.len >= RUN_ID_MAX)
		return;
	snprintf(n->note.id, sizeof(n->note.id), "%.*s", SPAN_FMT(id));
	n->note.begun = mp_get_bool(answer, "begun", false);
	if (!mp_get(answer, "note", &note))
		return;
	n->note.r = run_new(false);
	read_note(n->note.r, mp_get_str(answer, "principal", SPAN("")), &note);
	if (strcmp(n->note.r->id, n->note.id) == 0)
		return;
	run_free(n->note.r);
	n->note.r = NULL;
}

bool
shared_notes_are_old(uint64_t at_ms, uint64_t now_ms)
{
	return (now_ms > at_ms ? now_ms - at_ms : at_ms - now_ms) > SHARED_NOTES_OLD_MS;
}

struct run *
shared_notes_take(const struct memory *m, int state, bool *more)
{
	struct notes_next n = { .step = { .take = take_next }, .note = { .r = NULL } };
	struct run *here, *taken = NULL;
	struct err err;

	*more = false;
	mp_put_pairs(&n.step.args, mp_cstr("step", "next"));
	if (!m->shared || do_step(&n.step) != 0 || n.note.id[0] == '\0')
		return NULL;
	(void)fault_point("memory.taken");
	*more = true;
	here = run_load(state, span_str(n.note.id), NULL);
	if (here != NULL && run_has_ended(here))
		(void)shared_notes_end(here, false);
	else if (here != NULL)
		taken = here; /* journaled, and not in the queue: as after a failure */
	else if (n.note.begun)
		fail_note(span_str(n.note.id),
		    "this node had begun to write the note, and has lost its own record of it; keep it again");
	else if (n.note.r == NULL)
		fail_note(span_str(n.note.id), "the note in the state store cannot be read; keep it again");
	else if (shared_notes_are_old(n.note.r->at_ms, clock_unix_ms()))
		fail_note(span_str(n.note.id), "the note waited for more than a day to be written; keep it again");
	else if (run_accept(n.note.r, state, &err) == 0)
		taken = n.note.r;
	else
		log_warn("run %s waits: %s", n.note.r->id, err.message);
	if (taken != here)
		run_free(here);
	if (taken != n.note.r)
		run_free(n.note.r);
	return taken;
}

static void
take_may(struct notes_step *s, const struct mp_value *answer)
{
	struct span may = mp_get_str(answer, "may", SPAN(""));

	s->may = span_is_str(may, "go") ? SHARED_NOTES_GO :
	    span_is_str(may, "gone")    ? SHARED_NOTES_GONE :
					  SHARED_NOTES_WAIT;
}

enum shared_notes_may
shared_notes_may(const struct run *r)
{
	struct notes_step s = { .take = take_may, .may = SHARED_NOTES_WAIT };

	if (!r->shared || r->permitted || r->step != RUN_STEP_INGEST || r->stage > RUN_WRITE)
		return SHARED_NOTES_GO;
	mp_put_pairs(&s.args, mp_cstr("step", "begin"), mp_cstr("runId", r->id),
	    mp_bool("again", r->stage == RUN_WRITE));
	return do_step(&s) == 0 ? s.may : SHARED_NOTES_WAIT;
}

#include "workers/auth/notes.h"

#include <stdio.h>

#include "base/system/log.h"
#include "workers/auth/nodes.h"
#include "workers/auth/sealed.h"
#include "workers/auth/store/store_note.h"
#include "workers/shared/call.h"

static const char purpose[] = "notes: for the node that writes";

static int
check_shared(struct auth *a, struct err *err)
{
	return store_is_shared(a->store) ?
	    0 :
	    err_set(err, ERR_SERVICE_UNAVAILABLE, "no store that nodes share is configured");
}

/* What is kept of a note: its id, so that no row can be put in the place of another, its principal, and the map. */
static void
seal_note(const struct auth *a, struct span id, struct span principal, const struct mp_value *note,
    const struct mp_value *status, struct buf *sealed)
{
	struct buf plain = { 0 };
	size_t map = mp_open_pairs(&plain, mp_str("runId", id), mp_str("principal", principal));

	mp_put_cstr(&plain, "status");
	buf_span(&plain, status->raw);
	if (note != NULL) {
		mp_put_cstr(&plain, "note");
		buf_span(&plain, note->raw);
	}
	mp_end(&plain, map);
	sealed_put(a, purpose, buf_view(&plain), sealed);
	buf_wipe(&plain);
}

static bool
open_note(const struct auth *a, const struct store_note *n, struct buf *plain, struct mp_value *v)
{
	if (sealed_open(a, purpose, n->sealed, plain) && mp_value(buf_view(plain), v) && v->class == MP_MAP &&
	    span_is(mp_get_str(v, "runId", SPAN_NONE), n->id))
		return true;
	log_error("the note %.*s in the state store was not made by these nodes", SPAN_FMT(n->id));
	return false;
}

int
notes_offer_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct buf sealed = { 0 }, out = { 0 };
	struct mp_value note, status;
	char id[STORE_NOTE_ID + 1];
	int took = -1;

	if (check_shared(a, err) != 0)
		return -1;
	if (mp_get(args, "note", &note) && mp_get(args, "status", &status)) {
		seal_note(a, mp_get_str(args, "runId", SPAN("")), call_principal(c), &note, &status, &sealed);
		took = store_note_offer(a->store, mp_get_str(args, "runId", SPAN("")), buf_view(&sealed), id, err);
	}
	if (took == 0)
		err_set(err, ERR_BUSY,
		    "%u notes wait for the node that writes this project; try again when it has caught up",
		    STORE_NOTES);
	if (took == 1) {
		mp_put_pairs(&out, mp_cstr("runId", id));
		call_result(c, buf_view(&out));
	}
	buf_fini(&out);
	buf_fini(&sealed);
	return took == 1 ? 0 : -1;
}

struct notes_found {
	struct auth	*a;
	struct buf	 out;
	bool		 bad;
};

/* What is answered of a note that is not written yet: as it was offered, but where it is. */
static void
put_status(const struct store_note *n, const struct mp_value *status, struct buf *out)
{
	static const char *const stages[] = { "queued", "triage", "write" };
	bool waits = n->state < STORE_NOTE_DONE;
	struct mp_iter it = mp_iter(status);
	size_t mark = mp_open_map(out), pairs = 0;
	struct mp_value v;
	struct span key;

	for (; mp_next_pair(&it, &key, &v); pairs++) {
		mp_put_str(out, key);
		if (waits && span_is_str(key, "stage"))
			mp_put_cstr(out, stages[n->state]);
		else
			buf_span(out, v.raw);
	}
	if (n->state == STORE_NOTE_WRITTEN && n->gone) {
		char why[320];

		snprintf(why, sizeof(why),
		    "the node %.*s was writing this note and is away; it goes on when that node is back, or after "
		    "`carrel cluster release %.*s`",
		    SPAN_FMT(n->writer), SPAN_FMT(n->writer));
		mp_pair_cstr(out, "error", why);
		pairs++;
	}
	mp_close(out, mark, pairs);
}

static void
look_note(void *arg, const struct store_note *n)
{
	struct notes_found *f = arg;
	struct buf plain = { 0 };
	struct mp_value v, status;

	f->bad = !open_note(f->a, n, &plain, &v) || !mp_get(&v, "status", &status) || status.class != MP_MAP;
	if (!f->bad)
		put_status(n, &status, &f->out);
	buf_wipe(&plain);
}

static void
look_writer(void *arg, const struct store_note *n)
{
	struct notes_found *f = arg;

	mp_put_pairs(&f->out, mp_str("node", n->writer));
}

int
notes_look_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct notes_found f = { .a = call_state(c) };
	struct span id = mp_get_str(args, "runId", SPAN(""));
	int shown = (int)(id.len < 100 ? id.len : 100), found;

	if (check_shared(f.a, err) != 0)
		return -1;
	found = store_note_look(f.a->store, id, mp_get_bool(args, "where", false) ? look_writer : look_note, &f, err);
	if (found == 1 && !f.bad)
		call_result(c, buf_view(&f.out));
	else if (found == 1)
		err_set(err, ERR_SERVICE_UNAVAILABLE, "the state store has a note of this id that cannot be read");
	else if (found > 1)
		err_set(err, ERR_INVALID_ARGUMENTS, "several memory runs begin with \"%.*s\"; give more of the id",
		    shown, (const char *)id.p);
	else if (found == 0)
		err_set(err, ERR_PAGE_NOT_FOUND,
		    "There is no memory run \"%.*s\"; memory_ingest returns the runId to ask for.", shown,
		    (const char *)id.p);
	buf_fini(&f.out);
	return found == 1 && !f.bad ? 0 : -1;
}

static void
take_note(void *arg, const struct store_note *n)
{
	struct notes_found *f = arg;
	struct buf plain = { 0 };
	struct mp_value v, note = { .class = MP_NIL };
	bool good = open_note(f->a, n, &plain, &v) && mp_get(&v, "note", &note) && note.class == MP_MAP;
	size_t map = mp_open_pairs(&f->out, mp_str("runId", n->id), mp_bool("begun", n->state == STORE_NOTE_WRITTEN));

	/* One that cannot be read is ended by the worker, so that others get their turn. */
	if (good) {
		mp_pair_str(&f->out, "principal", mp_get_str(&v, "principal", SPAN("")));
		mp_put_cstr(&f->out, "note");
		buf_span(&f->out, note.raw);
	}
	mp_end(&f->out, map);
	buf_wipe(&plain);
}

static int
step_next(struct call *c, struct auth *a, struct err *err)
{
	struct notes_found f = { .a = a };
	int found =
	    store_notes_open(a->store) == 0 ? 0 : store_note_next(a->store, nodes_may_write(a), take_note, &f, err);

	if (found == 0)
		buf_span(&f.out, MP_EMPTY_MAP);
	if (found >= 0)
		call_result(c, buf_view(&f.out));
	buf_wipe(&f.out);
	return found < 0 ? -1 : 0;
}

/* A note that this node has begun to write or has written, and that the store does not give it now. */
struct notes_doubt {
	struct notes_found found;	/* the status with which another node has ended it */
	bool	own, open;		/* this node has it, or has ended it; no node has ended it */
};

static void
doubt_note(void *arg, const struct store_note *n)
{
	struct notes_doubt *d = arg;

	d->own = span_is_str(n->writer, d->found.a->conf.node) && n->state >= STORE_NOTE_WRITTEN;
	d->open = n->state < STORE_NOTE_DONE;
	if (!d->own && !d->open)
		look_note(&d->found, n);
}

/* 1; 0: the store has no such note any more; -1. */
static int
look_doubt(struct auth *a, struct span id, struct notes_doubt *d, struct err *err)
{
	*d = (struct notes_doubt){ .found = { .a = a } };
	return store_note_look(a->store, id, doubt_note, d, err);
}

/* again: the run may have changed files in an earlier process. */
static int
step_begin(struct call *c, struct auth *a, struct span id, bool again, struct err *err)
{
	bool certain = nodes_may_write(a) || !store_writer(a->store).own;
	int begun = certain ? store_note_begin(a->store, id, err) : 0, found = 1;
	struct notes_doubt d = { .own = false };
	struct buf out = { 0 };

	if (begun == 0 && certain && again)
		found = look_doubt(a, id, &d, err);
	buf_fini(&d.found.out);
	if (begun < 0 || found < 0)
		return -1;
	mp_put_pairs(&out, mp_cstr("may", begun == 1 || found == 0 || d.own ? "go" : certain ? "gone" : "wait"));
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}

static int
step_end(struct call *c, struct auth *a, const struct mp_value *args, struct err *err)
{
	struct span id = mp_get_str(args, "runId", SPAN(""));
	struct notes_doubt d = { .own = true };
	struct buf sealed = { 0 }, out = { 0 };
	struct mp_value status;
	int ended, found = 0;
	size_t map;

	if (!mp_get(args, "status", &status))
		return err_set(err, ERR_INVALID_ARGUMENTS, "status is missing");
	seal_note(a, id, call_principal(c), NULL, &status, &sealed);
	ended = store_note_end(a->store, id, mp_get_bool(args, "done", false), buf_view(&sealed), err);
	buf_fini(&sealed);
	if (ended == 0)
		found = look_doubt(a, id, &d, err);
	if (ended >= 0 && found >= 0) {
		map = mp_open_pairs(&out, mp_bool("wait", found == 1 && !d.own && d.open));
		if (found == 1 && !d.own && !d.open && !d.found.bad) {
			mp_put_cstr(&out, "elsewhere");
			buf_span(&out, buf_view(&d.found.out));
		}
		mp_end(&out, map);
		call_result(c, buf_view(&out));
	}
	buf_fini(&d.found.out);
	buf_fini(&out);
	return ended >= 0 && found >= 0 ? 0 : -1;
}

int
notes_step_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct span step = mp_get_str(args, "step", SPAN(""));

	if (check_shared(a, err) != 0)
		return -1;
	if (span_is_str(step, "next"))
		return step_next(c, a, err);
	return span_is_str(step, "begin") ?
	    step_begin(c, a, mp_get_str(args, "runId", SPAN("")), mp_get_bool(args, "again", false), err) :
	    step_end(c, a, args, err);
}

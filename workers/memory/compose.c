/* compose.c - see compose.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "project/files.h"
#include "project/source.h"
#include "workers/memory/compose.h"
#include "workers/memory/measure.h"
#include "workers/memory/page.h"
#include "workers/memory/sources.h"

#define TEXT_MAX	((size_t)4 << 20)
#define KEYS_TRIED	20

struct compose {
	const struct memory	*m;
	struct run		*r;
	struct arena		*a;
	struct note		 note;
	struct note_origin	 origin;
	struct run_changes	*out;
	bool			 propose;	/* only a page of its own, for review */
	/* The page it goes to: text empty when it is to be made. */
	struct span		 key, text;
	struct note_dispute	 dispute;
	struct wiki_page	 page;
	bool			 exists, known, approve;
	struct span		 about;		/* the page about the same subject, when it exists */
	/* Another page that says otherwise about the same, and how. */
	struct span		 other_key, other_text, other_says;
	/* Why the semantic layer has no part in it, or which part. */
	struct span		 remark;
};

static struct span
say(struct compose *c, const char *text)
{
	return arena_span(c->a, span_str(text));
}

/* --- the page -------------------------------------------------------------------------- */

/* 1: read, 0: there is none, -1: there is one that cannot be read. */
static int
read_page(struct compose *c, int wiki, struct span key, struct span *text, struct wiki_page *page)
{
	char path[FILES_PATH_MAX];
	struct buf b = { 0 };
	enum files_fault fault;
	int r = -1;

	snprintf(path, sizeof(path), "global/%.*s.md", SPAN_FMT(key));
	fault = files_read(wiki, path, WIKI_BYTES_MAX, &b, NULL);
	if (fault == FILES_MISSING)
		r = 0;
	else if (fault == FILES_OK) {
		*text = arena_span(c->a, buf_view(&b));
		r = wiki_parse(c->a, *text, page, NULL) == 0 ? 1 : -1;
	}
	buf_fini(&b);
	return r;
}

static bool
settle(struct compose *c, int wiki, struct span key)
{
	struct wiki_page page;
	struct span text;

	if (!files_is_id(key) || read_page(c, wiki, key, &text, &page) != 1 ||
	    span_is_str(page.status, "proposed") || !note_same_subject(&c->note, key, &page) || text.len + c->note.body.len + 4096 > WIKI_BYTES_MAX)
		return false;
	c->exists = true;
	c->key = arena_span(c->a, key);
	c->text = text;
	c->page = page;
	return true;
}

/* Of the other pages that search named, the first that says otherwise about what the note defines. */
static void
find_dispute(struct compose *c, int wiki)
{
	struct wiki_page page;
	struct span text, says;

	for (size_t i = 0; i < c->r->npages && c->other_key.len == 0; i++) {
		struct span key = c->r->pages[i];

		if (span_is(key, c->key) || !files_is_id(key) || read_page(c, wiki, key, &text, &page) != 1 ||
		    span_is_str(page.status, "proposed") || (says = note_contradicts(&c->note, &page)).len == 0)
			continue;
		c->other_key = key;
		c->other_text = text;
		c->other_says = says;
	}
	if (c->dispute.says.len == 0 && c->other_key.len > 0)
		c->dispute = (struct note_dispute){ c->other_says,
			span_str(arena_printf(c->a, "[[%.*s]]", SPAN_FMT(c->other_key))) };
}

/* A key that is free; a page that waits for approval and says the same already is taken for it. */
static void
find_key(struct compose *c, int wiki)
{
	struct span text, stem = c->note.key;
	struct wiki_page page;

	if (c->propose && c->exists)
		stem = span_str(arena_printf(c->a, "%.*s-proposed", SPAN_FMT(c->note.key)));
	c->key = stem;
	for (unsigned n = 2; n < KEYS_TRIED; n++) {
		int found = read_page(c, wiki, c->key, &text, &page);

		if (found == 1 && span_is_str(page.status, "proposed") && note_is_known(&c->note, &page))
			c->known = true;
		if (found == 0 || c->known)
			return;
		c->key = span_str(arena_printf(c->a, "%.*s-%u", SPAN_FMT(stem), n));
	}
}

/* A page about the same subject, of those that search named; else a key of its own. */
static int
find_page(struct compose *c, struct err *err)
{
	int wiki = memory_open_place(c->m, "wiki", err);
	bool found;

	if (wiki < 0)
		return -1;
	found = settle(c, wiki, c->note.key);
	for (size_t i = 0; !found && i < c->r->npages; i++)
		found = settle(c, wiki, c->r->pages[i]);
	if (found) {
		c->known = note_is_known(&c->note, &c->page);
		c->dispute = (struct note_dispute){ note_contradicts(&c->note, &c->page), SPAN("what is known") };
		c->about = c->key;
	}
	if (!c->known && !c->approve && (!found || c->propose))
		find_key(c, wiki);
	if (!c->known)
		find_dispute(c, wiki);
	close(wiki);
	return 0;
}

static const char *
wiki_reason(const struct compose *c)
{
	if (c->known)
		return c->exists ? "the page says it already" : "a page that waits for approval says it already";
	if (c->propose)
		return c->exists ? "proposed for the page about this subject; it waits for approval" :
		    "no page is about this subject yet; it waits for approval";
	if (c->exists && c->dispute.says.len > 0)
		return "the page is about the same subject and says otherwise; both statements stand there, marked";
	if (c->dispute.says.len > 0)
		return "no page is about this subject yet; what it contradicts is marked on it";
	return c->exists ? "the page is about the same subject" : "no page is about this subject yet";
}

static struct run_change *
new_change(struct compose *c, enum run_kind kind, enum run_action action, struct span path, struct span name)
{
	struct run_change *out = run_change(c->out, kind, action);

	out->path = path;
	out->name = name;
	out->summary = c->note.summary;
	return out;
}

static struct span
page_path(struct compose *c, struct span key)
{
	return span_str(arena_printf(c->a, "wiki/global/%.*s.md", SPAN_FMT(key)));
}

/* What the page becomes; -1 with *err when it does not fit. */
static int
set_texts(struct compose *c, struct run_change *out, struct span before, const struct buf *after, int r, struct err *err)
{
	out->before = before;
	out->after = arena_span(c->a, buf_view(after));
	return r == 0 && out->after.len == 0 ? err_set(err, ERR_RESULT_TOO_LARGE, "the page would be too large") : r;
}

static int
change_page(struct compose *c, struct err *err)
{
	bool extend = c->exists && !c->propose;
	struct run_change *out = new_change(c, RUN_WIKI, c->known ? RUN_SKIPPED : extend ? RUN_UPDATED : RUN_CREATED,
	    page_path(c, c->key), c->key);
	struct buf text = { 0 };
	int r = 0;

	out->reason = span_str(arena_printf(c->a, "%s%s%.*s", wiki_reason(c), c->remark.len > 0 ? "; " : "",
	    SPAN_FMT(c->remark)));
	if (c->known)
		return 0;
	if (extend)
		r = page_extend(c->a, c->text, &c->note, &c->origin, &c->dispute, &text, err);
	else
		page_new(&c->note, &c->origin, &c->dispute, &text);
	r = set_texts(c, out, extend ? c->text : span_of(NULL, 0), &text, r, err);
	buf_fini(&text);
	return r;
}

/* The other side of a contradiction says so too. */
static int
mark_other_page(struct compose *c, struct err *err)
{
	struct buf text = { 0 };
	struct run_change *out;
	char *told;
	int r = 0;

	if (c->other_key.len == 0 || c->known || c->propose)
		return 0;
	told = arena_printf(c->a, "**Contradicted on [[%.*s]]**", SPAN_FMT(c->key));
	if (memmem(c->other_text.p, c->other_text.len, told, strlen(told)) != NULL)
		return 0;
	out = new_change(c, RUN_WIKI, RUN_UPDATED, page_path(c, c->other_key), c->other_key);
	out->summary = c->other_says;
	out->reason = span_str(arena_printf(c->a, "%.*s says otherwise; neither was changed", SPAN_FMT(c->key)));
	r = page_remark(c->a, c->other_text, c->note.summary, c->key, &c->origin, &text, err);
	r = set_texts(c, out, c->other_text, &text, r, err);
	buf_fini(&text);
	return r;
}

/* --- the measure ------------------------------------------------------------------------- */

/* The connection's files as they are taken together (borrowed), and the one that holds the source. */
struct layer {
	struct source_set	*set;
	struct measure		 measure;
	struct span		 file, text;	/* empty: only the scan knows the source */
};

static void
ignore(void *arg, const struct source *before, const struct source *after)
{
	(void)arg;
	(void)before;
	(void)after;
}

/* With text in place of path the source still composes, and has the measure. */
static int
try_out(struct layer *l, const char *path, struct span text, struct err *err)
{
	const struct source *s;
	size_t n = 0;

	if ((s = source_set_get(l->set, l->measure.source)) != NULL)
		for (size_t i = 0; i < s->ncolumns; i++)
			if (span_is_str(l->measure.name, s->columns[i].name))
				return err_set(err, ERR_INVALID_QUERY, "%s has a column of that name", s->name);
	if (source_set_put(l->set, path, text, err) != 0)
		return -1;
	source_set_compose(l->set, ignore, NULL);
	for (size_t i = 0; i < source_set_troubles(l->set); i++)
		if (strcmp(source_set_trouble(l->set, i).path, path) == 0)
			return err_set(err, ERR_INVALID_QUERY, "%s: %s", path, source_set_trouble(l->set, i).reason);
	if ((s = source_set_get(l->set, l->measure.source)) != NULL)
		for (size_t i = 0; i < s->nmeasures; i++)
			n += span_is_str(l->measure.name, s->measures[i].name);
	return n == 1 ? 0 : err_set(err, ERR_INVALID_QUERY, "the source would not have the measure");
}

/* The file to write; for an overlay named after its source. */
static struct span
file_for(struct compose *c, const struct layer *l)
{
	const struct span *s = &l->measure.source;

	if (l->file.len > 0)
		return l->file;
	for (size_t i = 0; i < s->len; i++)
		if (!(ascii_is_lower(s->p[i]) || (ascii_is_digit(s->p[i]) && i > 0) || s->p[i] == '_'))
			return span_of(NULL, 0);
	return s->len > 64 ? span_of(NULL, 0) : span_str(arena_printf(c->a, "%.*s.yaml", SPAN_FMT(*s)));
}

static struct span
layer_path(struct compose *c, struct span file)
{
	return span_str(arena_printf(c->a, "semantic-layer/%.*s/%.*s", SPAN_FMT(c->r->connection), SPAN_FMT(file)));
}

/* The source's measure of that name means something else: both sides say so, and neither is changed. */
static void
conflict(struct compose *c, const struct layer *l, struct span expr)
{
	struct run_change *out = new_change(c, RUN_SEMANTIC, RUN_SKIPPED, layer_path(c, l->file), l->measure.source);
	struct buf text = { 0 };

	out->summary = span_str(arena_printf(c->a, "measure %.*s", SPAN_FMT(l->measure.name)));
	out->reason = span_str(arena_printf(c->a, "%.*s.%.*s is defined there as %.*s, which contradicts %.*s; it was not "
	    "changed", SPAN_FMT(l->measure.source), SPAN_FMT(l->measure.name), SPAN_FMT(expr), SPAN_FMT(l->measure.expr)));
	if (!c->propose && measure_mark(c->a, l->text, &l->measure, c->key, &text, NULL) == 1) {
		out->action = RUN_UPDATED;
		out->before = l->text;
		out->after = arena_span(c->a, buf_view(&text));
	}
	if (c->dispute.says.len == 0)
		c->dispute = (struct note_dispute){ span_str(arena_printf(c->a, "The semantic layer defines `%.*s.%.*s` as `%.*s`.",
		    SPAN_FMT(l->measure.source), SPAN_FMT(l->measure.name), SPAN_FMT(expr))), SPAN("the semantic layer") };
	c->remark = say(c, "the semantic layer has a measure of that name that says otherwise");
	buf_fini(&text);
}

static int
write_measure(struct compose *c, struct layer *l, struct err *err)
{
	struct span file = file_for(c, l), description = c->note.summary;
	struct buf text = { 0 };
	struct run_change *out;
	int r = -1;

	if (file.len == 0)
		return err_set(err, ERR_INVALID_QUERY, "the source's name is no file name");
	description = span_str(arena_printf(c->a, "%.*s (wiki: %.*s)", SPAN_FMT(description), SPAN_FMT(c->key)));
	if (measure_add(c->a, l->text, &l->measure, description, &text, err) == 0 &&
	    try_out(l, arena_cstr(c->a, file), buf_view(&text), err) == 0) {
		out = new_change(c, RUN_SEMANTIC, c->propose ? RUN_SKIPPED : l->file.len > 0 ? RUN_UPDATED : RUN_CREATED,
		    layer_path(c, file), l->measure.source);
		out->summary = span_str(arena_printf(c->a, "measure %.*s: %.*s", SPAN_FMT(l->measure.name),
		    SPAN_FMT(l->measure.expr)));
		out->reason = say(c, c->propose ? "it defines a measure that compiles and runs, and waits for approval" :
		    "it defines a measure that compiles and runs");
		if (!c->propose) {
			out->before = l->text;
			out->after = arena_span(c->a, buf_view(&text));
		}
		r = c->propose || out->after.len > 0 ? 0 : err_set(err, ERR_RESULT_TOO_LARGE, "the file would be too large");
	}
	/* The text that was tried is in the files' set now, and may not come to be written. */
	sources_forget(c->m->sources, c->r->connection, arena_cstr(c->a, file));
	buf_fini(&text);
	return r;
}

static void
add_ref(struct compose *c, struct wiki_strings *refs, struct span ref)
{
	struct span *v = arena_array(c->a, refs->n + 1, sizeof(*v));

	if (v == NULL)
		return;
	if (refs->n > 0)
		memcpy(v, refs->v, refs->n * sizeof(*v));
	v[refs->n] = ref;
	refs->v = v;
	refs->n++;
}

static void
link_measure(struct compose *c, const struct measure *m)
{
	add_ref(c, &c->note.sl_refs, span_str(arena_printf(c->a, "%.*s.%.*s", SPAN_FMT(m->source), SPAN_FMT(m->name))));
}

/* What the files below dir say now; dir may be -1: there are none. */
static int
read_layer(struct compose *c, struct layer *l, int dir, struct err *err)
{
	enum files_fault fault;
	struct buf text = { 0 };
	const char *file;

	l->set = sources_read(c->m->sources, c->r->connection, dir);
	file = sources_file(c->m->sources, c->r->connection, l->measure.source);
	if (file == NULL)
		return 0;
	fault = files_read(dir, file, TEXT_MAX, &text, NULL);
	l->file = arena_span(c->a, span_str(file));
	l->text = arena_span(c->a, buf_view(&text));
	if (fault == FILES_OK && l->text.len < text.len)
		fault = FILES_TOO_LARGE;
	buf_fini(&text);
	return fault == FILES_OK ? 0 : err_set(err, ERR_INVALID_QUERY, "%.*s %s", SPAN_FMT(layer_path(c, l->file)),
	    files_fault_text(fault));
}

static int
place_measure(struct compose *c, struct layer *l, struct err *err)
{
	enum measure_fit fit = MEASURE_NEW;
	struct span expr = { NULL, 0 };
	char below[FILES_NAME_MAX + 1];
	int place, dir, r;

	if ((place = memory_open_place(c->m, "semantic-layer", err)) < 0)
		return -1;
	snprintf(below, sizeof(below), "%.*s", SPAN_FMT(c->r->connection));
	if (files_open_dir(place, below, &dir) != FILES_OK)
		dir = -1;
	r = read_layer(c, l, dir, err);
	if (dir != -1)
		close(dir);
	close(place);
	if (r != 0)
		return -1;
	if (l->text.len > 0 && measure_fit(c->a, l->text, &l->measure, &fit, &expr, err) != 0)
		return -1;
	if (fit == MEASURE_OTHER) {
		conflict(c, l, expr);
		return 0;
	}
	if (fit == MEASURE_NEW && write_measure(c, l, err) != 0)
		return -1;
	if (fit == MEASURE_THERE)
		c->remark = say(c, "the semantic layer has this measure already");
	/* A measure that waits is nothing to point to. */
	if (fit == MEASURE_THERE || !c->propose)
		link_measure(c, &l->measure);
	return 0;
}

/* The semantic layer's part.  What keeps it out is a remark, not a failure. */
static void
change_measure(struct compose *c)
{
	struct layer l = { .set = NULL };
	struct err why = { .code = ERR_NONE };
	int r = measure_read(c->a, c->r->content, c->note.title, &l.measure, &why);

	if (r == 0)
		return;
	if (r > 0 && c->r->connection.len == 0)
		r = err_set(&why, ERR_INVALID_QUERY, "no connectionId was given");
	else if (r > 0 && !c->r->tried)
		r = err_set(&why, ERR_INVALID_QUERY, "it could not be tried against the database");
	else if (r > 0 && c->r->refused.len > 0)
		r = err_set(&why, ERR_INVALID_QUERY, "%.*s", SPAN_FMT(c->r->refused));
	if (r > 0)
		r = place_measure(c, &l, &why);
	if (r < 0)
		c->remark = span_str(arena_printf(c->a, "not for the semantic layer: %s", why.message));
}

/* --- runs -------------------------------------------------------------------------------------- */

static void
begin(struct compose *c)
{
	char at[25];

	clock_iso8601(c->r->at_ms, at);
	c->origin = (struct note_origin){ c->r->principal, arena_span(c->a, span_str(at)), span_str(c->r->id), c->propose };
}

int
compose_run(const struct memory *m, struct run *r, struct err *err)
{
	struct compose c = { .m = m, .r = r, .a = r->arena, .out = &r->changes, .propose = m->review };
	struct run_change *none;

	r->changes.n = 0;
	r->review = m->review ? RUN_PROPOSED : RUN_UNREVIEWED;
	if (note_read(r->arena, r->content, &c.note) != 0 || c.note.body.len < 6) {
		none = run_change(c.out, RUN_WIKI, RUN_SKIPPED);
		none->reason = say(&c, "there is nothing in it to keep");
		return 0;
	}
	begin(&c);
	if (find_page(&c, err) != 0)
		return -1;
	/* Which page it is meant for. */
	if (c.propose && c.about.len > 0)
		add_ref(&c, &c.note.refs, c.about);
	change_measure(&c);
	return change_page(&c, err) == 0 ? mark_other_page(&c, err) : -1;
}

/* The page that the run proposed; NULL: it proposed none. */
static const struct run_change *
proposal(const struct run *r)
{
	for (size_t i = 0; i < r->changes.n; i++)
		if (r->changes.v[i].kind == RUN_WIKI && r->changes.v[i].action == RUN_CREATED)
			return &r->changes.v[i];
	return NULL;
}

/* The proposal as it stands; an edited one speaks for itself. */
static int
read_proposal(struct compose *c, const struct run_change *page, struct span *text, struct err *err)
{
	int wiki = memory_open_place(c->m, "wiki", err), found;
	struct wiki_page now;

	if (wiki < 0)
		return -1;
	found = read_page(c, wiki, page->name, text, &now);
	close(wiki);
	if (found != 1 || !span_is_str(now.status, "proposed"))
		return err_set(err, ERR_BUSY, "%.*s is gone, or no longer says that it is proposed; somebody has changed it",
		    SPAN_FMT(page->path));
	if (!span_is(*text, page->after) && note_read(c->a, *text, &c->note) != 0)
		return err_set(err, ERR_BUSY, "there is nothing left in %.*s", SPAN_FMT(page->path));
	return 0;
}

static int
approve_in_place(struct compose *c, const struct run_change *page, struct span now, struct err *err)
{
	struct run_change *out = new_change(c, RUN_WIKI, RUN_UPDATED, page->path, page->name);
	struct buf text = { 0 };
	int r = page_approve(c->a, now, &c->note.sl_refs, &text, err);

	out->reason = say(c, "approved");
	r = set_texts(c, out, now, &text, r, err);
	buf_fini(&text);
	return r;
}

int
compose_approval(const struct memory *m, struct run *r, struct err *err)
{
	struct compose c = { .m = m, .r = r, .a = r->arena, .out = &r->moves, .approve = true };
	const struct run_change *page = proposal(r);
	struct run_change *gone;
	struct span now;

	r->moves.n = 0;
	if (note_read(r->arena, r->content, &c.note) != 0 || (page != NULL && read_proposal(&c, page, &now, err) != 0))
		return page != NULL ? -1 : 0;
	begin(&c);
	if (find_page(&c, err) != 0)
		return -1;
	if (!c.exists)
		c.key = page != NULL ? page->name : c.note.key;
	change_measure(&c);
	if (page == NULL)
		return 0;
	if (!c.exists)
		return approve_in_place(&c, page, now, err) == 0 ? mark_other_page(&c, err) : -1;
	if (change_page(&c, err) != 0 || mark_other_page(&c, err) != 0)
		return -1;
	gone = new_change(&c, RUN_WIKI, RUN_REMOVED, page->path, page->name);
	gone->before = now;
	gone->reason = span_str(arena_printf(c.a, "approved; it is a part of %.*s now", SPAN_FMT(c.key)));
	return 0;
}

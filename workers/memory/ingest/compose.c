/* compose.c - see compose.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "project/files.h"
#include "project/source.h"
#include "workers/memory/ingest/compose.h"
#include "workers/memory/ingest/consult.h"
#include "workers/memory/ingest/measure.h"
#include "workers/memory/ingest/page.h"
#include "workers/memory/ingest/signals.h"
#include "workers/memory/ingest/sources.h"

#define TEXT_MAX	((size_t)4 << 20)
#define KEYS_TRIED	20

/* A page whose statements the note contradicts: they are those of the list from `from` on. */
struct other_page {
	struct span	key, text;
	size_t		from, n;
};

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
	struct note_disputes	 disputes;
	struct wiki_page	 page;
	bool			 exists, known, approve;
	struct span		 about;		/* the page about the same subject, when it exists */
	/* Other pages that say otherwise about the same. */
	size_t			 nothers;
	struct other_page	 others[RUN_PAGES_MAX];
	const struct proposals	*list;
	bool			 silent;	/* nothing of it is for the wiki */
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
	    span_is_str(page.status, "proposed") || text.len + c->note.body.len + 4096 > WIKI_BYTES_MAX)
		return false;
	c->exists = true;
	c->key = arena_span(c->a, key);
	c->text = text;
	c->page = page;
	return true;
}

/* The other pages that search named, as far as they say otherwise about what the note defines. */
static void
find_disputes(struct compose *c, int wiki)
{
	struct wiki_page page;
	struct span text;

	for (size_t i = 0; i < c->r->npages; i++) {
		struct span key = c->r->pages[i].key;
		size_t from = c->disputes.n;

		if (span_is(key, c->key) || !files_is_id(key) || read_page(c, wiki, key, &text, &page) != 1 ||
		    span_is_str(page.status, "proposed"))
			continue;
		note_contradictions(c->a, &c->note, &page, span_str(arena_printf(c->a, "[[%.*s]]", SPAN_FMT(key))), &c->disputes);
		if (c->disputes.n > from)
			c->others[c->nothers++] = (struct other_page){ key, text, from, c->disputes.n - from };
	}
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
		found = c->r->pages[i].near >= c->m->same_subject && settle(c, wiki, c->r->pages[i].key);
	if (found) {
		c->known = note_is_known(&c->note, &c->page);
		note_contradictions(c->a, &c->note, &c->page, SPAN("what is known"), &c->disputes);
		c->about = c->key;
	}
	if (!c->known && !c->approve && (!found || c->propose))
		find_key(c, wiki);
	if (!c->known)
		find_disputes(c, wiki);
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
	if (c->exists && c->disputes.n > 0)
		return "the page is about the same subject and says otherwise; both statements stand there, marked";
	if (c->disputes.n > 0)
		return "no page is about this subject yet; what it contradicts is marked on it";
	return c->exists ? "the page is about the same subject" : "no page is about this subject yet";
}

static struct run_change *
new_change(struct compose *c, enum run_kind kind, enum run_action action, struct span path, struct span name)
{
	static struct run_change beyond;
	struct run_change *out = run_change(c->out, kind, action);

	/* RUN_CHANGES_MAX holds all that a text may propose; what a file may become is written all the same. */
	if (out == NULL) {
		out = &beyond;
		*out = (struct run_change){ .action = RUN_SKIPPED };
	}
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

static void tell_words(struct compose *c, const struct run_change *page);

static int
change_page(struct compose *c, struct err *err)
{
	bool extend = c->exists && !c->propose;
	struct run_change *out = new_change(c, RUN_WIKI, c->known ? RUN_SKIPPED : extend ? RUN_UPDATED : RUN_CREATED,
	    page_path(c, c->key), c->key);
	struct buf text = { 0 };
	int r = 0;

	out->reason = c->r->unasked.len == 0 ? say(c, wiki_reason(c)) : span_str(arena_printf(c->a,
	    "%s, as far as could be asked: %.*s", wiki_reason(c), SPAN_FMT(c->r->unasked)));
	if (c->known) {
		tell_words(c, out);
		return 0;
	}
	if (extend)
		r = page_extend(c->a, c->text, &c->note, &c->origin, &c->disputes, &text, err);
	else
		page_new(&c->note, &c->origin, &c->disputes, &text);
	r = set_texts(c, out, extend ? c->text : span_of(NULL, 0), &text, r, err);
	buf_fini(&text);
	tell_words(c, out);
	return r;
}

/* The other side of its contradictions says so too; -1 with *err when the page does not take it. */
static int
mark_page(struct compose *c, const struct other_page *other, struct err *err)
{
	const struct note_dispute *d = &c->disputes.v[other->from];
	struct span text = other->text;
	struct run_change *out;

	for (size_t i = 0; i < other->n; i++) {
		struct buf marked = { 0 };
		int r = page_remark(c->a, text, &d[i], c->key, &c->origin, &marked, err);

		if (r == 1)
			text = arena_span(c->a, buf_view(&marked));
		buf_fini(&marked);
		if (r == -1)
			return -1;
		if (text.len == 0)
			return err_set(err, ERR_RESULT_TOO_LARGE, "the page would be too large");
	}
	if (span_is(text, other->text))
		return 0;
	out = new_change(c, RUN_WIKI, RUN_UPDATED, page_path(c, other->key), other->key);
	out->summary = d->says;
	out->reason = span_str(arena_printf(c->a, "%.*s says otherwise; neither was changed", SPAN_FMT(c->key)));
	out->before = other->text;
	out->after = text;
	return 0;
}

static int
mark_other_pages(struct compose *c, struct err *err)
{
	for (size_t i = 0; i < c->nothers && !c->known && !c->propose; i++)
		if (mark_page(c, &c->others[i], err) != 0)
			return -1;
	return 0;
}

/* --- the semantic layer ------------------------------------------------------------------- */

/* The connection's files as they are taken together (borrowed), and the one that holds the source. */
struct layer {
	struct source_set	*set;
	struct measure		 measure;
	struct span		 file, text;	/* empty: only the scan knows the source */
	struct run_change	*pending;	/* the change of this run that writes the file already */
};

static const char *
kind_name(const struct measure *m)
{
	return m->column ? "dimension" : "measure";
}

static void
ignore(void *arg, const struct source *before, const struct source *after)
{
	(void)arg;
	(void)before;
	(void)after;
}

/* How often the source has it. */
static size_t
count(const struct source *s, const struct measure *m)
{
	size_t n = 0;

	for (size_t i = 0; s != NULL && m->column && i < s->ncolumns; i++)
		n += span_is_str(m->name, s->columns[i].name);
	for (size_t i = 0; s != NULL && !m->column && i < s->nmeasures; i++)
		n += span_is_str(m->name, s->measures[i].name);
	return n;
}

/* With text in place of path the source still composes, and has the measure. */
static int
try_out(struct layer *l, const char *path, struct span text, struct err *err)
{
	const struct source *s;

	if ((s = source_set_get(l->set, l->measure.source)) != NULL && !l->measure.column)
		for (size_t i = 0; i < s->ncolumns; i++)
			if (span_is_str(l->measure.name, s->columns[i].name))
				return err_set(err, ERR_INVALID_QUERY, "%s has a column of that name", s->name);
	if (source_set_put(l->set, path, text, err) != 0)
		return -1;
	source_set_compose(l->set, ignore, NULL);
	for (size_t i = 0; i < source_set_troubles(l->set); i++)
		if (strcmp(source_set_trouble(l->set, i).path, path) == 0)
			return err_set(err, ERR_INVALID_QUERY, "%s: %s", path, source_set_trouble(l->set, i).reason);
	return count(source_set_get(l->set, l->measure.source), &l->measure) == 1 ? 0 :
	    err_set(err, ERR_INVALID_QUERY, "the source would not have it");
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
	return file.len == 0 ? span_of(NULL, 0) :
	    span_str(arena_printf(c->a, "semantic-layer/%.*s/%.*s", SPAN_FMT(c->r->connection), SPAN_FMT(file)));
}

/* "measure net_takings: sum(net_ct) where not is_test" */
static struct span
described(struct compose *c, const struct measure *m)
{
	return span_str(arena_printf(c->a, "%s %.*s: %.*s%s%.*s", kind_name(m), SPAN_FMT(m->name), SPAN_FMT(m->expr),
	    m->filter.len > 0 ? " where " : "", SPAN_FMT(m->filter)));
}

/* The source's file becomes text; out is the outcome of one proposal in it. */
static void
rewrite(struct compose *c, struct layer *l, struct run_change *out, const struct buf *text)
{
	struct span after = arena_span(c->a, buf_view(text));

	if (l->pending != NULL) {
		l->pending->after = after;
		out->joined = true;
		return;
	}
	out->before = l->text;
	out->after = after;
}

/* The source's measure of that name means something else: both sides say so, and neither is changed. */
static void
conflict(struct compose *c, struct layer *l, struct span expr)
{
	struct run_change *out = new_change(c, RUN_SEMANTIC, RUN_SKIPPED, layer_path(c, l->file), l->measure.source);
	struct buf text = { 0 };

	out->summary = described(c, &l->measure);
	out->reason = span_str(arena_printf(c->a, "%.*s.%.*s is defined there as %.*s, which contradicts %.*s%s%.*s; it was not "
	    "changed", SPAN_FMT(l->measure.source), SPAN_FMT(l->measure.name), SPAN_FMT(expr), SPAN_FMT(l->measure.expr),
	    l->measure.filter.len > 0 ? " where " : "", SPAN_FMT(l->measure.filter)));
	if (!c->propose && !c->silent && measure_mark(c->a, l->text, &l->measure, c->key, &text, NULL) == 1) {
		out->action = RUN_UPDATED;
		rewrite(c, l, out, &text);
	}
	note_dispute_add(&c->disputes, span_str(arena_printf(c->a, "The semantic layer defines `%.*s.%.*s` as `%.*s`.",
	    SPAN_FMT(l->measure.source), SPAN_FMT(l->measure.name), SPAN_FMT(expr))), SPAN("the semantic layer"), l->measure.expr);
	buf_fini(&text);
}

/* What a reader of the source is told: the note's sentence, or for a fragment where it comes from. */
static struct span
description_of(struct compose *c, const struct proposal *p)
{
	struct span said = p->said.len > 0 && p->said.len <= PAGE_SUMMARY_MAX ? p->said : c->note.summary;

	if (p->fragment)
		return span_of(NULL, 0);
	while (said.len > 0 && said.p[said.len - 1] == '.')
		said.len--;
	return span_str(arena_printf(c->a, "%.*s (wiki: %.*s)", SPAN_FMT(said), SPAN_FMT(c->key)));
}

static int
write_measure(struct compose *c, struct layer *l, const struct proposal *p, struct err *err)
{
	struct span file = file_for(c, l);
	struct buf text = { 0 };
	struct run_change *out;
	int r = -1;

	if (file.len == 0)
		return err_set(err, ERR_INVALID_QUERY, "the source's name is no file name");
	if (measure_add(c->a, l->text, &l->measure, description_of(c, p), &text, err) == 0 &&
	    try_out(l, arena_cstr(c->a, file), buf_view(&text), err) == 0) {
		out = new_change(c, RUN_SEMANTIC, c->propose ? RUN_SKIPPED : l->file.len > 0 ? RUN_UPDATED : RUN_CREATED,
		    layer_path(c, file), l->measure.source);
		out->summary = described(c, &l->measure);
		out->reason = span_str(arena_printf(c->a, "it defines a %s that compiles and runs%s", kind_name(&l->measure),
		    c->propose ? ", and waits for approval" : ""));
		if (!c->propose)
			rewrite(c, l, out, &text);
		r = c->propose || out->joined || out->after.len > 0 ? 0 : err_set(err, ERR_RESULT_TOO_LARGE, "the file would be too large");
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

/* This run's change of the file at path; NULL: it makes none. */
static struct run_change *
pending(struct compose *c, struct span path)
{
	for (size_t i = 0; i < c->out->n; i++)
		if (run_writes(&c->out->v[i]) && span_is(c->out->v[i].path, path))
			return &c->out->v[i];
	return NULL;
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
	l->pending = pending(c, layer_path(c, file != NULL ? span_str(file) : file_for(c, l)));
	if (l->pending != NULL) {
		l->file = file != NULL ? arena_span(c->a, span_str(file)) : file_for(c, l);
		l->text = l->pending->after;
		return 0;
	}
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

/* A column that the scan knows is there without being written down. */
static bool
is_scanned(const struct layer *l)
{
	const struct source *s = source_set_get(l->set, l->measure.source);

	for (size_t i = 0; s != NULL && l->measure.column && i < s->ncolumns; i++)
		if (span_is_str(l->measure.name, s->columns[i].name) && s->columns[i].expr == NULL)
			return true;
	return false;
}

static int
place_measure(struct compose *c, struct layer *l, const struct proposal *p, struct err *err)
{
	enum measure_fit fit = MEASURE_NEW;
	struct span expr = { NULL, 0 };
	char below[FILES_NAME_MAX + 1];
	struct run_change *out;
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
	if (fit == MEASURE_NEW && is_scanned(l)) {
		fit = span_is(l->measure.name, l->measure.expr) ? MEASURE_THERE : MEASURE_OTHER;
		if (fit == MEASURE_OTHER)
			return err_set(err, ERR_INVALID_QUERY, "%.*s has a column of that name", SPAN_FMT(l->measure.source));
	}
	if (fit == MEASURE_OTHER) {
		conflict(c, l, expr);
		return 0;
	}
	if (fit == MEASURE_NEW && write_measure(c, l, p, err) != 0)
		return -1;
	if (fit == MEASURE_THERE) {
		out = new_change(c, RUN_SEMANTIC, RUN_SKIPPED, layer_path(c, l->file), l->measure.source);
		out->summary = described(c, &l->measure);
		out->reason = span_str(arena_printf(c->a, "the semantic layer has this %s already", kind_name(&l->measure)));
	}
	/* A measure that waits is nothing to point to. */
	if (!l->measure.column && (fit == MEASURE_THERE || !c->propose))
		link_measure(c, &l->measure);
	return 0;
}

/* Whether the proposal may be placed at all. */
static int
is_sound(struct compose *c, const struct proposal *p, struct err *err)
{
	const struct memory_connection *to;
	const struct run_trial *trial;

	if (p->refused.len > 0)
		return err_set(err, ERR_INVALID_QUERY, "%.*s", SPAN_FMT(p->refused));
	if (c->r->connection.len == 0)
		return err_set(err, ERR_INVALID_QUERY, "no connectionId was given");
	/* A caller's formula would be asked for as a measure, which is what the policy keeps out, unless the owner looks at it. */
	if (!c->m->review && !c->approve && (to = memory_connection(c->m, c->r->connection)) != NULL && to->semantic_only)
		return err_set(err, ERR_INVALID_QUERY, "%s answers only through measures that its owner made "
		    "(query_policy: semantic-layer-only), and nobody reviews what is kept (memory.review: required)", to->id);
	if ((trial = consult_trial(c->r, p)) == NULL)
		return err_set(err, ERR_INVALID_QUERY, "it could not be tried against the database%s%.*s",
		    c->r->unasked.len > 0 ? ": " : "", SPAN_FMT(c->r->unasked));
	return trial->refused.len == 0 ? 0 : err_set(err, ERR_INVALID_QUERY, "%.*s", SPAN_FMT(trial->refused));
}

/* A formula's outcome.  What keeps it out is said, and no failure. */
static void
change_formula(struct compose *c, const struct proposal *p)
{
	struct layer l = { .measure = p->measure };
	struct err why = { .code = ERR_NONE };
	struct run_change *out;

	if (is_sound(c, p, &why) == 0 && place_measure(c, &l, p, &why) == 0)
		return;
	out = new_change(c, RUN_SEMANTIC, RUN_SKIPPED, span_of(NULL, 0), span_of(NULL, 0));
	out->summary = span_str(arena_printf(c->a, "%.*s%s%.*s", SPAN_FMT(p->subject), p->subject.len > 0 && p->formula.len > 0 ? ": " : "",
	    (int)(p->formula.len < 160 ? p->formula.len : 160), (const char *)p->formula.p));
	out->reason = span_str(arena_printf(c->a, "not for the semantic layer: %s", why.message));
}

static void
change_formulas(struct compose *c)
{
	struct run_change *out;

	for (size_t i = 0; i < c->list->n; i++)
		if (c->list->v[i].kind != PROPOSAL_WORDS)
			change_formula(c, &c->list->v[i]);
	if (c->list->more == 0)
		return;
	out = new_change(c, RUN_SEMANTIC, RUN_SKIPPED, span_of(NULL, 0), span_of(NULL, 0));
	out->reason = span_str(arena_printf(c->a, "%zu more formulas and definitions were not looked at; hand them in as a text of "
	    "their own", c->list->more));
}

/* Of several definitions those in words alone: each is told where it stands. */
static void
tell_words(struct compose *c, const struct run_change *page)
{
	const enum run_action action = page->action;
	const struct span path = page->path, name = page->name;

	for (size_t i = 0; c->list->n > 1 && i < c->list->n; i++) {
		const struct proposal *p = &c->list->v[i];
		struct run_change *out;

		if (p->kind != PROPOSAL_WORDS)
			continue;
		out = new_change(c, RUN_WIKI, action, path, name);
		out->joined = action != RUN_SKIPPED;
		out->summary = p->subject;
		out->reason = say(c, action == RUN_SKIPPED ? "the page says it already" : "it is defined in words, which the page keeps");
	}
}

/* --- runs -------------------------------------------------------------------------------------- */

static void
begin(struct compose *c)
{
	char at[25];

	clock_iso8601(c->r->at_ms, at);
	c->note.connection = c->r->connection;
	c->origin = (struct note_origin){ c->r->principal, arena_span(c->a, span_str(at)), span_str(c->r->id), c->propose };
}

/* A run that keeps nothing, and why. */
static int
keep_nothing(struct compose *c, const char *why)
{
	struct run_change *none = run_change(c->out, RUN_WIKI, RUN_SKIPPED);

	none->reason = say(c, why);
	c->r->review = RUN_UNREVIEWED;
	return 0;
}

/*
 * A text that is nothing but a piece of another tool's model is for the
 * semantic layer alone; of what has no place there the page tells in words.
 */
static bool
retell_fragment(struct compose *c)
{
	struct buf body = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < c->list->n; i++) {
		const struct proposal *p = &c->list->v[i];
		struct err why = { .code = ERR_NONE };

		if (is_sound(c, p, &why) == 0)
			continue;
		buf_printf(&body, "- %s %.*s", p->kind == PROPOSAL_COLUMN ? "Dimension" : "Measure", SPAN_FMT(p->subject));
		if (p->formula.len > 0)
			buf_printf(&body, ": `%.*s`", SPAN_FMT(p->formula));
		buf_printf(&body, ". Not in the semantic layer: %s.\n", why.message);
		kept++;
	}
	c->note.body = arena_span(c->a, buf_view(&body));
	if (c->list->model.len > 0)
		note_entitle(c->a, &c->note, span_str(arena_printf(c->a, "Model of %.*s", SPAN_FMT(c->list->model))));
	c->note.summary = span_str(arena_printf(c->a, "What a model of %.*s defines and the semantic layer does not",
	    SPAN_FMT(c->list->model.len > 0 ? c->list->model : c->note.title)));
	buf_fini(&body);
	return kept > 0;
}

int
compose_run(const struct memory *m, struct run *r, struct err *err)
{
	struct compose c = { .m = m, .r = r, .a = r->arena, .out = &r->changes, .propose = m->review };
	struct signal signals[SIGNALS_MAX];

	r->changes.n = 0;
	r->review = m->review ? RUN_PROPOSED : RUN_UNREVIEWED;
	if (note_read(r->arena, r->content, &c.note) != 0 || c.note.body.len < 6)
		return keep_nothing(&c, "there is nothing in it to keep");
	if (signals_read(r->content, signals) == 0)
		return keep_nothing(&c, "nothing in it says that it is worth keeping: no definition, formula, unit, warning or rule; to "
		    "have it kept all the same, begin it with \"Remember:\"");
	if ((c.list = consult_proposals(m, r)) == NULL)
		return err_set(err, ERR_INTERNAL, "the text is too large");
	begin(&c);
	c.silent = !c.list->prose && c.list->n > 0 && !retell_fragment(&c);
	if (find_page(&c, err) != 0)
		return -1;
	/* Which page it is meant for. */
	if (c.propose && c.about.len > 0)
		add_ref(&c, &c.note.refs, c.about);
	change_formulas(&c);
	if (c.silent)
		return 0;
	return change_page(&c, err) == 0 ? mark_other_pages(&c, err) : -1;
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
	if ((c.list = consult_proposals(m, r)) == NULL)
		return err_set(err, ERR_INTERNAL, "the text is too large");
	begin(&c);
	if (find_page(&c, err) != 0)
		return -1;
	if (!c.exists)
		c.key = page != NULL ? page->name : c.note.key;
	change_formulas(&c);
	if (page == NULL)
		return 0;
	if (!c.exists)
		return approve_in_place(&c, page, now, err) == 0 ? mark_other_pages(&c, err) : -1;
	if (change_page(&c, err) != 0 || mark_other_pages(&c, err) != 0)
		return -1;
	gone = new_change(&c, RUN_WIKI, RUN_REMOVED, page->path, page->name);
	gone->before = now;
	gone->reason = span_str(arena_printf(c.a, "approved; it is a part of %.*s now", SPAN_FMT(c.key)));
	return 0;
}

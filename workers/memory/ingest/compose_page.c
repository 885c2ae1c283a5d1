#include <stdio.h>
#include <unistd.h>

#include "project/format/files.h"
#include "project/model/wiki_words.h"
#include "workers/memory/ingest/compose.h"
#include "workers/memory/ingest/compose_page.h"
#include "workers/memory/worker.h"

#define KEYS_TRIED	20
#define PAGE_HAS_IT	"the page says it already"

int
compose_read_page(struct compose *c, int wiki, struct span key, struct span *text, struct wiki_page *page)
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

/* found: by search, and not by its key. */
static bool
choose_page(struct compose *c, int wiki, struct span key, bool found)
{
	struct wiki_page page;
	struct span text;

	if (!files_is_id(key) || compose_read_page(c, wiki, key, &text, &page) != 1 ||
	    span_is_str(page.status, "proposed") || text.len + c->note.body.len + 4096 > WIKI_BYTES_MAX ||
	    (found && !page_note_may_share(&c->note, &page)))
		return false;
	c->exists = true;
	c->key = arena_span(c->a, key);
	c->text = text;
	c->page = page;
	return true;
}

/* Finds contradicting definitions in the other pages that search found. */
static void
find_disputes(struct compose *c, int wiki)
{
	struct wiki_page page;
	struct span text;

	for (size_t i = 0; i < c->r->npages; i++) {
		struct span key = c->r->pages[i].key;
		size_t from = c->disputes.n;

		if (span_is(key, c->key) || !files_is_id(key) || compose_read_page(c, wiki, key, &text, &page) != 1 ||
		    span_is_str(page.status, "proposed"))
			continue;
		page_note_contradictions(c->a, &c->note, &page, span_str(arena_printf(c->a, "[[%.*s]]", SPAN_FMT(key))),
		    &c->disputes);
		if (c->disputes.n > from)
			c->others[c->nothers++] = (struct other_page){ key, text, from, c->disputes.n - from };
	}
}

/* Finds a free key.  If a page that waits for approval has the same content, uses its key. */
static void
find_key(struct compose *c, int wiki)
{
	struct span text, stem = c->note.key;
	struct wiki_page page;

	if (c->propose && c->exists)
		stem = span_str(arena_printf(c->a, "%.*s-proposed", SPAN_FMT(c->note.key)));
	c->key = stem;
	for (unsigned n = 2; n < KEYS_TRIED; n++) {
		int found = compose_read_page(c, wiki, c->key, &text, &page);

		if (found == 1 && span_is_str(page.status, "proposed") && page_note_is_known(&c->note, &page))
			c->known = true;
		if (found == 0 || c->known)
			return;
		c->key = span_str(arena_printf(c->a, "%.*s-%u", SPAN_FMT(stem), n));
	}
}

int
compose_find_page(struct compose *c, struct err *err)
{
	int wiki = memory_open_place(c->m, "wiki", err);
	bool found;

	if (wiki < 0)
		return -1;
	found = choose_page(c, wiki, c->note.key, false);
	for (size_t i = 0; !found && i < c->r->npages; i++)
		found = c->r->pages[i].near >= c->m->same_subject && choose_page(c, wiki, c->r->pages[i].key, true);
	if (found) {
		c->known = page_note_is_known(&c->note, &c->page);
		page_note_contradictions(c->a, &c->note, &c->page, SPAN("what is known"), &c->disputes);
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
		return c->exists ? PAGE_HAS_IT : "a page that waits for approval says it already";
	if (c->propose)
		return c->exists ? "proposed for the page about this subject; it waits for approval" :
				   "no page is about this subject yet; it waits for approval";
	if (c->exists && c->disputes.n > 0)
		return "the page is about the same subject and says otherwise; both statements stand there, marked";
	if (c->disputes.n > 0)
		return "no page is about this subject yet; what it contradicts is marked on it";
	return c->exists ? "the page is about the same subject" : "no page is about this subject yet";
}

static struct span
page_path(struct compose *c, struct span key)
{
	return span_str(arena_printf(c->a, "wiki/global/%.*s.md", SPAN_FMT(key)));
}

int
compose_set_texts(struct compose *c, struct run_change *out, struct span before, const struct buf *after, int r,
    struct err *err)
{
	out->before = before;
	out->after = arena_span(c->a, buf_view(after));
	return r == 0 && out->after.len == 0 ? err_set(err, ERR_RESULT_TOO_LARGE, PAGE_TOO_LARGE) : r;
}

/* For a text with several definitions: each definition in words gets its own outcome. */
static void
report_words(struct compose *c, const struct run_change *page)
{
	const enum run_action action = page->action;
	const struct span path = page->path, name = page->name;

	for (size_t i = 0; c->list->n > 1 && i < c->list->n; i++) {
		const struct proposal *p = &c->list->v[i];
		struct run_change *out;

		if (p->kind != PROPOSAL_WORDS)
			continue;
		out = compose_change(c, RUN_WIKI, action, path, name);
		out->joined = action != RUN_SKIPPED;
		out->summary = p->subject;
		out->reason = compose_text(c,
		    action == RUN_SKIPPED ? PAGE_HAS_IT : "it is defined in words, which the page keeps");
	}
}

/* Words that the note declares for questions get an outcome each. */
static void
report_declared(struct compose *c, const struct run_change *page)
{
	const struct span path = page->path, name = page->name;
	struct span word, means;
	struct wiki_words w;

	wiki_words_begin(&w, &(struct wiki_page){ .body = c->note.body });
	while (c->out->n + 1 < c->out->max && wiki_words_next(&w, &word, &means)) {
		struct run_change *out = compose_change(c, RUN_WIKI, RUN_UPDATED, path, name);

		out->joined = true;
		out->summary = span_str(arena_printf(c->a, "\"%.*s\" means %.*s", SPAN_FMT(word), SPAN_FMT(means)));
		out->reason = compose_text(c,
		    c->propose ? "a word for questions; it waits for approval" :
				 "a word for questions that nothing else gives a meaning; answers name this page");
	}
}

int
compose_page(struct compose *c, struct err *err)
{
	bool extend = c->exists && !c->propose;
	struct run_change *out = compose_change(c, RUN_WIKI,
	    c->known   ? RUN_SKIPPED :
		extend ? RUN_UPDATED :
			 RUN_CREATED,
	    page_path(c, c->key), c->key);
	struct buf text = { 0 };
	int r = 0;

	out->reason = c->r->unasked.len == 0 ?
	    compose_text(c, wiki_reason(c)) :
	    span_str(arena_printf(c->a, "%s, as far as could be asked: %.*s", wiki_reason(c), SPAN_FMT(c->r->unasked)));
	if (c->known) {
		report_words(c, out);
		return 0;
	}
	if (extend)
		r = page_extend(c->a, c->text, &c->note, &c->origin, &c->disputes, &text, err);
	else
		page_new(&c->note, &c->origin, &c->disputes, &text);
	r = compose_set_texts(c, out, extend ? c->text : SPAN_NONE, &text, r, err);
	buf_fini(&text);
	report_words(c, out);
	report_declared(c, out);
	return r;
}

/* Adds a remark to the other page of a contradiction; -1 with *err if that page cannot take it. */
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
			return err_set(err, ERR_RESULT_TOO_LARGE, PAGE_TOO_LARGE);
	}
	if (span_is(text, other->text))
		return 0;
	out = compose_change(c, RUN_WIKI, RUN_UPDATED, page_path(c, other->key), other->key);
	out->summary = d->says;
	out->reason = span_str(arena_printf(c->a, "%.*s says otherwise; neither was changed", SPAN_FMT(c->key)));
	out->before = other->text;
	out->after = text;
	return 0;
}

int
compose_mark_pages(struct compose *c, struct err *err)
{
	for (size_t i = 0; i < c->nothers && !c->known && !c->propose; i++)
		if (mark_page(c, &c->others[i], err) != 0)
			return -1;
	return 0;
}

#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "workers/memory/ingest/compose.h"
#include "workers/memory/ingest/compose_layer.h"
#include "workers/memory/ingest/compose_page.h"
#include "workers/memory/worker.h"

struct span
compose_text(struct compose *c, const char *text)
{
	return arena_span(c->a, span_str(text));
}

struct run_change *
compose_change(struct compose *c, enum run_kind kind, enum run_action action, struct span path, struct span name)
{
	struct run_change *out = run_change(c->out, kind, action);

	/* RUN_CHANGES_MAX is enough for all proposals of a text; further changes are dropped. */
	if (out == NULL) {
		out = &c->beyond;
		*out = (struct run_change){ .action = RUN_SKIPPED };
	}
	out->path = path;
	out->name = name;
	out->summary = c->note.summary;
	return out;
}

void
compose_add_ref(struct compose *c, struct wiki_strings *refs, struct span ref)
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
begin_compose(struct compose *c)
{
	char at[25];

	clock_iso8601(c->r->at_ms, at);
	c->note.connection = c->r->connection;
	c->origin =
	    (struct note_origin){ c->r->principal, arena_span(c->a, span_str(at)), span_str(c->r->id), c->propose };
}

/* The outcome of a run that keeps nothing, with the reason. */
static int
keep_nothing(struct compose *c, const char *why)
{
	struct run_change *none = run_change(c->out, RUN_WIKI, RUN_SKIPPED);

	none->reason = compose_text(c, why);
	c->r->review = RUN_UNREVIEWED;
	return 0;
}

/*
 * A text that is only a part of another tool's model belongs to the semantic
 * layer; a page describes in words what the layer has no place for.
 */
static bool
retell_fragment(struct compose *c)
{
	struct buf body = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < c->list->n; i++) {
		const struct proposal *p = &c->list->v[i];
		struct err why = { .code = ERR_NONE };

		if (compose_is_sound(c, p, &why) == 0)
			continue;
		if (p->kind == PROPOSAL_DESCRIPTION)
			buf_printf(&body, "- %.*s%s%.*s: %.*s", SPAN_FMT(p->measure.source),
			    p->measure.name.len > 0 ? "." : "", SPAN_FMT(p->measure.name), SPAN_FMT(p->said));
		else
			buf_printf(&body, "- %s %.*s", p->kind == PROPOSAL_COLUMN ? "Dimension" : "Measure",
			    SPAN_FMT(p->subject));
		if (p->kind != PROPOSAL_DESCRIPTION && p->formula.len > 0)
			buf_printf(&body, ": `%.*s`", SPAN_FMT(p->formula));
		buf_printf(&body, ". Not in the semantic layer: %s.\n", why.message);
		kept++;
	}
	c->note.body = arena_span(c->a, buf_view(&body));
	if (c->list->model.len > 0)
		page_note_entitle(c->a, &c->note,
		    span_str(arena_printf(c->a, "Model of %.*s", SPAN_FMT(c->list->model))));
	c->note.summary = span_str(arena_printf(c->a, "What a model of %.*s defines and the semantic layer does not",
	    SPAN_FMT(c->list->model.len > 0 ? c->list->model : c->note.title)));
	buf_fini(&body);
	return kept > 0;
}

int
compose_run(const struct memory *m, struct run *r, struct err *err)
{
	struct compose c = { .m = m, .r = r, .a = r->arena, .out = &r->changes, .propose = m->review };

	r->changes.n = 0;
	r->review = m->review ? RUN_PROPOSED : RUN_UNREVIEWED;
	if (page_note_read(r->arena, r->content, r->signals, &c.note) != 0 || c.note.body.len < 6)
		return keep_nothing(&c, "the text holds nothing to keep");
	if (r->signals == 0)
		return keep_nothing(&c,
		    "the text holds no definition, formula, unit, warning or rule, and states nothing about a table or "
		    "column; to have it kept nevertheless, begin it with \"Remember:\"");
	if ((c.list = consult_proposals(m, r)) == NULL)
		return err_set(err, ERR_INTERNAL, "the text is too large");
	if (!c.list->prose && c.list->n == 0)
		return keep_nothing(&c, "the model of another tool holds no measure, dimension or description");
	begin_compose(&c);
	c.silent = !c.list->prose && c.list->n > 0 && !retell_fragment(&c);
	if (compose_find_page(&c, err) != 0)
		return -1;
	/* Names the page that the proposal is meant for. */
	if (c.propose && c.about.len > 0)
		compose_add_ref(&c, &c.note.refs, c.about);
	compose_formulas(&c);
	if (c.silent)
		return 0;
	return compose_page(&c, err) == 0 ? compose_mark_pages(&c, err) : -1;
}

/* The page that the run proposed; NULL if it proposed none: only measures wait. */
static const struct run_change *
find_proposal(const struct run *r)
{
	struct wiki_page page;

	for (size_t i = 0; i < r->changes.n; i++)
		if (r->changes.v[i].kind == RUN_WIKI && r->changes.v[i].action == RUN_CREATED &&
		    wiki_parse(r->arena, r->changes.v[i].after, &page, NULL) == 0 &&
		    span_is_str(page.status, "proposed"))
			return &r->changes.v[i];
	return NULL;
}

/* The current text of the proposal; an edited one decides for itself. */
static int
read_proposal(struct compose *c, const struct run_change *page, struct span *text, struct err *err)
{
	int wiki = memory_open_place(c->m, "wiki", err), found;
	struct wiki_page now;

	if (wiki < 0)
		return -1;
	found = compose_read_page(c, wiki, page->name, text, &now);
	close(wiki);
	if (found != 1 || !span_is_str(now.status, "proposed"))
		return err_set(err, ERR_BUSY,
		    "%.*s is gone, or no longer says that it is proposed; somebody has changed it",
		    SPAN_FMT(page->path));
	if (!span_is(*text, page->after) && page_note_read(c->a, *text, c->r->signals, &c->note) != 0)
		return err_set(err, ERR_BUSY, "there is nothing left in %.*s", SPAN_FMT(page->path));
	return 0;
}

static int
approve_in_place(struct compose *c, const struct run_change *page, struct span now, struct err *err)
{
	struct run_change *out = compose_change(c, RUN_WIKI, RUN_UPDATED, page->path, page->name);
	struct buf text = { 0 };
	int r = page_approve(c->a, page_decide(c->a, now, c->taken, c->ntaken), &c->note.sl_refs, &text, err);

	out->reason = compose_text(c, "approved");
	r = compose_set_texts(c, out, now, &text, r, err);
	buf_fini(&text);
	return r;
}

/* A page that was kept without review says what was decided. */
static int
decide_in_place(struct compose *c, struct err *err)
{
	struct span after = page_decide(c->a, c->text, c->taken, c->ntaken);
	struct run_change *out;
	struct buf text = { 0 };
	int r;

	if (!c->exists || span_is(after, c->text))
		return 0;
	out = compose_change(c, RUN_WIKI, RUN_UPDATED,
	    span_str(arena_printf(c->a, "wiki/global/%.*s.md", SPAN_FMT(c->key))), c->key);
	out->reason = compose_text(c, "approved");
	buf_span(&text, after);
	r = compose_set_texts(c, out, c->text, &text, 0, err);
	buf_fini(&text);
	return r;
}

int
compose_approval(const struct memory *m, struct run *r, struct err *err)
{
	struct compose c = { .m = m, .r = r, .a = r->arena, .out = &r->moves, .approve = true };
	const struct run_change *page = find_proposal(r);
	struct run_change *gone;
	struct span now;

	r->moves.n = 0;
	if (page_note_read(r->arena, r->content, r->signals, &c.note) != 0 ||
	    (page != NULL && read_proposal(&c, page, &now, err) != 0))
		return page != NULL ? -1 : 0;
	if ((c.list = consult_proposals(m, r)) == NULL)
		return err_set(err, ERR_INTERNAL, "the text is too large");
	begin_compose(&c);
	if (compose_find_page(&c, err) != 0)
		return -1;
	if (!c.exists)
		c.key = page != NULL ? page->name : c.note.key;
	compose_formulas(&c);
	if (page == NULL)
		return decide_in_place(&c, err);
	if (!c.exists)
		return approve_in_place(&c, page, now, err) == 0 ? compose_mark_pages(&c, err) : -1;
	if (compose_page(&c, err) != 0 || compose_mark_pages(&c, err) != 0)
		return -1;
	gone = compose_change(&c, RUN_WIKI, RUN_REMOVED, page->path, page->name);
	gone->before = now;
	gone->reason = span_str(arena_printf(c.a, "approved; it is a part of %.*s now", SPAN_FMT(c.key)));
	return 0;
}

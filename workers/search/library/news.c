#include "ipc/messages.h"
#include "workers/search/library/news.h"
#include "workers/search/library/scans.h"
#include "workers/search/library/uri.h"
#include "workers/shared/serve.h"

static void
news_tell(const struct library *l, const struct uri *u, bool was, bool is)
{
	struct buf text = { 0 };

	uri_put(l->scheme, u, &text);
	serve_changed(was != is ? IPC_LISTS_RESOURCES : 0, buf_view(&text));
	buf_fini(&text);
}

const struct wiki_page *
news_page_before(const struct library *l, struct span key)
{
	const struct page *page = pages_find(&l->pages, key);

	return page == NULL ? NULL : page->good;
}

void
news_page(const struct library *l, struct span key, const struct wiki_page *before)
{
	const struct wiki_page *after = news_page_before(l, key);

	if (l->settled && before != after)
		news_tell(l, &(struct uri){ .kind = URI_WIKI, .name = key }, before != NULL, after != NULL);
}

/* Of an ontology that takes the source in: its dataset, and what counts and names it. */
static void
tell_ontologies(const struct library *l, const struct connection *c, const struct source *s, bool was, bool is)
{
	for (size_t i = 0; i < l->ontologies.n; i++) {
		const struct ontology *o = &l->ontologies.v[i];

		if (o->from != c || !ontology_has(o, s))
			continue;
		news_tell(l, &(struct uri){ URI_DATASET, span_str(o->id), span_str(s->name) }, was, is);
		news_tell(l, &(struct uri){ URI_ONTOLOGY, span_str(o->id), span_str(o->id) }, true, true);
		news_tell(l, &(struct uri){ .kind = URI_ONTOLOGIES }, true, true);
	}
}

void
news_source(void *of, const struct source *before, const struct source *after)
{
	const struct news_of *n = of;
	const struct source *either = after != NULL ? after : before;

	if (!n->l->settled)
		return;
	news_tell(n->l, &(struct uri){ URI_SEMANTIC, span_str(n->c->id), span_str(either->name) }, before != NULL,
	    after != NULL);
	tell_ontologies(n->l, n->c, either, before != NULL, after != NULL);
}

static void
tell_tables(const struct library *l, const struct connection *c, const struct schema *s)
{
	struct buf display = { 0 };

	for (size_t i = 0; s != NULL && i < s->ntables; i++) {
		display.len = 0;
		schema_display(s, &s->tables[i], &display);
		news_tell(l, &(struct uri){ URI_SCHEMA, span_str(c->id), buf_view(&display) }, true, true);
	}
	buf_fini(&display);
}

static void
tell_scan(const struct library *l, const struct connection *c, const struct schema *before,
    const struct schema *after, unsigned lists)
{
	if ((before != NULL ? before->ntables : 0) + (after != NULL ? after->ntables : 0) > 2 * NEWS_TABLES_MAX) {
		serve_changed_all(lists);
		return;
	}
	tell_tables(l, c, before);
	tell_tables(l, c, after);
	serve_changed(lists, SPAN_NONE);
}

void
news_scan(void *of, const struct schema *before, const struct schema *after)
{
	const struct news_of *n = of;

	/* Also report removed resources: a subscriber has to know. */
	if (n->l->settled)
		tell_scan(n->l, n->c, before, after, IPC_LISTS_RESOURCES);
}

void
news_live(const struct library *l, const struct connection *c, enum live_state before)
{
	enum live_state now = live_state(c);

	/* An unknown state is not reported; a difference, or the end of one, is. */
	if (l->settled && now != before && (now == LIVE_CHANGED || before == LIVE_CHANGED))
		tell_scan(l, c, NULL, c->scans.schema, 0);
}

static uint64_t
digest_of_files(const struct connection *c)
{
	struct buf path = { 0 };
	uint64_t digest = 0;

	for (uint32_t i = 0; i < c->models.paths.n; i++) {
		if (!c->models.files[i].exists)
			continue;
		path.len = 0;
		buf_printf(&path, "%s/%.*s", c->id, SPAN_FMT(names_text(&c->models.paths, i)));
		digest += scans_digest(buf_cstr(&path), &c->models.files[i].stamp);
	}
	buf_fini(&path);
	return digest;
}

uint64_t
news_digest(const struct library *l)
{
	const struct files_stamp none = { 0 };
	uint64_t digest = 1;

	if (!l->settled)
		return 0;
	for (size_t i = 0; i < l->pages.n; i++)
		if (l->pages.v[i]->exists)
			digest += scans_digest(l->pages.v[i]->path, &l->pages.v[i]->stamp);
	for (size_t i = 0; i < l->nconnections; i++) {
		const struct connection *c = &l->connections[i];

		digest += scans_digest(c->id, &none) + c->scans.files_digest;
		if (c->scans.in_use != NULL)
			digest += scans_digest(c->scans.in_use, &none);
		digest += digest_of_files(c);
	}
	return digest == 0 ? 1 : digest;
}

/* resources.c - pages, sources and tables as MCP resources: lists, templates, reading (ipc/surface_calls.h). */
#include <string.h>

#include "base/ascii.h"
#include "base/system/clock.h"
#include "base/json/json_write.h"
#include "base/utf8.h"
#include "ipc/surface_calls.h"
#include "policy/scopes.h"
#include "workers/search/ontology/ontology_content.h"
#include "workers/search/library/resolve.h"
#include "workers/search/library/uri.h"
#include "words/text.h"
#include "workers/search/surface/dialect_notes.h"
#include "workers/search/surface/resources.h"
#include "workers/search/answer/put.h"
#include "workers/search/inspect/tools_entity.h"
#include "workers/search/inspect/tools_read.h"
#include "workers/search/ontology/ask_model_tools.h"
#include "workers/shared/call.h"

#define TYPE_WIKI	"text/markdown"
#define TYPE_SEMANTIC	"application/yaml"
#define TYPE_SCHEMA	"application/json"
#define TYPE_DIALECT	"text/markdown"
#define TYPE_ONTOLOGY	"application/json"
#define TYPE_DATASET	"text/yaml"

static uint32_t
resources_scope(enum uri_kind kind)
{
	return kind >= URI_ONTOLOGIES ? POLICY_SCOPE_ONTOLOGIES_READ : POLICY_SCOPE_RESEARCH_READ;
}

bool
resources_may_read(const struct call *c, enum uri_kind kind)
{
	return (call_scopes(c) & resources_scope(kind)) != 0;
}

static void
put_quoted(struct buf *out, const char *key, struct span s)
{
	if (s.len == 0)
		return;
	buf_printf(out, "%s: ", key);
	json_write_string(out, s); /* a JSON string is a YAML scalar */
	buf_byte(out, '\n');
}

static void
put_quoted_list(struct buf *out, const char *key, const struct wiki_strings *s)
{
	if (s->n == 0)
		return;
	buf_printf(out, "%s: [", key);
	for (size_t i = 0; i < s->n; i++) {
		if (i > 0)
			buf_str(out, ", ");
		json_write_string(out, s->v[i]);
	}
	buf_str(out, "]\n");
}

/* The front matter, if the page has any: its links to other pages and sources. */
static void
put_front_matter(const struct wiki_page *w, struct buf *out)
{
	size_t from = out->len;

	buf_str(out, "---\n");
	put_quoted(out, "summary", w->summary);
	put_quoted_list(out, "tags", &w->tags);
	put_quoted_list(out, "refs", &w->refs);
	put_quoted_list(out, "sl_refs", &w->sl_refs);
	put_quoted(out, "author", w->author);
	put_quoted(out, "at", w->at);
	put_quoted(out, "run_id", w->run_id);
	put_quoted(out, "status", w->status);
	if (out->len == from + 4)
		out->len = from;
	else
		buf_str(out, "---\n\n");
}

static void
put_page_text(const struct page *page, struct buf *out)
{
	put_front_matter(page->good, out);
	buf_span(out, page->good->body);
	if (page->good->body.len > 0)
		buf_byte(out, '\n');
}

static size_t
page_size(const struct page *page)
{
	struct buf head = { 0 };
	size_t n;

	put_front_matter(page->good, &head);
	n = head.len + page->good->body.len + (page->good->body.len > 0);
	buf_fini(&head);
	return n;
}

struct resource_listing {
	struct library	*l;
	struct buf	*out;
	bool		 basic;
	size_t		 n, limit;
	bool		 more;		/* there are more items than the limit */
	struct buf	 last;		/* cursor of the last item */
};

/* The members of an item; empty ones are left out. */
struct surface_item {
	struct uri	 uri;
	const char	*type;
	struct span	 title, description;
	size_t		 size;		/* 0: unknown without making the content */
	struct span	 modified;	/* ISO 8601 */
	size_t		 index;		/* of a table: where the next page starts to look */
};

static void
put_short(struct buf *out, const char *key, struct span s)
{
	struct buf text = { 0 };

	text_snippet(s, 0, TEXT_SNIPPET_MAX, &text);
	mp_pair_maybe(out, key, buf_view(&text));
	buf_fini(&text);
}

/* False: the page is full. */
static bool
put_item(struct resource_listing *list, const struct surface_item *item)
{
	bool titled = item->title.len > 0 && !list->basic;
	bool dated = item->modified.len > 0 && !list->basic;
	struct buf *out = list->out, uri = { 0 };
	size_t mark;

	if (list->n == list->limit || out->len >= SURFACE_PAGE_BYTES) {
		list->more = true;
		return false;
	}
	uri_put(list->l->scheme, &item->uri, &uri);
	if (uri.len > SURFACE_URI_MAX) {
		buf_fini(&uri);
		return true;
	}
	list->n++;
	mark = mp_open_map(out);
	mp_pair_maybe(out, "uri", buf_view(&uri));
	mp_pair_maybe(out, "name", item->uri.name);
	if (titled)
		put_short(out, "title", item->title);
	if (item->description.len > 0)
		put_short(out, "description", item->description);
	mp_pair_maybe(out, "mimeType", span_str(item->type));
	if (item->size > 0)
		mp_pair_uint(out, "size", item->size);
	if (dated) {
		mp_put_cstr(out, "annotations");
		mp_put_pairs(out, mp_maybe("lastModified", item->modified));
	}
	mp_end(out, mark);
	list->last.len = 0;
	buf_printf(&list->last, "%zu ", item->index);
	buf_span(&list->last, buf_view(&uri));
	buf_fini(&uri);
	return true;
}

/* Where the previous page ended; kind URI_KINDS: at the beginning. */
struct resume {
	struct uri	uri;
	size_t		index;
	bool		given;
};

/* Whether all of kind and connection was on previous pages; *inside: the position is within it. */
static bool
is_passed(const struct resume *at, enum uri_kind kind, const char *connection, bool *inside)
{
	int order = 0;

	*inside = false;
	if (!at->given || kind > at->uri.kind)
		return false;
	if (kind == at->uri.kind && kind != URI_WIKI)
		order = span_cmp(span_str(connection), at->uri.connection);
	if (kind < at->uri.kind || order < 0)
		return true;
	*inside = order == 0;
	return false;
}

static bool
list_pages(struct resource_listing *list, const struct resume *at)
{
	const struct pages *p = &list->l->pages;
	char modified[25];
	bool inside;

	if (is_passed(at, URI_WIKI, NULL, &inside))
		return true;
	for (size_t i = 0; i < p->n; i++) {
		const struct page *page = p->v[p->sorted[i]];
		struct surface_item item = { .uri = { URI_WIKI, { NULL, 0 }, span_str(page->key) }, .type = TYPE_WIKI };

		/* Of two pages with the same key only the user's own is listed. */
		if ((inside && span_cmp(item.uri.name, at->uri.name) <= 0) || page->good == NULL ||
		    pages_find(p, item.uri.name) != page)
			continue;
		item.title = pages_title(page);
		item.description = page->good->summary;
		item.size = page_size(page);
		if (page->trouble == NULL) {
			clock_iso8601((uint64_t)(page->stamp.mtime_ns / 1000000), modified);
			item.modified = span_str(modified);
		}
		if (!put_item(list, &item))
			return false;
	}
	return true;
}

static bool
list_sources(struct resource_listing *list, const struct connection *c, const struct resume *at)
{
	size_t n = source_set_count(c->models.set);
	struct buf title = { 0 }, yaml = { 0 };
	bool inside, room = true;

	if (is_passed(at, URI_SEMANTIC, c->id, &inside))
		return true;
	for (size_t i = 0; i < n && room; i++) {
		const struct source *s = source_set_at(c->models.set, i);
		struct surface_item item = { .uri = { URI_SEMANTIC, span_str(c->id), span_str(s->name) },
		    .type = TYPE_SEMANTIC, .description = s->description };

		if (inside && span_cmp(item.uri.name, at->uri.name) <= 0)
			continue;
		yaml.len = title.len = 0;
		if (list->n < list->limit)
			source_set_yaml(c->models.set, s, &yaml);
		item.size = yaml.len;
		buf_printf(&title, "Semantic source %s of %s", s->name, c->name);
		item.title = buf_view(&title);
		room = put_item(list, &item);
	}
	buf_fini(&title);
	buf_fini(&yaml);
	return room;
}

/* The first table after the position: by its index, or by its name if the scan has changed. */
static size_t
table_after(const struct schema *s, const struct resume *at)
{
	struct buf display = { 0 };
	size_t i = at->index;

	if (i < s->ntables)
		schema_display(s, &s->tables[i], &display);
	if (i < s->ntables && span_is(buf_view(&display), at->uri.name))
		i++;
	else
		for (i = 0; i < s->ntables; i++) {
			display.len = 0;
			schema_display(s, &s->tables[i], &display);
			if (span_cmp(buf_view(&display), at->uri.name) > 0)
				break;
		}
	buf_fini(&display);
	return i;
}

static bool
list_tables(struct resource_listing *list, const struct connection *c, const struct resume *at)
{
	const struct schema *s = c->scans.schema;
	struct buf title = { 0 }, display = { 0 };
	bool inside, room = true;

	if (s == NULL || is_passed(at, URI_SCHEMA, c->id, &inside))
		return true;
	for (size_t i = inside ? table_after(s, at) : 0; i < s->ntables && room; i++) {
		const struct schema_table *t = &s->tables[i];
		struct surface_item item = { .type = TYPE_SCHEMA, .index = i };

		display.len = title.len = 0;
		schema_display(s, t, &display);
		buf_printf(&title, "%s %s of %s", snapshot_is_view((enum snapshot_kind)t->kind) ? "View" : "Table",
		    buf_cstr(&display), c->name);
		item.uri = (struct uri){ URI_SCHEMA, span_str(c->id), buf_view(&display) };
		item.title = buf_view(&title);
		item.description = schema_span(s, t->description);
		if (item.description.len == 0)
			item.description = schema_span(s, t->comment);
		item.modified = span_str(s->extracted_at);
		room = put_item(list, &item);
	}
	buf_fini(&title);
	buf_fini(&display);
	return room;
}

static bool
list_dialect(struct resource_listing *list, const struct connection *c, const struct resume *at)
{
	struct surface_item item = { .uri = { URI_DIALECT, span_str(c->id), span_str(c->id) }, .type = TYPE_DIALECT,
		.description = SPAN("What to know before writing SQL for this connection") };
	struct buf title = { 0 };
	bool inside, room;

	if (!dialect_notes_any(c) || is_passed(at, URI_DIALECT, c->id, &inside) || inside)
		return true;
	buf_printf(&title, "SQL of %s", c->name);
	item.title = buf_view(&title);
	room = put_item(list, &item);
	buf_fini(&title);
	return room;
}

static bool
list_datasets(struct resource_listing *list, const struct ontology *o, const struct resume *at)
{
	size_t n = source_set_count(o->from->models.set);
	struct buf title = { 0 };
	bool inside, room = true;

	if (is_passed(at, URI_DATASET, o->id, &inside))
		return true;
	for (size_t i = 0; i < n && room; i++) {
		const struct source *s = source_set_at(o->from->models.set, i);
		struct surface_item item = { .uri = { URI_DATASET, span_str(o->id), span_str(s->name) },
		    .type = TYPE_DATASET, .description = s->description };

		if ((inside && span_cmp(item.uri.name, at->uri.name) <= 0) ||
		    ontology_dataset(o, item.uri.name) == NULL)
			continue;
		title.len = 0;
		buf_printf(&title, "Dataset %s of %s", s->name, o->name);
		item.title = buf_view(&title);
		room = put_item(list, &item);
	}
	buf_fini(&title);
	return room;
}

/* List the resources of one kind: o is NULL for the list itself. */
static bool
list_ontology(struct resource_listing *list, enum uri_kind kind, const struct ontology *o, const struct resume *at)
{
	struct surface_item item = { .uri = { .kind = kind }, .type = TYPE_ONTOLOGY };
	bool inside;

	if (is_passed(at, kind, o == NULL ? "" : o->id, &inside) || inside)
		return true;
	if (o == NULL) {
		item.title = SPAN("Ontologies");
		item.description = SPAN("What questions in words are answered from");
		item.uri.name = SPAN("ontologies");
	} else {
		item.uri.connection = item.uri.name = span_str(o->id);
		item.title = span_str(o->name);
		item.description = span_str(o->description);
	}
	return put_item(list, &item);
}

static bool
list_ontologies(struct resource_listing *list, const struct resume *at)
{
	struct library *l = list->l;
	const struct ontologies *o = &l->ontologies;
	bool room = list_ontology(list, URI_ONTOLOGIES, NULL, at);

	for (size_t i = 0; i < o->n && room; i++)
		if (ontology_state(l, &o->v[i]) == ONTOLOGY_READY)
			room = list_ontology(list, URI_ONTOLOGY, &o->v[i], at);
	for (size_t i = 0; i < o->n && room; i++)
		if (ontology_state(l, &o->v[i]) == ONTOLOGY_READY)
			room = list_datasets(list, &o->v[i], at);
	return room;
}

/* Pages, sources, tables and dialects.  False: the page is full. */
static bool
list_research(struct resource_listing *list, const struct resume *at)
{
	struct library *l = list->l;
	bool room = list_pages(list, at);

	for (size_t i = 0; i < l->nconnections && room; i++)
		room = list_sources(list, &l->connections[i], at);
	for (size_t i = 0; i < l->nconnections && room; i++)
		room = list_tables(list, &l->connections[i], at);
	for (size_t i = 0; i < l->nconnections && room; i++)
		room = list_dialect(list, &l->connections[i], at);
	return room;
}

/* Read a cursor "17 carrel://schema/…": the index, then the URI. */
static bool
read_resume(const struct library *l, struct span text, struct buf *scratch, struct resume *at)
{
	size_t i = 0;

	*at = (struct resume){ .given = text.p != NULL };
	if (text.p == NULL)
		return true;
	for (; i < text.len && i < 12 && ascii_is_digit(text.p[i]); i++)
		at->index = at->index * 10 + (size_t)(text.p[i] - '0');
	return i < text.len && text.p[i] == ' ' &&
	    uri_read(l->scheme, span_of(text.p + i + 1, text.len - i - 1), scratch, &at->uri);
}

int
surface_resources_list(struct call *c, const struct mp_value *args, struct err *err)
{
	struct library *l = call_state(c);
	struct buf out = { 0 }, tail = { 0 }, scratch = { 0 };
	struct resource_listing list = { .l = l, .out = &out, .basic = mp_get_bool(args, "basic", false),
	    .limit = (size_t)mp_get_uint(args, "limit", SURFACE_PAGE_MAX) };
	struct resume at;
	size_t mark;
	int result = -1;

	if (list.limit == 0 || list.limit > SURFACE_PAGE_MAX)
		list.limit = SURFACE_PAGE_MAX;
	if (!read_resume(l, mp_get_str(args, "position", (struct span){ 0 }), &scratch, &at)) {
		err_set(err, ERR_INVALID_ARGUMENTS, "the position is not one of this list");
		goto out;
	}
	mp_put_map(&out, 1);
	mark = mp_pair_open_array(&out, "resources");
	if ((!resources_may_read(c, URI_WIKI) || list_research(&list, &at)) && resources_may_read(c, URI_ONTOLOGIES))
		(void)list_ontologies(&list, &at);
	mp_close(&out, mark, list.n);
	mp_put_map(&tail, list.more);
	if (list.more)
		mp_pair_maybe(&tail, "next", buf_view(&list.last));
	call_result_rows(c, buf_view(&out), NULL, buf_view(&tail));
	result = 0;
out:
	buf_fini(&out);
	buf_fini(&tail);
	buf_fini(&scratch);
	buf_fini(&list.last);
	return result;
}

int
surface_templates_list(struct call *c, const struct mp_value *args, struct err *err)
{
	static const struct {
		const char *name, *title, *description, *type;
	} rows[URI_KINDS] = {
		[URI_WIKI] = { "wiki_page", "Wiki page",
		    "A page of the project's wiki: definitions, business "
		    "rules, gotchas. Markdown with front matter that names related pages and sources.",
		    TYPE_WIKI },
		[URI_SEMANTIC] = { "semantic_source", "Semantic-layer source",
		    "A source of a connection's semantic "
		    "layer: its table or SQL, columns, joins, measures and segments.",
		    TYPE_SEMANTIC },
		[URI_SCHEMA] = { "table", "Table",
		    "A table or view as the latest scan saw it: columns with types, "
		    "keys, comments and descriptions. The table is written as entity_details displays it.",
		    TYPE_SCHEMA },
		[URI_DIALECT] = { "dialect", "SQL of a connection",
		    "What to know before writing SQL for a connection: "
		    "what may be sent, quoting, dates, division, limits, JSON.",
		    TYPE_DIALECT },
		[URI_ONTOLOGY] = { "ontology", "Ontology", "What questions in words are answered from: its datasets.",
		    TYPE_ONTOLOGY },
		[URI_DATASET] = { "dataset", "Dataset of an ontology",
		    "Where a dataset's rows come from, and its fields.", TYPE_DATASET },
	};
	bool basic = mp_get_bool(args, "basic", false);
	struct library *l = call_state(c);
	struct buf out = { 0 }, template = { 0 };
	size_t mark;

	mp_put_map(&out, 1);
	mark = mp_pair_open_array(&out, "resourceTemplates");
	for (unsigned i = 0; i < URI_KINDS; i++) {
		if (rows[i].name == NULL || !resources_may_read(c, (enum uri_kind)i))
			continue; /* no template, or not for this caller */
		template.len = 0;
		uri_put_template(l->scheme, (enum uri_kind)i, &template);
		mp_put_map(&out, basic ? 4 : 5);
		mp_pair_maybe(&out, "uriTemplate", buf_view(&template));
		mp_pair_maybe(&out, "name", span_str(rows[i].name));
		if (!basic)
			mp_pair_maybe(&out, "title", span_str(rows[i].title));
		mp_pair_maybe(&out, "description", span_str(rows[i].description));
		mp_pair_maybe(&out, "mimeType", span_str(rows[i].type));
	}
	mp_end(&out, mark);
	buf_fini(&template);
	return search_finish(c, &out, err);
}

static const char *
read_page(struct library *l, struct call *c, const struct uri *u, struct buf *text, struct err *err)
{
	const struct page *page = pages_find(&l->pages, u->name);

	if (page != NULL) {
		put_page_text(page, text);
		return TYPE_WIKI;
	}
	(void)search_no_page(l, c, u->name, err);
	return NULL;
}

static const char *
read_source(struct library *l, struct call *c, struct connection *from, const struct uri *u, struct buf *text,
    struct err *err)
{
	const struct source *source = source_set_get(from->models.set, u->name);

	if (source != NULL) {
		search_stands_on(c, from);
		source_set_yaml(from->models.set, source, text);
		return TYPE_SEMANTIC;
	}
	(void)search_no_source(l, c, from, u->name, err);
	return NULL;
}

/* The table with exactly this display name: its own name comes after some dot, or is all of it. */
static const struct schema_table *
displayed(const struct schema *s, struct span display)
{
	const struct schema_table *found = NULL;
	struct span name = display;
	struct buf text = { 0 };

	while (found == NULL && name.len > 0) {
		const uint8_t *dot = memchr(name.p, '.', name.len);
		size_t n;
		const uint32_t *named = schema_named(s, name, &n);

		for (size_t i = 0; i < n && found == NULL; i++) {
			text.len = 0;
			schema_display(s, &s->tables[named[i]], &text);
			if (span_is(buf_view(&text), display))
				found = &s->tables[named[i]];
		}
		name = dot == NULL ? SPAN_NONE : span_of(dot + 1, name.len - (size_t)(dot + 1 - name.p));
	}
	buf_fini(&text);
	return found;
}

const struct schema_table *
resources_find_table(struct call *c, const struct connection *from, struct span name, struct err *err)
{
	struct mp_value table = { .class = MP_STR, .s = name };
	const struct schema *s = from->scans.schema;
	const struct schema_table *exact;
	struct resolved found = { 0 };

	search_stands_on(c, from);
	if (s == NULL) {
		err_set(err, ERR_SCAN_MISSING, "Connection \"%s\" has not been scanned; run `carrel scan %s`.",
		    from->id, from->id);
		return NULL;
	}
	if ((exact = displayed(s, name)) != NULL)
		return exact;
	resolve_table(s, call_arena(c), &table, &found);
	if (found.n == 1)
		return found.v[0];
	err_set(err, found.n == 0 ? ERR_TABLE_NOT_FOUND : ERR_AMBIGUOUS_TABLE,
	    found.n == 0 ?
		"The latest scan of \"%s\" has no table %.*s; discover_data finds tables by what they hold." :
		"Connection \"%s\" has several tables %.*s; write it with its schema.",
	    from->id, (int)utf8_cut(name.p, name.len, 120), (const char *)name.p);
	return NULL;
}

void
resources_put_table(const struct library *l, const struct connection *from, const struct schema_table *t,
    struct buf *uri, struct buf *content)
{
	struct buf map = { 0 }, display = { 0 };
	struct mp_value table;

	schema_display(from->scans.schema, t, &display);
	uri_put(l->scheme, &(struct uri){ URI_SCHEMA, span_str(from->id), buf_view(&display) }, uri);
	search_put_table(from, t, &map);
	if (mp_value(buf_view(&map), &table))
		json_write(content, &table);
	buf_fini(&map);
	buf_fini(&display);
}

static const char *
read_table(struct library *l, struct call *c, const struct connection *from, const struct uri *u,
    struct buf *text, struct err *err)
{
	const struct schema_table *t = resources_find_table(c, from, u->name, err);
	struct buf uri = { 0 };

	if (t == NULL)
		return NULL;
	resources_put_table(l, from, t, &uri, text);
	buf_fini(&uri);
	return TYPE_SCHEMA;
}

static const char *
read_dialect(const struct connection *from, struct buf *text, struct err *err)
{
	if (dialect_notes_any(from)) {
		dialect_notes_put(from, text);
		return TYPE_DIALECT;
	}
	err_set(err, ERR_PAGE_NOT_FOUND,
	    "Connection \"%s\" is of a database (%s) that is not served here, so there is no "
	    "SQL to send it.",
	    from->id, from->driver);
	return NULL;
}

static const char *
read_ontology(struct library *l, struct call *c, const struct uri *u, struct buf *text, struct err *err)
{
	const struct ontology *o;
	const struct source *dataset;

	if (u->kind == URI_ONTOLOGIES) {
		ontology_put_all(l, text);
		return TYPE_ONTOLOGY;
	}
	if ((o = ontologies_find(&l->ontologies, u->connection)) == NULL || ontology_state(l, o) != ONTOLOGY_READY) {
		(void)search_no_ontology(l, c, u->connection, o != NULL, err);
		return NULL;
	}
	search_stands_on(c, o->from);
	if (u->kind == URI_ONTOLOGY) {
		ontology_put(o, text);
		return TYPE_ONTOLOGY;
	}
	if ((dataset = ontology_dataset(o, u->name)) == NULL) {
		mp_put_pairs(call_details(c), mp_str("ontologyId", u->connection), mp_str("datasetName", u->name));
		err_set(err, ERR_DATASET_NOT_FOUND, "The ontology has no dataset \"%.*s\".",
		    (int)utf8_cut(u->name.p, u->name.len, 120), (const char *)u->name.p);
		return NULL;
	}
	ontology_put_dataset(dataset, text);
	return TYPE_DATASET;
}

/* Name the scope that the caller lacks. */
static int
refuse_kind(struct call *c, enum uri_kind kind, struct err *err)
{
	struct buf names = { 0 };

	policy_scopes_text(resources_scope(kind), &names);
	mp_put_pairs(call_details(c), mp_uint("scopes", resources_scope(kind)));
	err_set(err, ERR_SCOPE_DENIED, "Reading this needs the scope %s.", buf_cstr(&names));
	buf_fini(&names);
	return -1;
}

static const char *
read_resource(struct library *l, struct call *c, const struct uri *u, struct buf *text, struct err *err)
{
	struct connection *from;

	if (!resources_may_read(c, u->kind)) {
		(void)refuse_kind(c, u->kind, err);
		return NULL;
	}
	if (u->kind == URI_WIKI)
		return read_page(l, c, u, text, err);
	if (u->kind >= URI_ONTOLOGIES)
		return read_ontology(l, c, u, text, err);
	if ((from = library_connection(l, u->connection)) == NULL) {
		(void)library_no_connection(l, u->connection, call_details(c), err);
		return NULL;
	}
	if (u->kind == URI_DIALECT)
		return read_dialect(from, text, err);
	return u->kind == URI_SEMANTIC ? read_source(l, c, from, u, text, err) : read_table(l, c, from, u, text, err);
}

void
resources_put_content(struct buf *out, struct span uri, const char *type, struct span text)
{
	mp_put_pairs(out, mp_maybe("uri", uri), mp_maybe("mimeType", span_str(type)), mp_maybe("text", text));
}

int
surface_resource_read(struct call *c, const struct mp_value *args, struct err *err)
{
	struct library *l = call_state(c);
	struct span text = mp_get_str(args, "uri", (struct span){ 0 });
	struct buf scratch = { 0 }, content = { 0 }, out = { 0 };
	const char *type;
	struct uri u;
	int result = -1;

	if (text.len > SURFACE_URI_MAX || !uri_read(l->scheme, text, &scratch, &u)) {
		err_set(err, ERR_PAGE_NOT_FOUND,
		    "There is no such resource; resources/templates/list shows how "
		    "their URIs are written.");
		goto out;
	}
	if ((type = read_resource(l, c, &u, &content, err)) == NULL)
		goto out;
	mp_put_map(&out, 1);
	mp_pair_array(&out, "contents", 1);
	resources_put_content(&out, text, type, buf_view(&content));
	result = search_finish(c, &out, err);
out:
	buf_fini(&scratch);
	buf_fini(&content);
	return result;
}

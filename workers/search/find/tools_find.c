#include <math.h>

#include "workers/search/rank/same.h"
#include "workers/search/answer/put.h"
#include "workers/search/answer/show.h"
#include "workers/search/find/tools_find.h"
#include "workers/search/rank/matched.h"
#include "workers/search/index/builder.h"
#include "workers/shared/call.h"

#define DISCOVER_DEFAULT	15
#define WIKI_DEFAULT		10
#define LIMIT_MAX		50

static unsigned
read_kinds(const struct mp_value *args)
{
	struct mp_value list, one;
	struct mp_iter it;
	unsigned kinds = 0;

	if (!mp_get(args, "kinds", &list) || list.class != MP_ARRAY)
		return KINDS_ALL;
	it = mp_iter(&list);
	while (mp_next(&it, &one))
		for (unsigned k = 0; k < KINDS; k++)
			if (one.class == MP_STR && span_is_str(one.s, kind_name((enum kind)k)))
				kinds |= KIND_BIT(k);
	return kinds;
}

/* Three decimals tell answers apart as far as anybody can use it. */
static void
put_score(struct buf *out, double score)
{
	mp_pair_double(out, "score", round(score * 1e3) / 1e3);
}

static void
put_place(const struct answers *a, const struct ranked *r, struct buf *out)
{
	const struct part *p = &a->parts[r->part];
	const struct schema_column *column;
	const struct schema_table *table;

	if (p->shelf->connection != NULL)
		mp_pair_maybe(out, "connectionId", span_str(p->shelf->connection));
	if (r->kind != KIND_TABLE && r->kind != KIND_COLUMN)
		return;
	table = schema_of((const struct schema *)p->shelf, p->segment, r->doc, &column);
	mp_put_cstr(out, "tableRef");
	put_table_ref(out, (const struct schema *)p->shelf, table);
	if (column != NULL)
		mp_pair_maybe(out, "columnName", schema_span((const struct schema *)p->shelf, column->name));
}

/* The page of r that says where it comes from; NULL if r is not a page. */
static const struct wiki_page *
kept_page(const struct library *l, const struct answers *a, const struct ranked *r)
{
	const struct page *page;

	if (r->kind != KIND_WIKI)
		return NULL;
	page = pages_of(&l->pages, a->parts[r->part].segment, r->doc);
	return page->good != NULL && page->good->has_provenance ? page->good : NULL;
}

static void
put_ref(const struct library *l, const struct answers *a, const struct ranked *r, struct buf *out)
{
	enum field matched = match_field(&a->q, a->parts[r->part].segment, r->doc);
	const struct wiki_page *kept = kept_page(l, a, r);
	struct buf text = { 0 }, other = { 0 }, more = { 0 };
	struct span summary = search_summary(a, r, &text);
	bool twice = same_id(l, a, r, &other);

	mp_put_map(out,
	    (size_t)6 + (kept != NULL) + (r->kind != KIND_WIKI) + (r->kind >= KIND_TABLE) + (r->kind == KIND_COLUMN) +
		twice);
	mp_pair_maybe(out, "kind", span_str(kind_name(r->kind)));
	mp_pair_maybe(out, "id", r->id);
	put_score(out, r->score);
	mp_pair_maybe(out, "summary", summary);
	mp_pair_maybe(out, "snippet", search_brief_snippet(l, a, r, matched, &more));
	mp_pair_maybe(out, "matchedOn", span_str(field_name(matched)));
	put_place(a, r, out);
	if (twice)
		mp_pair_maybe(out, "sameAs", buf_view(&other));
	if (kept != NULL)
		put_provenance(out, kept);
	buf_fini(&more);
	buf_fini(&other);
	buf_fini(&text);
}

int
search_discover(struct call *c, const struct mp_value *args, struct answers *a, size_t *n, struct err *err)
{
	size_t limit = search_limit(args, DISCOVER_DEFAULT, LIMIT_MAX);
	struct mp_value given;
	struct connection *only;

	if (search_connection(c, args, &only, err) != 0)
		return -1;
	return search_find(call_state(c), call_arena(c), mp_get_str(args, "query", (struct span){ 0 }), only,
	    read_kinds(args), limit, !mp_get(args, "limit", &given), a, n, err);
}

int
tool_discover_data(struct call *c, const struct mp_value *args, struct err *err)
{
	struct library *l = call_state(c);
	struct buf out = { 0 };
	struct answers a;
	size_t n;

	if (search_discover(c, args, &a, &n, err) != 0)
		return -1;
	mp_put_map(&out, 2);
	mp_pair_array(&out, "refs", n);
	for (size_t i = 0; i < n; i++) {
		const char *connection = a.parts[a.v[i].part].shelf->connection;

		if (connection != NULL)
			search_stands_on(c, library_connection(l, span_str(connection)));
		put_ref(l, &a, &a.v[i], &out);
	}
	mp_pair_bool(&out, "confident", a.confident);
	return search_finish(c, &out, err);
}

static void
put_result(const struct library *l, const struct answers *a, const struct ranked *r, struct buf *out)
{
	const struct segment *s = a->parts[r->part].segment;
	const struct page *page = pages_of(&l->pages, s, r->doc);
	enum field matched = match_field(&a->q, s, r->doc);
	unsigned lists = match_found_by(&a->q, s, r->doc);
	struct buf text = { 0 };

	mp_put_map(out, 9);
	mp_pair_maybe(out, "key", span_str(page->key));
	mp_pair_maybe(out, "path", span_str(page->path));
	mp_pair_maybe(out, "scope", page->scope == PAGE_USER ? SPAN("USER") : SPAN("GLOBAL"));
	mp_pair_maybe(out, "summary", search_summary(a, r, &text));
	put_score(out, r->score);
	mp_pair_maybe(out, "snippet", search_snippet(l, a, r, matched, &text));
	put_strings(out, "tags", &page->good->tags);
	mp_pair_array(out, "matchReasons", (size_t)__builtin_popcount(lists));
	for (enum match_list list = 0; list < MATCH_LISTS; list++)
		if ((lists & MATCH_IN(list)) != 0)
			mp_put_cstr(out, match_list_name(list));
	put_provenance(out, page->good);
	buf_fini(&text);
}

/* A page that names no connection is about all of them. */
static bool
is_about(const struct page *page, const struct connection *c)
{
	const struct wiki_strings *s = &page->good->connections;

	for (size_t i = 0; i < s->n; i++)
		if (span_is_str(s->v[i], c->id))
			return true;
	return s->n == 0;
}

/* Keep only answers about the connection.  All matches are looked at, so that the total counts them. */
static void
keep_about(const struct library *l, const struct connection *only, size_t limit, struct answers *a)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < a->n; i++)
		if (is_about(pages_of(&l->pages, a->parts[a->v[i].part].segment, a->v[i].doc), only)) {
			n++;
			if (kept < limit)
				a->v[kept++] = a->v[i];
		}
	a->n = kept;
	a->total = n;
}

int
tool_wiki_search(struct call *c, const struct mp_value *args, struct err *err)
{
	struct library *l = call_state(c);
	size_t limit = search_limit(args, WIKI_DEFAULT, LIMIT_MAX);
	struct connection *only;
	struct buf out = { 0 };
	struct answers a;
	size_t map;

	if (search_connection(c, args, &only, err) != 0 ||
	    search_ask(l, call_arena(c), mp_get_str(args, "query", (struct span){ 0 }), NULL, KIND_BIT(KIND_WIKI),
		only != NULL ? l->pages.n + 1 : limit, &a, err) != 0)
		return -1;
	if (only != NULL)
		keep_about(l, only, limit, &a);
	map = mp_open_map(&out);
	mp_pair_array(&out, "results", a.n);
	for (size_t i = 0; i < a.n; i++)
		put_result(l, &a, &a.v[i], &out);
	mp_pair_uint(&out, "totalFound", a.total);
	mp_end(&out, map);
	return search_finish(c, &out, err);
}

#include <string.h>

#include "base/utf8.h"
#include "project/config/drivers.h"
#include "workers/search/library/unindexed.h"
#include "workers/search/answer/put.h"
#include "workers/search/inspect/tools_read.h"
#include "workers/shared/call.h"

#define NEAR_MAX	5	/* similar names in "not found" */

static void
put_type(struct buf *out, const char *driver)
{
	const struct db_driver *d = drivers_find(span_str(driver));

	mp_pair_maybe(out, "connectionType", span_str(d != NULL ? d->type : driver));
}

static const char *
state_of(const struct connection *c)
{
	return c->state == IPC_POOL_READY && library_is_indexing(c) ? "indexing" : ipc_pool_state_name(c->state);
}

struct read_listing {
	struct buf	*out;
	size_t		 n;
	struct buf	 text;
};

static void
count_trouble(void *arg, const char *path, const char *reason)
{
	struct read_listing *list = arg;

	if (list->n++ == 0)
		buf_printf(&list->text, "%s: %s", path, reason);
}

/* Why the connection is not ready, or which of its files is unusable. */
static void
read_reason(const struct library *l, const struct connection *c, struct buf *out)
{
	struct read_listing list = { 0 };

	if (c->reason != NULL)
		buf_str(out, c->reason);
	library_troubles(l, c, count_trouble, &list);
	if (list.n > 0) {
		if (out->len > 0)
			buf_str(out, "; ");
		buf_printf(out, "not used as it stands: %s", buf_cstr(&list.text));
		if (list.n > 1)
			buf_printf(out, " (and %zu more)", list.n - 1);
	}
	buf_fini(&list.text);
}

static void
put_scan(struct buf *out, const struct schema *s)
{
	mp_put_cstr(out, "lastScan");
	if (s == NULL) {
		mp_put_nil(out);
		return;
	}
	mp_put_pairs(out, mp_maybe("syncId", span_str(s->sync_id)), mp_maybe("extractedAt", span_str(s->extracted_at)));
}

static void
put_connection(const struct library *l, const struct connection *c, struct buf *out)
{
	struct buf reason = { 0 };
	size_t mark = mp_open_map(out);

	read_reason(l, c, &reason);
	mp_pair_maybe(out, "id", span_str(c->id));
	mp_pair_maybe(out, "name", span_str(c->name));
	put_type(out, c->driver);
	mp_pair_maybe(out, "driver", span_str(c->driver));
	if (c->description != NULL)
		mp_pair_maybe(out, "description", span_str(c->description));
	mp_pair_bool(out, "readOnly", true);
	if (c->semantic_only)
		mp_pair_maybe(out, "queryPolicy", SPAN("semantic-layer-only"));
	mp_pair_maybe(out, "state", span_str(state_of(c)));
	if (reason.len > 0)
		mp_pair_maybe(out, "stateReason", buf_view(&reason));
	if (c->nschemas > 0)
		mp_pair_cstrs(out, "schemas", (const char *const *)c->schemas, c->nschemas);
	put_scan(out, c->scans.schema);
	mp_pair_maybe(out, "dictionary", span_str(library_dictionary(c)));
	mp_end(out, mark);
	buf_fini(&reason);
}

static void
put_trouble(void *arg, const char *path, const char *reason)
{
	struct read_listing *list = arg;

	if (list->n == 50)
		return;
	list->n++;
	mp_put_pairs(list->out, mp_maybe("path", span_str(path)), mp_maybe("reason", span_str(reason)));
}

int
tool_connection_list(struct call *c, const struct mp_value *args, struct err *err)
{
	struct library *l = call_state(c);
	struct buf out = { 0 }, problems = { 0 };
	struct read_listing list = { .out = &problems };

	(void)args;
	library_troubles(l, NULL, put_trouble, &list);
	for (size_t i = 0; i < l->nconnections; i++) {
		library_troubles(l, &l->connections[i], put_trouble, &list);
		library_notes(&l->connections[i], put_trouble, &list);
	}
	mp_put_map(&out, (size_t)1 + (list.n > 0));
	mp_pair_array(&out, "connections", l->nconnections);
	for (size_t i = 0; i < l->nconnections; i++)
		put_connection(l, &l->connections[i], &out);
	if (list.n > 0) {
		mp_pair_array(&out, "problems", list.n);
		buf_span(&out, buf_view(&problems));
	}
	buf_fini(&problems);
	return search_finish(c, &out, err);
}

/* " Did you mean a, b?" and details {asked, candidates}. */
static void
put_near(struct library *l, struct call *c, struct span asked, const struct connection *only, enum kind kind,
    struct buf *text)
{
	struct buf *details = call_details(c);
	struct answers a;
	size_t found = search_suggest(l, call_arena(c), asked, only, kind, NEAR_MAX, &a), n = 0;
	size_t map;

	/* A key may name both a page of the user and a global one. */
	for (size_t i = 0; i < found; i++) {
		bool told = false;

		for (size_t k = 0; k < n; k++)
			told = told || span_is(a.v[k].id, a.v[i].id);
		if (!told)
			a.v[n++] = a.v[i];
	}
	map = mp_open_pairs(details, mp_maybe("asked", asked));
	mp_pair_array(details, "candidates", n);
	for (size_t i = 0; i < n; i++) {
		mp_put_str(details, a.v[i].id);
		buf_printf(text, "%s%.*s", i == 0 ? " Did you mean " : ", ", SPAN_FMT(a.v[i].id));
	}
	mp_end(details, map);
	if (n > 0)
		buf_byte(text, '?');
}

/* At most 100 bytes of the caller's text, for messages. */
static struct span
brief(struct span s)
{
	return span_of(s.p, utf8_cut(s.p, s.len, 100));
}

/* The key in a path: "revenue" in wiki/global/revenue.md. */
static struct span
base_of(struct span key)
{
	const uint8_t *slash = key.len > 0 ? memrchr(key.p, '/', key.len) : NULL;
	struct span s = slash == NULL ? key : span_of(slash + 1, (size_t)(key.p + key.len - slash) - 1);

	return s.len > 3 && memcmp(s.p + s.len - 3, ".md", 3) == 0 ? span_of(s.p, s.len - 3) : s;
}

/* A page with an unreadable file exists for its editor: name the file and the problem. */
static void
put_unreadable(const struct pages *p, struct span key, struct buf *text)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i]->exists && p->v[i]->trouble != NULL && span_is_str(key, p->v[i]->key)) {
			buf_printf(text, " Its file %s cannot be used: %s.", p->v[i]->path, p->v[i]->trouble);
			return;
		}
}

int
search_no_page(struct library *l, struct call *c, struct span key, struct err *err)
{
	struct buf text = BUF_MAX(800);
	int result;

	if (!files_is_id(key)) {
		struct buf flat = { 0 };

		wiki_suggest_key(key, &flat);
		buf_printf(&text, "\"%.*s\" is no wiki key: keys are flat, of letters, digits, - and _; use \"%s\".",
		    SPAN_FMT(brief(key)), buf_cstr(&flat));
		put_near(l, c, files_is_id(base_of(key)) ? base_of(key) : buf_view(&flat), NULL, KIND_WIKI, &text);
		buf_fini(&flat);
	} else {
		buf_printf(&text, "There is no wiki page \"%.*s\".", SPAN_FMT(brief(key)));
		put_unreadable(&l->pages, key, &text);
		put_near(l, c, key, NULL, KIND_WIKI, &text);
	}
	buf_str(&text, " wiki_search finds pages by what is in them.");
	result = err_set(err, ERR_PAGE_NOT_FOUND, "%s", buf_cstr(&text));
	buf_fini(&text);
	return result;
}

/* Begin the map of a page; end it with mp_end(). */
static size_t
open_page(const struct page *page, const struct wiki_page *w, struct span summary, struct span content, struct buf *out)
{
	size_t map = mp_open_pairs(out, mp_cstr("key", page->key), mp_cstr("path", page->path),
	    mp_cstr("scope", page->scope == PAGE_USER ? "USER" : "GLOBAL"), mp_str("summary", summary),
	    mp_str("content", content));

	put_strings(out, "tags", &w->tags);
	put_strings(out, "refs", &w->refs);
	put_strings(out, "slRefs", &w->sl_refs);
	put_provenance(out, w);
	return map;
}

/* Put a page with unreadable front matter as raw text, with the problem.  False if absent. */
static bool
put_raw_page(struct library *l, struct span key, struct buf *out)
{
	static const struct wiki_page none;
	const struct page *page = NULL;
	struct buf text = { 0 };
	size_t map;

	for (size_t i = 0; i < l->pages.n && page == NULL; i++)
		if (l->pages.v[i]->exists && l->pages.v[i]->trouble != NULL && span_is_str(key, l->pages.v[i]->key))
			page = l->pages.v[i];
	if (page == NULL || strncmp(page->path, "wiki/", 5) != 0 ||
	    !unindexed_text(l, PLACE_WIKI, page->path + 5, &text)) {
		buf_fini(&text);
		return false;
	}
	map = open_page(page, &none, SPAN(""), buf_view(&text), out);
	mp_pair_cstr(out, "problem", page->trouble);
	mp_end(out, map);
	buf_fini(&text);
	return true;
}

int
tool_wiki_read(struct call *c, const struct mp_value *args, struct err *err)
{
	struct library *l = call_state(c);
	struct span key = mp_get_str(args, "key", (struct span){ 0 });
	const struct page *page = pages_find(&l->pages, key);
	const struct wiki_page *w;
	struct buf out = { 0 };

	if (page == NULL && put_raw_page(l, key, &out))
		return search_finish(c, &out, err);
	if (page == NULL)
		return search_no_page(l, c, key, err);
	w = page->good;
	mp_end(&out, open_page(page, w, w->summary, w->body, &out));
	return search_finish(c, &out, err);
}

/* An unreadable file with the source's name explains why it is missing; one with another name may explain it. */
static void
put_broken(const struct connection *c, struct span name, struct buf *text)
{
	size_t n = source_set_troubles(c->models.set);

	for (size_t i = 0; i < n; i++) {
		struct source_trouble t = source_set_trouble(c->models.set, i);
		const char *base = strrchr(t.path, '/');

		base = base == NULL ? t.path : base + 1;
		if (span_is(span_of(base, (size_t)(strchrnul(base, '.') - base)), name)) {
			buf_printf(text, " Its file %s cannot be used: %s.", t.path, t.reason);
			return;
		}
	}
	if (n > 0) {
		struct source_trouble t = source_set_trouble(c->models.set, 0);

		buf_printf(text, " It may be in %s%s, which cannot be used: %s.", t.path,
		    n > 1 ? " or another file" : "", t.reason);
	}
}

int
search_no_source(struct library *l, struct call *c, const struct connection *from, struct span name,
    struct err *err)
{
	struct buf text = BUF_MAX(800);

	buf_printf(&text, "Connection \"%s\" has no semantic-layer source \"%.*s\".", from->id, SPAN_FMT(brief(name)));
	put_broken(from, name, &text);
	put_near(l, c, name, from, KIND_SL_SOURCE, &text);
	buf_str(&text, " discover_data finds sources by what is in them.");
	err_set(err, ERR_SOURCE_NOT_FOUND, "%s", buf_cstr(&text));
	buf_fini(&text);
	return -1;
}

/* {sourceName, connectionId, yaml, source, problem?}; parsed: a msgpack map. */
static void
put_source(struct buf *out, struct span name, struct span connection, const struct buf *yaml, const struct buf *parsed,
    const char *problem)
{
	mp_put_pairs(out, mp_maybe("sourceName", name), mp_maybe("connectionId", connection),
	    mp_maybe("yaml", buf_view(yaml)), mp_raw("source", buf_view(parsed)),
	    mp_when(problem != NULL, mp_cstr("problem", problem)));
}

/*
 * The text of an unusable file that defines, or defined, this source, with the problem.  Under a column policy
 * unparsed text is not shown.
 */
static const char *
broken_text(const struct library *l, const struct connection *from, struct span name, struct buf *text)
{
	struct buf path = { 0 };
	const char *reason = NULL;

	for (size_t i = 0;
	     i < source_set_troubles(from->models.set) && reason == NULL && columns_is_empty(from->policy); i++) {
		struct source_trouble t = source_set_trouble(from->models.set, i);

		buf_reset(&path, SIZE_MAX);
		buf_reset(text, SIZE_MAX);
		buf_printf(&path, "%s/%s", from->id, t.path);
		if (!source_is_shard(t.path) && unindexed_text(l, PLACE_SEMANTIC, buf_cstr(&path), text) &&
		    span_is(unindexed_name(t.path, buf_view(text)), name))
			reason = t.reason;
	}
	buf_fini(&path);
	return reason;
}

/* Sources of connections that are not configured can be read as files only. */
static int
read_unconfigured(struct library *l, struct call *c, struct span id, struct span name, struct err *err)
{
	struct buf yaml = { 0 }, parsed = { 0 }, near = { 0 }, out = { 0 };
	int r = -1;

	if (unindexed_source(l, id, name, &yaml, &parsed, &near)) {
		put_source(&out, name, id, &yaml, &parsed, NULL);
		r = search_finish(c, &out, err);
	} else
		err_set(err, ERR_SOURCE_NOT_FOUND,
		    "Connection \"%.*s\", which is not configured, has no semantic-layer source "
		    "\"%.*s\".%s%s",
		    SPAN_FMT(brief(id)), SPAN_FMT(brief(name)), near.len > 0 ? " There is: " : "", buf_cstr(&near));
	buf_fini(&yaml);
	buf_fini(&parsed);
	buf_fini(&near);
	return r;
}

int
tool_sl_read_source(struct call *c, const struct mp_value *args, struct err *err)
{
	struct library *l = call_state(c);
	struct span name = mp_get_str(args, "sourceName", (struct span){ 0 });
	struct span id = mp_get_str(args, "connectionId", (struct span){ 0 });
	struct buf out = { 0 }, yaml = { 0 }, parsed = { 0 };
	const char *problem;
	const struct source *source;
	struct connection *from;

	if (id.len > 0 && library_connection(l, id) == NULL && unindexed_connection(l, id))
		return read_unconfigured(l, c, id, name, err);
	if (search_connection(c, args, &from, err) != 0)
		return -1;
	if (from == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "connectionId is missing");
	source = source_set_get(from->models.set, name);
	problem = broken_text(l, from, name, &yaml);
	if (source == NULL && problem == NULL) {
		buf_fini(&yaml);
		return search_no_source(l, c, from, name, err);
	}
	if (problem == NULL) {
		buf_reset(&yaml, SIZE_MAX);
		source_set_yaml(from->models.set, source, &yaml);
	}
	if (source != NULL)
		source_mp(source, &parsed);
	else
		mp_put_map(&parsed, 0);
	put_source(&out, name, span_str(from->id), &yaml, &parsed, problem);
	buf_fini(&yaml);
	buf_fini(&parsed);
	return search_finish(c, &out, err);
}

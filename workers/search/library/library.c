/* library.c - see library.h: what there is, and telling about it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "base/array.h"
#include "project/config/config.h"
#include "project/scan/manifest_merge.h"
#include "workers/search/library/follow.h"
#include "workers/search/index/near.h"
#include "workers/search/library/library.h"
#include "workers/search/library/scans.h"

#define REPORTED_MAX	50	/* troubles named in a report; all are counted */

void
troubles_add(struct troubles *t, const char *path, const char *reason)
{
	t->v = array_grow(t->v, t->n, &t->cap, sizeof(*t->v));
	t->v[t->n++] = (struct trouble){ mem_text(span_str(path)), mem_text(span_str(reason)) };
}

void
troubles_clear(struct troubles *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->v[i].path);
		free(t->v[i].reason);
	}
	free(t->v);
	*t = (struct troubles){ 0 };
}

static enum columns_action
strictest(const struct connection *c, struct span db, struct span table, const char *column, enum columns_action so_far)
{
	enum columns_action action =
	    columns_decide(c->policy, COLUMNS_ANYBODY, library_schema(c, db), table, span_str(column));

	return action > so_far ? action : so_far;
}

/*
 * The name of a model's table, with quotes or without, is read in every way
 * there is: a schema and a table may have dots of their own, and a catalog may
 * come before them.  What is hidden in one reading is hidden.
 */
enum columns_action
library_column_action(const struct connection *c, const char *table, const char *column)
{
	enum columns_action action;
	struct buf plain = { 0 };

	for (const char *p = table; *p != '\0'; p++)
		if (*p != '"' && *p != '`')
			buf_byte(&plain, (uint8_t)*p);
	action = strictest(c, SPAN(""), buf_view(&plain), column, COLUMNS_CLEAR);
	for (size_t i = 0; i < plain.len && action != COLUMNS_HIDE; i++) {
		struct span db = span_of(plain.p, i), name = span_of(plain.p + i + 1, plain.len - i - 1);
		const uint8_t *dot = i > 0 ? memrchr(db.p, '.', i) : NULL;

		if (plain.p[i] != '.')
			continue;
		action = strictest(c, db, name, column, action);
		if (dot != NULL)
			action = strictest(c, span_of(dot + 1, (size_t)(db.p + i - dot) - 1), name, column, action);
	}
	buf_fini(&plain);
	return action;
}

static bool
is_hidden(void *arg, const char *table, const char *column)
{
	return library_column_action(arg, table, column) == COLUMNS_HIDE;
}

const struct source *
library_made_of(const struct connection *c, const struct schema *s, const struct schema_table *t)
{
	struct buf name = { 0 };
	const struct source *source;

	manifest_name(schema_span(s, t->catalog), schema_span(s, t->db), schema_span(s, t->name), &name);
	source = models_made_of(&c->models, buf_view(&name));
	if (source == NULL) {
		name.len = 0;
		schema_display(s, t, &name);
		source = models_made_of(&c->models, buf_view(&name));
	}
	buf_fini(&name);
	return source;
}

struct span
library_schema(const struct connection *c, struct span db)
{
	if (db.len > 0)
		return db;
	return c->nschemas > 0 ? span_str(c->schemas[0]) : SPAN("main");
}

static int
read_connection(struct library *l, const struct mp_value *v, struct connection *c, struct err *err)
{
	struct mp_value list, one;
	struct mp_iter it;
	struct span s;

	c->id = mem_text(mp_get_str(v, "id", (struct span){ 0 }));
	c->driver = mem_text(mp_get_str(v, "driver", SPAN("unknown")));
	s = mp_get_str(v, "name", (struct span){ 0 });
	c->name = s.len > 0 ? mem_text(s) : mem_text(span_str(c->id));
	s = mp_get_str(v, "description", (struct span){ 0 });
	c->description = s.len > 0 ? mem_text(s) : NULL;
	c->state = IPC_POOL_CONNECTING;
	c->semantic_only = mp_get_bool(v, "semanticOnly", false);
	c->is_default = mp_get_bool(v, "default", false);
	mp_get(v, "schemas", &list);
	if (list.class == MP_ARRAY && list.n > 0) {
		c->schemas = array_new(list.n, sizeof(char *));
		it = mp_iter(&list);
		while (mp_next(&it, &one))
			if (one.class == MP_STR)
				c->schemas[c->nschemas++] = mem_text(one.s);
	}
	models_init(&c->models, l->vocab, c->id);
	/* Ids become paths. */
	if (!files_is_id(mp_get_str(v, "id", SPAN_NONE)))
		return err_set(err, ERR_INVALID_ARGUMENTS, "a connection has no usable id");
	if (columns_new(&c->policy, mp_get(v, "columns", &list) ? list.raw : span_of("", 0), err) == -1)
		return -1;
	columns_digest(c->policy, c->policy_digest);
	if (mp_get(v, "identity", &one) && one.class == MP_BIN) {
		identity_mark(one.s, c->policy_digest);
		c->identity = one.s.len > 0;
	}
	return 0;
}

static int
by_id(const void *a, const void *b)
{
	return strcmp(((const struct connection *)a)->id, ((const struct connection *)b)->id);
}

struct library *
library_new(struct span project_dir, struct span wiki_user, struct span scheme,
    const struct mp_value *connections, const struct mp_value *ontologies, struct err *err)
{
	struct library *l = mem_new(1, sizeof(*l));
	struct mp_iter it = mp_iter(connections);
	struct mp_value v;

	l->project_dir = mem_text(project_dir);
	l->wiki_user = mem_text(wiki_user);
	l->scheme = mem_text(scheme);
	for (int i = 0; i < PLACES; i++)
		l->dirs[i] = -1;
	l->vocab = vocab_new();
	pages_init(&l->pages, l->vocab);
	chunks_init(&l->chunks);
	vocab_near(l->vocab)->vectors = &l->chunks.vectors;
	l->connections = array_new(connections->class == MP_ARRAY ? connections->n : 0, sizeof(*l->connections));
	while (connections->class == MP_ARRAY && mp_next(&it, &v))
		if (read_connection(l, &v, &l->connections[l->nconnections++], err) == -1) {
			library_free(l);
			return NULL;
		}
	qsort(l->connections, l->nconnections, sizeof(*l->connections), by_id);
	/* Now that they stay where they are. */
	for (size_t i = 0; i < l->nconnections; i++)
		if (!columns_is_empty(l->connections[i].policy))
			source_set_hide(l->connections[i].models.set, is_hidden, &l->connections[i]);
	ontologies_init(&l->ontologies, l, ontologies);
	return l;
}

void
library_free(struct library *l)
{
	if (l == NULL)
		return;
	follow_free(l->follow);
	ontologies_fini(&l->ontologies);
	for (size_t i = 0; i < l->nconnections; i++) {
		struct connection *c = &l->connections[i];

		models_fini(&c->models);
		scans_fini(&c->scans, l->vocab);
		for (size_t k = 0; k < c->nschemas; k++)
			free(c->schemas[k]);
		free(c->schemas);
		for (size_t k = 0; k < c->ndirs; k++)
			free(c->dirs[k]);
		free(c->dirs);
		free(c->id);
		free(c->driver);
		free(c->name);
		free(c->description);
		free(c->reason);
		free(c->live.sync);
		columns_free(c->policy);
	}
	free(l->connections);
	pages_fini(&l->pages);
	chunks_fini(&l->chunks);
	sizes_fini(&l->sizes);
	vocab_free(l->vocab);
	for (int i = 0; i < PLACES; i++)
		if (l->dirs[i] != -1)
			close(l->dirs[i]);
	free(l->parts);
	free(l->project_dir);
	free(l->wiki_user);
	free(l->scheme);
	free(l);
}

struct connection *
library_default(struct library *l)
{
	for (size_t i = 0; i < l->nconnections; i++)
		if (l->connections[i].is_default || l->nconnections == 1)
			return &l->connections[i];
	return NULL;
}

struct connection *
library_connection(struct library *l, struct span id)
{
	for (size_t i = 0; i < l->nconnections; i++)
		if (span_is_str(id, l->connections[i].id))
			return &l->connections[i];
	return NULL;
}

static void
add_part(struct library *l, const struct segment *s, const struct shelf *shelf)
{
	l->parts = array_grow(l->parts, l->nparts, &l->parts_cap, sizeof(*l->parts));
	l->parts[l->nparts++] = (struct part){ s, shelf };
}

static void
add_tiers(struct library *l, const struct tiers *t, const struct shelf *shelf)
{
	for (size_t i = 0; i < t->n; i++)
		add_part(l, t->segments[i], shelf);
}

const struct part *
library_parts(struct library *l, const struct connection *only, size_t *n)
{
	l->nparts = 0;
	add_tiers(l, &l->pages.tiers, &l->pages.shelf);
	for (size_t i = 0; i < l->nconnections; i++) {
		const struct connection *c = &l->connections[i];

		if (only != NULL && only != c)
			continue;
		add_tiers(l, &c->models.tiers, &c->models.shelf);
		if (c->scans.schema != NULL)
			add_part(l, c->scans.schema->segment, &c->scans.schema->shelf);
	}
	*n = l->nparts;
	return l->parts;
}

uint64_t
library_documents(const struct library *l)
{
	uint64_t n = tiers_documents(&l->pages.tiers);

	for (size_t i = 0; i < l->nconnections; i++) {
		n += tiers_documents(&l->connections[i].models.tiers);
		if (l->connections[i].scans.schema != NULL)
			n += l->connections[i].scans.schema->segment->nlive;
	}
	return n;
}

bool
library_is_indexing(const struct connection *c)
{
	return c->scans.load != NULL || c->queued > 0;
}

const char *
library_dictionary(const struct connection *c)
{
	if (c->scans.dict == NULL)
		return "no_profile_artifact";
	return dict_columns(c->scans.dict) == 0 ? "no_candidate_columns" : "ready";
}

static void
page_troubles(const struct library *l, void (*fn)(void *, const char *, const char *), void *arg)
{
	for (int i = 0; i < PLACES; i++)
		if (l->dir_troubles[i] != NULL)
			fn(arg, place_names[i], l->dir_troubles[i]);
	for (size_t i = 0; i < l->pages.n; i++)
		if (l->pages.v[l->pages.sorted[i]]->trouble != NULL)
			fn(arg, l->pages.v[l->pages.sorted[i]]->path, l->pages.v[l->pages.sorted[i]]->trouble);
}

void
library_notes(struct connection *c, void (*fn)(void *, const char *, const char *), void *arg)
{
	const struct sem_model *m = models_compiled(&c->models);
	struct buf path = { 0 }, reason = { 0 };

	for (size_t i = 0; m != NULL && i < sem_model_troubles(m); i++) {
		const struct sem_trouble *t = sem_model_trouble(m, i);

		if (!t->passed_over)
			continue;
		buf_reset(&path, SIZE_MAX);
		buf_reset(&reason, SIZE_MAX);
		buf_printf(&path, "semantic-layer/%s/%s", c->id, t->source->path);
		if (t->line > 0)
			buf_printf(&reason, "line %u: ", t->line);
		buf_str(&reason, t->text);
		fn(arg, buf_cstr(&path), buf_cstr(&reason));
	}
	buf_fini(&path);
	buf_fini(&reason);
}

void
library_troubles(const struct library *l, const struct connection *c,
    void (*fn)(void *, const char *, const char *), void *arg)
{
	struct buf path = { 0 };

	if (c == NULL) {
		page_troubles(l, fn, arg);
		chunks_troubles(&l->chunks, fn, arg);
		ontologies_troubles(l, fn, arg);
		return;
	}
	for (size_t i = 0; i < source_set_troubles(c->models.set); i++) {
		struct source_trouble t = source_set_trouble(c->models.set, i);

		path.len = 0;
		buf_printf(&path, "semantic-layer/%s/%s", c->id, t.path);
		fn(arg, buf_cstr(&path), t.reason);
	}
	buf_fini(&path);
	for (size_t i = 0; i < c->scans.troubles.n; i++)
		fn(arg, c->scans.troubles.v[i].path, c->scans.troubles.v[i].reason);
}

int
library_no_connection(const struct library *l, struct span id, struct buf *details, struct err *err)
{
	struct buf known = BUF_MAX(600);

	mp_put_map(details, 1);
	mp_pair_array(details, "connections", l->nconnections);
	for (size_t i = 0; i < l->nconnections; i++) {
		mp_put_cstr(details, l->connections[i].id);
		buf_printf(&known, "%s%s", i > 0 ? ", " : "", l->connections[i].id);
	}
	err_set(err, ERR_CONNECTION_NOT_FOUND, "There is no connection \"%.*s\"%s. %s%s%s",
	    (int)(id.len < 100 ? id.len : 100), (const char *)id.p,
	    span_is_str(id, CONFIG_IMPORTS) ? ": no file was imported here, or has come here yet from another node" :
					      "",
	    l->nconnections > 0 ? "There is: " : "None is configured; see `carrel connection add`",
	    l->nconnections > 0 ? buf_cstr(&known) : "", ".");
	buf_fini(&known);
	return -1;
}

struct library_listing {
	struct buf	*out;
	size_t		 total;
};

static void
list_trouble(void *arg, const char *path, const char *reason)
{
	struct library_listing *list = arg;

	if (++list->total > REPORTED_MAX)
		return;
	mp_put_pairs(list->out, mp_cstr("path", path), mp_cstr("reason", reason));
}

static void
report_connection(const struct connection *c, struct buf *out)
{
	const struct schema *s = c->scans.schema;

	mp_put_pairs(out, mp_cstr("id", c->id),
	    mp_cstr("dictionary",
		c->scans.dict == NULL && c->scans.dict_unreadable ? "unreadable" : library_dictionary(c)),
	    mp_uint("sources", source_set_count(c->models.set)), mp_uint("measures", c->models.nmeasures),
	    mp_uint("dimensions", c->models.ndimensions), mp_uint("tables", s != NULL ? s->ntables : 0),
	    mp_uint("columns", s != NULL ? s->ncolumns : 0),
	    mp_uint("dictionaryValues", c->scans.dict != NULL ? dict_values(c->scans.dict) : 0),
	    mp_cstr("syncId", s != NULL ? s->sync_id : NULL), mp_bool("indexing", library_is_indexing(c)));
}

static size_t
bytes(const struct library *l)
{
	size_t n = vocab_bytes(l->vocab) + tiers_bytes(&l->pages.tiers) + l->pages.texts + chunks_bytes(&l->chunks);

	for (size_t i = 0; i < l->nconnections; i++) {
		const struct connection *c = &l->connections[i];

		n += tiers_bytes(&c->models.tiers);
		n += c->scans.schema != NULL ? schema_bytes(c->scans.schema) : 0;
		n += c->scans.dict != NULL ? dict_bytes(c->scans.dict) : 0;
	}
	return n;
}

void
library_report(struct library *l, struct buf *out)
{
	struct library_listing list = { .out = out };
	size_t mark;
	size_t map =
	    mp_open_pairs(out, mp_uint("documents", library_documents(l)), mp_uint("words", vocab_count(l->vocab)),
		mp_uint("bytes", bytes(l)), mp_uint("buildMs", l->build_ns / CLOCK_MS),
		mp_uint("pages", l->pages.nlive), mp_uint("chunks", l->chunks.total));

	mp_pair_array(out, "connections", l->nconnections);
	for (size_t i = 0; i < l->nconnections; i++)
		report_connection(&l->connections[i], out);
	mark = mp_pair_open_array(out, "problems");
	library_troubles(l, NULL, list_trouble, &list);
	if (follow_unwatched(l) != NULL)
		list_trouble(&list, ".", follow_unwatched(l));
	for (size_t i = 0; i < l->nconnections; i++) {
		library_troubles(l, &l->connections[i], list_trouble, &list);
		library_notes(&l->connections[i], list_trouble, &list);
	}
	mp_close(out, mark, list.total < REPORTED_MAX ? list.total : REPORTED_MAX);
	mp_pair_uint(out, "problemCount", list.total);
	mp_end(out, map);
}

/* knowledge_files.c - the files of an import: their marks, their texts, and the report. */
#include <dirent.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/json/json_write.h"
#include "base/mem.h"
#include "base/text/safe_text.h"
#include "base/utf8.h"
#include "project/format/files.h"
#include "project/format/yaml_emit.h"
#include "project/letters.h"
#include "project/model/wiki.h"
#include "workers/memory/ingest/knowledge_files.h"
#include "workers/memory/ingest/sources.h"
#include "workers/memory/read/layer_text.h"
#include "workers/memory/worker.h"

#define TEXT_MAX	((size_t)4 << 20)
#define DIGEST		32	/* hexadecimal digits */
#define SKIPPED_BYTES	((size_t)2 << 20)	/* of what is skipped by name; the rest is counted */
#define SLUG_MAX	48
#define MARK		"imported: "

const char *
know_slug(struct know *k, struct span text)
{
	struct buf b = { 0 };
	const char *slug;

	wiki_suggest_key(letters_plain(k->a, text, NULL), &b);
	for (size_t i = 0; i < b.len; i++)
		b.p[i] = b.p[i] < 0x80 ? ascii_lower(b.p[i]) : '-';
	if (b.len > SLUG_MAX)
		b.len = SLUG_MAX;
	slug = mem_must(arena_cstr(k->a, buf_view(&b)));
	buf_fini(&b);
	return slug;
}

static void
put_digest(struct span before, struct span after, char hex[DIGEST + 1])
{
	uint8_t hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state h;

	crypto_hash_sha256_init(&h);
	crypto_hash_sha256_update(&h, before.len > 0 ? before.p : hash, before.len);
	crypto_hash_sha256_update(&h, after.len > 0 ? after.p : hash, after.len);
	crypto_hash_sha256_final(&h, hash);
	sodium_bin2hex(hex, DIGEST + 1, hash, DIGEST / 2);
}

const char *
know_file_name(struct know *k, const char *source)
{
	struct span s = span_str(source);
	char hex[DIGEST + 1], *name;
	bool plain = s.len > 0 && s.len <= 64 && !ascii_is_digit(s.p[0]);

	for (size_t i = 0; i < s.len && plain; i++)
		plain = ascii_is_lower(s.p[i]) || ascii_is_digit(s.p[i]) || s.p[i] == '_';
	put_digest(s, SPAN_NONE, hex);
	name = plain ? arena_printf(k->a, SOURCE_IMPORTS "/%s/%s.yaml", k->dir, source) :
		       arena_printf(k->a, SOURCE_IMPORTS "/%s/%s-%.8s.yaml", k->dir, know_slug(k, s), hex);
	return mem_must(name);
}

/* The line that says whose file it is, up to its digest: "imported: dbt shop warehouse ". */
static const char *
mark_of(struct know *k)
{
	return mem_must(arena_printf(k->a, MARK "%s %.*s ", k->dir, SPAN_FMT(k->r->connection)));
}

/* Whether the text has this import's mark, and *edited since it was made. */
static bool
is_ours(struct know *k, struct span text, bool *edited)
{
	const char *mark = mark_of(k);
	const uint8_t *at = memmem(text.p, text.len < 4096 ? text.len : 4096, mark, strlen(mark));
	size_t head = at == NULL ? 0 : (size_t)(at - text.p) + strlen(mark);
	char hex[DIGEST + 1];

	*edited = true;
	if (at == NULL || text.len < head + DIGEST)
		return false;
	put_digest(span_of(text.p, head), span_of(text.p + head + DIGEST, text.len - head - DIGEST), hex);
	*edited = memcmp(text.p + head, hex, DIGEST) != 0;
	return true;
}

/* Puts the digest where the mark ends, at text[head]. */
static void
seal_text(struct buf *text, size_t head)
{
	char hex[DIGEST + 1];

	put_digest(span_of(text->p, head), span_of(text->p + head + DIGEST, text->len - head - DIGEST), hex);
	memcpy(text->p + head, hex, DIGEST);
}

/* What is there now. */
static void
look_at(struct know *k, struct know_file *f)
{
	const uint8_t *slash = memchr(f->path.p, '/', f->path.len);
	const char *place = arena_printf(k->a, "%.*s", (int)(slash - f->path.p), (const char *)f->path.p),
		   *rest = arena_cstr(k->a, span_of(slash + 1, f->path.len - (size_t)(slash + 1 - f->path.p)));
	int dir = memory_open_place(k->m, place, NULL);
	struct buf text = { 0 };
	enum files_fault fault;

	if (dir < 0)
		return;
	fault = files_read(dir, rest, TEXT_MAX, &text, NULL);
	f->there = fault == FILES_OK;
	f->edited = fault != FILES_OK && fault != FILES_MISSING;
	if (f->there) {
		f->before = arena_span(k->a, buf_view(&text));
		(void)is_ours(k, f->before, &f->edited);
	}
	buf_fini(&text);
	close(dir);
}

size_t
know_file(struct know *k, const char *path, const char *below)
{
	struct span p = path != NULL ?
	    span_str(path) :
	    span_str(mem_must(arena_printf(k->a, "semantic-layer/%.*s/%s", SPAN_FMT(k->r->connection), below)));
	struct know_file *f;

	for (size_t i = 0; i < k->nfiles; i++)
		if (span_is(k->files[i].path, p))
			return i;
	k->files = mem_grow(k->files, k->nfiles, &k->files_cap, sizeof(*k->files));
	f = &k->files[k->nfiles];
	*f = (struct know_file){ .path = arena_span(k->a, p), .below = below };
	look_at(k, f);
	return k->nfiles++;
}

void
know_join_file(struct know *k, struct know_model *m, size_t file)
{
	struct know_file *f = &k->files[file];

	m->file = file;
	m->before = f->last;
	if (f->last != NULL)
		f->last->next = m;
	else
		f->first = m;
	f->last = m;
}

/* The files in a directory that are this import's. */
static int
list_files(struct know *k, const char *place, const char *dir, const char *prefix, bool overlays, struct err *err)
{
	int top = memory_open_place(k->m, place, err), fd;
	struct files_list list = { 0 };

	if (top < 0)
		return -1;
	if (files_open_dir(top, dir, &fd) == FILES_OK) {
		(void)files_list(fd, k->a, &list);
		close(fd);
	}
	for (size_t i = 0; i < list.n; i++) {
		const char *name = list.entries[i].name;

		if (list.entries[i].is_dir || list.entries[i].is_link || strncmp(name, prefix, strlen(prefix)) != 0)
			continue;
		(void)know_file(k, arena_printf(k->a, "%s/%s/%s", place, dir, name),
		    overlays ? arena_printf(k->a, SOURCE_IMPORTS "/%s/%s", k->dir, name) : NULL);
	}
	close(top);
	return 0;
}

int
know_read_files(struct know *k, struct err *err)
{
	int top = memory_open_place(k->m, "semantic-layer", err), dir;
	const char *connection = mem_must(arena_cstr(k->a, k->r->connection));

	if (top < 0)
		return -1;
	if (files_open_dir(top, connection, &dir) != FILES_OK)
		dir = -1;
	k->set = sources_read(k->m->sources, k->r->connection, dir);
	if (dir != -1)
		close(dir);
	close(top);
	if (list_files(k, "semantic-layer", arena_printf(k->a, "%s/" SOURCE_IMPORTS "/%s", connection, k->dir), "",
		true, err) != 0)
		return -1;
	return list_files(k, "wiki", "global", arena_printf(k->a, "%s-", k->dir), false, err);
}

static void
put_line(struct buf *out, unsigned indent, const char *key, struct span text)
{
	if (text.len == 0)
		return;
	if (memchr(text.p, '\n', text.len) == NULL) {
		layer_put_line(out, indent, key, text);
		return;
	}
	buf_printf(out, "%*s%s: ", (int)indent, "", key);
	yaml_put_quoted(text, out);
	buf_byte(out, '\n');
}

static void
put_said(struct buf *out, unsigned indent, struct span said)
{
	if (said.len == 0)
		return;
	buf_printf(out, "%*sdescriptions:\n", (int)indent, "");
	put_line(out, indent + 2, "dbt", said);
}

static struct span
text_of(const struct mp_value *map, const char *key)
{
	return mp_get_str(map, key, SPAN(""));
}

/* The list of texts as a flow: [a, "b c"]. */
static void
put_texts(struct buf *out, const struct mp_value *list)
{
	struct mp_iter it = mp_iter(list);
	struct mp_value each;
	const char *between = "";

	buf_byte(out, '[');
	while (list->class == MP_ARRAY && mp_next(&it, &each))
		if (each.class == MP_STR) {
			buf_str(out, between);
			yaml_put_quoted(each.s, out);
			between = ", ";
		}
	buf_byte(out, ']');
}

/* Other words for an object. */
static void
put_also(struct buf *out, unsigned indent, const struct mp_value *said)
{
	struct mp_value also;

	if (!mp_get(said, "also", &also))
		return;
	buf_printf(out, "%*ssynonyms: ", (int)indent, "");
	put_texts(out, &also);
	buf_byte(out, '\n');
}

void
know_put_query(struct buf *out, const struct know_model *m)
{
	struct span rest = m->query->sql, line;
	bool block = rest.len > 0 && !ascii_is_space(rest.p[0]);

	/* A block keeps the text if that has nothing which YAML reads otherwise. */
	for (size_t i = 0; i < rest.len && block; i++)
		block = (rest.p[i] >= ' ' && rest.p[i] < 0x7f) || rest.p[i] == '\n';
	layer_put_line(out, 0, "name", span_str(m->source));
	if (block) {
		buf_str(out, "sql: |\n");
		while (span_line(&rest, &line))
			buf_printf(out, "%s%.*s\n", line.len > 0 ? "  " : "", SPAN_FMT(line));
		return;
	}
	buf_str(out, "sql: ");
	yaml_put_quoted(m->query->sql, out);
	buf_byte(out, '\n');
}

void
know_put_field(struct buf *out, const struct know_field *f)
{
	buf_str(out, "  - ");
	layer_put_line(out, 0, "name", f->name);
	if (f->type != NULL)
		layer_put_line(out, 4, "type", span_str(f->type));
}

/* What is said of a column. */
static void
put_column_said(struct buf *out, const struct know_entry *e)
{
	bool unique = mp_get_bool(&e->said, "unique", false), not_null = mp_get_bool(&e->said, "notNull", false);
	struct mp_value values;

	if (span_is_str(text_of(&e->said, "type"), "time"))
		buf_str(out, "    role: time\n");
	if (!e->known)
		put_line(out, 4, "natural_granularity", text_of(&e->said, "grain"));
	put_line(out, 4, "label", text_of(&e->said, "label"));
	put_also(out, 4, &e->said);
	put_said(out, 4, text_of(&e->said, "said"));
	if (unique || not_null)
		buf_printf(out, "    constraints: {dbt: {%s%s%s}}\n", unique ? "unique: true" : "",
		    unique && not_null ? ", " : "", not_null ? "not_null: true" : "");
	if (mp_get(&e->said, "values", &values)) {
		buf_str(out, "    enum_values: {dbt: ");
		put_texts(out, &values);
		buf_str(out, "}\n");
	}
}

static void
put_column(struct buf *out, const struct know_entry *e)
{
	buf_str(out, "  - ");
	layer_put_line(out, 0, "name", e->name);
	put_line(out, 4, "expr", e->expr);
	if (!e->known)
		put_line(out, 4, "type", text_of(&e->said, "type"));
	put_column_said(out, e);
}

static bool
is_said(const struct know_model *m, const struct know_entry *e)
{
	return e->part == KNOW_COLUMN && know_is_taken(m, e);
}

/* All columns of a query, which are in one list with computed ones. */
static void
put_fields(struct buf *out, const struct know_model *m)
{
	buf_str(out, "columns:\n");
	for (size_t i = 0; i < m->query->ncolumns; i++) {
		know_put_field(out, &m->query->columns[i]);
		for (size_t j = 0; j < m->nentries; j++)
			if (is_said(m, &m->entries[j]) && m->entries[j].known &&
			    span_is_folded(m->entries[j].name, m->query->columns[i].name)) {
				put_column_said(out, &m->entries[j]);
				break;
			}
	}
	for (size_t j = 0; j < m->nentries; j++)
		if (is_said(m, &m->entries[j]) && !m->entries[j].known)
			put_column(out, &m->entries[j]);
}

static void
put_join(struct know *k, struct buf *out, const struct know_entry *e)
{
	const struct know_model *to = know_find_model(k, text_of(&e->said, "to"));

	buf_str(out, "  - ");
	layer_put_line(out, 0, "to", span_str(to->source));
	layer_put_line(out, 4, "\"on\"", e->expr);
	put_line(out, 4, "alias", text_of(&e->said, "alias"));
	layer_put_line(out, 4, "relationship",
	    mp_get_bool(&e->said, "single", false) ? SPAN("one_to_one") : SPAN("many_to_one"));
}

/* A measure, or a segment. */
static void
put_measure(struct buf *out, const struct know_entry *e)
{
	buf_str(out, "  - ");
	layer_put_line(out, 0, "name", e->name);
	put_line(out, 4, "expr", e->expr);
	put_line(out, 4, "filter", e->filter);
	if (mp_get_bool(&e->said, "apart", false))
		buf_str(out, "    missing: stays\n");
	if (mp_get_bool(&e->said, "adds", false))
		buf_str(out, "    additive: full\n");
	put_line(out, 4, "label", text_of(&e->said, "label"));
	put_also(out, 4, &e->said);
	put_said(out, 4, text_of(&e->said, "said"));
}

/* The lists of an overlay: which entries are in each. */
static bool
belongs_to(const struct know_entry *e, unsigned list)
{
	return e->part == KNOW_COLUMN ? list == (e->known ? 1u : 0u) : list == (unsigned)e->part + 1;
}

static unsigned
put_list(struct know *k, struct buf *out, size_t file, unsigned list)
{
	static const char *const names[] = { "columns", "column_overrides", "joins", "measures", "segments" };
	unsigned n = 0;

	for (const struct know_model *m = k->files[file].first; m != NULL; m = m->next)
		for (size_t j = 0; j < m->nentries; j++) {
			const struct know_entry *e = &m->entries[j];

			if (!know_is_taken(m, e) || !belongs_to(e, list))
				continue;
			if (n++ == 0)
				buf_printf(out, "%s:\n", names[list]);
			if (e->part == KNOW_COLUMN)
				put_column(out, e);
			else if (e->part == KNOW_JOIN)
				put_join(k, out, e);
			else
				put_measure(out, e);
		}
	return n;
}

/* Whether all columns of "a,b" are there. */
static bool
has_columns(const struct source *s, struct span list, struct buf *out)
{
	while (list.len > 0) {
		const uint8_t *comma = memchr(list.p, ',', list.len);
		struct span name = span_of(list.p, comma == NULL ? list.len : (size_t)(comma - list.p));
		const char *found = NULL;

		for (size_t i = 0; s != NULL && i < s->ncolumns; i++)
			if (span_is_folded(span_str(s->columns[i].name), name) && s->columns[i].expr == NULL)
				found = s->columns[i].name;
		if (found == NULL)
			return false;
		buf_str(out, "  - ");
		yaml_put_quoted(span_str(found), out);
		buf_byte(out, '\n');
		list = comma == NULL ? SPAN_NONE : span_of(comma + 1, list.len - name.len - 1);
	}
	return true;
}

/* The key, where the database declares none: a query has none, and a table without one may have a measured one. */
static bool
put_grain(const struct source *s, const struct mp_value *said, struct buf *out)
{
	struct span key = text_of(said, "key");
	struct buf list = { 0 };
	bool put = key.len > 0 && s != NULL && (s->keyless || s->sql != NULL || s->grain_rows > 0) &&
	    has_columns(s, key, &list);

	if (put)
		buf_printf(out, "grain:\n%.*s", SPAN_FMT(buf_view(&list)));
	buf_fini(&list);
	return put;
}

/* The grain of a query whose key nothing says. */
static void
put_all_columns(const struct know_query *q, struct buf *out)
{
	buf_str(out, "grain:\n");
	for (size_t i = 0; i < q->ncolumns; i++) {
		buf_str(out, "  - ");
		yaml_put_quoted(q->columns[i].name, out);
		buf_byte(out, '\n');
	}
}

/* What the models say of the table itself; false: nothing. */
static bool
put_head(struct know *k, size_t file, struct buf *out)
{
	const struct source *s = source_set_get(k->set, k->files[file].name);
	size_t before = out->len;
	struct mp_value tags;
	bool grain = false, first = true;

	for (const struct know_model *m = k->files[file].first; m != NULL; m = m->next) {
		struct span time = text_of(&m->said, "time");
		struct buf ignored = { 0 };

		if (m->fate.why.len > 0)
			continue;
		if (first) {
			first = false;
			put_line(out, 0, "label", text_of(&m->said, "label"));
			put_also(out, 0, &m->said);
			put_said(out, 0, text_of(&m->said, "said"));
			if (mp_get(&m->said, "tags", &tags)) {
				buf_str(out, "tags: {dbt: ");
				put_texts(out, &tags);
				buf_str(out, "}\n");
			}
			if (time.len > 0 && s != NULL && s->time_dimension == NULL && has_columns(s, time, &ignored)) {
				buf_str(out, "default_time_dimension:\n");
				put_line(out, 2, "dbt", time);
			}
		}
		grain = grain || put_grain(s, &m->said, out);
		buf_fini(&ignored);
	}
	if (!grain && k->files[file].query != NULL)
		put_all_columns(k->files[file].query->query, out);
	return out->len > before;
}

void
know_put_overlay(struct know *k, struct know_file *f, size_t file)
{
	static const char *const words[] = { "computed column", "column", "join", "measure", "segment" };
	struct buf about = { 0 };
	size_t mark;
	bool something;

	f->text.len = 0;
	buf_printf(&f->text, "# %s", mark_of(k));
	mark = f->text.len;
	buf_printf(&f->text, "%*s\n# By carrel import-knowledge", DIGEST, "");
	for (const struct know_model *m = f->first; m != NULL; m = m->next)
		if (m->from.len > 0) {
			buf_str(&f->text, ", from ");
			safe_text_strip(&f->text, m->from, false);
		}
	buf_str(&f->text, ".\n# A file that is edited is yours: imports leave it as it is from then on.\n");
	if (f->query != NULL)
		know_put_query(&f->text, f->query);
	else
		layer_put_line(&f->text, 0, "name", f->name);
	something = put_head(k, file, &f->text);
	if (f->query != NULL) {
		something = f->query->fate.why.len == 0;
		put_fields(&f->text, f->query);
		buf_printf(&about, "a query of %zu column%s", f->query->query->ncolumns,
		    f->query->query->ncolumns == 1 ? "" : "s");
	}
	for (unsigned list = f->query != NULL ? 2 : 0; list < 5; list++) {
		unsigned n = put_list(k, &f->text, file, list);

		something = something || n > 0;
		if (n > 0)
			buf_printf(&about, "%s%u %s%s", about.len > 0 ? ", " : "", n, words[list], n == 1 ? "" : "s");
	}
	f->about = about.len > 0 ? arena_span(k->a, buf_view(&about)) : SPAN("its description");
	buf_fini(&about);
	if (!something)
		f->text.len = 0;
	else
		seal_text(&f->text, mark);
}

void
know_put_page(struct know *k, struct know_file *f, const struct know_page *p)
{
	struct span title = text_of(&p->said, "title"), summary = text_of(&p->said, "summary");
	struct mp_value models, each;
	struct buf plain = { 0 };
	size_t mark;

	safe_text_strip(&plain, title.len > 0 ? title : p->name, false);
	f->name = arena_span(k->a, span_of(f->path.p + 12, f->path.len - 15));
	f->about = arena_span(k->a, buf_view(&plain));
	buf_str(&f->text, "---\n");
	put_line(&f->text, 0, "summary",
	    span_of(summary.len > 0 ? summary.p : f->about.p,
		summary.len > 0 ? utf8_cut(summary.p, summary.len, 200) : utf8_cut(f->about.p, f->about.len, 200)));
	buf_printf(&f->text, "tags: [%s", know_slug(k, k->kind));
	if (p->as.len > 0)
		buf_printf(&f->text, ", %s", know_slug(k, p->as));
	buf_str(&f->text, "]\nrefs: []\nsl_refs: [");
	if (mp_get(&p->said, "models", &models) && models.class == MP_ARRAY) {
		const char *between = "";

		for (struct mp_iter it = mp_iter(&models); mp_next(&it, &each);) {
			const struct know_model *m = each.class == MP_STR ? know_find_model(k, each.s) : NULL;

			if (m == NULL || m->source == NULL)
				continue;
			buf_str(&f->text, between);
			yaml_put_quoted(span_str(m->source), &f->text);
			between = ", ";
		}
	}
	buf_printf(&f->text, "]\nconnection: %.*s\nusage_mode: auto\nsource: %s\n%s", SPAN_FMT(k->r->connection),
	    know_slug(k, k->kind), mark_of(k));
	mark = f->text.len;
	buf_printf(&f->text, "%*s\n---\n\n# %.*s\n\n", DIGEST, "", SPAN_FMT(f->about));
	buf_span(&f->text, span_trim(p->body));
	if (p->from.len > 0) {
		buf_str(&f->text, "\n\nImported from ");
		safe_text_strip(&f->text, p->from, false);
		buf_byte(&f->text, '.');
	}
	buf_byte(&f->text, '\n');
	seal_text(&f->text, mark);
	buf_fini(&plain);
}

/* What became of the objects of one kind. */
struct know_count {
	struct span	as;
	size_t		read, merged, skipped;
};

struct know_counts {
	size_t			 n, nskipped, nleft;	/* in the list, and left out of it */
	struct know_count	 v[64];
	struct buf		 skipped;	/* elements of an array */
};

static void
count_objects(struct know_counts *all, struct span as, size_t n, struct span name, struct span from,
    const struct know_fate *fate)
{
	size_t i = 0;

	if (as.len == 0)
		return;
	while (i < all->n && !span_is(all->v[i].as, as))
		i++;
	if (i == sizeof(all->v) / sizeof(all->v[0]))
		return;
	if (i == all->n)
		all->v[all->n++] = (struct know_count){ .as = as };
	all->v[i].read += n;
	all->v[i].merged += fate->why.len == 0 && fate->merged ? n : 0;
	all->v[i].skipped += fate->why.len > 0 ? n : 0;
	if (fate->why.len == 0)
		return;
	if (all->skipped.len > SKIPPED_BYTES) {
		all->nleft += n;
		return;
	}
	mp_put_pairs(&all->skipped, mp_str("as", as), mp_str("name", name), mp_str("from", from), mp_uint("n", n),
	    mp_str("reason", fate->why));
	all->nskipped++;
}

static void
count_object(struct know_counts *all, struct span as, struct span name, struct span from, const struct know_fate *fate)
{
	count_objects(all, as, 1, name, from, fate);
}

static void
count_model(struct know *k, struct know_counts *all, const struct know_model *m)
{
	count_object(all, m->as, m->name, m->from, &m->fate);
	for (size_t j = 0; j < m->nentries; j++) {
		const struct know_entry *e = &m->entries[j];
		struct know_fate gone = { .why = span_str(arena_printf(k->a, "%.*s was skipped", SPAN_FMT(m->name))) };
		bool whole = e->part == KNOW_JOIN || memchr(e->name.p, '.', e->name.len) != NULL;
		const char *name = whole ? arena_printf(k->a, "%.*s", SPAN_FMT(e->name)) :
					   arena_printf(k->a, "%.*s.%.*s", SPAN_FMT(m->name), SPAN_FMT(e->name));

		count_object(all, e->as, span_str(name), m->from, m->fate.why.len > 0 ? &gone : &e->fate);
	}
}

static void
put_counts(struct know *k, struct know_counts *all, struct buf *out)
{
	size_t map = mp_open_pairs(out, mp_str("kind", k->kind), mp_str("project", k->project)), list;

	mp_pair_array(out, "objects", all->n);
	for (size_t i = 0; i < all->n; i++)
		mp_put_pairs(out, mp_str("as", all->v[i].as), mp_uint("read", all->v[i].read),
		    mp_uint("taken", all->v[i].read - all->v[i].merged - all->v[i].skipped),
		    mp_uint("merged", all->v[i].merged), mp_uint("skipped", all->v[i].skipped));
	list = mp_pair_open_array(out, "skipped");
	buf_span(out, buf_view(&all->skipped));
	mp_close(out, list, all->nskipped);
	if (all->nleft > 0)
		mp_pair_uint(out, "skippedLeftOut", all->nleft);
	mp_end(out, map);
}

void
know_report(struct know *k)
{
	struct know_counts *all = mem_new(1, sizeof(*all));
	struct mp_value remarks, each, v;
	struct buf out = { 0 }, text = { 0 };

	for (size_t i = 0; i < k->nmodels; i++)
		count_model(k, all, &k->models[i]);
	for (size_t i = 0; i < k->npages; i++)
		count_object(all, k->pages[i].as, k->pages[i].name, k->pages[i].from, &k->pages[i].fate);
	if (mp_get(&k->said, "remarks", &remarks) && remarks.class == MP_ARRAY)
		for (struct mp_iter it = mp_iter(&remarks); mp_next(&it, &each);) {
			struct know_fate fate = { .why = text_of(&each, "reason"), .merged = true };

			count_objects(all, text_of(&each, "as"), mp_get_uint(&each, "n", 1), text_of(&each, "name"),
			    text_of(&each, "from"), &fate);
		}
	put_counts(k, all, &out);
	if (mp_value(buf_view(&out), &v))
		json_write(&text, &v);
	k->r->report = arena_span(k->a, buf_view(&text));
	buf_fini(&text);
	buf_fini(&out);
	buf_fini(&all->skipped);
	free(all);
}

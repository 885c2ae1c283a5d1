/* knowledge.c - the model being filled, and its JSON; see knowledge.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json/json_put.h"
#include "base/mem.h"
#include "base/system/io.h"
#include "base/utf8.h"
#include "workers/import/knowledge/knowledge.h"
#include "workers/import/knowledge/cube.h"
#include "workers/import/knowledge/dbt.h"
#include "workers/import/knowledge/lookml.h"
#include "workers/import/knowledge/metricflow.h"
#include "workers/import/knowledge/datahub.h"
#include "workers/import/knowledge/openmetadata.h"
#include "workers/import/knowledge/osi.h"
#include "workers/import/knowledge/queries.h"

#define FILES_MAX	50000
#define REASON_MAX	300

void *
knowledge_alloc(struct knowledge *k, size_t size)
{
	return mem_must(arena_alloc(k->a, size));
}

struct span
knowledge_copy(struct knowledge *k, struct span s)
{
	struct span copy = arena_span(k->a, s);

	(void)mem_must((void *)(uintptr_t)copy.p);
	return copy;
}

static struct span print_text(struct knowledge *k, size_t max, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

static struct span
print_text(struct knowledge *k, size_t max, const char *fmt, va_list ap)
{
	struct buf b = BUF_MAX(max);
	char *text = NULL;
	struct span copy;

	if (vasprintf(&text, fmt, ap) >= 0)
		buf_append(&b, text, utf8_cut((const uint8_t *)text, strlen(text), max));
	free(text);
	buf_byte(&b, '\0');
	copy = knowledge_copy(k, buf_view(&b));
	buf_fini(&b);
	return span_of(copy.p, copy.len > 0 ? copy.len - 1 : 0);
}

struct span
knowledge_text(struct knowledge *k, const char *fmt, ...)
{
	struct span s;
	va_list ap;

	va_start(ap, fmt);
	s = print_text(k, KNOWLEDGE_ENTRY_MAX, fmt, ap);
	va_end(ap);
	return s;
}

static struct knowledge_model *
find_model(const struct knowledge *k, const struct table *t, struct span s, bool id)
{
	uint64_t hash = hash_of(s);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(t, hash, &at)) != TABLE_NONE;)
		if (span_is(id ? k->byname[row]->id : k->byname[row]->name, s))
			return k->byname[row];
	return NULL;
}

struct knowledge_model *
knowledge_model_named(const struct knowledge *k, struct span name)
{
	return find_model(k, &k->names, name, false);
}

struct knowledge_model *
knowledge_model_called(const struct knowledge *k, struct span id)
{
	return find_model(k, &k->ids, id, true);
}

struct knowledge_model *
knowledge_model_add(struct knowledge *k, const char *as, struct span name, struct span id)
{
	struct knowledge_model *m = knowledge_alloc(k, sizeof(*m));

	m->as = as;
	m->id = id;
	m->name = m->table = name;
	if (knowledge_model_named(k, name) != NULL && id.len > 0)
		m->name = id;
	if (knowledge_model_named(k, m->name) != NULL)
		m->name = knowledge_text(k, "%.*s-%zu", SPAN_FMT(name), k->nmodels);
	m->end = &m->entries;
	k->byname = mem_grow(k->byname, k->nmodels, &k->cap, sizeof(struct knowledge_model *));
	k->byname[k->nmodels] = m;
	table_add(&k->names, hash_of(m->name), (uint32_t)k->nmodels);
	if (id.len > 0)
		table_add(&k->ids, hash_of(id), (uint32_t)k->nmodels);
	k->nmodels++;
	*k->models_end = m;
	k->models_end = &m->next;
	return m;
}

struct knowledge_entry *
knowledge_entry_add(struct knowledge *k, struct knowledge_model *m, enum knowledge_part part, const char *as,
    struct span name)
{
	struct knowledge_entry *e = knowledge_alloc(k, sizeof(*e));

	e->part = part;
	e->as = as;
	e->name = name;
	*m->end = e;
	m->end = &e->next;
	return e;
}

struct knowledge_entry *
knowledge_entry_named(const struct knowledge_model *m, enum knowledge_part part, struct span name)
{
	for (struct knowledge_entry *e = m->entries; e != NULL; e = e->next)
		if (e->part == part && span_is(e->name, name))
			return e;
	return NULL;
}

struct knowledge_page *
knowledge_page_add(struct knowledge *k, const char *as, struct span name, struct span from)
{
	struct knowledge_page *p = knowledge_alloc(k, sizeof(*p));

	p->as = as;
	p->name = name;
	p->from = from;
	*k->pages_end = p;
	k->pages_end = &p->next;
	return p;
}

static struct knowledge_remark *
add_remark(struct knowledge *k, const char *as, struct span name)
{
	struct knowledge_remark *r = knowledge_alloc(k, sizeof(*r));

	r->as = as;
	r->n = 1;
	r->name = name;
	*k->remarks_end = r;
	k->remarks_end = &r->next;
	return r;
}

void
knowledge_skip(struct knowledge *k, const char *as, struct span name, struct span from, const char *fmt, ...)
{
	struct knowledge_remark *r = add_remark(k, as, name);
	va_list ap;

	r->from = from;
	va_start(ap, fmt);
	r->reason = (const char *)print_text(k, REASON_MAX, fmt, ap).p;
	va_end(ap);
}

void
knowledge_tally(struct knowledge *k, const char *as, size_t n, struct span from, const char *reason)
{
	struct knowledge_remark *r = add_remark(k, as, from);

	r->n = n;
	r->from = from;
	r->reason = reason;
}

void
knowledge_merge(struct knowledge *k, const char *as, struct span name)
{
	(void)add_remark(k, as, name);
}

/* A text as it is, unless it has a NUL or is no UTF-8: then without that. */
static void
put_clean(struct buf *out, const char *key, struct span s)
{
	struct buf clean = { 0 };

	if (s.len == 0 || (utf8_valid(s.p, s.len) && memchr(s.p, '\0', s.len) == NULL)) {
		json_put_str(out, key, s);
		return;
	}
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] != '\0' && s.p[i] < 0x80)
			buf_byte(&clean, s.p[i]);
	json_put_str(out, key, clean.len > 0 ? buf_view(&clean) : SPAN("?"));
	buf_fini(&clean);
}

/* Members that are empty are left out. */
static void
put_text(struct buf *out, const char *key, struct span s)
{
	if (s.len > 0)
		put_clean(out, key, s);
}

static void
put_true(struct buf *out, const char *key, bool is)
{
	if (is)
		json_put_bool(out, key, true);
}

static void
put_list(struct buf *out, const char *key, const struct span *v, size_t n)
{
	if (n == 0)
		return;
	json_put_list(out, key);
	for (size_t i = 0; i < n; i++)
		put_clean(out, NULL, v[i]);
	json_end_list(out);
}

static void
put_entry(struct buf *out, const struct knowledge_entry *e)
{
	const struct {
		const char *key;
		struct span text;
	} texts[] = { { "name", e->name }, { "expr", e->expr }, { "filter", e->filter }, { "label", e->label },
		{ "said", e->said }, { "type", e->type }, { "grain", e->grain }, { "to", e->to }, { "on", e->on },
		{ "alias", e->alias } };

	json_put_object(out, NULL);
	if (e->as != NULL)
		json_put_cstr(out, "as", e->as);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		put_text(out, texts[i].key, texts[i].text);
	put_true(out, "single", e->single);
	put_true(out, "keyed", e->keyed);
	put_true(out, "unique", e->unique);
	put_true(out, "notNull", e->not_null);
	put_true(out, "apart", e->apart);
	put_true(out, "adds", e->adds);
	put_list(out, "also", e->also, e->nalso);
	put_list(out, "values", e->values, e->nvalues);
	json_end_object(out);
}

static void
put_model(struct buf *out, const struct knowledge_model *m)
{
	static const char *const lists[] = { "columns", "joins", "measures", "segments" };
	const struct {
		const char *key;
		struct span text;
	} texts[] = { { "name", m->name }, { "schema", m->schema }, { "table", m->table }, { "from", m->from },
		{ "sql", m->sql }, { "label", m->label }, { "said", m->said }, { "time", m->time }, { "key", m->key } };

	json_put_object(out, NULL);
	json_put_cstr(out, "as", m->as);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		put_text(out, texts[i].key, texts[i].text);
	put_list(out, "also", m->also, m->nalso);
	put_list(out, "tags", m->tags, m->ntags);
	for (int part = KNOWLEDGE_COLUMN; part <= KNOWLEDGE_SEGMENT; part++) {
		json_put_list(out, lists[part]);
		for (const struct knowledge_entry *e = m->entries; e != NULL; e = e->next)
			if ((int)e->part == part)
				put_entry(out, e);
		json_end_list(out);
	}
	json_end_object(out);
}

static void
put_page(struct buf *out, const struct knowledge_page *p)
{
	json_put_object(out, NULL);
	json_put_cstr(out, "as", p->as);
	put_clean(out, "name", p->name);
	put_text(out, "from", p->from);
	put_clean(out, "title", p->title);
	put_text(out, "summary", p->summary);
	put_text(out, "body", p->body);
	put_list(out, "models", p->models, p->nmodels);
	put_true(out, "named", p->named);
	json_end_object(out);
}

static void
put_remark(struct buf *out, const struct knowledge_remark *r)
{
	json_put_object(out, NULL);
	json_put_cstr(out, "as", r->as);
	if (r->n > 1)
		json_put_uint(out, "n", r->n);
	if (r->reason != NULL) {
		put_clean(out, "name", r->name);
		put_text(out, "from", r->from);
		put_clean(out, "reason", span_str(r->reason));
	}
	json_end_object(out);
}

static void
put_knowledge(struct buf *out, const struct knowledge *k)
{
	json_put_object(out, NULL);
	put_clean(out, "kind", k->kind);
	put_clean(out, "project", k->project);
	put_true(out, "proposed", k->proposed);
	json_put_list(out, "models");
	for (const struct knowledge_model *m = k->models; m != NULL; m = m->next)
		put_model(out, m);
	json_end_list(out);
	json_put_list(out, "pages");
	for (const struct knowledge_page *p = k->pages; p != NULL; p = p->next)
		put_page(out, p);
	json_end_list(out);
	json_put_list(out, "remarks");
	for (const struct knowledge_remark *r = k->remarks; r != NULL; r = r->next)
		put_remark(out, r);
	json_end_list(out);
	json_end_object(out);
}

/* Cut the pack into its files; false: it is not one. */
static bool
cut_pack(struct knowledge *k, struct span pack, struct knowledge_input *in)
{
	size_t cap = 0;

	while (pack.len > 0) {
		const uint8_t *nl = memchr(pack.p, '\n', pack.len), *space;
		size_t head = nl == NULL ? 0 : (size_t)(nl - pack.p), size = 0;

		if (nl == NULL || (space = memchr(pack.p, ' ', head)) == NULL || in->nfiles == FILES_MAX)
			return false;
		for (const uint8_t *p = pack.p; p < space; p++) {
			if (!ascii_is_digit(*p) || size > KNOWLEDGE_PACK_MAX)
				return false;
			size = size * 10 + (size_t)(*p - '0');
		}
		if (size > pack.len - head - 1)
			return false;
		in->files = mem_grow(in->files, in->nfiles, &cap, sizeof(*in->files));
		in->files[in->nfiles++] = (struct knowledge_file){
			knowledge_copy(k, span_of(space + 1, head - (size_t)(space + 1 - pack.p))),
			span_of(nl + 1, size)
		};
		pack = span_of(nl + 1 + size, pack.len - head - 1 - size);
	}
	return true;
}

static const struct {
	const char	*name;
	int		 (*read)(struct knowledge *k, const struct knowledge_input *in, struct err *err);
} kinds[] = {
#define KNOWLEDGE_KIND(name, reader)	{ name, reader },
#include "workers/import/knowledge/kinds.def"
};

static void
refuse_kind(struct span kind, struct err *err)
{
	struct buf names = { 0 };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		buf_printf(&names, "%s%s", i > 0 ? ", " : "", kinds[i].name);
	err_set(err, ERR_INVALID_ARGUMENTS, "\"%.*s\" is no kind of knowledge that is read; there are %s",
	    (int)(kind.len < 60 ? kind.len : 60), (const char *)kind.p, buf_cstr(&names));
	buf_fini(&names);
}

int
knowledge_read(const struct knowledge_job *job, struct buf *out, struct err *err)
{
	struct knowledge k = { .a = arena_new(KNOWLEDGE_ARENA), .kind = job->kind, .project = job->project };
	struct knowledge_input in = { .manifest = job->manifest, .text = job->text };
	struct span kind = job->kind;
	struct buf pack = BUF_MAX(KNOWLEDGE_PACK_MAX);
	int r = -1;
	size_t i;

	k.models_end = &k.models;
	k.pages_end = &k.pages;
	k.remarks_end = &k.remarks;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !span_is_str(kind, kinds[i].name); i++)
		;
	if (i == sizeof(kinds) / sizeof(kinds[0]))
		refuse_kind(kind, err);
	else if (io_read(job->pack, 0, KNOWLEDGE_PACK_MAX, &pack) == -1 || !cut_pack(&k, buf_view(&pack), &in))
		err_set(err, ERR_INVALID_ARGUMENTS, "the files are larger than %zu MB together, or too many",
		    KNOWLEDGE_PACK_MAX >> 20);
	else if ((r = kinds[i].read(&k, &in, err)) == 0) {
		if (k.project.len == 0)
			k.project = job->place.len > 0 ? job->place : SPAN("project");
		out->max = out->len + KNOWLEDGE_JSON_MAX;
		put_knowledge(out, &k);
		if (out->full)
			r = err_set(err, ERR_RESULT_TOO_LARGE,
			    "what is to be imported is larger than %zu KB; name the paths of the part that is wanted: "
			    "what is not read is taken out again",
			    KNOWLEDGE_JSON_MAX >> 10);
	}
	table_free(&k.names);
	table_free(&k.ids);
	free(k.byname);
	free(in.files);
	buf_fini(&pack);
	arena_free(k.a);
	return r;
}

/* knowledge_query.c - models that are queries; see knowledge_query.h. */
#include <string.h>

#include "base/mem.h"
#include "project/scan/type_family.h"
#include "workers/memory/ingest/knowledge_files.h"
#include "workers/memory/ingest/knowledge_query.h"

#define COLUMNS_MAX	1000	/* of a query; one with more is skipped */

/* The query with names of tables in place of {{model.*}}; empty: one is not known, and the model is skipped. */
static struct span
resolve_query(struct know *k, struct know_model *m, struct span text)
{
	const uint8_t *open, *close;
	struct buf out = { 0 };
	struct span sql = SPAN_NONE;

	while ((open = memmem(text.p, text.len, "{{", 2)) != NULL &&
	    (close = memmem(open, text.len - (size_t)(open - text.p), "}}", 2)) != NULL) {
		struct span name = span_of(open + 2, (size_t)(close - open - 2));
		const struct know_model *of;
		const struct source *s = NULL;

		buf_append(&out, text.p, (size_t)(open - text.p));
		text = span_of(close + 2, text.len - (size_t)(close + 2 - text.p));
		if (!span_ends(name, ".*")) {
			know_skip(k, &m->fate, "its query is a template");
			break;
		}
		name.len -= 2;
		if ((of = know_find_model(k, name)) != NULL && of->source != NULL)
			s = source_set_get(k->set, span_str(of->source));
		if (s == NULL || s->table == NULL) {
			know_skip(k, &m->fate, "it needs %.*s, which was skipped", SPAN_FMT(name));
			break;
		}
		dialect_table(k->dialect, &out, span_str(s->table), s->flavour != SOURCE_STANDALONE);
	}
	buf_span(&out, text);
	if (m->fate.why.len == 0)
		sql = arena_span(k->a, buf_view(&out));
	buf_fini(&out);
	return sql;
}

/* The type of a column in the words of the semantic layer; NULL: it is not known. */
static const char *
layer_type(struct span driver, struct span type)
{
	static const char *const words[][2] = { { "integer", "number" }, { "decimal", "number" }, { "float", "number" },
		{ "date", "time" }, { "timestamp", "time" }, { "timestamptz", "time" }, { "boolean", "boolean" },
		{ "text", "string" }, { "enum", "string" }, { "uuid", "string" } };
	const char *family = type_family(driver, type);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (type.len > 0 && strcmp(words[i][0], family) == 0)
			return words[i][1];
	return NULL;
}

/* Its columns as the answer's head says them.  A name that has a dot, or stands there twice, is no column's. */
static void
read_columns(struct know *k, struct know_model *m, const struct mp_value *head)
{
	struct know_query *q = m->query;
	struct mp_value names, types, name, type;
	struct mp_iter at;

	if (!mp_get(head, "headers", &names) || names.class != MP_ARRAY || names.n == 0 || names.n > COLUMNS_MAX) {
		know_skip(k, &m->fate, "its query has no columns, or more than %u", COLUMNS_MAX);
		return;
	}
	q->columns = mem_must(arena_array(k->a, names.n, sizeof(*q->columns)));
	if (!mp_get(head, "headerTypes", &types) || types.class != MP_ARRAY)
		types.n = 0;
	if (types.n == names.n)
		at = mp_iter(&types);
	for (struct mp_iter it = mp_iter(&names); mp_next(&it, &name);) {
		struct know_field *f = &q->columns[q->ncolumns];
		bool odd = name.class != MP_STR || name.s.len == 0 || memchr(name.s.p, '.', name.s.len) != NULL;

		f->type = types.n == names.n && mp_next(&at, &type) && type.class == MP_STR ?
		    layer_type(k->driver, type.s) :
		    NULL;
		for (size_t i = 0; i < q->ncolumns && !odd; i++)
			odd = span_is_folded(q->columns[i].name, name.s);
		if (odd)
			continue;
		f->name = arena_span(k->a, name.s);
		q->ncolumns++;
	}
	if (q->ncolumns == 0)
		know_skip(k, &m->fate, "none of the columns of its query has a name");
}

/* Asks for the query's columns.  -1 with *err: the database did not answer. */
static int
ask_columns(struct call *c, struct know *k, struct know_model *m, struct err *err)
{
	struct buf sql = { 0 };
	struct mp_value head;
	int r;

	buf_printf(&sql, "SELECT * FROM (\n%.*s\n) AS ", SPAN_FMT(m->query->sql));
	dialect_identifier(k->dialect, &sql, m->name);
	buf_str(&sql, " LIMIT 0");
	if ((r = know_run(c, k, buf_view(&sql), &m->fate, &head, err)) == 0 && m->fate.why.len == 0)
		read_columns(k, m, &head);
	buf_fini(&sql);
	return r;
}

/* The file of the source with the columns of the query alone: what the model's parts are decided by. */
static void
put_text(struct know *k, struct know_model *m)
{
	struct buf out = { 0 };

	know_put_query(&out, m);
	buf_str(&out, "columns:\n");
	for (size_t i = 0; i < m->query->ncolumns; i++)
		know_put_field(&out, &m->query->columns[i]);
	m->query->text = arena_span(k->a, buf_view(&out));
	buf_fini(&out);
}

static int
place_query(struct call *c, struct know *k, struct know_model *m, struct err *err)
{
	const char *name = mem_must(arena_cstr(k->a, m->name));
	size_t file = know_file(k, NULL, know_file_name(k, name));
	struct know_file *f = &k->files[file];

	if (f->edited) {
		know_skip(k, &m->fate, "%.*s was edited since it was imported, and is yours now", SPAN_FMT(f->path));
		m->source = source_set_get(k->set, m->name) != NULL ? name : NULL;
		know_join_file(k, m, file);
		return 0;
	}
	if (source_set_get(k->set, m->name) != NULL) {
		know_skip(k, &m->fate, "it is a query, and a source of %.*s has its name", SPAN_FMT(k->r->connection));
		return 0;
	}
	m->query = mem_must(arena_alloc(k->a, sizeof(*m->query)));
	m->query->sql = resolve_query(k, m, mp_get_str(&m->said, "sql", SPAN("")));
	if (m->fate.why.len > 0)
		return 0;
	if (ask_columns(c, k, m, err) != 0)
		return -1;
	if (m->fate.why.len > 0)
		return 0;
	m->source = name;
	know_join_file(k, m, file);
	put_text(k, m);
	f = &k->files[file];
	f->name = span_str(name);
	f->query = m;
	f->wanted = true;
	return 0;
}

int
know_place_queries(struct call *c, struct know *k, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < k->nmodels && r == 0; i++)
		if (mp_get_str(&k->models[i].said, "sql", SPAN("")).len > 0)
			r = place_query(c, k, &k->models[i], err);
	return r;
}

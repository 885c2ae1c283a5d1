#include "project/model/source_find.h"
#include "workers/search/rank/same.h"

/* A table and its source; or a column and its dimension, together with the table and source that they belong to. */
struct pair {
	const struct schema		*schema;
	const struct schema_table	*table;
	const struct schema_column	*column;	/* NULL: the table itself */
	const struct source		*source;
	const struct source_column	*dimension;	/* NULL: the source itself */
};

/* The last part of a table's name as sources write it; quoted ones are looked up without their quotes. */
static struct span
last_part(const char *table)
{
	struct span s = span_str(table);
	size_t from = s.len;

	if (s.len > 1 && s.p[s.len - 1] == '"') {
		for (from = s.len - 1; from > 0 && s.p[from - 1] != '"'; from--)
			;
		return span_of(s.p + from, s.len - 1 - from);
	}
	while (from > 0 && s.p[from - 1] != '.')
		from--;
	return span_of(s.p + from, s.len - from);
}

static const struct schema_table *
table_of(const struct connection *c, const struct schema *s, const struct source *source)
{
	size_t n;
	const uint32_t *named;

	if (source->flavour != SOURCE_MANIFEST || source->table == NULL)
		return NULL;
	named = schema_named(s, last_part(source->table), &n);
	for (size_t i = 0; i < n; i++)
		if (library_made_of(c, s, &s->tables[named[i]]) == source)
			return &s->tables[named[i]];
	return NULL;
}

static const struct source_column *
dimension_of(const struct source *source, struct span name)
{
	const struct source_column *c = source_find_column(source, name);

	return c == NULL || c->visibility == SOURCE_HIDDEN ? NULL : c;
}

static const struct schema_column *
column_of(const struct schema *s, const struct schema_table *t, const char *name)
{
	for (uint32_t i = t->column; i < t->column + t->ncolumns; i++)
		if (span_is_str(schema_span(s, s->columns[i].name), name))
			return &s->columns[i];
	return NULL;
}

static bool
pair_of_schema(const struct connection *c, const struct part *p, uint32_t doc, struct pair *pair)
{
	pair->schema = (const struct schema *)p->shelf;
	pair->table = schema_of(pair->schema, p->segment, doc, &pair->column);
	pair->source = library_made_of(c, pair->schema, pair->table);
	if (pair->source == NULL || pair->column == NULL)
		return pair->source != NULL;
	pair->dimension = dimension_of(pair->source, schema_span(pair->schema, pair->column->name));
	return pair->dimension != NULL;
}

static bool
pair_of_model(const struct connection *c, const struct part *p, enum kind kind, uint32_t doc, struct pair *pair)
{
	uint32_t member;

	pair->source = models_of(&c->models, p->segment, doc, &member);
	pair->schema = c->scans.schema;
	if (pair->schema == NULL || (pair->table = table_of(c, pair->schema, pair->source)) == NULL)
		return false;
	if (kind == KIND_SL_SOURCE)
		return true;
	pair->dimension = &pair->source->columns[member];
	pair->column = column_of(pair->schema, pair->table, pair->dimension->name);
	return pair->column != NULL;
}

static bool
pair_of(const struct library *l, const struct answers *a, const struct ranked *r, struct pair *pair)
{
	const struct part *p = &a->parts[r->part];
	const struct connection *c;

	*pair = (struct pair){ 0 };
	if (p->shelf->connection == NULL || r->kind == KIND_SL_MEASURE ||
	    (c = library_connection((struct library *)l, span_str(p->shelf->connection))) == NULL)
		return false;
	if (r->kind == KIND_TABLE || r->kind == KIND_COLUMN)
		return pair_of_schema(c, p, r->doc, pair);
	return pair_of_model(c, p, r->kind, r->doc, pair);
}

static bool
is_raw(const struct ranked *r)
{
	return r->kind == KIND_TABLE || r->kind == KIND_COLUMN;
}

size_t
same_join(const struct library *l, const struct answers *a, struct ranked *v, size_t n)
{
	struct {
		const struct schema_table *table;
		const struct schema_column *column;
	} seen[MATCH_ANSWERS_MAX];
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct pair pair;
		size_t at = 0;

		if (!pair_of(l, a, &v[i], &pair))
			pair.table = NULL;
		while (at < kept &&
		    (pair.table == NULL || seen[at].table != pair.table || seen[at].column != pair.column))
			at++;
		if (at == kept) {
			seen[kept].table = pair.table;
			seen[kept].column = pair.column;
			v[kept++] = v[i];
		} else if (is_raw(&v[i])) {
			double score = v[at].score;

			v[at] = v[i];
			v[at].score = score;
		}
	}
	return kept;
}

bool
same_id(const struct library *l, const struct answers *a, const struct ranked *r, struct buf *out)
{
	struct pair pair;

	if (!pair_of(l, a, r, &pair))
		return false;
	if (is_raw(r)) {
		buf_str(out, pair.source->name);
		if (pair.dimension != NULL)
			buf_printf(out, ".%s", pair.dimension->name);
		return true;
	}
	schema_display(pair.schema, pair.table, out);
	if (pair.column != NULL) {
		buf_byte(out, '.');
		buf_span(out, schema_span(pair.schema, pair.column->name));
	}
	return true;
}

#include "base/mem.h"
#include "project/config/drivers.h"
#include "base/array.h"
#include "words/prefix.h"
#include "workers/search/library/schema_build.h"
#include "workers/search/ranking/ranking.h"
#include "words/text.h"
#include "workers/search/index/builder.h"
#include "workers/search/index/builder_finish.h"

#define SAMPLES_KEPT	5	/* of a column's values are kept and indexed, */
#define TEXTS_KEPT	24	/* more where they are text: these are what people name */
#define REPEATED_MAX	48	/* bytes of a text that is looked for among those that are there */
#define NAMES_AT_ONCE	64	/* of columns, that are looked for together */
#define TYPES		64	/* places for types seen last */

/* What is needed only while building. */
struct schema_building {
	struct names		 about;		/* "db\0table\0column" of what others say */
	size_t			 said_cap;
	struct said {
		struct span				 text;
		const struct snapshot_profiled		*profiled;
		const struct snapshot_far_key		*key;	/* the first of the table; the list is sorted */
	}			*said;
	const struct snapshot_keys *keys;
	struct names		 there;		/* "catalog\0db\0table" of what was added */
	struct builder		*builder;
	schema_text		 types[TYPES];	/* seen last, by length and first letter */
};

/* What people wrote is hardly ever repeated. */
static schema_text
keep_prose(struct schema *s, struct span text)
{
	return text.p == NULL ? 0 : names_append(&s->texts, text);
}

/* Names and types are repeated all the time. */
static schema_text
schema_build_keep(struct schema *s, struct span text)
{
	return text.len > REPEATED_MAX ? keep_prose(s, text) : text.p == NULL ? 0 : names_add(&s->texts, text);
}

/* There are few types: the last one with as many letters of this beginning is mostly it again. */
static schema_text
keep_type(struct schema *s, struct span text)
{
	schema_text *last;

	if (text.len == 0)
		return schema_build_keep(s, text);
	last = &s->building->types[(text.len * 31 + text.p[0]) % TYPES];
	if (*last == 0 || !span_is(schema_span(s, *last), text))
		*last = schema_build_keep(s, text);
	return *last;
}

/* The number of "a\0b\0c" among names; NAMES_NONE: it is not there, and is not to be made. */
static uint32_t
number_of(struct names *names, struct span a, struct span b, struct span c, bool make)
{
	struct buf key = { 0 };
	uint32_t i;

	buf_span(&key, a);
	buf_byte(&key, 0);
	buf_span(&key, b);
	buf_byte(&key, 0);
	buf_span(&key, c);
	i = make ? names_add(names, buf_view(&key)) : names_find(names, buf_view(&key));
	buf_fini(&key);
	return i;
}

static struct said *
said_about(struct schema *s, struct span db, struct span table, struct span column, bool make)
{
	struct schema_building *b = s->building;
	size_t had = b->about.n;
	uint32_t i = number_of(&b->about, db, table, column, make);

	if (i == NAMES_NONE)
		return NULL;
	b->said = array_grow(b->said, i, &b->said_cap, sizeof(*b->said));
	if (b->about.n > had)
		b->said[i] = (struct said){ 0 };
	return &b->said[i];
}

/* Find the table by its name with its schema if one was given, else by the bare name. */
static const struct said *
find_said(struct schema *s, struct span db, struct span table, struct span column)
{
	const struct said *said;

	if (s->building->about.n == 0)
		return NULL;
	said = db.len > 0 ? said_about(s, db, table, column, false) : NULL;
	return said != NULL ? said : said_about(s, (struct span){ 0 }, table, column, false);
}

void
schema_enrich(struct schema *s, const struct snapshot_texts *texts, const struct snapshot_profile *profile,
    const struct snapshot_keys *keys)
{
	const struct span none = { 0 };

	for (size_t i = 0; texts != NULL && i < texts->n; i++) {
		const struct snapshot_text *t = &texts->v[i];

		said_about(s, t->db, t->table, t->column, true)->text = t->text;
	}
	for (size_t i = 0; profile != NULL && i < profile->n; i++) {
		const struct snapshot_profiled *p = &profile->v[i];

		said_about(s, p->db, p->table, p->column, true)->profiled = p;
	}
	s->building->keys = keys;
	for (size_t i = keys != NULL ? keys->n : 0; i-- > 0;)
		said_about(s, none, keys->v[i].table, none, true)->key = &keys->v[i];
}

static char *
schema_build_copy(struct span s)
{
	return s.p == NULL ? NULL : mem_text(s);
}

struct schema *
schema_new(const char *connection, const struct snapshot_head *head, struct vocab *v)
{
	struct schema *s = mem_new(1, sizeof(*s));

	s->shelf.connection = connection;
	s->sync_id = schema_build_copy(head->sync_id);
	s->driver = mem_text(head->driver);
	s->extracted_at = mem_text(head->extracted_at);
	s->run_id = schema_build_copy(head->run_id);
	s->fingerprint = schema_build_copy(head->fingerprint);
	s->building = mem_new(1, sizeof(*s->building));
	s->building->builder = builder_new(v, false);
	/* 0 means null in both. */
	(void)names_append(&s->texts, SPAN(""));
	s->samples = array_grow(s->samples, 0, &s->samples_cap, sizeof(*s->samples));
	s->samples[0] = 0;
	s->nsamples = 1;
	return s;
}

static void
add_text(struct schema *s, schema_text text)
{
	s->samples = array_grow(s->samples, s->nsamples, &s->samples_cap, sizeof(*s->samples));
	s->samples[s->nsamples++] = text;
}

static uint32_t
add_list(struct schema *s, const struct span *v, size_t n)
{
	uint32_t at = (uint32_t)s->nsamples;

	add_text(s, (schema_text)n);
	for (size_t i = 0; i < n; i++)
		add_text(s, schema_build_keep(s, v[i]));
	return at;
}

static uint32_t
add_samples(struct schema *s, enum snapshot_dimension dimension, const struct span *v, size_t n)
{
	size_t most = dimension == SNAPSHOT_STRING ? TEXTS_KEPT : SAMPLES_KEPT;

	return n == 0 ? 0 : add_list(s, v, n < most ? n : most);
}

static void
add_column(struct schema *s, const struct snapshot_table *t, const struct snapshot_column *c, schema_text name)
{
	const struct said *said = find_said(s, t->db, t->name, c->name);
	struct span description = c->description;
	struct schema_column out;

	if (description.len == 0 && said != NULL)
		description = said->text;
	out = (struct schema_column){
		.name = name, .native_type = keep_type(s, c->native_type),
		.normalized_type = keep_type(s, c->normalized_type), .comment = keep_prose(s, c->comment),
		.description = description.len == 0 ? 0 : keep_prose(s, description),
		.dimension = (uint8_t)c->dimension, .nullable = c->nullable, .primary_key = c->primary_key
	};
	if (c->nsamples > 0)
		out.samples = add_samples(s, c->dimension, c->samples, c->nsamples);
	else if (said != NULL && said->profiled != NULL)
		out.samples = add_samples(s, c->dimension, said->profiled->values, said->profiled->nvalues);
	if (c->is_enum)
		out.labels = add_list(s, c->labels, c->nlabels);
	if (c->default_text.p != NULL || c->generated.p != NULL || c->identity.p != NULL)
		out.origin = add_list(s, (const struct span[]){ c->default_text, c->generated, c->identity }, 3);
	s->columns = array_grow(s->columns, s->ncolumns, &s->columns_cap, sizeof(*s->columns));
	s->columns[s->ncolumns++] = out;
}

/* The names of the columns are added several at a time: their slots lie far apart in memory. */
static void
add_columns(struct schema *s, const struct snapshot_table *t)
{
	struct span names[NAMES_AT_ONCE];
	schema_text kept[NAMES_AT_ONCE];

	for (size_t at = 0; at < t->ncolumns; at += NAMES_AT_ONCE) {
		size_t n = t->ncolumns - at < NAMES_AT_ONCE ? t->ncolumns - at : NAMES_AT_ONCE;

		for (size_t i = 0; i < n; i++)
			names[i] = t->columns[at + i].name;
		names_add_all(&s->texts, names, n, kept);
		for (size_t i = 0; i < n; i++)
			add_column(s, t, &t->columns[at + i], kept[i]);
	}
}

static void
add_key(struct schema *s, const struct snapshot_key *k)
{
	s->keys = array_grow(s->keys, s->nkeys, &s->keys_cap, sizeof(*s->keys));
	s->keys[s->nkeys++] = (struct schema_key){
		.from_column = schema_build_keep(s, k->from_column), .to_catalog = schema_build_keep(s, k->to_catalog),
		.to_db = schema_build_keep(s, k->to_db), .to_table = schema_build_keep(s, k->to_table),
		.to_column = schema_build_keep(s, k->to_column), .constraint = schema_build_keep(s, k->constraint)
	};
}

static void
add_index(struct schema *s, const struct snapshot_index *x)
{
	s->indexes = array_grow(s->indexes, s->nindexes, &s->indexes_cap, sizeof(*s->indexes));
	s->indexes[s->nindexes++] = (struct schema_index){
		.name = schema_build_keep(s, x->name), .definition = keep_prose(s, x->definition),
		.columns = add_list(s, x->columns, x->ncolumns), .unique = x->unique, .primary = x->primary
	};
}

static uint32_t
add_checks(struct schema *s, const struct snapshot_table *t)
{
	uint32_t at = (uint32_t)s->nsamples;

	if (t->nchecks == 0)
		return 0;
	add_text(s, (schema_text)(2 * t->nchecks));
	for (size_t i = 0; i < t->nchecks; i++) {
		add_text(s, schema_build_keep(s, t->checks[i].name));
		add_text(s, schema_build_keep(s, t->checks[i].expression));
	}
	return at;
}

/* foreign-keys.json, for a table whose own file has none. */
static void
add_far_keys(struct schema *s, const struct snapshot_table *t)
{
	const struct snapshot_keys *keys = s->building->keys;
	const struct said *said = find_said(s, (struct span){ 0 }, t->name, (struct span){ 0 });
	struct buf display = { 0 };

	if (t->has_keys || keys == NULL || said == NULL || said->key == NULL)
		return;
	snapshot_display(span_str(s->driver), t->catalog, t->db, t->name, &display);
	for (const struct snapshot_far_key *k = said->key; k < keys->v + keys->n; k++)
		if (span_is(k->table, t->name) &&
		    (k->path.len == 0 || span_is(k->path, buf_view(&display)) || span_is(k->path, t->name)))
			add_key(s, &k->key);
	buf_fini(&display);
}

struct names_of {
	const struct schema		*schema;
	const struct schema_table	*table;
};

static struct span
column_name(const void *of, size_t i)
{
	const struct names_of *n = of;

	return schema_span(n->schema, n->schema->columns[n->table->column + i].name);
}

static void
index_column_name(struct schema *s, const struct schema_column *c, const uint8_t *prefix, size_t len)
{
	struct builder *b = s->building->builder;
	struct span name = schema_span(s, c->name);
	struct span rest = len == 0 ? SPAN_NONE : prefix_rest(name, prefix, len);

	if (rest.len == 0) {
		builder_name(b, c->name, name);
		return;
	}
	builder_text(b, FIELD_NAME, rest);
	builder_plain_name(b, name);
}

static int
text_order(const struct schema *s, schema_text a, schema_text b)
{
	return a == b ? 0 : span_cmp(schema_span(s, a), schema_span(s, b));
}

/* A column that refers to another table has that table's name as well, the last of its fields. */
static void
index_referred(struct schema *s, const struct schema_table *t, const struct schema_column *c)
{
	for (uint32_t k = t->key; ranking.referred > 0 && k < t->key + t->nkeys; k++)
		if (text_order(s, s->keys[k].from_column, c->name) == 0) {
			builder_scale(s->building->builder, ranking.referred);
			builder_text(s->building->builder, FIELD_DISPLAY, schema_span(s, s->keys[k].to_table));
			return;
		}
}

static void
index_table(struct schema *s, uint32_t i)
{
	const struct schema_table *t = &s->tables[i];
	uint8_t prefix[PREFIX_MOST];
	size_t len = prefix_find(column_name, &(struct names_of){ s, t }, t->ncolumns, prefix);
	struct builder *b = s->building->builder;
	uint32_t parent = builder_doc(b, KIND_TABLE, VOCAB_NONE, i);

	for (uint32_t k = t->column; k < t->column + t->ncolumns; k++)
		builder_soon(b, s->columns[k].name);
	for (uint32_t k = t->column; k < t->column + t->ncolumns; k++)
		builder_fetch(b, s->columns[k].name);
	builder_text(b, FIELD_NAME, schema_span(s, t->name));
	if (drivers_has_schemas(span_str(s->driver))) {
		builder_text(b, FIELD_DISPLAY, schema_span(s, t->catalog));
		builder_text(b, FIELD_DISPLAY, schema_span(s, t->db));
	}
	builder_text(b, FIELD_DESCRIPTION, schema_span(s, t->description));
	builder_text(b, FIELD_COMMENT, schema_span(s, t->comment));
	for (uint32_t k = t->column; k < t->column + t->ncolumns; k++) {
		const struct schema_column *c = &s->columns[k];
		size_t n;
		const schema_text *samples = schema_list(s, c->samples, &n);

		builder_doc(b, KIND_COLUMN, parent, k);
		index_column_name(s, c, prefix, len);
		builder_text(b, FIELD_DESCRIPTION, schema_span(s, c->description));
		builder_text(b, FIELD_COMMENT, schema_span(s, c->comment));
		for (size_t j = 0; j < n; j++)
			builder_text(b, FIELD_SAMPLE, schema_span(s, samples[j]));
		index_referred(s, t, c);
	}
	builder_family(b, parent);
}

/* Of two files with one table the first by name counts. */
static bool
is_there(struct schema *s, const struct snapshot_table *t)
{
	struct names *there = &s->building->there;
	size_t before = there->n;

	(void)number_of(there, t->catalog, t->db, t->name, true);
	return there->n == before;
}

bool
schema_add(struct schema *s, const struct snapshot_table *t, struct span file)
{
	const struct said *said = find_said(s, t->db, t->name, (struct span){ 0 });
	struct span description = t->description;
	struct schema_table out;

	/* Texts of one table are at most a file; together they fit 32 bits. */
	if (s->texts.used > UINT32_MAX - 2 * SNAPSHOT_FILE_MAX || s->ncolumns > UINT32_MAX / 2)
		return false;
	if (is_there(s, t))
		return true;
	if (description.len == 0 && said != NULL)
		description = said->text;
	out = (struct schema_table){
		.catalog = schema_build_keep(s, t->catalog), .db = schema_build_keep(s, t->db),
		.name = schema_build_keep(s, t->name),
		.comment = schema_build_keep(s, t->comment),
		.description = description.len == 0 ? 0 : schema_build_keep(s, description),
		.file = keep_prose(s, file), .kind = (uint8_t)t->kind, .has_rows = t->has_rows, .rows = t->rows,
		.column = (uint32_t)s->ncolumns, .ncolumns = (uint32_t)t->ncolumns, .key = (uint32_t)s->nkeys,
		.definition = keep_prose(s, t->definition), .index = (uint32_t)s->nindexes,
		.nindexes = (uint32_t)t->nindexes
	};
	add_columns(s, t);
	for (size_t i = 0; i < t->nkeys; i++)
		add_key(s, &t->keys[i]);
	add_far_keys(s, t);
	for (size_t i = 0; i < t->nindexes; i++)
		add_index(s, &t->indexes[i]);
	out.nkeys = (uint32_t)s->nkeys - out.key;
	if (t->npartitions > 0)
		out.partitions = add_list(s, t->partitions, t->npartitions);
	out.checks = add_checks(s, t);
	s->tables = array_grow(s->tables, s->ntables, &s->tables_cap, sizeof(*s->tables));
	s->tables[s->ntables++] = out;
	index_table(s, (uint32_t)s->ntables - 1);
	return true;
}

/* A list of texts; none when there is no room. */
static struct span *
old_list(const struct schema *old, uint32_t list, size_t *n, struct arena *a)
{
	size_t most;
	const schema_text *texts = schema_list(old, list, &most);
	struct span *out = most == 0 ? NULL : arena_array(a, most, sizeof(*out));

	for (*n = 0; out != NULL && *n < most; ++*n)
		out[*n] = schema_span(old, texts[*n]);
	return out;
}

static void
old_origin(const struct schema *old, const struct schema_column *c, struct snapshot_column *out)
{
	size_t n;
	const schema_text *texts = schema_list(old, c->origin, &n);

	if (n == 0)
		return;
	out->default_text = schema_span(old, texts[0]);
	out->generated = schema_span(old, texts[1]);
	out->identity = schema_span(old, texts[2]);
}

/* None when there is no room. */
static struct snapshot_check *
old_checks(const struct schema *old, uint32_t list, size_t *n, struct arena *a)
{
	size_t most;
	const schema_text *texts = schema_list(old, list, &most);
	struct snapshot_check *out = most == 0 ? NULL : arena_array(a, most / 2, sizeof(*out));

	for (*n = 0; out != NULL && *n < most / 2; ++*n)
		out[*n] =
		    (struct snapshot_check){ schema_span(old, texts[2 * *n]), schema_span(old, texts[2 * *n + 1]) };
	return out;
}

static void
old_column(const struct schema *old, const struct schema_column *c, struct snapshot_column *out, struct arena *a)
{
	*out = (struct snapshot_column){
		.name = schema_span(old, c->name), .native_type = schema_span(old, c->native_type),
		.normalized_type = schema_span(old, c->normalized_type),
		.comment = schema_span(old, c->comment), .description = schema_span(old, c->description),
		.dimension = (enum snapshot_dimension)c->dimension, .nullable = c->nullable,
		.primary_key = c->primary_key, .is_enum = c->labels != 0
	};
	out->samples = old_list(old, c->samples, &out->nsamples, a);
	out->labels = old_list(old, c->labels, &out->nlabels, a);
	old_origin(old, c, out);
}

static void
old_index(const struct schema *old, const struct schema_index *x, struct snapshot_index *out, struct arena *a)
{
	*out = (struct snapshot_index){ .name = schema_span(old, x->name), .definition = schema_span(old, x->definition),
		.unique = x->unique, .primary = x->primary };
	out->columns = old_list(old, x->columns, &out->ncolumns, a);
}

static void
old_key(const struct schema *old, const struct schema_key *k, struct snapshot_key *out)
{
	*out = (struct snapshot_key){
		.from_column = schema_span(old, k->from_column), .to_catalog = schema_span(old, k->to_catalog),
		.to_db = schema_span(old, k->to_db), .to_table = schema_span(old, k->to_table),
		.to_column = schema_span(old, k->to_column), .constraint = schema_span(old, k->constraint)
	};
}

bool
schema_add_old(struct schema *s, const struct schema *old, struct span file, struct arena *a)
{
	for (size_t i = 0; old != NULL && i < old->ntables; i++) {
		const struct schema_table *t = &old->tables[i];
		struct snapshot_table out = {
			.catalog = schema_span(old, t->catalog), .db = schema_span(old, t->db),
			.name = schema_span(old, t->name), .comment = schema_span(old, t->comment),
			.description = schema_span(old, t->description), .kind = (enum snapshot_kind)t->kind,
			.has_rows = t->has_rows, .rows = t->rows, .has_keys = true,
			.ncolumns = t->ncolumns, .nkeys = t->nkeys,
			.definition = schema_span(old, t->definition), .nindexes = t->nindexes
		};

		if (!span_is(schema_span(old, t->file), file))
			continue;
		out.partitions = old_list(old, t->partitions, &out.npartitions, a);
		out.checks = old_checks(old, t->checks, &out.nchecks, a);
		out.columns = arena_array(a, t->ncolumns + 1, sizeof(*out.columns));
		out.keys = arena_array(a, t->nkeys + 1, sizeof(*out.keys));
		out.indexes = arena_array(a, t->nindexes + 1, sizeof(*out.indexes));
		if (out.columns == NULL || out.keys == NULL || out.indexes == NULL)
			return false;
		for (size_t k = 0; k < t->ncolumns; k++)
			old_column(old, &old->columns[t->column + k], &out.columns[k], a);
		for (size_t k = 0; k < t->nkeys; k++)
			old_key(old, &old->keys[t->key + k], &out.keys[k]);
		for (size_t k = 0; k < t->nindexes; k++)
			old_index(old, &old->indexes[t->index + k], &out.indexes[k], a);
		return schema_add(s, &out, file);
	}
	return false;
}

/* What orders a table, close at hand: its texts lie far apart. */
struct table_key {
	schema_text	catalog, db;	/* 0 where they do not count */
	uint64_t	name[2];	/* its first sixteen bytes, as numbers */
	uint32_t	table;
};

static uint64_t
first_bytes(struct span s, size_t from)
{
	uint64_t n = 0;

	for (size_t i = from; i < from + 8; i++)
		n = n << 8 | (i < s.len ? s.p[i] : 0);
	return n;
}

/* As comparing the display strings would, for all but names with odd characters. */
static int
by_display(const void *a, const void *b, void *arg)
{
	const struct schema *s = arg;
	const struct table_key *x = a, *y = b;
	int order = text_order(s, x->catalog, y->catalog);

	if (order == 0)
		order = text_order(s, x->db, y->db);
	for (size_t i = 0; order == 0 && i < 2; i++)
		order = (x->name[i] > y->name[i]) - (x->name[i] < y->name[i]);
	if (order == 0)
		order = text_order(s, s->tables[x->table].name, s->tables[y->table].name);
	return order != 0 ? order : text_order(s, s->tables[x->table].file, s->tables[y->table].file);
}

/* place gets where each table has gone. */
static void
order_tables(struct schema *s, uint32_t *place)
{
	bool qualified = drivers_has_schemas(span_str(s->driver));
	struct table_key *keys = array_new(s->ntables, sizeof(*keys));
	struct schema_table *ordered = array_new(s->ntables, sizeof(*ordered));

	for (uint32_t i = 0; i < s->ntables; i++) {
		const struct schema_table *t = &s->tables[i];
		struct span name = schema_span(s, t->name);

		keys[i] = (struct table_key){
			.catalog = qualified ? t->catalog : 0, .db = qualified ? t->db : 0,
			.name = { first_bytes(name, 0), first_bytes(name, 8) }, .table = i
		};
	}
	qsort_r(keys, s->ntables, sizeof(*keys), by_display, s);
	for (uint32_t i = 0; i < s->ntables; i++) {
		ordered[i] = s->tables[keys[i].table];
		place[keys[i].table] = i;
	}
	free(keys);
	free(s->tables);
	s->tables = ordered;
	s->tables_cap = s->ntables;
}

static int
by_folded(const void *a, const void *b, void *arg)
{
	const struct schema *s = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return s->folded_name[x] != s->folded_name[y] ?
	    (s->folded_name[x] > s->folded_name[y]) - (s->folded_name[x] < s->folded_name[y]) :
	    (x > y) - (x < y);
}

/* Tables in the order of their display strings, and by folded name. */
static void
sort_tables(struct schema *s, uint32_t *place)
{
	struct buf folded = { 0 };

	order_tables(s, place);
	s->by_name = array_new(s->ntables, sizeof(*s->by_name));
	s->folded_name = array_new(s->ntables, sizeof(*s->folded_name));
	for (uint32_t i = 0; i < s->ntables; i++) {
		folded.len = 0;
		text_fold(schema_span(s, s->tables[i].name), &folded);
		s->folded_name[i] = names_add(&s->folded, buf_view(&folded));
		s->by_name[i] = i;
	}
	buf_fini(&folded);
	qsort_r(s->by_name, s->ntables, sizeof(*s->by_name), by_folded, s);
}

static void
shelf_name(const struct shelf *shelf, const struct segment *seg, uint32_t doc, struct buf *out)
{
	const struct schema *s = (const struct schema *)shelf;
	const struct schema_column *c;
	const struct schema_table *t = schema_of(s, seg, doc, &c);

	buf_span(out, schema_span(s, c != NULL ? c->name : t->name));
}

static void
shelf_id(const struct shelf *shelf, const struct segment *seg, uint32_t doc, struct buf *out)
{
	const struct schema *s = (const struct schema *)shelf;
	const struct schema_column *c;
	const struct schema_table *t = schema_of(s, seg, doc, &c);

	schema_display(s, t, out);
	if (c != NULL) {
		buf_byte(out, '.');
		buf_span(out, schema_span(s, c->name));
	}
}

static const struct shelf_ops ops = { .name = shelf_name, .id = shelf_id };

static void
building_free(struct schema_building *b)
{
	names_fini(&b->about);
	names_fini(&b->there);
	free(b->said);
	builder_free(b->builder);
	free(b);
}

void
schema_finish(struct schema *s)
{
	uint32_t *place = array_new(s->ntables, sizeof(*place));

	sort_tables(s, place);
	s->shelf.ops = &ops;
	s->segment = builder_finish(s->building->builder);
	for (uint32_t doc = 0; doc < s->segment->ndocs; doc++)
		if (s->segment->kind[doc] == KIND_TABLE)
			s->segment->item[doc] = place[s->segment->item[doc]];
	free(place);
	building_free(s->building);
	s->building = NULL;
	names_close(&s->texts);
	s->tables = array_trim(s->tables, s->ntables, &s->tables_cap, sizeof(*s->tables));
	s->columns = array_trim(s->columns, s->ncolumns, &s->columns_cap, sizeof(*s->columns));
	s->keys = array_trim(s->keys, s->nkeys, &s->keys_cap, sizeof(*s->keys));
	s->indexes = array_trim(s->indexes, s->nindexes, &s->indexes_cap, sizeof(*s->indexes));
}

void
schema_free(struct schema *s, struct vocab *v)
{
	if (s == NULL)
		return;
	if (s->building != NULL)
		building_free(s->building);
	segment_free(s->segment, v);
	names_fini(&s->folded);
	names_fini(&s->texts);
	free(s->sync_id);
	free(s->driver);
	free(s->extracted_at);
	free(s->run_id);
	free(s->fingerprint);
	free(s->tables);
	free(s->columns);
	free(s->keys);
	free(s->indexes);
	free(s->samples);
	free(s->by_name);
	free(s->folded_name);
	free(s);
}

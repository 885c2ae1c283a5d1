/* snapshot.c - scan artifacts out of their JSON files; see snapshot.h. */
#include <string.h>

#include "base/json/json_read.h"
#include "project/scan/describe.h"
#include "project/config/drivers.h"
#include "project/scan/snapshot.h"
#include "project/scan/snapshot_mend.h"
#include "project/scan/snapshot_plain.h"

static const char *const kinds[] = { "table", "view", "external", "event_stream", "materialized_view" };
static const char *const dimensions[] = { "string", "number", "time", "boolean" };

const char *
snapshot_kind_name(enum snapshot_kind kind)
{
	return kinds[kind];
}

const char *
snapshot_dimension_name(enum snapshot_dimension dimension)
{
	return dimensions[dimension];
}

static unsigned
one_of(struct span s, const char *const *names, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (s.len > 0 && names[i][0] == (char)s.p[0] && span_is_str(s, names[i]))
			return i;
	return 0;
}

enum snapshot_kind
snapshot_kind_of(struct span name)
{
	return (enum snapshot_kind)one_of(name, kinds, 5);
}

enum snapshot_dimension
snapshot_dimension_of(struct span name)
{
	return (enum snapshot_dimension)one_of(name, dimensions, 4);
}

static int
snapshot_wrong(struct err *err, const char *what)
{
	return err_set(err, ERR_INVALID_ARGUMENTS, "%s", what);
}

/* Text of a STR; null for anything else. */
static struct span
text_of_value(const struct mp_value *v)
{
	return v->class == MP_STR ? v->s : (struct span){ 0 };
}

static struct span
snapshot_member(const struct mp_value *map, const char *key)
{
	struct mp_value v;

	mp_get(map, key, &v);
	return text_of_value(&v);
}

static bool
snapshot_whole(const struct mp_value *v, int64_t *out)
{
	if (v->class == MP_UINT && v->u <= INT64_MAX)
		*out = (int64_t)v->u;
	else if (v->class == MP_INT)
		*out = v->i;
	else if (v->class == MP_FLOAT && v->f >= -9e15 && v->f <= 9e15)
		*out = (int64_t)v->f;
	else
		return false;
	return true;
}

/* Parse json into scratch, mended where single values are bad. */
static int
parse_mended(struct span json, struct buf *scratch, struct mp_value *v, bool *mended, struct err *err)
{
	struct buf better = BUF_MAX(json.len + json.len / 2 + 4096);
	enum json_fault fault;
	size_t at = 0;

	*mended = false;

	if (json.len == 0)
		return snapshot_wrong(err, "the file is empty");
	scratch->len = 0;
	if ((fault = json_read(json, scratch, &at)) != JSON_OK && snapshot_mend(json, &better) &&
	    json_read(buf_view(&better), scratch, &(size_t){ 0 }) == JSON_OK) {
		*mended = true;
		fault = JSON_OK;
	}
	buf_fini(&better);
	if (fault != JSON_OK)
		return err_set(err, ERR_INVALID_ARGUMENTS, "not valid JSON: %s at byte %zu", json_fault_text(fault),
		    at);
	if (!mp_value(buf_view(scratch), v))
		return snapshot_wrong(err, "not valid JSON");
	return 0;
}

/* Parse json into the arena; *v lives as long as a. */
static int
parse_into_mended(struct arena *a, struct span json, struct mp_value *v, bool *mended, struct err *err)
{
	struct buf b = { 0 };
	struct span kept;
	int result = parse_mended(json, &b, v, mended, err);

	if (result == 0) {
		kept = arena_span(a, buf_view(&b));
		if (kept.p == NULL || !mp_value(kept, v))
			result = snapshot_wrong(err, "the file holds more than can be read");
	}
	buf_fini(&b);
	return result;
}

static int
parse_into(struct arena *a, struct span json, struct mp_value *v, struct err *err)
{
	bool mended;

	return parse_into_mended(a, json, v, &mended, err);
}

static struct span
keep_text(struct arena *a, struct span s)
{
	return s.p == NULL ? s : arena_span(a, s);
}

static bool
is_digits(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return true;
}

/* "2026-01-31-235959-…" says when the scan was made. */
static struct span
time_of_sync(struct arena *a, const char *id)
{
	char *s;

	if (strlen(id) < 17 || !is_digits(id, 4) || id[4] != '-' || !is_digits(id + 5, 2) || id[7] != '-' ||
	    !is_digits(id + 8, 2) || id[10] != '-' || !is_digits(id + 11, 6))
		return (struct span){ 0 };
	s = arena_printf(a, "%.10sT%.2s:%.2s:%.2s.000Z", id, id + 11, id + 13, id + 15);
	return span_str(s);
}

/* The directory the report's rawSourcesDir names, when it is one of this connection's syncs. */
static struct span
tables_dir(const struct mp_value *report, const char *connection)
{
	struct mp_value paths;
	struct span dir, id;
	const char *prefix = "raw-sources/", *middle = "/live-database/";
	size_t at = strlen(prefix) + strlen(connection) + strlen(middle);

	mp_get(report, "artifactPaths", &paths);
	dir = snapshot_member(&paths, "rawSourcesDir");
	if (dir.len > 0 && dir.p[dir.len - 1] == '/')
		dir.len--;
	if (dir.len <= at || memcmp(dir.p, prefix, strlen(prefix)) != 0 ||
	    memcmp(dir.p + strlen(prefix), connection, strlen(connection)) != 0 ||
	    memcmp(dir.p + strlen(prefix) + strlen(connection), middle, strlen(middle)) != 0)
		return (struct span){ 0 };
	id = span_of(dir.p + at, dir.len - at);
	if (id.p[0] == '.' || memchr(id.p, '/', id.len) != NULL)
		return (struct span){ 0 };
	return id;
}

int
snapshot_read_report(struct arena *a, struct span json, const char *dir_name, const char *connection,
    struct snapshot_head *head, struct err *err)
{
	struct mp_value v;

	*head = (struct snapshot_head){ 0 };
	if (parse_into(a, json, &v, err) != 0)
		return -1;
	if (v.class != MP_MAP)
		return snapshot_wrong(err, "the report is not an object");
	head->sync_id = snapshot_member(&v, "syncId");
	if (head->sync_id.len == 0)
		head->sync_id = keep_text(a, span_str(dir_name));
	head->driver = snapshot_member(&v, "driver");
	head->run_id = snapshot_member(&v, "runId");
	head->extracted_at = snapshot_member(&v, "createdAt");
	if (head->extracted_at.len == 0)
		head->extracted_at = time_of_sync(a, dir_name);
	head->tables_dir = tables_dir(&v, connection);
	if (head->tables_dir.len == 0)
		head->tables_dir = keep_text(a, span_str(dir_name));
	return 0;
}

int
snapshot_read_connection(struct arena *a, struct span json, struct snapshot_head *head, struct err *err)
{
	struct mp_value v, metadata;
	struct span at;

	if (parse_into(a, json, &v, err) != 0)
		return -1;
	if (v.class != MP_MAP)
		return snapshot_wrong(err, "not an object");
	at = snapshot_member(&v, "extractedAt");
	if (at.len > 0)
		head->extracted_at = at;
	if (head->driver.len == 0)
		head->driver = snapshot_member(&v, "driver");
	if (!mp_get(&v, "metadata", &metadata) || metadata.class != MP_MAP)
		return 0;
	head->fingerprint = snapshot_member(&metadata, "schema_fingerprint");
	head->has_details = mp_get_uint(&metadata, "details", 0) >= SNAPSHOT_DETAILS;
	head->column_policy = snapshot_member(&metadata, "column_policy");
	return 0;
}

/* The texts of a list; nulls: others become null, instead of being left out. */
static int
read_texts_of(struct arena *a, const struct mp_value *v, bool nulls, struct span **texts, size_t *n)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value one;

	*n = 0;
	if (v->class != MP_ARRAY || v->n == 0)
		return 0;
	if ((*texts = arena_array(a, v->n, sizeof(**texts))) == NULL)
		return -1;
	while (mp_next(&it, &one))
		if (one.class == MP_STR || nulls)
			(*texts)[(*n)++] = text_of_value(&one);
	return 0;
}

static int
read_column(struct arena *a, const struct mp_value *v, struct snapshot_column *c)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value m;
	struct span key;

	c->nullable = true;
	while (mp_next_pair(&it, &key, &m)) {
		if (span_is(key, SPAN("name")))
			c->name = text_of_value(&m);
		else if (span_is(key, SPAN("nativeType")))
			c->native_type = text_of_value(&m);
		else if (span_is(key, SPAN("normalizedType")))
			c->normalized_type = text_of_value(&m);
		else if (span_is(key, SPAN("dimensionType")))
			c->dimension = snapshot_dimension_of(text_of_value(&m));
		else if (span_is(key, SPAN("nullable")))
			c->nullable = m.class != MP_BOOL || m.boolean;
		else if (span_is(key, SPAN("primaryKey")))
			c->primary_key = m.class == MP_BOOL && m.boolean;
		else if (span_is(key, SPAN("comment")))
			c->comment = text_of_value(&m);
		else if (span_is(key, SPAN("descriptions")))
			c->description = describe_mp(&m);
		else if (span_is(key, SPAN("description")) && c->description.len == 0)
			c->description = describe_mp(&m);
		else if (span_is(key, SPAN("sampleValues")) &&
		    read_texts_of(a, &m, false, &c->samples, &c->nsamples) != 0)
			return -1;
		else if (span_is(key, SPAN("enumLabels"))) {
			c->is_enum = m.class == MP_ARRAY;
			if (read_texts_of(a, &m, false, &c->labels, &c->nlabels) != 0)
				return -1;
		} else if (span_is(key, SPAN("default")))
			c->default_text = text_of_value(&m);
		else if (span_is(key, SPAN("generated")))
			c->generated = text_of_value(&m);
		else if (span_is(key, SPAN("identity")))
			c->identity = text_of_value(&m);
	}
	return 0;
}

static int
read_columns(struct arena *a, const struct mp_value *v, struct snapshot_table *t)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value one;

	if (v->class != MP_ARRAY || v->n == 0)
		return 0;
	if ((t->columns = arena_array(a, v->n, sizeof(*t->columns))) == NULL)
		return -1;
	while (mp_next(&it, &one)) {
		struct snapshot_column *c = &t->columns[t->ncolumns];

		if (one.class != MP_MAP)
			continue;
		if (read_column(a, &one, c) != 0)
			return -1;
		if (c->name.len > 0)
			t->ncolumns++;
		else
			*c = (struct snapshot_column){ 0 };
	}
	return 0;
}

static void
read_key(const struct mp_value *v, struct snapshot_key *k)
{
	k->from_column = snapshot_member(v, "fromColumn");
	k->to_catalog = snapshot_member(v, "toCatalog");
	k->to_db = snapshot_member(v, "toDb");
	k->to_table = snapshot_member(v, "toTable");
	k->to_column = snapshot_member(v, "toColumn");
	k->constraint = snapshot_member(v, "constraintName");
}

static int
read_table_keys(struct arena *a, const struct mp_value *v, struct snapshot_table *t)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value one;

	if (v->class != MP_ARRAY)
		return 0;
	t->has_keys = true;
	if (v->n > 0 && (t->keys = arena_array(a, v->n, sizeof(*t->keys))) == NULL)
		return -1;
	while (mp_next(&it, &one)) {
		if (one.class != MP_MAP)
			continue;
		read_key(&one, &t->keys[t->nkeys]);
		if (t->keys[t->nkeys].from_column.len > 0 && t->keys[t->nkeys].to_table.len > 0)
			t->nkeys++;
	}
	return 0;
}

static int
read_index(struct arena *a, const struct mp_value *v, struct snapshot_index *x)
{
	struct mp_value columns;

	x->name = snapshot_member(v, "name");
	x->definition = snapshot_member(v, "definition");
	x->unique = mp_get_bool(v, "unique", false);
	x->primary = mp_get_bool(v, "primary", false);
	mp_get(v, "columns", &columns);
	return read_texts_of(a, &columns, true, &x->columns, &x->ncolumns);
}

static int
read_indexes(struct arena *a, const struct mp_value *v, struct snapshot_table *t)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value one;

	if (v->class != MP_ARRAY || v->n == 0)
		return 0;
	if ((t->indexes = arena_array(a, v->n, sizeof(*t->indexes))) == NULL)
		return -1;
	while (mp_next(&it, &one)) {
		if (one.class != MP_MAP)
			continue;
		if (read_index(a, &one, &t->indexes[t->nindexes]) != 0)
			return -1;
		t->nindexes += t->indexes[t->nindexes].name.len > 0;
	}
	return 0;
}

static int
read_checks(struct arena *a, const struct mp_value *v, struct snapshot_table *t)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value one;

	if (v->class != MP_ARRAY || v->n == 0)
		return 0;
	if ((t->checks = arena_array(a, v->n, sizeof(*t->checks))) == NULL)
		return -1;
	while (mp_next(&it, &one)) {
		struct snapshot_check *c = &t->checks[t->nchecks];

		if (one.class != MP_MAP)
			continue;
		*c = (struct snapshot_check){ snapshot_member(&one, "name"), snapshot_member(&one, "expression") };
		t->nchecks += c->expression.len > 0;
	}
	return 0;
}

static bool
is_mended(struct span s)
{
	return s.len > 0 && memmem(s.p, s.len, SNAPSHOT_MENDED, sizeof(SNAPSHOT_MENDED) - 1) != NULL;
}

/* Columns without a usable name. */
static void
without_mended(struct snapshot_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->ncolumns; i++)
		if (!is_mended(t->columns[i].name))
			t->columns[n++] = t->columns[i];
	t->ncolumns = n;
}

int
snapshot_read_table(struct arena *a, struct buf *scratch, struct span json, struct snapshot_table *t,
    struct err *err)
{
	struct mp_value v, m;
	struct mp_iter it;
	struct span key;
	int result = 0;
	bool mended, materialized = false;

	if (snapshot_plain_table(a, json, t))
		return 0;
	*t = (struct snapshot_table){ 0 };
	if (parse_mended(json, scratch, &v, &mended, err) != 0)
		return -1;
	if (v.class != MP_MAP)
		return snapshot_wrong(err, "the table is not an object");
	it = mp_iter(&v);
	while (result == 0 && mp_next_pair(&it, &key, &m)) {
		if (span_is(key, SPAN("catalog")))
			t->catalog = text_of_value(&m);
		else if (span_is(key, SPAN("db")))
			t->db = text_of_value(&m);
		else if (span_is(key, SPAN("name")))
			t->name = text_of_value(&m);
		else if (span_is(key, SPAN("kind")))
			t->kind = snapshot_kind_of(text_of_value(&m));
		else if (span_is(key, SPAN("comment")))
			t->comment = text_of_value(&m);
		else if (span_is(key, SPAN("descriptions")))
			t->description = describe_mp(&m);
		else if (span_is(key, SPAN("description")) && t->description.len == 0)
			t->description = describe_mp(&m);
		else if (span_is(key, SPAN("estimatedRows")))
			t->has_rows = snapshot_whole(&m, &t->rows);
		else if (span_is(key, SPAN("columns")))
			result = read_columns(a, &m, t);
		else if (span_is(key, SPAN("foreignKeys")))
			result = read_table_keys(a, &m, t);
		else if (span_is(key, SPAN("definition")))
			t->definition = text_of_value(&m);
		else if (span_is(key, SPAN("indexes")))
			result = read_indexes(a, &m, t);
		else if (span_is(key, SPAN("checks")))
			result = read_checks(a, &m, t);
		else if (span_is(key, SPAN("materialized")))
			materialized = m.class == MP_BOOL && m.boolean;
		else if (span_is(key, SPAN("partitions")))
			result = read_texts_of(a, &m, false, &t->partitions, &t->npartitions);
	}
	if (materialized && t->kind == SNAPSHOT_VIEW)
		t->kind = SNAPSHOT_MATERIALIZED;
	if (result != 0)
		return snapshot_wrong(err, "the file holds more than can be read");
	if (t->name.len == 0)
		return snapshot_wrong(err, "the table has no name");
	if (mended && is_mended(t->name))
		return snapshot_wrong(err, "the table's name is no text");
	if (mended)
		without_mended(t);
	return 0;
}

int
snapshot_read_keys(struct arena *a, struct span json, struct snapshot_keys *keys, struct err *err)
{
	struct mp_value v, list, one;
	struct mp_iter it;

	*keys = (struct snapshot_keys){ 0 };
	if (parse_into(a, json, &v, err) != 0)
		return -1;
	if (v.class != MP_MAP || !mp_get(&v, "foreignKeys", &list) || list.class != MP_ARRAY)
		return snapshot_wrong(err, "there is no foreignKeys list");
	if ((keys->v = arena_array(a, list.n + 1, sizeof(*keys->v))) == NULL)
		return snapshot_wrong(err, "the file holds more than can be read");
	it = mp_iter(&list);
	while (mp_next(&it, &one)) {
		struct snapshot_far_key *k = &keys->v[keys->n];

		if (one.class != MP_MAP)
			continue;
		k->table = snapshot_member(&one, "fromTable");
		k->path = snapshot_member(&one, "fromTablePath");
		read_key(&one, &k->key);
		if (k->table.len > 0 && k->key.from_column.len > 0 && k->key.to_table.len > 0)
			keys->n++;
	}
	return 0;
}

/* A table reference: {catalog, db, name}, or a bare or dotted name. */
static void
read_ref(const struct mp_value *v, struct span *catalog, struct span *db, struct span *name)
{
	const uint8_t *dot;

	*catalog = *db = (struct span){ 0 };
	if (v->class == MP_MAP) {
		*catalog = snapshot_member(v, "catalog");
		*db = snapshot_member(v, "db");
		*name = snapshot_member(v, "name");
		return;
	}
	*name = text_of_value(v);
	if (name->len > 0 && (dot = memrchr(name->p, '.', name->len)) != NULL)
		*name = span_of(dot + 1, (size_t)(name->p + name->len - dot - 1));
}

/* The number of texts in the entries, for a single allocation. */
static size_t
count_texts(const struct mp_value *list)
{
	struct mp_iter it = mp_iter(list);
	struct mp_value one, columns;
	size_t n = 0;

	while (mp_next(&it, &one))
		if (one.class == MP_MAP) {
			mp_get(&one, "columnDescriptions", &columns);
			n += 1 + (columns.class == MP_MAP ? columns.n : 0);
		}
	return n;
}

static void
read_texts(const struct mp_value *one, struct snapshot_texts *texts)
{
	struct snapshot_text about = { 0 };
	struct mp_value v, columns;
	struct mp_iter it;
	struct span key;

	mp_get(one, "table", &v);
	read_ref(&v, &about.catalog, &about.db, &about.table);
	if (about.table.len == 0)
		return;
	mp_get(one, "tableDescription", &v);
	about.text = describe_mp(&v);
	if (about.text.len > 0)
		texts->v[texts->n++] = about;
	mp_get(one, "columnDescriptions", &columns);
	if (columns.class != MP_MAP)
		return;
	it = mp_iter(&columns);
	while (mp_next_pair(&it, &key, &v)) {
		about.column = key;
		about.text = describe_mp(&v);
		if (about.text.len > 0)
			texts->v[texts->n++] = about;
	}
}

int
snapshot_read_descriptions(struct arena *a, struct span json, struct snapshot_texts *texts,
    struct err *err)
{
	struct mp_value v, one;
	struct mp_iter it;

	*texts = (struct snapshot_texts){ 0 };
	if (parse_into(a, json, &v, err) != 0)
		return -1;
	if (v.class != MP_ARRAY)
		return snapshot_wrong(err, "the descriptions are not a list");
	if ((texts->v = arena_array(a, count_texts(&v) + 1, sizeof(*texts->v))) == NULL)
		return snapshot_wrong(err, "the file holds more than can be read");
	it = mp_iter(&v);
	while (mp_next(&it, &one))
		if (one.class == MP_MAP)
			read_texts(&one, texts);
	return 0;
}

/* mended: the file had damaged values, so its texts are not reliable. */
static int
read_profiled(struct arena *a, struct span key, const struct mp_value *v, bool mended, struct snapshot_profiled *p)
{
	struct mp_value m, one;
	struct mp_iter it;
	struct span catalog;
	const uint8_t *dot;

	*p = (struct snapshot_profiled){ 0 };
	mp_get(v, "table", &m);
	read_ref(&m, &catalog, &p->db, &p->table);
	p->column = snapshot_member(v, "column");
	/* The key says the same as "<table>.<column>". */
	dot = key.len == 0 ? NULL : memrchr(key.p, '.', key.len);
	if (p->table.len == 0 && dot != NULL)
		p->table = span_of(key.p, (size_t)(dot - key.p));
	if (p->column.len == 0 && dot != NULL)
		p->column = span_of(dot + 1, (size_t)(key.p + key.len - dot - 1));
	p->type = snapshot_member(v, "normalizedType");
	if (p->type.len == 0)
		p->type = snapshot_member(v, "nativeType");
	mp_get(v, "distinctCount", &m);
	p->has_distinct = m.class == MP_UINT;
	p->distinct = p->has_distinct ? m.u : 0;
	mp_get(v, "sampleValues", &m);
	if (m.class != MP_ARRAY || m.n == 0)
		return 0;
	if ((p->values = arena_array(a, m.n, sizeof(*p->values))) == NULL)
		return -1;
	it = mp_iter(&m);
	while (mp_next(&it, &one))
		if (one.class == MP_STR && !(mended && is_mended(one.s)))
			p->values[p->nvalues++] = one.s;
	return 0;
}

static bool
read_count(const struct mp_value *v, const char *key, uint64_t *out)
{
	struct mp_value m;

	mp_get(v, key, &m);
	*out = m.class == MP_UINT ? m.u : 0;
	return m.class == MP_UINT;
}

int
snapshot_read_profile(struct arena *a, struct span json, struct snapshot_profile *profile,
    struct err *err)
{
	struct mp_value v, columns, one;
	struct mp_iter it;
	struct span key;
	bool mended;

	*profile = (struct snapshot_profile){ 0 };
	if (parse_into_mended(a, json, &v, &mended, err) != 0)
		return -1;
	if (v.class != MP_MAP)
		return snapshot_wrong(err, "the profile is not an object");
	profile->has_sample_rows = read_count(&v, "profileSampleRows", &profile->sample_rows);
	profile->has_values_per_column = read_count(&v, "sampleValuesPerColumn", &profile->values_per_column);
	profile->profiled_at = snapshot_member(&v, "profiledAt");
	if (profile->profiled_at.len == 0)
		profile->profiled_at = snapshot_member(&v, "extractedAt");
	profile->policy = snapshot_member(&v, "columnPolicy");
	mp_get(&v, "columns", &columns);
	if (columns.class != MP_MAP || columns.n == 0)
		return 0;
	if ((profile->v = arena_array(a, columns.n, sizeof(*profile->v))) == NULL)
		return snapshot_wrong(err, "the file holds more than can be read");
	it = mp_iter(&columns);
	while (mp_next_pair(&it, &key, &one)) {
		struct snapshot_profiled *p = &profile->v[profile->n];

		if (one.class != MP_MAP)
			continue;
		if (read_profiled(a, key, &one, mended, p) != 0)
			return snapshot_wrong(err, "the file holds more than can be read");
		if (p->table.len > 0 && p->column.len > 0 && !(mended && (is_mended(p->table) || is_mended(p->column))))
			profile->n++;
	}
	return 0;
}

void
snapshot_display(struct span driver, struct span catalog, struct span db, struct span name, struct buf *out)
{
	if (drivers_has_schemas(driver)) {
		if (catalog.len > 0) {
			buf_span(out, catalog);
			buf_byte(out, '.');
		}
		if (db.len > 0) {
			buf_span(out, db);
			buf_byte(out, '.');
		}
	}
	buf_span(out, name);
}

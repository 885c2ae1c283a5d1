/* column_profile.c - what a deep scan may ask about a table, and the artifact of its answers; see column_profile.h. */
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/table.h"
#include "project/scan/type_family.h"
#include "workers/memory/scan/column_profile.h"

#define WARNINGS_KEPT	1000			/* in the artifact */
#define FEW		5			/* values kept of a column with too many for a dictionary */

/* Document types, which are not labels, however few their values. */
static bool
is_document(struct span type)
{
	static const char *const types[] = { "json", "xml", "tsvector", "tsquery", "hstore" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (span_begins_word(type, types[i]))
			return true;
	return type.len >= 2 && memcmp(type.p + type.len - 2, "[]", 2) == 0;
}

/*
 * The number of distinct values of a column that may leave the database and be stored in the project: all of a label
 * column's, a few of others, none of binary data.
 */
static uint64_t
values_of(const struct mp_value *column, uint64_t most)
{
	struct span type = type_bare(mp_get_str(column, "normalizedType", SPAN("")));
	struct span dimension = mp_get_str(column, "dimensionType", SPAN(""));
	bool label = span_is(dimension, SPAN("string")) || span_is(dimension, SPAN("boolean"));

	if (span_begins_word(type, "bytea") || span_begins_word(type, "blob") || span_begins_word(type, "binary") ||
	    span_begins_word(type, "varbinary"))
		return 0;
	return label && !is_document(type) ? most : most < FEW ? most : FEW;
}

static void
put_member(struct buf *out, const struct mp_value *from, const char *key)
{
	struct mp_value v;

	mp_put_cstr(out, key);
	if (mp_get(from, key, &v))
		buf_span(out, v.raw);
	else
		mp_put_nil(out);
}

static void
put_ref(struct buf *out, const struct mp_value *table)
{
	put_member(out, table, "catalog");
	put_member(out, table, "db");
	put_member(out, table, "name");
}

static void
put_arguments(const struct profile_limits *l, const struct mp_value *table, struct buf *out)
{
	struct mp_value columns, column;
	struct mp_iter it;

	mp_get(table, "columns", &columns);
	mp_put_map(out, 7);
	put_ref(out, table);
	mp_pair_array(out, "columns", columns.n);
	for (it = mp_iter(&columns); mp_next(&it, &column);) {
		mp_put_map(out, 4);
		put_member(out, &column, "name");
		put_member(out, &column, "nativeType");
		put_member(out, &column, "normalizedType");
		mp_pair_uint(out, "values", values_of(&column, l->values_per_column));
	}
	mp_pair_uint(out, "sampleRows", l->sample_rows);
	mp_pair_uint(out, "valuesPerColumn", l->values_per_column);
	mp_pair_uint(out, "timeoutMs", l->statement_ms);
}

static bool
is_catalogue(struct span db)
{
	return span_is(db, SPAN("pg_catalog")) || span_is(db, SPAN("information_schema"));
}

void
profile_plan(struct profile *p, const struct mp_value *table, struct span version)
{
	struct mp_value columns, rows;
	size_t at = p->plans.len, end;

	if (!span_is(mp_get_str(table, "kind", SPAN("")), SPAN("table")) || !mp_get(table, "columns", &columns) ||
	    columns.class != MP_ARRAY || columns.n == 0 || is_catalogue(mp_get_str(table, "db", SPAN(""))))
		return;
	p->v = mem_grow(p->v, p->n, &p->cap, sizeof(*p->v));
	put_arguments(&p->limits, table, &p->plans);
	end = p->plans.len;
	buf_span(&p->plans, version);
	mp_get(table, "estimatedRows", &rows);
	p->v[p->n++] = (struct profile_table){ .at = at, .len = end - at, .version_at = end, .version_len = version.len,
		.rows = rows.class == MP_UINT && rows.u <= INT64_MAX ? (int64_t)rows.u : -1 };
}

void
profile_fini(struct profile *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].why);
	buf_fini(&p->plans);
	buf_fini(&p->results);
	free(p->v);
}

bool
profile_known(const struct profile *p, size_t i, struct mp_value *args, struct mp_value *result)
{
	const struct profile_table *t = &p->v[i];

	return mp_value(span_of(p->plans.p + t->at, t->len), args) && t->state == PROFILE_DONE &&
	    mp_value(span_of(p->results.p + t->result_at, t->result_len), result);
}

uint64_t
profile_rows(const struct profile *p, size_t i, const struct mp_value *result)
{
	uint64_t rows = mp_get_uint(result, "sampledRows", 0);

	/* A full sample only gives a lower bound. */
	if (rows >= p->limits.sample_rows && p->v[i].rows > 0 && (uint64_t)p->v[i].rows > rows)
		rows = (uint64_t)p->v[i].rows;
	return rows;
}

/* Hashes of the keys in the artifact. */
struct keys {
	uint64_t	*hashes;
	size_t		 n, cap;
	struct table	 by_hash;
};

/* Whether the key, or one with the same hash, is used already; otherwise it is now. */
static bool
is_taken(struct keys *k, struct span key)
{
	uint64_t hash = hash_of(key);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&k->by_hash, hash, &at)) != TABLE_NONE;)
		if (k->hashes[row] == hash)
			return true;
	k->hashes = mem_grow(k->hashes, k->n, &k->cap, sizeof(*k->hashes));
	k->hashes[k->n] = hash;
	table_add(&k->by_hash, hash, (uint32_t)k->n++);
	return false;
}

/*
 * Appends "<table>.<column>", as in ktx; a further table of that name is qualified with its schema.  Readers take the
 * names from the entry; the key only has to be unique.
 */
static void
put_key(struct keys *keys, const struct mp_value *table, struct span column, struct buf *out)
{
	struct span db = mp_get_str(table, "db", SPAN("")), name = mp_get_str(table, "name", SPAN(""));
	struct buf key = { 0 };

	buf_printf(&key, "%.*s.%.*s", SPAN_FMT(name), SPAN_FMT(column));
	for (unsigned i = 1; is_taken(keys, buf_view(&key)); i++) {
		buf_reset(&key, SIZE_MAX);
		buf_printf(&key, "%.*s.%.*s.%.*s", SPAN_FMT(db), SPAN_FMT(name), SPAN_FMT(column));
		if (i > 1)
			buf_printf(&key, "#%u", i);
	}
	mp_put_str(out, buf_view(&key));
	buf_fini(&key);
}

static void
put_column(struct keys *keys, const struct mp_value *table, const struct mp_value *column, struct buf *out)
{
	static const char *const members[] = { "nativeType", "normalizedType", "rowCount", "nullCount", "distinctCount",
		"uniquenessRatio", "nullRate", "sampleValues", "minTextLength", "maxTextLength" };
	struct span name = mp_get_str(column, "column", SPAN(""));

	put_key(keys, table, name, out);
	mp_put_map(out, 12);
	mp_put_cstr(out, "table");
	mp_put_map(out, 3);
	put_ref(out, table);
	mp_pair_str(out, "column", name);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		put_member(out, column, members[i]);
}

static void
put_columns(const struct profile *p, struct buf *out)
{
	struct mp_value args, result, list, column;
	struct keys keys = { 0 };
	size_t mark = mp_open_map(out), n = 0;
	struct mp_iter it;

	for (size_t i = 0; i < p->n; i++) {
		if (!profile_known(p, i, &args, &result))
			continue;
		mp_get(&result, "columns", &list);
		for (it = mp_iter(&list); mp_next(&it, &column); n++)
			put_column(&keys, &args, &column, out);
	}
	mp_close(out, mark, n);
	free(keys.hashes);
	table_free(&keys.by_hash);
}

static void
put_tables(const struct profile *p, struct buf *out)
{
	size_t mark = mp_open_array(out), n = 0;
	struct mp_value args, result;

	for (size_t i = 0; i < p->n; i++) {
		if (!profile_known(p, i, &args, &result))
			continue;
		mp_put_map(out, 2);
		mp_put_cstr(out, "table");
		mp_put_map(out, 3);
		put_ref(out, &args);
		mp_pair_uint(out, "rowCount", profile_rows(p, i, &result));
		n++;
	}
	mp_close(out, mark, n);
}

void
profile_failures(const struct profile *p, void (*fn)(void *arg, struct span table, struct span column,
    struct span message), void *arg)
{
	struct mp_value args, result, list, v;
	struct mp_iter it;

	for (size_t i = 0; i < p->n; i++) {
		bool known = profile_known(p, i, &args, &result);
		struct span name = mp_get_str(&args, "name", SPAN(""));

		if (p->v[i].state == PROFILE_FAILED)
			fn(arg, name, SPAN(""), span_str(p->v[i].why));
		if (!known || !mp_get(&result, "failures", &list))
			continue;
		for (it = mp_iter(&list); mp_next(&it, &v);)
			fn(arg, name, mp_get_str(&v, "column", SPAN("")), mp_get_str(&v, "message", SPAN("")));
	}
}

struct failures {
	struct buf	*out;
	size_t		 n;
};

static void
put_failure(void *arg, struct span table, struct span column, struct span message)
{
	struct failures *f = arg;
	struct buf text = { 0 };

	if (f->n == WARNINGS_KEPT)
		return;
	buf_printf(&text, "profile_failed:%.*s%s%.*s:%.*s", SPAN_FMT(table), column.len > 0 ? "." : "",
	    SPAN_FMT(column), SPAN_FMT(message));
	mp_put_str(f->out, buf_view(&text));
	buf_fini(&text);
	f->n++;
}

static void
put_failures(const struct profile *p, struct buf *out)
{
	struct failures f = { .out = out };
	size_t mark = mp_open_array(out);

	profile_failures(p, put_failure, &f);
	mp_close(out, mark, f.n);
}

void
profile_put(const struct profile *p, const char *connection, struct span driver, uint64_t at_ms, struct buf *out)
{
	char at[25];
	bool policy = p->policy != NULL && p->policy[0] != '\0';

	clock_iso8601(at_ms, at);
	mp_put_map(out, 11u + policy);
	if (policy) { /* samples made under another policy are not shown */
		mp_pair_cstr(out, "columnPolicy", p->policy);
	}
	mp_pair_cstr(out, "connectionId", connection);
	mp_pair_str(out, "driver", driver);
	mp_pair_bool(out, "sqlAvailable", true);
	/* Counts reused answers as well, so that a scan that reuses them writes the same artifact. */
	mp_pair_uint(out, "queryCount", p->n - p->nleft_out);
	mp_put_cstr(out, "tables");
	put_tables(p, out);
	mp_put_cstr(out, "columns");
	put_columns(p, out);
	mp_put_cstr(out, "warnings");
	put_failures(p, out);
	mp_pair_uint(out, "profileSampleRows", p->limits.sample_rows);
	mp_pair_uint(out, "sampleValuesPerColumn", p->limits.values_per_column);
	mp_pair_cstr(out, "profiledAt", at);
	mp_pair_cstr(out, "extractedAt", at);
}

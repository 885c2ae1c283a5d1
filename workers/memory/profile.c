/* profile.c - see profile.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "workers/memory/profile.h"

#define COLUMNS_BYTES	((size_t)128 << 20)	/* of the artifact; tables beyond are left out */
#define WARNINGS_KEPT	1000			/* in the artifact */
#define FEW		5			/* values kept of a column that is no dictionary */
#define LOST_MOST	3			/* failures in a row that mean the database is gone */
#define SPARE_NS	(60 * CLOCK_SECOND)	/* of the call's time at most, for writing down what was found */

/* --- what may be kept ------------------------------------------------------------ */

/* Text that is no label of anything, whatever number of values it has. */
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
 * How many distinct values of a column may leave the database and be written
 * into the project: all of a label's, a few of others', none of binary data.
 */
static uint64_t
values_of(const struct mp_value *column, uint64_t most)
{
	struct span type = mp_get_str(column, "normalizedType", SPAN(""));
	struct span dimension = mp_get_str(column, "dimensionType", SPAN(""));
	bool label = span_is(dimension, SPAN("string")) || span_is(dimension, SPAN("boolean"));

	if (span_begins_word(type, "bytea") || span_begins_word(type, "blob") || span_begins_word(type, "binary") || span_begins_word(type, "varbinary"))
		return 0;
	return label && !is_document(type) ? most : most < FEW ? most : FEW;
}

/* --- planning -------------------------------------------------------------------- */

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
put_count(struct buf *out, const char *key, uint64_t n)
{
	mp_put_cstr(out, key);
	mp_put_uint(out, n);
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
	mp_put_cstr(out, "columns");
	mp_put_array(out, columns.n);
	for (it = mp_iter(&columns); mp_next(&it, &column); ) {
		mp_put_map(out, 4);
		put_member(out, &column, "name");
		put_member(out, &column, "nativeType");
		put_member(out, &column, "normalizedType");
		put_count(out, "values", values_of(&column, l->values_per_column));
	}
	put_count(out, "sampleRows", l->sample_rows);
	put_count(out, "valuesPerColumn", l->values_per_column);
	put_count(out, "timeoutMs", l->statement_ms);
}

void
profile_plan(struct profile *p, const struct mp_value *table)
{
	struct mp_value columns, rows;
	size_t at = p->plans.len;

	if (!span_is(mp_get_str(table, "kind", SPAN("")), SPAN("table")) || !mp_get(table, "columns", &columns) ||
	    columns.class != MP_ARRAY || columns.n == 0)
		return;
	if (p->n == p->cap) {
		p->cap = p->cap == 0 ? 256 : p->cap * 2;
		if ((p->v = realloc(p->v, p->cap * sizeof(*p->v))) == NULL)
			abort();	/* out of memory is fatal; the supervisor restarts us */
	}
	put_arguments(&p->limits, table, &p->plans);
	mp_get(table, "estimatedRows", &rows);
	p->v[p->n++] = (struct profile_table){ at, p->plans.len - at,
		rows.class == MP_UINT && rows.u <= INT64_MAX ? (int64_t)rows.u : -1 };
}

void
profile_fini(struct profile *p)
{
	buf_fini(&p->plans);
	buf_fini(&p->tables);
	buf_fini(&p->columns);
	buf_fini(&p->warnings);
	free(p->v);
	free(p->keys);
}

/* --- keys ------------------------------------------------------------------------- */

static void
grow_keys(struct profile *p)
{
	uint64_t *old = p->keys;
	size_t cap = p->capkeys;

	p->capkeys = cap == 0 ? 1024 : cap * 2;
	if ((p->keys = calloc(p->capkeys, sizeof(*p->keys))) == NULL)
		abort();	/* out of memory */
	for (size_t i = 0; i < cap; i++)
		if (old[i] != 0) {
			size_t at = old[i] & (p->capkeys - 1);

			while (p->keys[at] != 0)
				at = (at + 1) & (p->capkeys - 1);
			p->keys[at] = old[i];
		}
	free(old);
}

/* True when a column has this key already; else it is taken now. */
static bool
is_taken(struct profile *p, struct span key)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	size_t at;

	for (size_t i = 0; i < key.len; i++)
		h = (h ^ key.p[i]) * UINT64_C(0x100000001b3);
	h += h == 0;
	if (p->nkeys * 2 >= p->capkeys)
		grow_keys(p);
	for (at = h & (p->capkeys - 1); p->keys[at] != 0; at = (at + 1) & (p->capkeys - 1))
		if (p->keys[at] == h)
			return true;
	p->keys[at] = h;
	p->nkeys++;
	return false;
}

/*
 * "<table>.<column>", as ktx has it; a second table of that name says its
 * schema too.  Readers take the names from the entry, the key only has to be
 * another one.
 */
static void
put_key(struct profile *p, const struct mp_value *table, struct span column, struct buf *out)
{
	struct span db = mp_get_str(table, "db", SPAN("")), name = mp_get_str(table, "name", SPAN(""));
	struct buf key = { 0 };

	buf_printf(&key, "%.*s.%.*s", SPAN_FMT(name), SPAN_FMT(column));
	for (unsigned i = 1; is_taken(p, buf_view(&key)); i++) {
		buf_reset(&key, SIZE_MAX);
		buf_printf(&key, "%.*s.%.*s.%.*s", SPAN_FMT(db), SPAN_FMT(name), SPAN_FMT(column));
		if (i > 1)
			buf_printf(&key, "#%u", i);
	}
	mp_put_str(out, buf_view(&key));
	buf_fini(&key);
}

/* --- sampling --------------------------------------------------------------------- */

struct sampling {
	struct profile	*p;
	struct mp_value	 table;		/* its arguments */
};

/* Each row has one cell: what is known of one column. */
static int
take_rows(void *arg, const struct mp_value *rows, struct err *err)
{
	static const char *const members[] = { "nativeType", "normalizedType", "rowCount", "nullCount", "distinctCount",
		"uniquenessRatio", "nullRate", "sampleValues", "minTextLength", "maxTextLength" };
	struct sampling *s = arg;
	struct buf *out = &s->p->columns;
	struct mp_value row, column;
	struct mp_iter it, cells;

	for (it = mp_iter(rows); mp_next(&it, &row); s->p->ncolumns++) {
		struct span name;

		cells = mp_iter(&row);
		if (row.class != MP_ARRAY || !mp_next(&cells, &column) || column.class != MP_MAP ||
		    (name = mp_get_str(&column, "column", SPAN(""))).len == 0)
			return err_set(err, ERR_INTERNAL, "the profile of a table has a row without a column");
		put_key(s->p, &s->table, name, out);
		mp_put_map(out, 12);
		mp_put_cstr(out, "table");
		mp_put_map(out, 3);
		put_ref(out, &s->table);
		mp_put_cstr(out, "column");
		mp_put_str(out, name);
		for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
			put_member(out, &column, members[i]);
	}
	return 0;
}

static void
warn(struct profile *p, struct warnings *w, struct span table, struct span column, struct span message)
{
	char name[256];
	struct buf text = { 0 };

	buf_printf(&text, "profile_failed:%.*s%s%.*s:%.*s", SPAN_FMT(table), column.len > 0 ? "." : "",
	    SPAN_FMT(column), SPAN_FMT(message));
	snprintf(name, sizeof(name), "%.*s", SPAN_FMT(table));
	/* A name that was cut may end inside a character. */
	warnings_add(w, "statistics_failed", table.len < sizeof(name) ? name : NULL, "%s", buf_cstr(&text));
	if (p->nwarnings < WARNINGS_KEPT) {
		mp_put_str(&p->warnings, buf_view(&text));
		p->nwarnings++;
	}
	buf_fini(&text);
}

static void
take_head(struct sampling *s, const struct profile_table *t, const struct mp_value *head, struct warnings *w)
{
	uint64_t rows = mp_get_uint(head, "sampledRows", 0);
	struct span name = mp_get_str(&s->table, "name", SPAN(""));
	struct mp_value list, v;
	struct mp_iter it;

	/* A full sample says only that there are at least as many. */
	if (rows >= s->p->limits.sample_rows && t->rows > 0 && (uint64_t)t->rows > rows)
		rows = (uint64_t)t->rows;
	mp_put_map(&s->p->tables, 2);
	mp_put_cstr(&s->p->tables, "table");
	mp_put_map(&s->p->tables, 3);
	put_ref(&s->p->tables, &s->table);
	put_count(&s->p->tables, "rowCount", rows);
	s->p->ntables++;
	mp_get(head, "failures", &list);
	for (it = mp_iter(&list); list.class == MP_ARRAY && mp_next(&it, &v); )
		if (v.class == MP_MAP)
			warn(s->p, w, name, mp_get_str(&v, "column", SPAN("")), mp_get_str(&v, "message", SPAN("")));
}

/* 0: done; 1: it failed, with *err; -1: the call is over. */
static int
sample_table(struct profile *p, struct call *c, const char *connection, const struct profile_table *t,
    struct warnings *w, struct err *err)
{
	struct sampling s = { .p = p };
	struct span args = span_of(p->plans.p + t->at, t->len);
	size_t mark = p->columns.len, had = p->ncolumns;
	struct mp_value head;
	struct err over;

	mp_value(args, &s.table);
	p->nqueries++;
	if (call_sub(c, "profile", span_str(connection), args, 0, take_rows, NULL, &s, &head, err) == 0) {
		take_head(&s, t, &head, w);
		return 0;
	}
	p->columns.len = mark;
	p->ncolumns = had;
	if (!call_poll(c, &over)) {
		*err = over;
		return -1;
	}
	p->nfailed++;
	warn(p, w, mp_get_str(&s.table, "name", SPAN("")), SPAN(""), span_str(err->message));
	return 1;
}

static bool
is_gone(const struct err *err)
{
	return err->code == ERR_DATABASE_UNAVAILABLE || err->code == ERR_WORKER_LOST ||
	    err->code == ERR_SERVICE_UNAVAILABLE;
}

int
profile_sample(struct profile *p, struct call *c, const char *connection, struct warnings *w, unsigned from,
    unsigned to, struct err *err)
{
	uint64_t now = clock_ns(), end = call_deadline(c), left = end > now ? end - now : 0;
	unsigned lost = 0;

	end -= left / 10 < SPARE_NS ? left / 10 : SPARE_NS;
	for (size_t i = 0; i < p->n; i++) {
		call_progress(c, from + (unsigned)((uint64_t)(to - from) * i / p->n), "Profiled %zu of %zu tables", i, p->n);
		if (p->columns.len > COLUMNS_BYTES || clock_ns() > end) {
			warnings_add(w, "sampling_failed", NULL, "%zu tables were not profiled: %s", p->n - i,
			    p->columns.len > COLUMNS_BYTES ? "the profile is as large as it may be" : "the time was up");
			break;
		}
		switch (sample_table(p, c, connection, &p->v[i], w, err)) {
		case -1:
			return -1;
		case 0:
			lost = 0;
			break;
		default:
			lost = is_gone(err) ? lost + 1 : 0;
			if (lost == LOST_MOST)
				return -1;
		}
	}
	return 0;
}

void
profile_put(const struct profile *p, const char *connection, struct span driver, uint64_t at_ms, struct buf *out)
{
	char at[25];

	clock_iso8601(at_ms, at);
	mp_put_map(out, 11);
	mp_put_cstr(out, "connectionId");
	mp_put_cstr(out, connection);
	mp_put_cstr(out, "driver");
	mp_put_str(out, driver);
	mp_put_cstr(out, "sqlAvailable");
	mp_put_bool(out, true);
	put_count(out, "queryCount", p->nqueries);
	mp_put_cstr(out, "tables");
	mp_put_array(out, p->ntables);
	buf_span(out, buf_view(&p->tables));
	mp_put_cstr(out, "columns");
	mp_put_map(out, p->ncolumns);
	buf_span(out, buf_view(&p->columns));
	mp_put_cstr(out, "warnings");
	mp_put_array(out, p->nwarnings);
	buf_span(out, buf_view(&p->warnings));
	put_count(out, "profileSampleRows", p->limits.sample_rows);
	put_count(out, "sampleValuesPerColumn", p->limits.values_per_column);
	mp_put_cstr(out, "profiledAt");
	mp_put_cstr(out, at);
	mp_put_cstr(out, "extractedAt");
	mp_put_cstr(out, at);
}

#include <string.h>

#include "workers/search/library/resolve.h"
#include "words/text.h"

#define PARTS_MAX	8

struct name_parts {
	size_t		n;		/* 0: not of the form part.part.part */
	struct span	v[PARTS_MAX];
};

static uint8_t
resolve_closing(uint8_t open)
{
	return open == '[' ? ']' : open == '"' || open == '\'' || open == '`' ? open : 0;
}

/* A quoted part from s.p[1] on, doubled quotes undone.  Returns bytes used, 0 when it never ends. */
static size_t
read_quoted(struct arena *a, struct span s, struct span *part)
{
	uint8_t close = resolve_closing(s.p[0]), *copy = arena_alloc(a, s.len);
	size_t n = 0;

	if (copy == NULL)
		return 0;
	for (size_t i = 1; i < s.len; i++) {
		if (s.p[i] != close)
			copy[n++] = s.p[i];
		else if (i + 1 < s.len && s.p[i + 1] == close)
			copy[n++] = s.p[i++];
		else {
			*part = span_of(copy, n);
			return i + 1;
		}
	}
	return 0;
}

static struct name_parts
resolve_split(struct arena *a, struct span s)
{
	struct name_parts p = { 0 };

	s = span_trim(s);
	while (s.len > 0) {
		const uint8_t *dot;
		size_t used = 0;

		if (p.n == PARTS_MAX)
			return (struct name_parts){ 0 };
		if (resolve_closing(s.p[0]) != 0 && (used = read_quoted(a, s, &p.v[p.n])) > 0) {
			s = span_trim(span_of(s.p + used, s.len - used));
			if (s.len > 0 && s.p[0] != '.')
				return (struct name_parts){ 0 };
		} else {
			dot = memchr(s.p, '.', s.len);
			used = dot == NULL ? s.len : (size_t)(dot - s.p);
			p.v[p.n] = span_trim(span_of(s.p, used));
			s = span_of(s.p + used, s.len - used);
		}
		p.n += p.v[p.n].len > 0;
		if (s.len > 0)
			s = span_trim(span_of(s.p + 1, s.len - 1));
	}
	return p;
}

/* A part that was not given, or that the scan has not, fits. */
static bool
resolve_fits(struct span given, struct span has)
{
	return given.len == 0 || has.len == 0 || text_is_same(given, has);
}

/* A table without a schema is in SQLite's only one; no other name is a schema there. */
static bool
fits_schema(struct span given, struct span has)
{
	return has.len == 0 ? given.len == 0 || text_is_same(given, SPAN("main")) : resolve_fits(given, has);
}

static void
resolve_look(const struct schema *s, struct span catalog, struct span db, struct span name, struct resolved *out)
{
	size_t n;
	const uint32_t *named = schema_named(s, name, &n);

	for (size_t i = 0; i < n; i++) {
		const struct schema_table *t = &s->tables[named[i]];

		if (out->n < RESOLVE_MAX && resolve_fits(catalog, schema_span(s, t->catalog)) &&
		    fits_schema(db, schema_span(s, t->db)))
			out->v[out->n++] = t;
	}
}

/* Of several matches keep those with exactly this spelling, if there are any. */
static void
prefer_exact(const struct schema *s, struct span db, struct span name, struct resolved *out)
{
	struct resolved exact = { 0 };

	if (out->n < 2)
		return;
	for (size_t i = 0; i < out->n; i++)
		if (span_is(schema_span(s, out->v[i]->name), name) &&
		    (db.len == 0 || span_is(schema_span(s, out->v[i]->db), db)))
			exact.v[exact.n++] = out->v[i];
	if (exact.n > 0)
		*out = exact;
}

/* parts[from..to) with their dots, as one name that has dots in it. */
static struct span
rejoin(struct arena *a, const struct name_parts *p, size_t from, size_t to)
{
	struct buf b = { 0 };
	struct span s;

	for (size_t i = from; i < to; i++) {
		if (i > from)
			buf_byte(&b, '.');
		buf_span(&b, p->v[i]);
	}
	s = arena_span(a, buf_view(&b));
	buf_fini(&b);
	return s;
}

/*
 * Tables whose display string is the parts with their dots: a schema can have
 * some as well as a name, and then only the whole tells.
 */
static void
look_displayed(const struct schema *s, struct arena *a, const struct name_parts *p, bool exact, struct resolved *out)
{
	struct span whole = rejoin(a, p, 0, p->n);
	struct buf display = { 0 };

	for (size_t at = p->n; at-- > 0;) {
		size_t n;
		const uint32_t *named = schema_named(s, rejoin(a, p, at, p->n), &n);

		for (size_t i = 0; i < n && out->n < RESOLVE_MAX; i++) {
			buf_reset(&display, SIZE_MAX);
			schema_display(s, &s->tables[named[i]], &display);
			if (exact ? span_is(buf_view(&display), whole) : text_is_same(buf_view(&display), whole))
				out->v[out->n++] = &s->tables[named[i]];
		}
	}
	buf_fini(&display);
	if (exact && out->n == 0)
		look_displayed(s, a, p, false, out);
}

static void
resolve_parts(const struct schema *s, struct arena *a, const struct name_parts *p, struct resolved *out)
{
	if (p->n > 2)
		look_displayed(s, a, p, true, out);
	/* The name is the last part, or more of them when it has dots itself. */
	for (size_t at = p->n; at-- > 0 && out->n == 0;) {
		struct span name = rejoin(a, p, at, p->n);
		struct span db = at > 0 ? p->v[at - 1] : (struct span){ 0 };

		if (at > 2)
			continue;
		resolve_look(s, at > 1 ? p->v[at - 2] : (struct span){ 0 }, db, name, out);
		prefer_exact(s, db, name, out);
	}
	if (out->n == 0)
		look_displayed(s, a, p, true, out);
}

static void
resolve_string(const struct schema *s, struct arena *a, struct span text, struct resolved *out)
{
	struct name_parts p = resolve_split(a, text);

	resolve_parts(s, a, &p, out);
	if (out->n == 0)
		resolve_look(s, (struct span){ 0 }, (struct span){ 0 }, span_trim(text), out);
}

static struct span
resolve_member(const struct mp_value *map, const char *key)
{
	return mp_get_str(map, key, (struct span){ 0 });
}

void
resolve_table(const struct schema *s, struct arena *a, const struct mp_value *table, struct resolved *out)
{
	*out = (struct resolved){ 0 };
	if (table->class == MP_STR)
		resolve_string(s, a, table->s, out);
	else if (table->class == MP_MAP) {
		resolve_look(s, resolve_member(table, "catalog"), resolve_member(table, "db"),
		    resolve_member(table, "name"), out);
		prefer_exact(s, resolve_member(table, "db"), resolve_member(table, "name"), out);
		/* A whole display string, given as the name. */
		if (out->n == 0 && resolve_member(table, "catalog").len == 0 && resolve_member(table, "db").len == 0)
			resolve_string(s, a, resolve_member(table, "name"), out);
	}
}

bool
resolve_owner(const struct schema *s, struct arena *a, const struct mp_value *table, struct resolved *out,
    struct span *column)
{
	struct name_parts p;

	*out = (struct resolved){ 0 };
	if (table->class != MP_STR)
		return false;
	p = resolve_split(a, table->s);
	if (p.n < 2)
		return false;
	*column = p.v[--p.n];
	resolve_parts(s, a, &p, out);
	return out->n == 1;
}

/* A partition's "schema.name" is asked for by its whole name or by the last part. */
static bool
is_partition(struct span partition, struct span asked)
{
	const uint8_t *dot = memchr(partition.p, '.', partition.len);
	size_t from = dot == NULL ? 0 : (size_t)(dot - partition.p) + 1;

	return text_is_same(partition, asked) || text_is_same(span_of(partition.p + from, partition.len - from), asked);
}

const struct schema_table *
resolve_partition(const struct schema *s, struct arena *a, const struct mp_value *table)
{
	struct name_parts p = { 0 };
	struct span asked;

	if (table->class == MP_STR)
		p = resolve_split(a, table->s);
	else if (table->class == MP_MAP) {
		struct span db = resolve_member(table, "db");

		p = (struct name_parts){ .n = 1 + (db.len > 0), .v = { db, resolve_member(table, "name") } };
		if (db.len == 0)
			p.v[0] = p.v[1];
	}
	if (p.n == 0)
		return NULL;
	asked = rejoin(a, &p, p.n > 2 ? p.n - 2 : 0, p.n);
	for (size_t i = 0; i < s->ntables; i++) {
		size_t n;
		const schema_text *partitions = schema_list(s, s->tables[i].partitions, &n);

		for (size_t k = 0; k < n; k++)
			if (is_partition(schema_span(s, partitions[k]), asked))
				return &s->tables[i];
	}
	return NULL;
}

struct span
resolve_unquoted(struct arena *a, struct span name)
{
	struct name_parts p = resolve_split(a, name);

	return p.n == 1 ? p.v[0] : name;
}

struct span
resolve_asked(struct arena *a, const struct mp_value *table)
{
	struct name_parts p;

	if (table->class == MP_MAP)
		return resolve_member(table, "name");
	if (table->class != MP_STR)
		return (struct span){ 0 };
	p = resolve_split(a, table->s);
	return p.n > 0 ? p.v[p.n - 1] : table->s;
}

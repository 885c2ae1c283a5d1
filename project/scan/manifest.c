/* manifest.c - the model behind the shards: tables, and the joins their foreign keys give. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text/percent.h"
#include "base/text/sql_quote.h"
#include "project/config/drivers.h"
#include "project/scan/manifest.h"
#include "project/scan/manifest_model.h"

#define LATELY_MAX	64u	/* bytes of a text that is kept once */

void
manifest_init(struct manifest *m)
{
	*m = (struct manifest){ .arena = arena_new(MANIFEST_MODEL_MAX) };
}

void
manifest_fini(struct manifest *m)
{
	arena_free(m->arena);
	free(m->tables);
	free(m->links);
	free(m->edges);
	*m = (struct manifest){ 0 };
}

/* In the arena; a short text that was kept lately is kept once: types and most names come again. */
static struct span
keep_text(struct manifest *m, struct span text)
{
	struct span *known = &m->lately[hash_of(text) % MANIFEST_LATELY];

	if (text.len == 0 || text.len > LATELY_MAX)
		return arena_span(m->arena, text);
	if (!span_is(*known, text))
		*known = arena_span(m->arena, text);
	return *known;
}

/* The member as text in the arena; {NULL, 0} when it is null or missing. */
static struct span
text_of(struct manifest *m, const struct mp_value *map, const char *key)
{
	struct mp_value v;
	struct span s = { NULL, 0 };

	if (mp_get(map, key, &v) && v.class == MP_STR) {
		s = keep_text(m, v.s);
		/* An empty text is a text; an arena that is full has none. */
		if (v.s.len == 0)
			s = SPAN("");
		else if (s.p == NULL)
			m->full = true;
	}
	return s;
}

/* An array of n elements, NULL with full set when the arena has no room. */
static void *
array_of(struct manifest *m, const struct mp_value *map, const char *key, size_t size, struct mp_iter *it,
    size_t *n)
{
	struct mp_value v;
	void *p;

	*n = 0;
	if (!mp_get(map, key, &v) || v.class != MP_ARRAY || v.n == 0)
		return NULL;
	*it = mp_iter(&v);
	if ((p = arena_array(m->arena, v.n, size)) == NULL)
		m->full = true;
	else
		*n = v.n;
	return p;
}

void
manifest_add(struct manifest *m, const struct mp_value *table)
{
	struct manifest_table t = { 0 };
	struct mp_iter it;
	struct mp_value v;

	if (m->full)
		return;
	t.catalog = text_of(m, table, "catalog");
	t.db = text_of(m, table, "db");
	t.name = text_of(m, table, "name");
	t.comment = text_of(m, table, "comment");
	t.columns = array_of(m, table, "columns", sizeof(*t.columns), &it, &t.ncolumns);
	for (size_t i = 0; i < t.ncolumns && mp_next(&it, &v); i++)
		t.columns[i] = (struct manifest_column){
			.name = text_of(m, &v, "name"), .type = text_of(m, &v, "dimensionType"),
			.comment = text_of(m, &v, "comment"), .primary_key = mp_get_bool(&v, "primaryKey", false),
			.nullable = mp_get_bool(&v, "nullable", true) };
	t.keys = array_of(m, table, "foreignKeys", sizeof(*t.keys), &it, &t.nkeys);
	for (size_t i = 0; i < t.nkeys && mp_next(&it, &v); i++)
		t.keys[i] = (struct manifest_key){
			.column = text_of(m, &v, "fromColumn"), .to_catalog = text_of(m, &v, "toCatalog"),
			.to_db = text_of(m, &v, "toDb"), .to_table = text_of(m, &v, "toTable"),
			.to_column = text_of(m, &v, "toColumn"), .constraint = text_of(m, &v, "constraintName") };
	if (m->full)
		return;
	m->tables = mem_grow(m->tables, m->n, &m->cap, sizeof(*m->tables));
	m->tables[m->n++] = t;
}

static int
by_name(const void *a, const void *b)
{
	const struct manifest_table *x = a, *y = b;
	int r = span_cmp(x->name, y->name);

	if (r == 0)
		r = span_cmp(x->db, y->db);
	return r != 0 ? r : span_cmp(x->catalog, y->catalog);
}

static bool
is_null_or(struct span have, struct span want)
{
	return want.p == NULL || span_is(have, want);
}

const struct manifest_table *
manifest_find(const struct manifest *m, struct span name, struct span db, struct span catalog)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (span_cmp(m->tables[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < m->n && span_is(m->tables[low].name, name); low++)
		if (is_null_or(m->tables[low].db, db) && is_null_or(m->tables[low].catalog, catalog))
			return &m->tables[low];
	return NULL;
}

bool
manifest_has_column(const struct manifest_table *t, struct span name)
{
	for (size_t i = 0; i < t->ncolumns; i++)
		if (span_is(t->columns[i].name, name))
			return true;
	return false;
}

/* The one primary-key column, for a key that names only the table; empty when there is not exactly one. */
static struct span
sole_key(const struct manifest_table *t)
{
	struct span found = { NULL, 0 };

	for (size_t i = 0; i < t->ncolumns; i++)
		if (t->columns[i].primary_key) {
			if (found.p != NULL)
				return SPAN_NONE;
			found = t->columns[i].name;
		}
	return found;
}

static size_t
key_width(const struct manifest_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->ncolumns; i++)
		n += t->columns[i].primary_key;
	return n;
}

static bool
is_same_target(const struct manifest_key *a, const struct manifest_key *b)
{
	return span_is(a->to_table, b->to_table) && span_is(a->to_db, b->to_db) &&
	    span_is(a->to_catalog, b->to_catalog);
}

/* Whether the n keys cover the whole primary key of the parent table. */
static bool
covers_key(const struct manifest_table *parent, const struct manifest_key *keys, size_t n)
{
	for (size_t i = 0; i < parent->ncolumns; i++) {
		bool named = !parent->columns[i].primary_key;

		for (size_t k = 0; k < n; k++)
			named = named || span_is(keys[k].to_column, parent->columns[i].name);
		if (!named)
			return false;
	}
	return true;
}

/*
 * The number of keys from `at` on that form a composite key: those of the same constraint, or, where constraints have
 * no names (SQLite), those that together are the other table's whole primary key.
 */
static size_t
run_length(const struct manifest_table *t, size_t at, const struct manifest_table *parent)
{
	const struct manifest_key *k = &t->keys[at];
	size_t n = 1, width;

	if (k->constraint.p != NULL && k->constraint.len > 0) {
		while (at + n < t->nkeys && is_same_target(k, &k[n]) && span_is(k->constraint, k[n].constraint))
			n++;
		return n;
	}
	width = key_width(parent);
	if (width < 2 || width > t->nkeys - at || k->to_column.p == NULL)
		return 1;
	while (n < width && is_same_target(k, &k[n]) && k[n].to_column.p != NULL)
		n++;
	return n == width && covers_key(parent, k, n) ? n : 1;
}

static void
put_side(struct buf *out, const struct manifest_table *t, struct span column)
{
	sql_quote_name(out, t->name);
	buf_byte(out, '.');
	sql_quote_name(out, column);
}

/* "orders.customer_id = customers.id AND …"; empty when a column is not known or memory is full. */
static struct span
condition(struct manifest *m, const struct manifest_link *l)
{
	struct buf b = { 0 };
	struct span text = { NULL, 0 };

	for (size_t i = 0; i < l->n; i++) {
		if (!manifest_has_column(l->parent, l->to[i]) || !manifest_has_column(l->child, l->from[i]))
			goto out;
		buf_str(&b, i > 0 ? " AND " : "");
		put_side(&b, l->child, l->from[i]);
		buf_str(&b, " = ");
		put_side(&b, l->parent, l->to[i]);
	}
	if ((text = arena_span(m->arena, buf_view(&b))).p == NULL)
		m->full = true;
out:
	buf_fini(&b);
	return text;
}

static void
add_edge(struct manifest *m, const struct manifest_table *owner, struct span to, struct span on, bool forward,
    bool inferred)
{
	m->edges = mem_grow(m->edges, m->nedges, &m->capedges, sizeof(*m->edges));
	m->edges[m->nedges] = (struct manifest_edge){ owner, to, on, forward, inferred, m->nedges };
	m->nedges++;
}

/* False when it names a column that is not there, or memory is full. */
static bool
add_edges(struct manifest *m, const struct manifest_link *l, bool inferred)
{
	struct span on = condition(m, l);

	if (on.p == NULL)
		return false;
	add_edge(m, l->child, l->parent->name, on, true, inferred);
	add_edge(m, l->parent, l->child->name, on, false, inferred);
	return true;
}

/* The n keys as one link, its arrays in the arena. */
static struct manifest_link
link_of(struct manifest *m, const struct manifest_table *t, const struct manifest_table *parent,
    const struct manifest_key *keys, size_t n)
{
	struct span *both = arena_array(m->arena, 2 * n, sizeof(*both));
	struct manifest_link l = { .child = t, .parent = parent, .n = both == NULL ? 0 : n, .from = both,
		.to = both == NULL ? NULL : both + n, .constraint = keys->constraint };

	m->full = m->full || both == NULL;
	for (size_t i = 0; i < l.n; i++) {
		both[i] = keys[i].column;
		both[n + i] = keys[i].to_column.p != NULL ? keys[i].to_column : sole_key(parent);
	}
	return l;
}

static void
edges_of(struct manifest *m, const struct manifest_table *t)
{
	for (size_t at = 0, n; at < t->nkeys; at += n) {
		const struct manifest_key *k = &t->keys[at];
		const struct manifest_table *parent = manifest_find(m, k->to_table, k->to_db, k->to_catalog);
		struct manifest_link l;

		n = 1;
		if (parent == NULL)
			continue; /* outside of what was scanned */
		n = run_length(t, at, parent);
		l = link_of(m, t, parent, k, n);
		if (l.n == 0 || !add_edges(m, &l, false))
			continue;
		m->links = mem_grow(m->links, m->nlinks, &m->caplinks, sizeof(*m->links));
		m->links[m->nlinks++] = l;
	}
}

static int
by_owner(const void *a, const void *b)
{
	const struct manifest_edge *x = a, *y = b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	if (x->inferred != y->inferred)
		return y->inferred ? -1 : 1;
	if (x->forward != y->forward)
		return x->forward ? -1 : 1;
	return x->serial < y->serial ? -1 : 1;
}

int
manifest_close(struct manifest *m)
{
	if (m->full)
		return -1;
	if (m->n > 0)
		qsort(m->tables, m->n, sizeof(*m->tables), by_name);
	for (size_t i = 0; i < m->n; i++)
		edges_of(m, &m->tables[i]);
	if (m->nedges > 0)
		qsort(m->edges, m->nedges, sizeof(*m->edges), by_owner);
	return m->full ? -1 : 0;
}

int
manifest_infer(struct manifest *m, const struct manifest_link *links, size_t n)
{
	for (size_t i = 0; i < n && !m->full; i++)
		(void)add_edges(m, &links[i], true);
	if (m->nedges > 0)
		qsort(m->edges, m->nedges, sizeof(*m->edges), by_owner);
	return m->full ? -1 : 0;
}

void
manifest_measured_unique(struct manifest *m, const struct manifest_table *t, struct span column, uint64_t rows)
{
	struct manifest_table *own = &m->tables[t - m->tables];

	for (size_t i = 0; i < own->ncolumns; i++)
		if (span_is(own->columns[i].name, column))
			own->columns[i].unique_rows = rows;
}

const struct manifest_edge *
manifest_edges(const struct manifest *m, const struct manifest_table *t, size_t *n)
{
	size_t low = 0, high = m->nedges;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->edges[mid].owner < t)
			low = mid + 1;
		else
			high = mid;
	}
	for (*n = 0; low + *n < m->nedges && m->edges[low + *n].owner == t; ++*n)
		;
	return *n == 0 ? NULL : &m->edges[low];
}

static struct span
first_of(struct span a, struct span b, const char *otherwise)
{
	return a.len > 0 ? a : b.len > 0 ? b : span_str(otherwise);
}

static bool
is_of_file_name(uint8_t c)
{
	return c != '/' && c != '%' && c >= ' ' && c != 0x7f;
}

/* A schema may be called anything; a file may not, and one that begins with a dot is hidden. */
static void
put_safe(struct span s, struct buf *out)
{
	bool hidden = s.len > 0 && s.p[0] == '.';

	s.len = s.len > 200 ? 200 : s.len;
	buf_str(out, hidden ? "%2E" : "");
	percent_put(out, span_of(s.p + hidden, s.len - hidden), is_of_file_name);
}

void
manifest_shard(struct span driver, const struct manifest_table *t, struct buf *out)
{
	const struct db_driver *d = drivers_find(driver);
	enum driver_shard by = d == NULL ? DRIVER_BY_SCHEMA : d->shard;
	struct span none = { NULL, 0 };

	if (by == DRIVER_BY_BOTH) {
		put_safe(first_of(t->catalog, none, "default"), out);
		buf_byte(out, '.');
		put_safe(first_of(t->db, none, "public"), out);
	} else if (by == DRIVER_BY_DATABASE)
		put_safe(first_of(t->db, t->catalog, "default"), out);
	else
		put_safe(first_of(t->db, none, "public"), out);
}

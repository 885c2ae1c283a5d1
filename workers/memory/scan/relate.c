/* relate.c - the data model for relationships, and the publication of accepted ones; see relate.h. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "project/scan/type_family.h"
#include "workers/memory/scan/relate.h"

#define NAMES_MAX	((size_t)256 << 20)
#define BUDGET		5000	/* candidates that are checked by a statement each; the time is limited besides */

/* Columns of different groups of types are never compared. */
static enum relate_group
group_of(struct span type)
{
	static const struct {
		const char *begins;
		enum relate_group group;
	} types[] = {
		{ "interval", RELATE_OTHER },
		{ "int4range", RELATE_OTHER },
		{ "int8range", RELATE_OTHER },
		{ "int", RELATE_INT },
		{ "bigint", RELATE_INT },
		{ "smallint", RELATE_INT },
		{ "tinyint", RELATE_INT },
		{ "mediumint", RELATE_INT },
		{ "serial", RELATE_INT },
		{ "bigserial", RELATE_INT },
		{ "numeric", RELATE_INT },
		{ "decimal", RELATE_INT },
		{ "number", RELATE_INT },
		{ "uuid", RELATE_UUID },
		{ "uniqueidentifier", RELATE_UUID },
		{ "text", RELATE_STRING },
		{ "varchar", RELATE_STRING },
		{ "char", RELATE_STRING },
		{ "nvarchar", RELATE_STRING },
		{ "nchar", RELATE_STRING },
		{ "string", RELATE_STRING },
		{ "citext", RELATE_STRING },
		{ "name", RELATE_STRING },
	};

	if (type.len > 2 && memcmp(type.p + type.len - 2, "[]", 2) == 0)
		return RELATE_OTHER;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (span_begins_word(type, types[i].begins))
			return types[i].group;
	return RELATE_OTHER;
}

/* The profile's entry of a column, usually at the expected position. */
static bool
find_profiled(const struct mp_value *list, struct span name, struct mp_iter *at, struct mp_value *out)
{
	for (unsigned turn = 0; turn < 2; turn++, *at = mp_iter(list))
		while (mp_next(at, out))
			if (span_is(mp_get_str(out, "column", SPAN("")), name))
				return true;
	return false;
}

static void
fill_columns(struct relate_table *t, const struct mp_value *result)
{
	struct mp_value list, v;
	struct mp_iter it;

	mp_get(result, "columns", &list);
	it = mp_iter(&list);
	for (size_t i = 0; i < t->ncolumns; i++) {
		const struct manifest_column *m = &t->m->columns[i];
		struct relate_column *c = &t->columns[i];

		c->name = m->name;
		c->primary = m->primary_key;
		t->nprimary += m->primary_key;
		if (!find_profiled(&list, m->name, &it, &v))
			continue;
		c->type = mp_get_str(&v, "normalizedType", mp_get_str(&v, "nativeType", SPAN("")));
		c->group = group_of(type_bare(c->type));
		c->rows = mp_get_uint(&v, "rowCount", 0);
		c->nulls = mp_get_uint(&v, "nullCount", 0);
		c->distinct = mp_get_uint(&v, "distinctCount", 0);
		mp_get(&v, "sampleValues", &c->samples);
	}
}

static int
by_place(const void *a, const void *b)
{
	const struct relate_table *x = a, *y = b;

	return (x->m > y->m) - (x->m < y->m);
}

void
relate_init(struct relate *r, const struct manifest *m, const struct profile *p)
{
	*r = (struct relate){ .manifest = m, .profile = p, .arena = arena_new(NAMES_MAX) };
	r->tables = mem_new(p->n, sizeof(*r->tables));
	for (size_t i = 0; i < p->n; i++) {
		struct relate_table *t = &r->tables[r->ntables];
		struct mp_value args, result;
		const struct manifest_table *named;

		if (!profile_known(p, i, &args, &result))
			continue;
		/* null is searched as the empty text: a name without a schema must not find one with a schema. */
		named = manifest_find(m, mp_get_str(&args, "name", SPAN("")), mp_get_str(&args, "db", SPAN("")),
		    mp_get_str(&args, "catalog", SPAN("")));
		if (named == NULL || (t->columns = arena_array(r->arena, named->ncolumns, sizeof(*t->columns))) == NULL)
			continue;
		t->m = named;
		t->ncolumns = named->ncolumns;
		t->rows = profile_rows(p, i, &result);
		t->version = span_of(p->plans.p + p->v[i].version_at, p->v[i].version_len);
		fill_columns(t, &result);
		for (size_t k = 0; k < t->ncolumns; k++)
			t->shape += hash_of(t->columns[k].name);
		r->ntables++;
	}
	if (r->ntables > 0)
		qsort(r->tables, r->ntables, sizeof(*r->tables), by_place);
	r->budget = BUDGET;
}

void
relate_fini(struct relate *r)
{
	arena_free(r->arena);
	free(r->tables);
	free(r->edges);
	*r = (struct relate){ 0 };
}

void
relate_put_side(const struct relate_table *t, const uint32_t *columns, size_t width, const char *key, struct buf *out)
{
	size_t map;

	mp_put_cstr(out, key);
	map = mp_open_pairs(out, mp_maybe("catalog", t->m->catalog), mp_maybe("db", t->m->db),
	    mp_maybe("name", t->m->name));
	mp_pair_array(out, "columns", width);
	for (size_t k = 0; k < width; k++)
		mp_put_str(out, t->columns[columns[k]].name);
	mp_end(out, map);
}

int
relate_tell(const struct relate *r, struct manifest *m)
{
	struct manifest_link *links = mem_new(r->n, sizeof(*links));
	struct span(*columns)[2 * RELATE_WIDTH] = mem_new(r->n, sizeof(*columns));
	size_t n = 0;
	int result;

	for (size_t i = 0; i < r->n; i++) {
		const struct relate_edge *e = &r->edges[i];
		const struct relate_table *child = &r->tables[e->child], *parent = &r->tables[e->parent];

		if (!e->told)
			continue;
		for (size_t k = 0; k < e->width; k++) {
			columns[n][k] = child->columns[e->from[k]].name;
			columns[n][RELATE_WIDTH + k] = parent->columns[e->to[k]].name;
		}
		links[n] = (struct manifest_link){ .child = child->m, .parent = parent->m, .n = e->width,
			.from = columns[n], .to = columns[n] + RELATE_WIDTH };
		n++;
	}
	result = manifest_infer(m, links, n);
	free(columns);
	free(links);
	return result;
}

struct relate_counts
relate_count(const struct relate *r)
{
	struct relate_counts n = { .accepted = r->manifest->nlinks };

	for (size_t i = 0; i < r->n; i++) {
		n.accepted += r->edges[i].status == RELATE_ACCEPTED;
		n.review += r->edges[i].status == RELATE_IN_REVIEW;
		n.rejected += r->edges[i].status == RELATE_REJECTED;
		n.skipped += r->edges[i].status == RELATE_SKIPPED;
	}
	return n;
}

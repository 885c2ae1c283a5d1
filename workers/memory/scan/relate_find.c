#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workers/memory/scan/relate_find.h"
#include "workers/memory/scan/relate_index.h"
#include "workers/memory/scan/relate_names.h"
#include "workers/memory/scan/relate_weights.h"
#include "workers/shared/tool.h"
#include "workers/shared/call.h"

#define PER_COLUMN	25		/* candidates of one column */
#define EDGES_MAX	50000		/* in all; further ones are only counted */
#define PARTS_MAX	8		/* columns of a table that may be parts of a composite key */
#define WIDE_MAX	5000		/* composite candidates in all */
#define LOOKS_MAX	2000000		/* columns examined for those */
#define TABLES_A_LOOK	32		/* searched between checks of the call */
#define COMPARED	20		/* sampled values per column */
#define WORD_LEAST	3		/* letters of a word that a table's name begins with: gpx_files */
#define PREFIX_LEAST	4		/* letters that are not a whole word */
#define LIKELY_MOST	3		/* tables whose names begin so */
#define ALIKE_MOST	5		/* tables with a key of one name, which is not a table's */
#define CONTEXT_MOST	256		/* bytes of a name that is put together */
#define GROUPS		4
#define COPY_COLUMNS	3		/* at least, for tables with the same columns to be copies */

/* The candidates of one column, before the best are chosen. */
struct relate_choice {
	struct relate_search		*s;
	uint32_t		 child, column;
	size_t			 n;
	struct relate_edge	 edges[PER_COLUMN * 4];
};

/* A table's best key for columns of one type group. */
struct relate_key {
	double		score;		/* 0: none */
	uint32_t	column;
};

struct relate_search {
	struct relate	*r;
	struct relate_choice	*choice;
	struct relate_key	(*keys)[GROUPS];	/* per table */
	size_t		 nwide, looks;
	struct span	**folded;	/* for each table the names of its columns, folded */
	struct span	*singular;	/* per table its name, */
	struct span	*whole;		/* name with its warehouse prefix, if it has one */
	struct relate_index tables;		/* by the table's name, singular */
	struct relate_index targets;	/* possible target columns */
	struct relate_index columns;	/* possible parts of a key */
};

static double
uniqueness_of(const struct relate_column *c)
{
	return c->rows <= c->nulls ? 0 : (double)c->distinct / (double)(c->rows - c->nulls);
}

static double
nulls_of(const struct relate_column *c)
{
	return c->rows == 0 ? 0 : (double)c->nulls / (double)c->rows;
}

static bool
is_unique(const struct relate_column *c)
{
	return c->rows > 1 && uniqueness_of(c) >= UNIQUE && nulls_of(c) <= NULLS_MAX;
}

static bool
is_sole_key(const struct relate_table *t, const struct relate_column *c)
{
	return c->primary && t->nprimary == 1;
}

static bool
is_own_name(const struct relate_search *s, size_t table, struct span name)
{
	return span_is(name, s->singular[table]) || span_is(name, s->whole[table]);
}

/* Adds the whole name and every shorter run of its last words. */
static void
add_table(struct relate_search *s, size_t i)
{
	struct relate *r = s->r;
	struct span name = relate_singular(r->arena, relate_fold_table(r->arena, r->tables[i].m->name));
	struct span db = r->tables[i].m->db;

	s->singular[i] = name;
	s->whole[i] = relate_singular(r->arena, relate_fold(r->arena, r->tables[i].m->name));
	relate_index_add(&s->tables, name, db, i, 0, false);
	if (!span_is(name, s->whole[i]))
		relate_index_add(&s->tables, s->whole[i], db, i, 0, false);
	for (size_t k = 1; k < name.len; k++)
		if (name.p[k - 1] == '_' && name.len - k > 1)
			relate_index_add(&s->tables, span_of(name.p + k, name.len - k), db, i, 0, true);
}

static void
fold_columns(struct relate_search *s, size_t i)
{
	struct relate_table *t = &s->r->tables[i];
	size_t prefix;

	for (size_t k = 0; k < t->ncolumns; k++)
		s->folded[i][k] = relate_fold(s->r->arena, t->columns[k].name);
	prefix = relate_common_prefix(s->folded[i], t->ncolumns);
	for (size_t k = 0; k < t->ncolumns; k++)
		s->folded[i][k] = span_of(s->folded[i][k].p + prefix, s->folded[i][k].len - prefix);
}

static void
add_columns(struct relate_search *s, size_t i)
{
	struct relate_table *t = &s->r->tables[i];

	if ((s->folded[i] = arena_array(s->r->arena, t->ncolumns, sizeof(struct span))) == NULL) {
		t->ncolumns = 0; /* no room for its names: it takes no part */
		return;
	}
	fold_columns(s, i);
	for (size_t k = 0; k < t->ncolumns; k++)
		if (t->columns[k].group != RELATE_OTHER && (t->columns[k].primary || relate_is_part(s->folded[i][k])))
			relate_index_add(&s->columns, s->folded[i][k], t->m->db, i, k, false);
}

/* The first link of child: links are sorted by table. */
static size_t
first_link(const struct manifest *m, const struct manifest_table *child)
{
	size_t low = 0, high = m->nlinks;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->links[mid].child < child)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool
is_linked_one_way(const struct manifest *m, const struct manifest_table *child, const struct manifest_table *parent)
{
	for (size_t i = first_link(m, child); i < m->nlinks && m->links[i].child == child; i++)
		if (m->links[i].parent == parent)
			return true;
	return false;
}

bool
relate_is_linked(const struct relate *r, const struct relate_edge *e)
{
	const struct manifest_table *child = r->tables[e->child].m, *parent = r->tables[e->parent].m;

	return is_linked_one_way(r->manifest, child, parent) || is_linked_one_way(r->manifest, parent, child);
}

bool
relate_is_pointing(const struct relate *r, uint32_t child, uint32_t column, const struct relate_edge *e)
{
	const struct manifest_table *from = r->tables[child].m;
	const struct relate_table *parent = &r->tables[e->parent];
	const struct manifest *m = r->manifest;

	for (size_t i = first_link(m, from); i < m->nlinks && m->links[i].child == from; i++)
		if (m->links[i].n == 1 && m->links[i].parent == parent->m &&
		    span_is(m->links[i].from[0], r->tables[child].columns[column].name) &&
		    span_is(m->links[i].to[0], parent->columns[e->to[0]].name))
			return true;
	return false;
}

/* Whether the column has a declared foreign key, or the columns have one to this target. */
static bool
is_declared(const struct relate *r, const struct relate_edge *e)
{
	const struct manifest_table *child = r->tables[e->child].m, *parent = r->tables[e->parent].m;
	const struct manifest *m = r->manifest;

	for (size_t i = first_link(m, child); i < m->nlinks && m->links[i].child == child; i++) {
		const struct manifest_link *l = &m->links[i];
		size_t same = 0;

		if (l->n != e->width || (e->width > 1 && l->parent != parent))
			continue;
		for (size_t k = 0; k < e->width; k++)
			for (size_t j = 0; j < l->n; j++)
				same += span_is(l->from[j], r->tables[e->child].columns[e->from[k]].name);
		if (same == e->width)
			return true;
	}
	return false;
}

/* The share of the child's most frequent values in the parent's sample; < 0: the samples do not tell. */
static double
overlap_of(const struct relate_column *child, const struct relate_column *parent)
{
	struct mp_iter it = mp_iter(&child->samples), other;
	struct mp_value a, b;
	size_t n = 0, found = 0;

	if (child->samples.class != MP_ARRAY || child->samples.n == 0 || parent->samples.class != MP_ARRAY ||
	    parent->samples.n != parent->distinct)
		return -1;
	while (n < COMPARED && mp_next(&it, &a)) {
		n++;
		for (other = mp_iter(&parent->samples); mp_next(&other, &b);)
			if (span_is(a.raw, b.raw)) {
				found++;
				break;
			}
	}
	return (double)found / (double)n;
}

static double
structure_of(const struct relate_table *child, const struct relate_table *parent)
{
	double ratio;

	if (child == parent)
		return SIZES_SAME;
	if (child->rows == 0 || parent->rows == 0)
		return SIZES_UNKNOWN;
	ratio = (double)parent->rows / (double)child->rows;
	return ratio >= SIZES_RATIO_MIN && ratio <= SIZES_RATIO_MAX ? SIZES_ALIKE : SIZES_APART;
}

static void
put_scores(const struct relate *r, struct relate_edge *e)
{
	const struct relate_table *child = &r->tables[e->child], *parent = &r->tables[e->parent];
	const struct relate_column *from = &child->columns[e->from[0]], *to = &parent->columns[e->to[0]];
	double sum;

	e->type = 1; /* both are of one group */
	e->overlap = overlap_of(from, to);
	e->uniqueness = is_sole_key(parent, to) ? 1 : uniqueness_of(to);
	e->nulls = nulls_of(from);
	e->structure = structure_of(child, parent);
	sum = WEIGHT_NAME * e->name + WEIGHT_TYPE * e->type + WEIGHT_OVERLAP * (e->overlap < 0 ? 0 : e->overlap) +
	    WEIGHT_UNIQUENESS * e->uniqueness + WEIGHT_FILLED * (1 - e->nulls) + WEIGHT_STRUCTURE * e->structure;
	e->score = WEIGHT_BASE + WEIGHT_SPREAD * sum;
	e->score = relate_round(e->score > 1 ? 1 : e->score);
	e->overlap = relate_round(e->overlap < 0 ? -1 : e->overlap);
	e->uniqueness = relate_round(e->uniqueness);
	e->nulls = relate_round(e->nulls);
}

static struct relate_edge *
add_edge(struct relate *r, const struct relate_edge *e)
{
	if (r->n == EDGES_MAX) {
		r->ndropped++;
		return NULL;
	}
	r->edges = mem_grow(r->edges, r->n, &r->cap, sizeof(*r->edges));
	r->edges[r->n] = *e;
	return &r->edges[r->n++];
}

/* Tables with the same columns are parts or copies of one thing, as a partition and its parent, and no references. */
static bool
is_copy(const struct relate *r, size_t table, size_t of)
{
	const struct relate_table *t = &r->tables[table], *other = &r->tables[of];

	return table != of && t->ncolumns >= COPY_COLUMNS && t->ncolumns == other->ncolumns && t->shape == other->shape;
}

static size_t
column_named(const struct relate_search *s, size_t table, struct span name)
{
	for (size_t k = 0; k < s->r->tables[table].ncolumns; k++)
		if (span_is(s->folded[table][k], name))
			return k;
	return SIZE_MAX;
}

static void
relate_find_offer(struct relate_choice *c, size_t parent, size_t to, double name, double target, const char *rule)
{
	const struct relate *r = c->s->r;
	const struct relate_column *from = &r->tables[c->child].columns[c->column];
	struct relate_edge e = { .child = c->child, .parent = (uint32_t)parent, .from = { c->column },
		.to = { (uint32_t)to },
		.width = 1, .rule = rule, .name = name, .target = target, .status = RELATE_IN_REVIEW };

	if ((parent == c->child && to == c->column) || is_copy(r, c->child, parent) ||
	    c->n == sizeof(c->edges) / sizeof(c->edges[0]) || r->tables[parent].columns[to].group != from->group)
		return;
	put_scores(r, &e);
	e.named = name >= NAME_INFLECTED && name != NAME_COLUMN;
	e.own = c->s->keys[c->child][from->group].score > 0 && c->s->keys[c->child][from->group].column == c->column;
	for (size_t i = 0; i < c->n; i++)
		if (c->edges[i].parent == parent && c->edges[i].to[0] == to) {
			if (c->edges[i].score < e.score)
				c->edges[i] = e;
			return;
		}
	if (e.score >= SCORE_MIN)
		c->edges[c->n++] = e;
}

/* Whether the base is the table's name, its last letters, or how one of its words begins: custkey of customer. */
static bool
is_own_base(const struct relate_search *s, size_t table, struct span base)
{
	struct span own = s->singular[table], name = relate_singular(s->r->arena, base);

	if (is_own_name(s, table, name) || name.len < WORD_LEAST || name.len > own.len)
		return is_own_name(s, table, name);
	for (size_t k = 0; k + name.len <= own.len; k++)
		if ((k == 0 || own.p[k - 1] == '_' || k + name.len == own.len) &&
		    memcmp(own.p + k, name.p, name.len) == 0)
			return true;
	return false;
}

/* How good a key the column is for its table; 0: not a key. */
static double
target_score(const struct relate_search *s, size_t table, size_t column)
{
	const struct relate_table *t = &s->r->tables[table];
	const struct relate_column *c = &t->columns[column];
	struct span name = s->folded[table][column], base;

	if (is_sole_key(t, c))
		return KEY_DECLARED;
	if (!is_unique(c))
		return 0;
	if (span_is(name, SPAN("id")))
		return KEY_ID;
	base = relate_base(name);
	if (base.len > 0 && is_own_base(s, table, base))
		return KEY_OWN_NAME;
	if (span_is(name, SPAN("key")) || span_is(name, SPAN("uuid")))
		return KEY_BARE;
	return base.len > 0 || relate_is_generic(name) ? KEY_LIKE : KEY_OTHER;
}

/*
 * Whether others may point to the column by its name: the declared key of its
 * table, or a unique column that is called like a key and is the table's best or
 * called like the table.  Another one is a way to a third table, unique by chance.
 */
static bool
is_target(const struct relate_search *s, size_t table, size_t column)
{
	const struct relate_column *c = &s->r->tables[table].columns[column];
	struct span name = s->folded[table][column], base = relate_base(name);

	if (relate_is_generic(name) || is_sole_key(&s->r->tables[table], c))
		return !relate_is_generic(name);
	return is_unique(c) && base.len > 0 &&
	    (s->keys[table][c->group].column == column || is_own_base(s, table, base));
}

static void
choose_keys(struct relate_search *s, size_t table)
{
	const struct relate_table *t = &s->r->tables[table];
	double score;

	for (size_t k = 0; k < t->ncolumns; k++) {
		struct relate_key *key = &s->keys[table][t->columns[k].group];

		if (t->columns[k].group != RELATE_OTHER && (score = target_score(s, table, k)) > key->score)
			*key = (struct relate_key){ score, (uint32_t)k };
	}
	for (size_t k = 0; k < t->ncolumns; k++)
		if (t->columns[k].group != RELATE_OTHER && is_target(s, table, k))
			relate_index_add(&s->targets, s->folded[table][k], t->m->db, table, k, false);
}

/* How a column's name leads to a table, for the evidence. */
struct relate_way {
	double		 name;
	const char	*rule;
};

static const struct relate_way way_context = { NAME_CONTEXT, "name_context" }, way_exact = { NAME_EXACT, "name_exact" },
    way_inflected = { NAME_INFLECTED, "name_inflected" }, way_suffix = { NAME_SUFFIX, "name_suffix" },
    way_prefix = { NAME_PREFIX, "name_prefix" }, way_role = { NAME_ROLE, "person_role" },
    way_self = { NAME_SELF, "self_reference" };

/* Offers the table's best key for the column. */
static void
offer_table(struct relate_choice *c, size_t table, struct relate_way way)
{
	const struct relate_key *key = &c->s->keys[table][c->s->r->tables[c->child].columns[c->column].group];

	if (key->score > 0)
		relate_find_offer(c, table, key->column, way.name, key->score, way.rule);
}

/*
 * Offers tables of this name, if possible those of the same schema; those whose last words it is only where no table
 * has the whole name, and parts are asked for.  A part of the own name means another table.
 */
static void
offer_named(struct relate_choice *c, struct span name, struct relate_way way, bool parts)
{
	const struct relate_search *s = c->s;
	const struct manifest_table *own = s->r->tables[c->child].m;
	size_t n, near, whole = 0;
	const struct relate_named *list = relate_index_find(&s->tables, name, false, &n), *mine;

	while (whole < n && !list[whole].part)
		whole++;
	n = whole > 0 || !parts ? whole : n;
	mine = relate_index_near(&s->tables, name, whole == 0, own->db, &near);
	if (n > 0 && near > 0) {
		list = mine;
		n = near;
	}
	for (size_t i = 0; i < n; i++)
		if (list[i].table != c->child || (!list[i].part && way.name < NAME_CONTEXT))
			offer_table(c, list[i].table, list[i].part ? way_suffix : way);
}

/* The type of an area is an area_type, the node of current_node_tags a current_node. */
static void
offer_in_context(struct relate_choice *c, struct span name)
{
	struct span own = c->s->singular[c->child];
	char joined[CONTEXT_MOST];

	for (size_t k = own.len; k > 0 && c->n == 0; k--)
		if ((k == own.len || own.p[k] == '_') && k + 1 + name.len < sizeof(joined)) {
			snprintf(joined, sizeof(joined), "%.*s_%.*s", (int)k, (const char *)own.p, SPAN_FMT(name));
			offer_named(c, span_str(joined), way_context, false);
		}
}

/* Offers tables whose name begins with this: promotion for promo, gpx_files for gpx.  Too many of them tell nothing. */
static void
offer_beginning(struct relate_choice *c, struct span name)
{
	struct relate_search *s = c->s;
	size_t n, found = 0, tables[LIKELY_MOST];
	const struct relate_named *list = relate_index_find(&s->tables, name, true, &n);

	for (size_t i = 0; i < n; i++) {
		bool word = list[i].name.p[name.len] == '_', known = list[i].table == c->child;

		for (size_t k = 0; k < found; k++)
			known = known || tables[k] == list[i].table;
		if (known || name.len < (word ? WORD_LEAST : PREFIX_LEAST) ||
		    column_named(s, list[i].table, s->folded[c->child][c->column]) != SIZE_MAX)
			continue;
		if (found == LIKELY_MOST)
			return;
		tables[found++] = list[i].table;
	}
	for (size_t k = 0; k < found; k++)
		offer_table(c, tables[k], way_prefix);
}

/* "billing_customer", "billtoaddress": what is left of the name without its first words, or letters. */
static void
offer_endings(struct relate_choice *c, struct span name, bool words, bool parts)
{
	for (size_t k = 1; c->n == 0 && k < name.len; k++)
		if (words ? name.p[k - 1] == '_' && name.len - k > 1 : name.len - k >= PREFIX_LEAST)
			offer_named(c, span_of(name.p + k, name.len - k), way_suffix, parts);
}

/*
 * Tries the whole name, then what it ends in, then what a person does, then what it begins.  A name that does not end
 * like a key's means only tables that it names in full.
 */
static void
offer_by_name(struct relate_choice *c, struct span base, bool key)
{
	struct relate_search *s = c->s;
	struct span name = relate_singular(s->r->arena, base);
	const uint8_t *last = memrchr(name.p, '_', name.len);

	offer_in_context(c, name);
	offer_named(c, name, span_is(name, base) ? way_exact : way_inflected, key);
	if (!key && s->r->tables[c->child].columns[c->column].group != RELATE_INT)
		return;
	offer_endings(c, name, true, key);
	for (const char *const *p = relate_persons; c->n == 0 && relate_is_role(base) && *p != NULL; p++)
		offer_named(c, span_str(*p), way_role, false);
	if (c->n > 0 || !key)
		return;
	if (last == NULL)
		offer_endings(c, name, false, true);
	if (c->n == 0)
		offer_beginning(c, name);
	if (c->n == 0 && last != NULL)
		offer_beginning(c, span_of(last + 1, (size_t)(name.p + name.len - last - 1)));
}

static void
offer_by_column(struct relate_choice *c, struct span name)
{
	const struct relate_search *s = c->s;
	const struct manifest_table *own = s->r->tables[c->child].m;
	size_t n, near, others = 0;
	const struct relate_named *list = relate_index_near(&s->targets, name, false, own->db, &near);

	for (size_t i = 0; i < near; i++)
		others += list[i].table != c->child;
	n = near;
	if (others == 0) {
		list = relate_index_find(&s->targets, name, false, &n);
		others = n;
	}
	if (c->n == 0 && others > ALIKE_MOST)
		return; /* a row's number or version, which every table has */
	for (size_t i = 0; i < n; i++)
		if (list[i].table != c->child)
			relate_find_offer(c, list[i].table, list[i].column, NAME_COLUMN,
			    target_score(s, list[i].table, list[i].column), "column_name");
}

/* "product_sku" and a table of products with the key sku. */
static void
offer_by_key(struct relate_choice *c, struct span name)
{
	struct relate_search *s = c->s;
	const struct manifest_table *own = s->r->tables[c->child].m;
	const uint8_t *last = name.len > 0 ? memrchr(name.p, '_', name.len) : NULL;
	const struct relate_named *list;
	struct span tail;
	size_t n;

	if (last == NULL)
		return;
	tail = span_of(last + 1, (size_t)(name.p + name.len - last - 1));
	list = relate_index_near(&s->tables, relate_singular(s->r->arena, span_of(name.p, (size_t)(last - name.p))),
	    false, own->db, &n);
	for (size_t i = 0; i < n; i++) {
		const struct relate_key *key = &s->keys[list[i].table][s->r->tables[c->child].columns[c->column].group];

		if (key->score > 0 && span_is(s->folded[list[i].table][key->column], tail))
			relate_find_offer(c, list[i].table, key->column, NAME_EXACT, key->score, "name_exact");
	}
}

/* Tables that the name names first, then by score, then by size: detail tables repeat the keys of their parents. */
static int
by_score(const void *a, const void *b, void *arg)
{
	const struct relate *r = arg;
	const struct relate_edge *x = a, *y = b;
	uint64_t m = r->tables[x->parent].rows, n = r->tables[y->parent].rows;

	if (x->named != y->named)
		return x->named ? -1 : 1;
	if (x->named && x->name != y->name)
		return x->name > y->name ? -1 : 1;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->name != y->name)
		return x->name > y->name ? -1 : 1;
	if (m != n)
		return m > n ? -1 : 1;
	return x->parent != y->parent ? (x->parent < y->parent ? -1 : 1) : x->to[0] < y->to[0] ? -1 : 1;
}

/* Whether the column is its table's own key, and no other table has its name. */
static bool
is_own_key(const struct relate_search *s, size_t table, size_t column, struct span base)
{
	struct span name = relate_singular(s->r->arena, base);
	const struct relate_named *list;
	size_t n;

	if (base.len == 0 || is_own_name(s, table, name))
		return base.len > 0;
	list = relate_index_find(&s->tables, name, false, &n);
	return is_unique(&s->r->tables[table].columns[column]) && is_own_base(s, table, base) &&
	    (n == 0 || list[0].part);
}

static void
offer_all(struct relate_choice *c, struct span name)
{
	struct relate_search *s = c->s;
	struct span base = relate_base(name);
	bool whole = s->r->tables[c->child].columns[c->column].group == RELATE_INT;

	if (relate_is_self(name))
		offer_table(c, c->child, way_self);
	if (relate_is_generic(name)) {
		if (whole)
			offer_in_context(c, name);
		return;
	}
	if (is_own_key(s, c->child, c->column, base))
		return;
	offer_by_key(c, name);
	if (!is_own_name(s, c->child, name))
		offer_by_name(c, name, false);
	if (base.len > 0)
		offer_by_name(c, base, true);
	offer_by_column(c, name);
}

/* How many of the candidates lead to a table by its name or its key, as well as the first of them. */
static size_t
alike_by_name(const struct relate_choice *c)
{
	size_t n = 0;

	while (n < c->n && c->edges[n].name >= NAME_INFLECTED && c->edges[n].name == c->edges[0].name)
		n++;
	return n;
}

static void
find_for_column(struct relate_search *s, size_t table, size_t column)
{
	const struct relate_column *of = &s->r->tables[table].columns[column];
	bool empty = s->r->tables[table].rows == 0;
	struct relate_choice *c = s->choice;

	c->child = (uint32_t)table;
	c->column = (uint32_t)column;
	c->n = 0;
	if (of->group != RELATE_OTHER && (of->distinct > 0 || empty))
		offer_all(c, relate_unnumbered(s->folded[table][column]));
	if (c->n == 0 || is_declared(s->r, &c->edges[0]))
		return;
	qsort_r(c->edges, c->n, sizeof(c->edges[0]), by_score, s->r);
	/* Where there are no values the names decide, or a person where several tables are called the same. */
	if (empty)
		c->n = alike_by_name(c);
	for (size_t i = 0; i < c->n; i++) {
		c->edges[i].rank = (unsigned)i;
		if (i < PER_COLUMN)
			(void)add_edge(s->r, &c->edges[i]);
		else
			s->r->ndropped++;
	}
}

/* Finds every other table that has columns of these names and types. */
static void
find_children(struct relate_search *s, size_t parent, const uint32_t *key, size_t width, const char *rule)
{
	const struct relate *r = s->r;
	const struct relate_table *t = &r->tables[parent];
	const struct relate_named *list = NULL, *some;
	size_t n = SIZE_MAX, m;

	for (size_t k = 0; k < width; k++) {
		some = relate_index_near(&s->columns, s->folded[parent][key[k]], false, t->m->db, &m);
		if (m < n) {
			n = m;
			list = some;
		}
	}
	for (size_t i = 0; i < n; i++) {
		struct relate_edge e = { .child = list[i].table, .parent = (uint32_t)parent, .width = width,
			.rule = rule,
			.name = NAME_COLUMN, .type = 1, .overlap = -1, .uniqueness = 1, .target = 1,
			.status = RELATE_IN_REVIEW };
		bool fits = e.child != parent && !is_copy(r, e.child, parent);

		for (size_t k = 0; k < width && fits; k++) {
			size_t at = column_named(s, e.child, s->folded[parent][key[k]]);

			s->looks += r->tables[e.child].ncolumns;
			fits = at != SIZE_MAX && r->tables[e.child].columns[at].group == t->columns[key[k]].group &&
			    r->tables[e.child].columns[at].distinct > 0;
			e.from[k] = (uint32_t)at;
			e.to[k] = key[k];
		}
		if (s->nwide == WIDE_MAX || s->looks > LOOKS_MAX) {
			s->r->ndropped++;
			return;
		}
		if (!fits || is_declared(r, &e))
			continue;
		s->nwide++;
		e.structure = structure_of(&r->tables[e.child], t);
		e.score = nulls_of(&r->tables[e.child].columns[e.from[0]]) > WIDE_NULLS ? WIDE_SCORE_NULLS : WIDE_SCORE;
		(void)add_edge(s->r, &e);
	}
}

static void
find_declared(struct relate_search *s, size_t table)
{
	const struct relate_table *t = &s->r->tables[table];
	uint32_t key[RELATE_WIDTH];
	size_t n = 0;

	for (size_t k = 0; k < t->ncolumns; k++)
		if (t->columns[k].primary) {
			if (t->columns[k].group == RELATE_OTHER)
				return;
			key[n++] = (uint32_t)k;
		}
	find_children(s, table, key, n, "composite_key");
}

/* For a table without a key: pairs of columns with enough distinct values to identify every row. */
static void
find_undeclared(struct relate_search *s, size_t table)
{
	const struct relate_table *t = &s->r->tables[table];
	uint32_t part[PARTS_MAX];
	size_t n = 0;

	for (size_t k = 0; k < t->ncolumns && n < PARTS_MAX; k++) {
		if (t->columns[k].group == RELATE_OTHER || t->columns[k].group == RELATE_UUID ||
		    !relate_is_part(s->folded[table][k]) || t->columns[k].nulls > 0)
			continue;
		if (is_unique(&t->columns[k]))
			return; /* a unique column is the key */
		part[n++] = (uint32_t)k;
	}
	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++) {
			const struct relate_column *x = &t->columns[part[a]], *y = &t->columns[part[b]];

			if (x->rows > 1 && (double)x->distinct * (double)y->distinct >= UNIQUE * (double)x->rows)
				find_children(s, table, (uint32_t[]){ part[a], part[b] }, 2, "composite_columns");
		}
}

static void
find_singles(struct relate_search *s, size_t table)
{
	for (size_t k = 0; k < s->r->tables[table].ncolumns; k++)
		find_for_column(s, table, k);
}

static void
find_wide(struct relate_search *s, size_t table)
{
	const struct relate_table *t = &s->r->tables[table];

	if (t->nprimary > 1 && t->nprimary <= RELATE_WIDTH)
		find_declared(s, table);
}

static void
find_guessed(struct relate_search *s, size_t table)
{
	if (s->r->tables[table].nprimary == 0)
		find_undeclared(s, table);
}

static void
search_init(struct relate_search *s, struct relate *r)
{
	*s = (struct relate_search){ .r = r };
	s->folded = mem_new(r->ntables, sizeof(*s->folded));
	s->singular = mem_new(r->ntables, sizeof(*s->singular));
	s->whole = mem_new(r->ntables, sizeof(*s->whole));
	s->keys = mem_new(r->ntables, sizeof(*s->keys));
	s->choice = mem_new(1, sizeof(*s->choice));
	s->choice->s = s;
}

static void
search_fini(struct relate_search *s)
{
	free(s->tables.v);
	free(s->targets.v);
	free(s->columns.v);
	free(s->folded);
	free(s->singular);
	free(s->whole);
	free(s->keys);
	free(s->choice);
}

int
relate_find(struct relate *r, struct call *c, struct err *err)
{
	/* The most reliable kinds first, as the number of candidates is limited; indexes are sorted when they are full.
	 */
	static void (*const steps[])(struct relate_search *s, size_t table) = {
		add_table, add_columns, choose_keys, find_singles, find_wide, find_guessed
	};
	struct relate_search s;
	int result = 0;

	search_init(&s, r);
	for (size_t k = 0; result == 0 && k < sizeof(steps) / sizeof(steps[0]); k++) {
		for (size_t i = 0; result == 0 && i < r->ntables; i++) {
			steps[k](&s, i);
			if (c != NULL && i % TABLES_A_LOOK == 0 && !call_poll(c, err))
				result = -1;
		}
		if (steps[k] == find_singles)
			r->nsingle = r->n;
		if (steps[k] == choose_keys) {
			relate_index_sort(&s.tables);
			relate_index_sort(&s.targets);
			relate_index_sort(&s.columns);
		}
	}
	search_fini(&s);
	return result;
}

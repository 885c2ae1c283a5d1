#include "workers/sql/postgres/guard/guard_joins.h"

#include <math.h>
#include <string.h>

#define NIL         GUARD_NIL
#define COLUMNS_MAX 192u
#define DEPTH_MAX   1024u
#define REFS_MAX    64u /* columns in one condition */
#define ALL_AT_ONCE 11u /* tables of an exhaustive search: geqo_threshold is 12 */
#define COLLAPSED   8u  /* join_collapse_limit, from_collapse_limit */
#define FEW         4u  /* up to this many tables 3 ^ n is small: the conditions are not read */
#define LEAF_WORDS  ((GUARD_JOINS_MAX + 63) / 64)
/*
 * Memory, measured on 15.18 with EXPLAIN of n tables that share one key: 5 MB for 7,
 * 15 for 8, 43 for 9, 119 for 10, 336 for 11, which is 2 KB for each division.
 * Three keys and ORDER BY take twice that.
 */
#define DIVISION_PARTS 3.0
/* Memory of the genetic search: 2 MB for 17 tables, 17 for 60. */
#define GEQO_PARTS 8.0

/* A set of tables, by number. */
struct set {
	uint64_t words[LEAF_WORDS];
};

struct joins_column {
	struct span name;
	unsigned leaf, class;
};

struct joins {
	const struct guard_tree *t;
	const uint32_t *queries;
	struct span names[GUARD_JOINS_MAX];
	bool derived[GUARD_JOINS_MAX];      /* not a plain table: two of its columns may be the same one */
	struct joins_column columns[COLUMNS_MAX]; /* columns that one condition compares have the same class */
	unsigned nleaves, ncolumns, nclasses, sublinks;
	bool vague; /* it is not known which tables a condition joins */
};

/* One search: each table that takes part has a node number below n. */
struct problem {
	signed char node[GUARD_JOINS_MAX]; /* -1: the table takes no part */
	unsigned n;
};

static void
add_leaf(struct joins *j, enum guard_key kind, uint32_t body)
{
	uint32_t alias = body == NIL ? NIL : guard_tree_get(j->t, body, GUARD_alias);
	bool table = kind == GUARD_RangeVar && j->queries[body] == 0;
	struct span name = kind == GUARD_RangeVar ? guard_tree_string(j->t, body, GUARD_relname) : span_of("", 0);

	if (j->nleaves < GUARD_JOINS_MAX) {
		j->names[j->nleaves] = alias == NIL ? name : guard_tree_string(j->t, alias, GUARD_aliasname);
		j->derived[j->nleaves] = !table;
	}
	j->nleaves++;
	if (kind == GUARD_RangeSubselect && guard_tree_get(j->t, body, GUARD_lateral) != NIL)
		j->vague = true; /* LATERAL: the conditions in it may join our tables */
}

static void
set_put(struct set *s, unsigned leaf)
{
	uint64_t bit = 1ull << (leaf % 64);

	s->words[leaf / 64] |= bit;
}

/* The number of the table that a column x.a belongs to; the number of tables if x is another name. */
static unsigned
find_leaf(struct joins *j, uint32_t ref, struct span *column)
{
	struct span of = span_of("", 0), name = span_of("", 0);
	uint32_t body;
	unsigned i, most = j->nleaves < GUARD_JOINS_MAX ? j->nleaves : GUARD_JOINS_MAX;

	for (uint32_t f = guard_tree_first(j->t, ref, GUARD_fields); f != NIL; f = j->t->values[f].next) {
		of = name;
		name = guard_tree_kind(j->t, f, &body) == GUARD_String ? guard_tree_string(j->t, body, GUARD_sval) :
									 span_of("*", 1);
	}
	*column = name;
	for (i = 0; i < most && !span_is(j->names[i], of); i++)
		;
	return of.len == 0 || i == most ? j->nleaves : i;
}

/* The columns in one condition. */
struct refs {
	uint32_t at[REFS_MAX];
	unsigned n;
};

static void
guard_joins_collect(struct joins *j, uint32_t v, struct refs *refs, unsigned depth)
{
	const struct guard_value *value = &j->t->values[v];

	if (depth == 0) {
		j->vague = true;
		return;
	}
	if (value->type == GUARD_VALUE_OBJECT && value->key == GUARD_ColumnRef) {
		if (refs->n < REFS_MAX)
			refs->at[refs->n] = v;
		refs->n++;
		return;
	}
	if (value->type != GUARD_VALUE_OBJECT && value->type != GUARD_VALUE_ARRAY)
		return;
	j->sublinks += value->type == GUARD_VALUE_OBJECT && value->key == GUARD_SubLink;
	for (uint32_t c = value->child; c != NIL; c = j->t->values[c].next)
		if (j->t->values[c].key != GUARD_subselect)
			guard_joins_collect(j, c, refs, depth - 1);
}

/* The class of a column; a new one if the column was not seen before. */
static struct joins_column *
find_column(struct joins *j, unsigned leaf, struct span name)
{
	for (unsigned i = 0; i < j->ncolumns; i++)
		if (j->columns[i].leaf == leaf && (j->derived[leaf] || span_is(j->columns[i].name, name)))
			return &j->columns[i];
	if (j->ncolumns == COLUMNS_MAX)
		return NULL;
	j->columns[j->ncolumns] = (struct joins_column){ .name = name, .leaf = leaf, .class = j->nclasses++ };
	return &j->columns[j->ncolumns++];
}

static void
unite(struct joins *j, unsigned class, unsigned with)
{
	for (unsigned i = 0; i < j->ncolumns; i++)
		if (j->columns[i].class == class)
			j->columns[i].class = with;
}

/* Columns of one condition may all be equal, whatever its form: they get one class. */
static void
read_condition(struct joins *j, uint32_t v, unsigned depth)
{
	struct refs refs = { .n = 0 };
	struct joins_column *c, *first = NULL;
	struct span name;
	unsigned leaf;

	guard_joins_collect(j, v, &refs, depth);
	if (refs.n < 2)
		return;
	for (unsigned i = 0; i < refs.n && !j->vague; i++) {
		/* A column without a table's name may belong to any table. */
		leaf = i < REFS_MAX ? find_leaf(j, refs.at[i], &name) : j->nleaves;
		c = leaf == j->nleaves ? NULL : find_column(j, leaf, name);
		if (c == NULL)
			j->vague = true;
		else if (first == NULL)
			first = c;
		else
			unite(j, c->class, first->class);
	}
}

static void
read_conditions(struct joins *j, uint32_t v, unsigned depth)
{
	uint32_t body;

	if (v == NIL)
		return;
	if (depth > 0 && guard_tree_kind(j->t, v, &body) == GUARD_BoolExpr &&
	    span_is_str(guard_tree_string(j->t, body, GUARD_boolop), "AND_EXPR"))
		for (uint32_t a = guard_tree_first(j->t, body, GUARD_args); a != NIL; a = j->t->values[a].next)
			read_conditions(j, a, depth - 1);
	else
		read_condition(j, v, depth);
}

static void
read_from(struct joins *j, uint32_t v, unsigned depth)
{
	uint32_t body;
	enum guard_key kind = guard_tree_kind(j->t, v, &body);

	if (kind == GUARD_RangeTableSample) {
		v = guard_tree_get(j->t, body, GUARD_relation);
		kind = guard_tree_kind(j->t, v, &body);
	}
	if (kind != GUARD_JoinExpr || depth == 0) {
		j->vague = j->vague || depth == 0;
		add_leaf(j, kind, body);
		return;
	}
	read_from(j, guard_tree_get(j->t, body, GUARD_larg), depth - 1);
	read_from(j, guard_tree_get(j->t, body, GUARD_rarg), depth - 1);
	if (guard_tree_get(j->t, body, GUARD_usingClause) != NIL ||
	    guard_tree_get(j->t, body, GUARD_isNatural) != NIL || guard_tree_get(j->t, body, GUARD_alias) != NIL)
		j->vague = true;
	read_conditions(j, guard_tree_get(j->t, body, GUARD_quals), DEPTH_MAX);
}

/* Connects all nodes of a set's tables with each other. */
static void
put_edges(const struct problem *p, const struct set *s, uint32_t adjacent[ALL_AT_ONCE])
{
	uint32_t mask = 0;

	for (unsigned leaf = 0; leaf < GUARD_JOINS_MAX; leaf++)
		if ((s->words[leaf / 64] >> (leaf % 64) & 1) != 0 && p->node[leaf] >= 0)
			mask |= 1u << p->node[leaf];
	for (unsigned i = 0; i < p->n; i++)
		if ((mask >> i & 1) != 0)
			adjacent[i] |= mask;
}

static void
read_edges(const struct joins *j, const struct problem *p, uint32_t adjacent[ALL_AT_ONCE])
{
	memset(adjacent, 0, ALL_AT_ONCE * sizeof(*adjacent));
	for (unsigned i = 0; i < j->ncolumns; i++) {
		struct set s = { .words = { 0 } };
		bool first = true;

		for (unsigned k = 0; k < j->ncolumns; k++)
			if (j->columns[k].class == j->columns[i].class) {
				first = first && k >= i;
				set_put(&s, j->columns[k].leaf);
			}
		if (first)
			put_edges(p, &s, adjacent);
	}
}

/* Whether the set is connected: a search from its lowest node reaches all of it. */
static bool
hangs_together(uint32_t set, const uint32_t *adjacent)
{
	uint32_t seen = set & (~set + 1), more = seen;

	while (more != 0) {
		unsigned i = (unsigned)__builtin_ctz(more);

		more = (more | (adjacent[i] & set & ~seen)) & ~(1u << i);
		seen |= adjacent[i] & set;
	}
	return seen == set;
}

static double
count_divisions(unsigned n, const uint32_t *adjacent)
{
	bool whole[1u << ALL_AT_ONCE];
	unsigned found = 0, all = 1u << n;

	whole[0] = false;
	for (uint32_t set = 1; set < all; set++) {
		whole[set] = hangs_together(set, adjacent);
		for (uint32_t part = (set - 1) & set; whole[set] && part != 0; part = (part - 1) & set)
			found += whole[part] && whole[set ^ part];
	}
	/* Groups that no condition joins are joined in the order of FROM. */
	return found + (whole[all - 1] ? 0 : (double)n * all);
}

static double
guard_joins_search(const struct joins *j, const struct problem *p)
{
	uint32_t adjacent[ALL_AT_ONCE];

	if (p->n < 2)
		return 0;
	if (p->n > ALL_AT_ONCE)
		return GEQO_PARTS * p->n * p->n;
	if (p->n <= FEW || j->vague)
		return DIVISION_PARTS * pow(3, p->n);
	read_edges(j, p, adjacent);
	return DIVISION_PARTS * count_divisions(p->n, adjacent);
}

/*
 * n joined tables, beginning with number `from`.  Each eight are ordered in one search; their
 * result is one table of the next.
 */
static double
search_written(const struct joins *j, unsigned from, unsigned n)
{
	double parts = 0;

	for (unsigned done = 0; done < n;) {
		unsigned held = done > 0, now = n - done < COLLAPSED - held ? n - done : COLLAPSED - held;
		struct problem p = { .n = held + now };

		memset(p.node, -1, sizeof(p.node));
		for (unsigned i = 0; i < done + now; i++)
			p.node[from + i] = i < done ? 0 : (signed char)(held + i - done);
		parts += guard_joins_search(j, &p);
		done += now;
	}
	return parts;
}

double
guard_joins_parts(const struct guard_tree *t, uint32_t select, const uint32_t *queries, bool inner)
{
	struct joins j;
	struct problem p = { .n = 0 };
	uint32_t first = guard_tree_first(t, select, GUARD_fromClause);
	double parts = 0;

	j.t = t;
	j.queries = queries;
	j.nleaves = j.ncolumns = j.nclasses = j.sublinks = 0;
	j.vague = inner; /* conditions of the outer query may be moved in */
	memset(p.node, -1, sizeof(p.node));
	for (uint32_t v = first; v != NIL; v = t->values[v].next, p.n++) {
		unsigned before = j.nleaves;

		read_from(&j, v, DEPTH_MAX);
		for (unsigned i = before; i < j.nleaves && i < GUARD_JOINS_MAX; i++)
			p.node[i] = p.n < ALL_AT_ONCE ? (signed char)p.n : 0;
	}
	read_conditions(&j, guard_tree_get(t, select, GUARD_whereClause), DEPTH_MAX);
	read_conditions(&j, guard_tree_get(t, select, GUARD_havingClause), DEPTH_MAX);
	/* Each IN (SELECT …) and EXISTS becomes one more join. */
	parts +=
	    ceil(j.sublinks / (COLLAPSED - 1.0)) * DIVISION_PARTS * pow(3, fmin(j.nleaves + j.sublinks, COLLAPSED));
	if (j.nleaves > GUARD_JOINS_MAX)
		return parts + DIVISION_PARTS * pow(3, COLLAPSED) * j.nleaves + GEQO_PARTS * j.nleaves * j.nleaves;
	if (j.nleaves <= COLLAPSED)
		return parts + search_written(&j, 0, j.nleaves);
	for (unsigned i = 0, item = 0; item < p.n; item++) {
		unsigned n = 0;

		/* With more than 11 items all have node 0: then only the tables within each item are searched. */
		while (i + n < j.nleaves && p.n <= ALL_AT_ONCE && p.node[i + n] == (signed char)item)
			n++;
		parts += n > 1 ? search_written(&j, i, n) : 0;
		i += n;
	}
	if (p.n > ALL_AT_ONCE && j.nleaves > p.n)
		parts += search_written(&j, 0, j.nleaves);
	return parts + guard_joins_search(&j, &p);
}

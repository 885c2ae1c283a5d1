#include <math.h>

#include "base/mem.h"
#include "workers/sql/postgres/guard/guard_weight_names.h"

#define WORK_MAX	20000000u	/* comparisons of names in one statement */

/* Only the first excess is reported. */
void
weight_exceed(struct guard_weight *w, enum guard_excess excess, uint32_t at, double size)
{
	if (w->excess != GUARD_FITS)
		return;
	w->excess = excess;
	w->at = at;
	w->size = size;
}

bool
weight_same(struct guard_weight *w, struct span a, struct span b)
{
	if (++w->work > WORK_MAX)
		weight_exceed(w, GUARD_EXCESS_NESTING, w->at, 0);
	return span_is(a, b);
}

static uint32_t
add_cte(struct guard_weight *w, uint32_t node, uint32_t outer)
{
	w->ctes = mem_grow(w->ctes, w->nctes, &w->cte_cap, sizeof(*w->ctes));
	w->ctes[w->nctes] = (struct cte){ .node = node, .outer = outer, .steps = INFINITY,
		.name = guard_tree_string(w->t, node, GUARD_ctename) };
	return (uint32_t)w->nctes++;
}

/* The queries of a WITH clause.  Returns the innermost one that is visible behind the clause. */
static uint32_t
resolve_with(struct guard_weight *w, uint32_t with, uint32_t visible)
{
	bool recursive = is_true(w->t, with, GUARD_recursive);
	uint32_t first = guard_tree_first(w->t, with, GUARD_ctes), body, seen = visible;
	size_t at = w->nctes;

	for (uint32_t v = first; v != NIL; v = w->t->values[v].next) {
		if (guard_tree_kind(w->t, v, &body) != GUARD_CommonTableExpr)
			continue;
		if (!recursive)
			weight_resolve(w, guard_tree_get(w->t, body, GUARD_ctequery), seen);
		seen = add_cte(w, body, seen);
	}
	for (uint32_t v = first; recursive && v != NIL; v = w->t->values[v].next)
		if (guard_tree_kind(w->t, v, &body) == GUARD_CommonTableExpr) {
			w->ctes[at].resolving = true;
			weight_resolve(w, guard_tree_get(w->t, body, GUARD_ctequery), seen);
			w->ctes[at++].resolving = false;
		}
	return seen;
}

static void
resolve_name(struct guard_weight *w, uint32_t v, uint32_t visible)
{
	struct span name = guard_tree_string(w->t, v, GUARD_relname);

	if (has(w->t, v, GUARD_schemaname))
		return;
	for (; visible != NIL && !is_over(w); visible = w->ctes[visible].outer)
		if (weight_same(w, w->ctes[visible].name, name)) {
			w->ctes[visible].refs++;
			w->ctes[visible].recursive = w->ctes[visible].recursive || w->ctes[visible].resolving;
			w->refers[v] = visible + 1;
			return;
		}
}

static void
resolve_children(struct guard_weight *w, uint32_t v, uint32_t visible)
{
	for (v = w->t->values[v].child; v != NIL && !is_over(w); v = w->t->values[v].next)
		if (w->t->values[v].key != GUARD_withClause && is_container(w->t, v))
			weight_resolve(w, v, visible);
}

/* Resolves the names in one value, including its children. */
void
weight_resolve(struct guard_weight *w, uint32_t v, uint32_t visible)
{
	uint32_t with;

	if (v == NIL || is_over(w) || !is_container(w->t, v))
		return;
	if (is_select(w->t, v) && (with = guard_tree_get(w->t, v, GUARD_withClause)) != NIL)
		visible = resolve_with(w, with, visible);
	if (w->t->values[v].type == GUARD_VALUE_OBJECT && w->t->values[v].key == GUARD_RangeVar)
		resolve_name(w, v, visible);
	resolve_children(w, v, visible);
}

void
weight_add_column(struct guard_weight *w, struct column_list *list, struct weight_column c)
{
	uint32_t at = (uint32_t)w->ncolumns;

	if (w->ncolumns >= (size_t)GUARD_PARTS_MAX) {
		weight_exceed(w, GUARD_EXCESS_PARTS, w->at, (double)w->ncolumns);
		return;
	}
	c.next = NIL;
	w->columns = mem_grow(w->columns, w->ncolumns, &w->column_cap, sizeof(*w->columns));
	w->columns[w->ncolumns++] = c;
	if (list->last == NIL)
		list->first = at;
	else
		w->columns[list->last].next = at;
	list->last = at;
	list->n++;
}

struct column_list
weight_no_columns(void)
{
	return (struct column_list){ .first = NIL, .last = NIL };
}

/* A copy of a list, with an Alias' colnames as the names of its first columns. */
struct column_list
weight_copy_columns(struct guard_weight *w, uint32_t from, uint32_t names)
{
	struct column_list list = weight_no_columns();

	for (; from != NIL && !is_over(w); from = w->columns[from].next) {
		struct weight_column c = w->columns[from];

		if (names != NIL) {
			c.name = string_at(w->t, names);
			names = w->t->values[names].next;
		}
		weight_add_column(w, &list, c);
	}
	return list;
}

struct relation *
weight_add_relation(struct guard_weight *w, struct weight_scope *s, struct relation r)
{
	w->relations = mem_grow(w->relations, w->nrelations, &w->relation_cap, sizeof(*w->relations));
	r.next = s->relations;
	s->relations = (uint32_t)w->nrelations;
	w->relations[w->nrelations] = r;
	return &w->relations[w->nrelations++];
}

/* The columns of a relation's row, taken together. */
static struct weight_column
whole_row(const struct guard_weight *w, const struct relation *r)
{
	struct weight_column all = { .parts = 1 + (r->open ? TABLE_COLUMNS : 0) };

	for (uint32_t c = r->columns; c != NIL; c = w->columns[c].next) {
		all.parts += w->columns[c].parts;
		all.known.bytes += 2 * w->columns[c].known.bytes; /* as text, with the quotes doubled */
		all.known.grows = all.known.grows || w->columns[c].known.grows;
	}
	return all;
}

/*
 * Looks name up in the relations of one scope; if `of` is not empty, only in those with that alias.
 * False if it is not found.
 */
static bool
find_in(struct guard_weight *w, const struct weight_scope *s, struct span of, struct span name,
    struct weight_column *found, bool *open)
{
	bool any = false;

	for (uint32_t i = s->relations; i != NIL && !is_over(w); i = w->relations[i].next) {
		const struct relation *r = &w->relations[i];

		if (of.len > 0 && !weight_same(w, r->name, of))
			continue;
		*open = *open || r->open;
		for (uint32_t c = r->columns; c != NIL && !is_over(w); c = w->columns[c].next)
			if (weight_same(w, w->columns[c].name, name)) {
				found->parts += w->columns[c].parts;
				found->known = w->columns[c].known;
				any = true;
			}
	}
	if (any || of.len > 0)
		return any;
	/* A relation's name alone means its row. */
	for (uint32_t i = s->relations; i != NIL && !is_over(w); i = w->relations[i].next)
		if (weight_same(w, w->relations[i].name, name)) {
			*found = whole_row(w, &w->relations[i]);
			return true;
		}
	return false;
}

/*
 * The expression behind a column where it is named: the nearest one, and those of outer queries
 * while an inner relation with unknown columns may have it.
 */
struct weight_column
weight_find_column(struct guard_weight *w, const struct weight_scope *s, struct span of, struct span name)
{
	struct weight_column best = { .parts = 1 }, found;
	bool open, any = false;

	for (; s != NULL && !is_over(w); s = s->outer) {
		open = false;
		found = (struct weight_column){ .parts = 0 };
		if (find_in(w, s, of, name, &found, &open)) {
			best.parts = fmax(best.parts, found.parts);
			best.known = any ? guard_fold_larger(best.known, found.known) : found.known;
			any = true;
			if (!open)
				break;
		}
	}
	return best;
}

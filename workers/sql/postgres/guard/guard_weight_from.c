#include <math.h>

#include "workers/sql/postgres/guard/guard_weight.h"
#include "workers/sql/postgres/guard/guard_weight_from.h"
#include "workers/sql/postgres/guard/guard_weight_names.h"

/* The alias of a relation, and the names of its columns. */
struct span
weight_alias_of(const struct guard_tree *t, uint32_t v, struct span otherwise, uint32_t *columns)
{
	uint32_t alias = guard_tree_get(t, v, GUARD_alias);

	*columns = NIL;
	if (alias == NIL)
		return otherwise;
	*columns = guard_tree_first(t, alias, GUARD_colnames);
	return guard_tree_string(t, alias, GUARD_aliasname);
}

/* The server keeps the column names of every relation in FROM. */
static double
put_relation(struct guard_weight *w, struct weight_scope *s, struct span name, uint32_t names,
    const struct outcome *out)
{
	struct column_list list = { .first = out->columns, .n = out->ncolumns };

	if (names != NIL)
		list = weight_copy_columns(w, out->columns, names);
	weight_add_relation(w, s, (struct relation){ .name = name, .columns = list.first, .ncolumns = list.n,
		.open = out->open, .rows = out->rows });
	s->rows *= out->rows;
	s->stored = s->stored || out->stored;
	s->endless = s->endless || out->endless;
	return list.n;
}

static struct outcome
any_table(void)
{
	return (struct outcome){ .parts = 1, .rows = 1, .columns = NIL, .ncolumns = TABLE_COLUMNS, .open = true };
}

bool
weight_is_materialised(const struct guard_weight *w, const struct cte *c)
{
	struct span says = guard_tree_string(w->t, c->node, GUARD_ctematerialized);

	if (span_is_str(says, "CTEMaterializeNever"))
		return false;
	return span_is_str(says, "CTEMaterializeAlways") || c->refs > 1;
}

const struct outcome *
weight_count_cte(struct guard_weight *w, struct weight_scope *outer, uint32_t i)
{
	uint32_t select, names;
	struct outcome out;
	struct column_list list;

	/* CTE_BUSY: a recursive query that names itself. */
	if (w->ctes[i].state != CTE_NEW)
		return &w->ctes[i].out;
	w->memory.recurs = w->memory.recurs || w->ctes[i].recursive;
	w->ctes[i].out = any_table();
	w->ctes[i].state = CTE_BUSY;
	if (guard_tree_kind(w->t, guard_tree_get(w->t, w->ctes[i].node, GUARD_ctequery), &select) == GUARD_SelectStmt) {
		uint32_t before = w->recursive;

		w->ctes[i].select = select;
		w->recursive = i;
		w->inside++;
		out = weight_count_query(w, outer, select);
		w->inside--;
		w->recursive = before;
		names = guard_tree_first(w->t, w->ctes[i].node, GUARD_aliascolnames);
		if (names != NIL) {
			list = weight_copy_columns(w, out.columns, names);
			out.columns = list.first;
		}
		w->ctes[i].out = out;
	}
	w->ctes[i].state = CTE_DONE;
	return &w->ctes[i].out;
}

/* A result that is computed before it is read: each of its columns is one part. */
uint32_t
weight_computed(struct guard_weight *w, uint32_t columns)
{
	struct column_list list = weight_copy_columns(w, columns, NIL);

	for (uint32_t c = list.first; c != NIL; c = w->columns[c].next)
		w->columns[c].parts = 1;
	return list.first;
}

static double
count_table(struct guard_weight *w, struct weight_scope *s, uint32_t v)
{
	uint32_t names, cte = w->refers[v];
	struct span name = weight_alias_of(w->t, v, guard_tree_string(w->t, v, GUARD_relname), &names);
	struct outcome out = any_table();
	double parts = 1;

	if (cte != 0) {
		out = *weight_count_cte(w, s->outer, cte - 1);
		if (weight_is_materialised(w, &w->ctes[cte - 1]))
			out.columns = weight_computed(w, out.columns);
		else
			parts += out.parts;
	} else
		out.stored = true;
	if (cte == 0 && names != NIL) {
		/* A table with column aliases. */
		struct column_list list = weight_no_columns();

		for (; names != NIL && !is_over(w); names = w->t->values[names].next)
			weight_add_column(w, &list,
			    (struct weight_column){ .name = string_at(w->t, names), .parts = 1 });
		out.columns = list.first;
	}
	return parts + put_relation(w, s, name, names, &out);
}

static double
count_subselect(struct guard_weight *w, struct weight_scope *s, uint32_t v)
{
	uint32_t select, names;
	struct span name = weight_alias_of(w->t, v, span_of("", 0), &names);
	struct outcome out;

	if (guard_tree_kind(w->t, guard_tree_get(w->t, v, GUARD_subquery), &select) != GUARD_SelectStmt)
		return 1;
	w->inside++;
	out = weight_count_query(w, s, select);
	w->inside--;
	return 1 + out.parts + put_relation(w, s, name, names, &out);
}

/* The first call in a RangeFunction's list of lists. */
static uint32_t
first_call(const struct guard_tree *t, uint32_t v)
{
	uint32_t list, call;

	if (guard_tree_kind(t, guard_tree_first(t, v, GUARD_functions), &list) != GUARD_List ||
	    guard_tree_kind(t, guard_tree_first(t, list, GUARD_items), &call) != GUARD_FuncCall)
		return NIL;
	return call;
}

static double
count_function(struct guard_weight *w, struct weight_scope *s, uint32_t v)
{
	double series = s->series, parts = 1 + weight_count_children(w, s, guard_tree_get(w->t, v, GUARD_functions));
	uint32_t call = first_call(w->t, v), names;
	struct span name =
	    weight_alias_of(w->t, v, call == NIL ? span_of("", 0) : weight_function_name(w->t, call), &names);
	struct outcome out = { .rows = 1, .open = true, .columns = NIL };
	struct column_list list = weight_no_columns();
	struct weight_column c = { .name = name, .parts = 1 };
	double rows = 0;

	/* Its rows are those of FROM, and not once more those of the SELECT list. */
	s->series = series;
	if (is_over(w))
		return parts;
	if (call != NIL) {
		if (!guard_fold_makes_rows(w->t, call, &rows))
			weight_doubt_made(w, weight_function_name(w->t, call), 0);
		out.rows = fmax(rows, 1);
		out.endless = guard_fold_is_endless(w->t, call);
		c.known = guard_fold_element(w->t, call);
		c.known.made = guard_fold_is_made(w->t, call);
	}
	if (names != NIL)
		c.name = string_at(w->t, names);
	weight_add_column(w, &list, c);
	out.columns = list.first;
	out.ncolumns = list.n;
	return parts + put_relation(w, s, name, NIL, &out);
}

/* The number of columns of all relations added since `before`. */
static double
columns_since(const struct guard_weight *w, const struct weight_scope *s, uint32_t before)
{
	double n = 0;

	for (uint32_t i = s->relations; i != before && !is_over(w); i = w->relations[i].next)
		n += w->relations[i].open ? fmax(w->relations[i].ncolumns, TABLE_COLUMNS) : w->relations[i].ncolumns;
	return n;
}

/* (a JOIN b) AS j: outside, only j is visible. */
static void
hide_behind(struct guard_weight *w, struct weight_scope *s, uint32_t before, struct span name, uint32_t names)
{
	struct column_list list = weight_no_columns();
	bool open = false;

	for (uint32_t i = s->relations; i != before && !is_over(w); i = w->relations[i].next) {
		open = open || w->relations[i].open;
		for (uint32_t c = w->relations[i].columns; c != NIL && !is_over(w); c = w->columns[c].next)
			weight_add_column(w, &list, w->columns[c]);
	}
	/* The assignment of aliases depends on unknown columns: each alias may be the heaviest column. */
	if (names != NIL) {
		struct weight_column all = { .parts = 1 };

		for (uint32_t c = list.first; c != NIL; c = w->columns[c].next)
			if (w->columns[c].parts > all.parts)
				all = w->columns[c];
		for (; names != NIL && !is_over(w); names = w->t->values[names].next) {
			all.name = string_at(w->t, names);
			weight_add_column(w, &list, all);
		}
	}
	s->relations = before;
	weight_add_relation(w, s, (struct relation){ .name = name, .columns = list.first, .ncolumns = list.n,
		.open = open, .rows = 1 });
}

/* A join lists all columns of both its sides. */
static double
count_join(struct guard_weight *w, struct weight_scope *s, uint32_t v)
{
	uint32_t before = s->relations, names;
	double parts = 1;
	struct span name;

	parts += weight_count_from(w, s, guard_tree_get(w->t, v, GUARD_larg));
	parts += weight_count_from(w, s, guard_tree_get(w->t, v, GUARD_rarg));
	parts += columns_since(w, s, before) + weight_count_children(w, s, guard_tree_get(w->t, v, GUARD_quals));
	weight_doubt_condition(w, guard_tree_get(w->t, v, GUARD_quals));
	name = weight_alias_of(w->t, v, span_of("", 0), &names);
	if (name.len > 0)
		hide_behind(w, s, before, name, names);
	return parts;
}

double
weight_count_from(struct guard_weight *w, struct weight_scope *s, uint32_t v)
{
	uint32_t body;
	double parts;

	if (is_over(w))
		return 0;
	switch (guard_tree_kind(w->t, v, &body)) {
	case GUARD_RangeVar:
		parts = count_table(w, s, body);
		break;
	case GUARD_RangeSubselect:
		parts = count_subselect(w, s, body);
		break;
	case GUARD_RangeFunction:
		parts = count_function(w, s, body);
		break;
	case GUARD_JoinExpr:
		parts = count_join(w, s, body);
		break;
	case GUARD_RangeTableSample:
		return weight_count_from(w, s, guard_tree_get(w->t, body, GUARD_relation));
	default: {
		uint32_t names;
		struct outcome out = any_table();
		struct span name = body == NIL ? span_of("", 0) : weight_alias_of(w->t, body, span_of("", 0), &names);

		parts = 1 + weight_count_children(w, s, v) + put_relation(w, s, name, NIL, &out);
		break;
	}
	}
	if (parts > GUARD_PARTS_MAX)
		weight_exceed(w, GUARD_EXCESS_PARTS, body, parts);
	return parts;
}

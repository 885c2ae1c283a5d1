#include "workers/sql/postgres/guard/columns_pg_copy.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "workers/sql/postgres/guard/guard_tree.h"

struct copies {
	const struct guard_tree	*tree;
	struct span		*names;		/* names of the protected columns, and their aliases in outer queries */
	size_t			 n, cap;
	const size_t		*places;	/* where the protected relations are named; NULL: stored rows */
	size_t			 nplaces;
	bool			 shown;		/* the walk is in a SELECT list whose result is a table of the outer query */
};

static bool columns_pg_copy_walk(struct copies *c, uint32_t v, bool handed_on);
static bool walk_one(struct copies *c, uint32_t v, bool handed_on);

static bool
is_protected(const struct copies *c, struct span name)
{
	for (size_t i = 0; i < c->n; i++)
		if (span_is(c->names[i], name))
			return true;
	return false;
}

static void
add_name(struct copies *c, struct span name)
{
	if (name.len == 0 || is_protected(c, name))
		return;
	c->names = mem_grow(c->names, c->n, &c->cap, sizeof(*c->names));
	c->names[c->n++] = name;
}

/* The last part of a column's name, empty for a star, which stands for a whole row; *of: the part before. */
static struct span
column_parts(const struct guard_tree *t, uint32_t column, struct span *of)
{
	struct span name = span_of("", 0);
	uint32_t body;

	*of = name;
	for (uint32_t i = guard_tree_first(t, column, GUARD_fields); i != GUARD_NIL; i = t->values[i].next) {
		*of = name;
		name = guard_tree_kind(t, i, &body) == GUARD_String ? guard_tree_string(t, body, GUARD_sval) :
								      span_of("", 0);
	}
	return name;
}

static struct span
column_name(const struct guard_tree *t, uint32_t column)
{
	struct span of;

	return column_parts(t, column, &of);
}

/* Whether what a relation is called in FROM is this; *known: whether it is one of the protected ones. */
static bool
is_called(const struct copies *c, uint32_t v, struct span name, bool *known)
{
	struct span alias = guard_tree_string(c->tree, guard_tree_get(c->tree, v, GUARD_alias), GUARD_aliasname);
	int64_t at = guard_tree_number(c->tree, v, GUARD_location);

	*known = false;
	for (size_t i = 0; i < c->nplaces; i++)
		*known = *known || (int64_t)c->places[i] == at;
	return span_is(alias.len > 0 ? alias : guard_tree_string(c->tree, v, GUARD_relname), name);
}

/* Whether a qualifier names tables that are not protected and nothing else: no WITH query, no sub-select. */
static bool
is_of_open(const struct copies *c, struct span of)
{
	bool open = false, known;

	for (uint32_t v = 0; of.len > 0 && v < c->tree->n; v++) {
		enum guard_key key = c->tree->values[v].key;

		if ((key == GUARD_RangeVar || key == GUARD_RangeSubselect) && is_called(c, v, of, &known)) {
			if (known || key == GUARD_RangeSubselect ||
			    guard_tree_string(c->tree, v, GUARD_schemaname).len == 0)
				return false;
			open = true;
		}
	}
	return open;
}

/* A column that is protected, as far as its name tells. */
static bool
is_protected_column(const struct copies *c, uint32_t column)
{
	struct span of, name = column_parts(c->tree, column, &of);

	return is_protected(c, name) && (c->places == NULL || !is_of_open(c, of));
}

/* One entry of a SELECT list whose result is a table of the outer query. */
static bool
look_at_target(struct copies *c, uint32_t target)
{
	const struct guard_tree *t = c->tree;
	uint32_t val = guard_tree_get(t, target, GUARD_val), column;
	struct span name;

	if (c->places != NULL && guard_tree_kind(t, val, &column) == GUARD_TypeCast)
		val = guard_tree_get(t, column, GUARD_arg); /* null as well */
	if (guard_tree_kind(t, val, &column) != GUARD_ColumnRef)
		return columns_pg_copy_walk(c, target == GUARD_NIL ? GUARD_NIL : t->values[target].child, false);
	name = column_name(t, column);
	if (is_protected_column(c, column))
		add_name(c, guard_tree_string(t, target, GUARD_name));
	return name.len > 0 || c->places != NULL;
}

static bool
look_at_targets(struct copies *c, uint32_t v)
{
	uint32_t target;

	for (; v != GUARD_NIL; v = c->tree->values[v].next)
		if (guard_tree_kind(c->tree, v, &target) != GUARD_ResTarget || !look_at_target(c, target))
			return false;
	return true;
}

/* Whether the values that are selected decide how many rows there are. */
static bool
compares_rows(const struct guard_tree *t, uint32_t v, struct span op)
{
	uint32_t all = guard_tree_get(t, v, GUARD_all);
	bool is_union_all =
	    span_is_str(op, "SETOP_UNION") && all != GUARD_NIL && t->values[all].type == GUARD_VALUE_TRUE;

	return guard_tree_get(t, v, GUARD_distinctClause) != GUARD_NIL ||
	    (op.len > 0 && !span_is_str(op, "SETOP_NONE") && !is_union_all);
}

/* In a UNION the first SELECT names the columns. */
static bool
look_at_select(struct copies *c, uint32_t v, bool handed_on)
{
	struct span op = guard_tree_string(c->tree, v, GUARD_op);
	bool several = op.len > 0 && !span_is_str(op, "SETOP_NONE"), ok = !several || c->places != NULL;
	bool outer = c->shown;

	if (c->places != NULL && compares_rows(c->tree, v, op))
		handed_on = false;
	for (uint32_t m = c->tree->values[v].child; ok && m != GUARD_NIL; m = c->tree->values[m].next) {
		enum guard_key key = c->tree->values[m].key;

		c->shown = handed_on && key == GUARD_targetList;
		if (several && (key == GUARD_larg || key == GUARD_rarg))
			ok = look_at_select(c, m, handed_on);
		else
			ok = c->shown ? look_at_targets(c, c->tree->values[m].child) : walk_one(c, m, handed_on);
	}
	c->shown = outer;
	return ok;
}

/* The columns of a function in FROM belong to no table, so its alias may name them. */
static bool
look_at_function(struct copies *c, uint32_t v)
{
	for (uint32_t m = c->tree->values[v].child; m != GUARD_NIL; m = c->tree->values[m].next)
		if (c->tree->values[m].key != GUARD_alias && !walk_one(c, m, false))
			return false;
	return true;
}

/* JOIN … USING compares columns that it only names. */
static bool
joins_by_protected(const struct copies *c, uint32_t v)
{
	const struct guard_tree *t = c->tree;

	for (uint32_t i = guard_tree_first(t, v, GUARD_usingClause); i != GUARD_NIL; i = t->values[i].next)
		if (is_protected(c, guard_tree_string(t, t->values[i].child, GUARD_sval)))
			return true;
	return false;
}

/* Whether column aliases rename the columns of a FROM item, or of a WITH query, by position. */
static bool
renames(const struct guard_tree *t, uint32_t v)
{
	return guard_tree_first(t, guard_tree_get(t, v, GUARD_alias), GUARD_colnames) != GUARD_NIL ||
	    guard_tree_first(t, v, GUARD_aliascolnames) != GUARD_NIL;
}

/* Whether a table's columns may be renamed: it is neither protected nor the name of a WITH query. */
static bool
is_open_table(const struct copies *c, uint32_t v)
{
	bool known;

	(void)is_called(c, v, SPAN(""), &known);
	return !known && guard_tree_string(c->tree, v, GUARD_schemaname).len > 0;
}

static bool
look_at_node(struct copies *c, uint32_t v, bool handed_on)
{
	const struct guard_tree *t = c->tree;
	struct span of;

	if (c->places != NULL && renames(t, v)) {
		if (t->values[v].key == GUARD_RangeVar)
			return is_open_table(c, v);
		if (t->values[v].key == GUARD_JoinExpr)
			return false;
		handed_on = false; /* then a protected column may not be in it at all */
	}
	if (t->values[v].key == GUARD_JoinExpr && joins_by_protected(c, v))
		return false;
	switch (t->values[v].key) {
	case GUARD_SelectStmt:
		return look_at_select(c, v, handed_on);
	case GUARD_SubLink:
		return columns_pg_copy_walk(c, t->values[v].child, false);
	case GUARD_ColumnRef:
		return (column_parts(t, v, &of).len > 0 || (c->places != NULL && (c->shown || is_of_open(c, of)))) &&
		    !is_protected_column(c, v);
	case GUARD_RangeFunction:
		return look_at_function(c, v);
	default:
		/* Column aliases (behind an alias or a WITH query) rename columns by position. */
		if (c->places == NULL &&
		    (guard_tree_first(t, v, GUARD_colnames) != GUARD_NIL ||
			guard_tree_first(t, v, GUARD_aliascolnames) != GUARD_NIL))
			return false;
		return columns_pg_copy_walk(c, t->values[v].child, handed_on);
	}
}

static bool
walk_one(struct copies *c, uint32_t v, bool handed_on)
{
	const struct guard_value *value = &c->tree->values[v];

	return (value->type != GUARD_VALUE_OBJECT && value->type != GUARD_VALUE_ARRAY) || look_at_node(c, v, handed_on);
}

/* Walks v and its siblings.  handed_on: the result of a SELECT in v is a table, not a value of an expression. */
static bool
columns_pg_copy_walk(struct copies *c, uint32_t v, bool handed_on)
{
	for (; v != GUARD_NIL; v = c->tree->values[v].next)
		if (!walk_one(c, v, handed_on))
			return false;
	return true;
}

static bool
hands_on(struct copies *c, const struct span *names, size_t n)
{
	size_t known;
	bool ok;

	for (size_t i = 0; i < n; i++)
		add_name(c, names[i]);
	/* Names are found in any order: repeat until a round finds no new one. */
	do {
		known = c->n;
		ok = columns_pg_copy_walk(c, c->tree->values[0].child, true);
	} while (ok && c->n > known);
	free(c->names);
	return ok;
}

bool
columns_pg_copies(const struct guard_tree *definition, const struct span *names, size_t n)
{
	return hands_on(&(struct copies){ .tree = definition }, names, n);
}

bool
columns_pg_hands_on(const struct guard_tree *definition, const struct span *names, size_t n, const size_t *places,
    size_t nplaces)
{
	return hands_on(&(struct copies){ .tree = definition, .places = places, .nplaces = nplaces }, names, n);
}

/* Aggregates and functions of a row whose result does not depend on the order of the rows. */
static bool
is_orderless_call(const struct guard_tree *t, uint32_t call)
{
	static const char *const names[] = { "abs", "avg", "bool_and", "bool_or", "btrim", "ceil", "concat", "count",
		"date_part", "date_trunc", "every", "floor", "length", "lower", "ltrim", "max", "min", "mod", "replace",
		"round", "rtrim", "substr", "sum", "to_char", "trunc", "upper" };
	uint32_t name = guard_tree_first(t, call, GUARD_funcname), body;

	if (name == GUARD_NIL || t->values[name].next != GUARD_NIL ||
	    guard_tree_get(t, call, GUARD_over) != GUARD_NIL || guard_tree_kind(t, name, &body) != GUARD_String)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (span_is_str(guard_tree_string(t, body, GUARD_sval), names[i]))
			return true;
	return false;
}

/* tableoid, ctid and their like say where a row lies. */
static bool
is_place(struct span column)
{
	static const char *const names[] = { "tableoid", "ctid", "xmin", "xmax", "cmin", "cmax" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (span_is_str(column, names[i]))
			return true;
	return column.len == 0;
}

/* DISTINCT is a list of one empty element, DISTINCT ON one of expressions. */
static bool
takes_first_rows(const struct guard_tree *t, uint32_t select)
{
	uint32_t distinct = guard_tree_first(t, select, GUARD_distinctClause);

	return guard_tree_get(t, select, GUARD_limitCount) != GUARD_NIL ||
	    guard_tree_get(t, select, GUARD_limitOffset) != GUARD_NIL ||
	    (distinct != GUARD_NIL && t->values[distinct].child != GUARD_NIL);
}

static bool
depends_on_order(const struct guard_tree *t, uint32_t v)
{
	switch (t->values[v].key) {
	case GUARD_SelectStmt:
		return takes_first_rows(t, v);
	case GUARD_FuncCall:
		return !is_orderless_call(t, v);
	case GUARD_ColumnRef:
		return is_place(column_name(t, v));
	case GUARD_SubLink:
		return span_is_str(guard_tree_string(t, v, GUARD_subLinkType), "ARRAY_SUBLINK");
	case GUARD_RangeTableSample:
		return true;
	default:
		return false;
	}
}

bool
columns_pg_ignores_order(const struct guard_tree *definition)
{
	for (uint32_t i = 0; i < definition->n; i++)
		if (definition->values[i].type == GUARD_VALUE_OBJECT && depends_on_order(definition, i))
			return false;
	return true;
}

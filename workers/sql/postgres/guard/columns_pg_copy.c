/* columns_pg_copy.c - see columns_pg_copy.h. */
#include "workers/sql/postgres/guard/columns_pg_copy.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "workers/sql/postgres/guard/guard_tree.h"

struct copies {
	const struct guard_tree	*tree;
	struct span		*names;		/* names of the protected columns, and their aliases in outer queries */
	size_t			 n, cap;
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

/* The last part of a column's name; empty for a star, which stands for a whole row. */
static struct span
column_name(const struct guard_tree *t, uint32_t column)
{
	struct span name = span_of("", 0);
	uint32_t body;

	for (uint32_t i = guard_tree_first(t, column, GUARD_fields); i != GUARD_NIL; i = t->values[i].next)
		name = guard_tree_kind(t, i, &body) == GUARD_String ? guard_tree_string(t, body, GUARD_sval) :
								      span_of("", 0);
	return name;
}

/* One entry of a SELECT list whose result is a table of the outer query. */
static bool
look_at_target(struct copies *c, uint32_t target)
{
	const struct guard_tree *t = c->tree;
	uint32_t val = guard_tree_get(t, target, GUARD_val), column;
	struct span name;

	if (guard_tree_kind(t, val, &column) != GUARD_ColumnRef)
		return columns_pg_copy_walk(c, target == GUARD_NIL ? GUARD_NIL : t->values[target].child, false);
	name = column_name(t, column);
	if (is_protected(c, name))
		add_name(c, guard_tree_string(t, target, GUARD_name));
	return name.len > 0;
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

/* In a UNION the first SELECT names the columns. */
static bool
look_at_select(struct copies *c, uint32_t v, bool handed_on)
{
	struct span op = guard_tree_string(c->tree, v, GUARD_op);

	if (op.len > 0 && !span_is_str(op, "SETOP_NONE"))
		return false;
	for (uint32_t m = c->tree->values[v].child; m != GUARD_NIL; m = c->tree->values[m].next) {
		bool list = handed_on && c->tree->values[m].key == GUARD_targetList;

		if (list ? !look_at_targets(c, c->tree->values[m].child) : !walk_one(c, m, handed_on))
			return false;
	}
	return true;
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

static bool
look_at_node(struct copies *c, uint32_t v, bool handed_on)
{
	const struct guard_tree *t = c->tree;

	switch (t->values[v].key) {
	case GUARD_SelectStmt:
		return look_at_select(c, v, handed_on);
	case GUARD_SubLink:
		return columns_pg_copy_walk(c, t->values[v].child, false);
	case GUARD_ColumnRef:
		return column_name(t, v).len > 0 && !is_protected(c, column_name(t, v));
	case GUARD_RangeFunction:
		return look_at_function(c, v);
	default:
		/* Column aliases (behind an alias or a WITH query) rename columns by position. */
		if (guard_tree_first(t, v, GUARD_colnames) != GUARD_NIL ||
		    guard_tree_first(t, v, GUARD_aliascolnames) != GUARD_NIL)
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

bool
columns_pg_copies(const struct guard_tree *definition, const struct span *names, size_t n)
{
	struct copies c = { .tree = definition };
	size_t known;
	bool ok;

	for (size_t i = 0; i < n; i++)
		add_name(&c, names[i]);
	/* Names are found in any order: repeat until a round finds no new one. */
	do {
		known = c.n;
		ok = columns_pg_copy_walk(&c, definition->values[0].child, true);
	} while (ok && c.n > known);
	free(c.names);
	return ok;
}

/* --- the order of rows ------------------------------------------------------------------- */

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

#include "workers/sql/duckdb/duckdb_lineage.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "workers/sql/duckdb/duckdb_tree.h"

/* A relation of FROM. */
struct lineage_item {
	struct span		 alias;
	struct duckdb_shape	 shape;
	struct lineage_item	*next;
};

/* A WITH query; the innermost first. */
struct lineage_with {
	struct span			 name;
	struct duckdb_shape		 shape;
	const struct lineage_with	*outer;
};

/* What names of columns mean at a place of a query. */
struct lineage_scope {
	const struct lineage_with	*with;
	struct lineage_item		*items;
	const struct duckdb_shape	*selected;	/* what SELECT has listed so far */
	bool				 selected_first;/* ORDER BY looks there before it looks at items */
	bool				 merged;	/* a join lists columns of both sides once */
	const struct lineage_scope	*outer;
};

#define WORK_MOST	((size_t)20 << 20)	/* columns looked at: some tenths of a second */

struct lineage_walk {
	struct duckdb_lineage	*l;
	size_t			 work;
	struct err		*err;
};

static int follow_query(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_with *with,
    const struct lineage_scope *outer, struct duckdb_shape *shape);
static int check(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_scope *scope);

static void
add_column(struct lineage_walk *w, struct duckdb_shape *shape, struct span name, enum columns_action action)
{
	struct duckdb_shape_column *more;

	if (shape->n == shape->cap) {
		more = arena_array(w->l->arena, 2 * shape->cap + 8, sizeof(*more));
		if (more == NULL) { /* the statement is refused in the end */
			w->work = WORK_MOST + 1;
			return;
		}
		if (shape->n > 0)
			memcpy(more, shape->columns, shape->n * sizeof(*more));
		shape->columns = more;
		shape->cap = 2 * shape->cap + 8;
	}
	shape->columns[shape->n++] = (struct duckdb_shape_column){ name, action };
}

static enum columns_action
action_of(const struct duckdb_shape *shape, struct span name)
{
	enum columns_action action = COLUMNS_CLEAR;

	for (size_t i = 0; i < shape->n; i++)
		if (span_is_folded(shape->columns[i].name, name) && shape->columns[i].action > action)
			action = shape->columns[i].action;
	return action;
}

/* Counts what is looked at; false: it is too much, and the statement is refused in the end. */
static bool
may_look(struct lineage_walk *w, const struct duckdb_shape *shape)
{
	w->work += shape->n + 1;
	return w->work <= WORK_MOST;
}

static bool
has_column(struct lineage_walk *w, const struct duckdb_shape *shape, struct span name)
{
	for (size_t i = 0; i < shape->n && (i > 0 || may_look(w, shape)); i++)
		if (span_is_folded(shape->columns[i].name, name))
			return true;
	return false;
}

static const struct duckdb_shape_column *
masked_column(const struct duckdb_shape *shape)
{
	for (size_t i = 0; i < shape->n; i++)
		if (shape->columns[i].action == COLUMNS_MASK)
			return &shape->columns[i];
	return NULL;
}

/* A list of names behind an alias, by position; a column that is not known by position may be any of them. */
static void
rename_columns(struct lineage_walk *w, struct duckdb_shape *shape, const struct duckdb_node *names)
{
	struct duckdb_shape old = *shape;
	enum columns_action any = masked_column(shape) != NULL ? COLUMNS_MASK : COLUMNS_CLEAR;
	size_t i = 0;

	if (names == NULL || names->first == NULL)
		return;
	*shape = (struct duckdb_shape){ .open = old.open };
	for (const struct duckdb_node *n = names->first; n != NULL; n = n->next, i++)
		add_column(w, shape, duckdb_tree_string(w->l->arena, n),
		    old.open || i >= old.n ? any : old.columns[i].action);
	for (; i < old.n; i++)
		add_column(w, shape, old.columns[i].name, old.columns[i].action);
}

static int
refuse_masked(struct lineage_walk *w, const struct duckdb_node *node, struct span name)
{
	size_t place = duckdb_tree_place(node);

	if (place != SIZE_MAX)
		w->l->at = place;
	return err_set(w->err, ERR_FORBIDDEN_SQL,
	    "the column %.*s is masked: this connection's column policy shows it as " COLUMNS_MASKED
	    ", so it cannot be compared, ordered, grouped, joined or computed with; select it as it is, count it, "
	    "test it for NULL, or leave it out",
	    SPAN_FMT(name));
}

/* No column of the shape may be masked. */
static int
check_shape(struct lineage_walk *w, const struct duckdb_node *node, const struct duckdb_shape *shape)
{
	const struct duckdb_shape_column *c = masked_column(shape);

	return c == NULL ? 0 : refuse_masked(w, node, c->name);
}

static int
check_items(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_scope *scope)
{
	for (const struct lineage_item *i = scope->items; i != NULL; i = i->next)
		if (check_shape(w, node, &i->shape) == -1)
			return -1;
	return 0;
}

static struct span
text_of(struct lineage_walk *w, const struct duckdb_node *node, const char *key)
{
	return duckdb_tree_text(w->l->arena, node, key);
}

static struct span
last_name(struct lineage_walk *w, const struct duckdb_node *node)
{
	const struct duckdb_node *names = duckdb_tree_member(node, "column_names");
	struct span name = SPAN("");

	for (const struct duckdb_node *n = names == NULL ? NULL : names->first; n != NULL; n = n->next)
		name = duckdb_tree_string(w->l->arena, n);
	return name;
}

/* A name of one scope; false if the scope lacks it. */
static bool
find_plain(struct lineage_walk *w, const struct lineage_scope *scope, struct span name, enum columns_action *action)
{
	bool found = false;

	if (scope->selected_first && has_column(w, scope->selected, name)) {
		*action = action_of(scope->selected, name);
		return true;
	}
	for (const struct lineage_item *i = scope->items; i != NULL; i = i->next)
		if (has_column(w, &i->shape, name)) {
			enum columns_action one = action_of(&i->shape, name);

			*action = found && one < *action ? *action : one;
			found = true;
		}
	if (!found && scope->selected != NULL && has_column(w, scope->selected, name)) {
		*action = action_of(scope->selected, name);
		found = true;
	}
	return found;
}

/* x.y, where x is a relation of the scope and y its column. */
static bool
find_qualified(struct lineage_walk *w, const struct lineage_scope *scope, struct span alias, struct span name,
    enum columns_action *action)
{
	for (const struct lineage_item *i = scope->items; i != NULL; i = i->next)
		if (span_is_folded(i->alias, alias) && has_column(w, &i->shape, name)) {
			*action = action_of(&i->shape, name);
			return true;
		}
	return false;
}

/* Of a.b.c, the first pair that is a relation and its column decides, otherwise the first name as a column. */
static enum columns_action
action_of_reference(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_scope *scope)
{
	const struct duckdb_node *names = duckdb_tree_member(node, "column_names");
	enum columns_action action;

	for (; names != NULL && names->first != NULL && scope != NULL; scope = scope->outer) {
		for (const struct duckdb_node *n = names->first; n->next != NULL; n = n->next)
			if (find_qualified(w, scope, duckdb_tree_string(w->l->arena, n),
				duckdb_tree_string(w->l->arena, n->next), &action))
				return action;
		if (find_plain(w, scope, duckdb_tree_string(w->l->arena, names->first), &action))
			return action;
	}
	return COLUMNS_CLEAR;
}

static bool
is_class(struct lineage_walk *w, const struct duckdb_node *node, const char *class)
{
	return node != NULL && node->kind == '{' && span_is_str(text_of(w, node, "class"), class);
}

static int
check_members(struct lineage_walk *w, const struct duckdb_node *node, const char *but,
    const struct lineage_scope *scope)
{
	for (const struct duckdb_node *n = node->first; n != NULL; n = n->next)
		if ((but == NULL || !span_is_str(n->key, but)) && check(w, n, scope) == -1)
			return -1;
	return 0;
}

/*
 * The one argument of IS NULL, IS NOT NULL and count(), which may be a masked column; NULL: it is another
 * expression.
 */
static const struct duckdb_node *
harmless_argument(struct lineage_walk *w, const struct duckdb_node *node)
{
	const struct duckdb_node *children = duckdb_tree_member(node, "children");
	struct span type = text_of(w, node, "type");
	bool tests = is_class(w, node, "OPERATOR") &&
	    (span_is_str(type, "OPERATOR_IS_NULL") || span_is_str(type, "OPERATOR_IS_NOT_NULL"));
	bool counts = is_class(w, node, "FUNCTION") && span_is_word(text_of(w, node, "function_name"), "count") &&
	    duckdb_tree_is(duckdb_tree_member(node, "distinct"), "false");

	if ((!tests && !counts) || children == NULL || children->first == NULL || children->first->next != NULL)
		return NULL;
	return is_class(w, children->first, "COLUMN_REF") ? children->first : NULL;
}

/* A query within an expression; *action: of its value, if it is one of its rows. */
static int
follow_subquery(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_scope *scope,
    enum columns_action *action)
{
	const struct duckdb_node *query = duckdb_tree_member(duckdb_tree_member(node, "subquery"), "node");
	const struct duckdb_node *child = duckdb_tree_member(node, "child");
	struct span type = text_of(w, node, "subquery_type");
	struct duckdb_shape shape = { .n = 0 };

	if (query == NULL || follow_query(w, query, scope->with, scope, &shape) == -1 ||
	    (child != NULL && check(w, child, scope) == -1))
		return query == NULL ? 0 : -1;
	*action = COLUMNS_CLEAR;
	if (span_is_str(type, "SCALAR") && shape.n > 0)
		*action = shape.columns[0].action;
	if (span_is_str(type, "SCALAR") || span_is_str(type, "EXISTS") || span_is_str(type, "NOT_EXISTS"))
		return 0;
	return check_shape(w, node, &shape);
}

/* Within an expression no masked column may stand. */
static int
check(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_scope *scope)
{
	enum columns_action action = COLUMNS_CLEAR;

	if (node->kind != '{')
		return node->kind == '[' ? check_members(w, node, NULL, scope) : 0;
	if (is_class(w, node, "COLUMN_REF"))
		return action_of_reference(w, node, scope) == COLUMNS_MASK ?
		    refuse_masked(w, node, last_name(w, node)) :
		    0;
	if (is_class(w, node, "CONSTANT") || is_class(w, node, "PARAMETER"))
		return 0;
	if (is_class(w, node, "SUBQUERY")) {
		if (follow_subquery(w, node, scope, &action) == -1)
			return -1;
		return action == COLUMNS_MASK ? refuse_masked(w, node, SPAN("of the sub-select")) : 0;
	}
	if ((is_class(w, node, "STAR") || is_class(w, node, "POSITIONAL_REFERENCE")) &&
	    check_items(w, node, scope) == -1)
		return -1;
	return check_members(w, node, harmless_argument(w, node) != NULL ? "children" : NULL, scope);
}

/* An expression of the list: a masked column may stand there as it is. */
static int
follow_expression(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_scope *scope,
    enum columns_action *action)
{
	*action = COLUMNS_CLEAR;
	if (is_class(w, node, "COLUMN_REF")) {
		*action = action_of_reference(w, node, scope);
		return 0;
	}
	if (is_class(w, node, "SUBQUERY"))
		return follow_subquery(w, node, scope, action);
	return check(w, node, scope);
}

static bool
names_text(struct lineage_walk *w, const struct duckdb_node *list, struct span name)
{
	for (const struct duckdb_node *n = list == NULL ? NULL : list->first; n != NULL; n = n->next) {
		struct span one = n->kind == '"' ? duckdb_tree_string(w->l->arena, n) : text_of(w, n, "column");

		if (span_is_folded(one, name))
			return true;
	}
	return false;
}

/* The entry {key, value} of that column in REPLACE or RENAME. */
static const struct duckdb_node *
entry_of(struct lineage_walk *w, const struct duckdb_node *list, struct span name)
{
	for (const struct duckdb_node *n = list == NULL ? NULL : list->first; n != NULL; n = n->next) {
		const struct duckdb_node *key = duckdb_tree_member(n, "key");
		struct span one =
		    key != NULL && key->kind == '{' ? text_of(w, key, "column") : duckdb_tree_string(w->l->arena, key);

		if (span_is_folded(one, name))
			return duckdb_tree_member(n, "value");
	}
	return NULL;
}

static int
follow_star_column(struct lineage_walk *w, const struct duckdb_node *node,
    const struct duckdb_shape_column *c,
    const struct lineage_scope *scope, struct duckdb_shape *shape)
{
	const struct duckdb_node *instead = entry_of(w, duckdb_tree_member(node, "replace_list"), c->name);
	const struct duckdb_node *name = entry_of(w, duckdb_tree_member(node, "rename_list"), c->name);
	enum columns_action action = c->action;

	if (names_text(w, duckdb_tree_member(node, "exclude_list"), c->name) ||
	    names_text(w, duckdb_tree_member(node, "qualified_exclude_list"), c->name))
		return 0;
	if (instead != NULL && follow_expression(w, instead, scope, &action) == -1)
		return -1;
	add_column(w, shape, name != NULL ? duckdb_tree_string(w->l->arena, name) : c->name, action);
	return 0;
}

/* * and x.*, and COLUMNS(…), which may list fewer. */
static int
follow_star(struct lineage_walk *w, const struct duckdb_node *node,
    const struct lineage_scope *scope, struct duckdb_shape *shape)
{
	struct span of = text_of(w, node, "relation_name");

	if (duckdb_tree_is(duckdb_tree_member(node, "columns"), "true") || scope->merged || scope->items == NULL)
		shape->open = true;
	for (const struct lineage_item *i = scope->items; i != NULL; i = i->next) {
		if (of.len > 0 && !span_is_folded(of, i->alias))
			continue;
		shape->open = shape->open || i->shape.open;
		for (size_t k = 0; k < i->shape.n && (k > 0 || may_look(w, &i->shape)); k++)
			if (follow_star_column(w, node, &i->shape.columns[k], scope, shape) == -1)
				return -1;
	}
	return 0;
}

static int
follow_list(struct lineage_walk *w, const struct duckdb_node *list, struct lineage_scope *scope,
    struct duckdb_shape *shape)
{
	enum columns_action action;
	struct span name;

	scope->selected = shape;
	for (const struct duckdb_node *n = list == NULL ? NULL : list->first; n != NULL; n = n->next) {
		if (is_class(w, n, "STAR")) {
			if (follow_star(w, n, scope, shape) == -1)
				return -1;
			continue;
		}
		if (follow_expression(w, n, scope, &action) == -1)
			return -1;
		/* unnest() of a struct lists its fields. */
		shape->open = shape->open || span_is_word(text_of(w, n, "function_name"), "unnest");
		name = text_of(w, n, "alias");
		if (name.len == 0 && is_class(w, n, "COLUMN_REF"))
			name = last_name(w, n);
		add_column(w, shape, name, action);
	}
	return 0;
}

static void
add_item(struct lineage_walk *w, struct lineage_scope *scope, const struct duckdb_node *node,
    struct span alias,
    struct duckdb_shape shape)
{
	struct lineage_item *item = arena_alloc(w->l->arena, sizeof(*item)), **end = &scope->items;
	struct span own = text_of(w, node, "alias");

	if (item == NULL) {
		w->work = WORK_MOST + 1;
		return;
	}
	rename_columns(w, &shape, duckdb_tree_member(node, "column_name_alias"));
	*item = (struct lineage_item){ own.len > 0 ? own : alias, shape, NULL };
	while (*end != NULL)
		end = &(*end)->next;
	*end = item;
}

static int
follow_table(struct lineage_walk *w, const struct duckdb_node *node, struct lineage_scope *scope)
{
	struct span name = text_of(w, node, "table_name"), schema = text_of(w, node, "schema_name");
	struct duckdb_shape shape = { .open = true };
	const struct lineage_with *with = scope->with;
	const struct duckdb_seen *seen;

	while (schema.len == 0 && with != NULL && !span_is_folded(with->name, name))
		with = with->outer;
	if (schema.len == 0 && with != NULL)
		shape = with->shape;
	else if ((seen = w->l->find(w->l->arg, schema, name)) != NULL) {
		w->l->later = seen->state == DUCKDB_SEEN_LATER;
		if (seen->state != DUCKDB_SEEN) {
			w->l->at = duckdb_tree_place(node);
			return err_set(w->err, ERR_FORBIDDEN_SQL,
			    "the view %.*s cannot be read: it compares, filters by or computes from columns that this "
			    "connection's column policy protects, or reads or calls what a statement may not; query "
			    "the tables",
			    SPAN_FMT(name));
		}
		shape = seen->shape;
	}
	add_item(w, scope, node, name, shape);
	return 0;
}

static int follow_from(struct lineage_walk *w, const struct duckdb_node *node, struct lineage_scope *scope);

/* The last relation so far, else NULL. */
static const struct lineage_item *
last_item(const struct lineage_scope *scope)
{
	const struct lineage_item *last = scope->items;

	while (last != NULL && last->next != NULL)
		last = last->next;
	return last;
}

/*
 * Columns of the same name on both sides of USING (names) or NATURAL JOIN (NULL) are compared.  right: the first
 * relation of the right side.
 */
static int
check_merged(struct lineage_walk *w, const struct duckdb_node *node, const struct duckdb_node *names,
    const struct lineage_scope *scope, const struct lineage_item *right)
{
	for (const struct lineage_item *i = right; i != NULL; i = i->next)
		for (size_t k = 0; k < i->shape.n; k++) {
			const struct duckdb_shape_column *c = &i->shape.columns[k];

			if (names != NULL && !names_text(w, names, c->name))
				continue;
			for (const struct lineage_item *o = scope->items; o != NULL && o != right; o = o->next)
				if (has_column(w, &o->shape, c->name) &&
				    (c->action == COLUMNS_MASK || action_of(&o->shape, c->name) == COLUMNS_MASK))
					return refuse_masked(w, node, c->name);
		}
	return 0;
}

static int
follow_join(struct lineage_walk *w, const struct duckdb_node *node, struct lineage_scope *scope)
{
	const struct duckdb_node *left = duckdb_tree_member(node, "left"), *right = duckdb_tree_member(node, "right");
	const struct duckdb_node *condition = duckdb_tree_member(node, "condition"),
				 *names = duckdb_tree_member(node, "using_columns");
	bool natural = span_is_str(text_of(w, node, "ref_type"), "NATURAL");
	bool merges = natural || (names != NULL && names->first != NULL);
	const struct lineage_item *last;

	if (left != NULL && follow_from(w, left, scope) == -1)
		return -1;
	last = last_item(scope);
	if (right != NULL && follow_from(w, right, scope) == -1)
		return -1;
	scope->merged = scope->merged || merges;
	if (merges && last != NULL && check_merged(w, node, natural ? NULL : names, scope, last->next) == -1)
		return -1;
	return condition == NULL ? 0 : check(w, condition, scope);
}

/* What is not selected, grouped or counted is a group of its own, so nothing masked may come in. */
static int
follow_pivot(struct lineage_walk *w, const struct duckdb_node *node, struct lineage_scope *scope)
{
	struct lineage_scope own = { .with = scope->with, .outer = scope };
	const struct duckdb_node *source = duckdb_tree_member(node, "source");

	if ((source != NULL && follow_from(w, source, &own) == -1) || check_items(w, node, &own) == -1 ||
	    check_members(w, node, "source", &own) == -1)
		return -1;
	add_item(w, scope, node, SPAN(""), (struct duckdb_shape){ .open = true });
	return 0;
}

static int
follow_from(struct lineage_walk *w, const struct duckdb_node *node, struct lineage_scope *scope)
{
	struct span type = text_of(w, node, "type");
	struct duckdb_shape shape = { .open = true };
	const struct duckdb_node *query;

	if (span_is_str(type, "BASE_TABLE"))
		return follow_table(w, node, scope);
	if (span_is_str(type, "JOIN"))
		return follow_join(w, node, scope);
	if (span_is_str(type, "PIVOT"))
		return follow_pivot(w, node, scope);
	if (span_is_str(type, "SUBQUERY")) {
		shape.open = false;
		query = duckdb_tree_member(duckdb_tree_member(node, "subquery"), "node");
		if (query != NULL && follow_query(w, query, scope->with, scope, &shape) == -1)
			return -1;
	} else if (span_is_str(type, "SHOW_REF")) {
		query = duckdb_tree_member(node, "query");
		if (query != NULL && query->kind == '{' && follow_query(w, query, scope->with, scope, &shape) == -1)
			return -1;
		shape = (struct duckdb_shape){ .open = true };
	} else if (check_members(w, node, NULL, scope) == -1)
		return -1;
	if (!span_is_str(type, "EMPTY"))
		add_item(w, scope, node, SPAN(""), shape);
	return 0;
}

/* GROUP BY 2, ORDER BY 2: the number of a column of the list, from 1; 0: it is no number. */
static size_t
position_of(struct lineage_walk *w, const struct duckdb_node *node)
{
	const struct duckdb_node *value = duckdb_tree_member(duckdb_tree_member(node, "value"), "value");

	if (!is_class(w, node, "CONSTANT") || value == NULL || value->kind != 0 || value->text.len > 6)
		return 0;
	return (size_t)strtoul(arena_cstr(w->l->arena, value->text), NULL, 10);
}

/* A key of GROUP BY, ORDER BY or DISTINCT ON. */
static int
check_key(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_scope *scope)
{
	const struct duckdb_shape *shape = scope->selected;
	size_t position = position_of(w, node);

	if (is_class(w, node, "STAR"))
		return check_shape(w, node, shape);
	if (position == 0 || shape->open || position > shape->n)
		return check(w, node, scope);
	return shape->columns[position - 1].action == COLUMNS_MASK ?
	    refuse_masked(w, node, shape->columns[position - 1].name) :
	    0;
}

static int
check_keys(struct lineage_walk *w, const struct duckdb_node *list, const char *member,
    const struct lineage_scope *scope)
{
	for (const struct duckdb_node *n = list == NULL ? NULL : list->first; n != NULL; n = n->next) {
		const struct duckdb_node *key = member == NULL ? n : duckdb_tree_member(n, member);

		if (key != NULL && check_key(w, key, scope) == -1)
			return -1;
	}
	return 0;
}

/* ORDER BY, DISTINCT, LIMIT. */
static int
check_modifiers(struct lineage_walk *w, const struct duckdb_node *node, struct lineage_scope *scope)
{
	const struct duckdb_node *list = duckdb_tree_member(node, "modifiers"), *targets;
	int rc = 0;

	scope->selected_first = true;
	for (const struct duckdb_node *n = list == NULL ? NULL : list->first; n != NULL && rc == 0; n = n->next) {
		struct span type = text_of(w, n, "type");

		if (span_is_str(type, "ORDER_MODIFIER"))
			rc = check_keys(w, duckdb_tree_member(n, "orders"), "expression", scope);
		else if (!span_is_str(type, "DISTINCT_MODIFIER"))
			rc = check_members(w, n, NULL, scope);
		else if ((targets = duckdb_tree_member(n, "distinct_on_targets")) == NULL || targets->first == NULL)
			rc = check_shape(w, node, scope->selected);
		else
			rc = check_keys(w, targets, NULL, scope);
	}
	return rc;
}

static int
follow_select(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_with *with,
    const struct lineage_scope *outer, struct duckdb_shape *shape)
{
	static const char *const conditions[] = { "where_clause", "having", "qualify", "sample" };
	struct lineage_scope scope = { .with = with, .outer = outer };
	const struct duckdb_node *from = duckdb_tree_member(node, "from_table");

	if ((from != NULL && from->kind == '{' && follow_from(w, from, &scope) == -1) ||
	    follow_list(w, duckdb_tree_member(node, "select_list"), &scope, shape) == -1)
		return -1;
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		const struct duckdb_node *condition = duckdb_tree_member(node, conditions[i]);

		if (condition != NULL && check(w, condition, &scope) == -1)
			return -1;
	}
	if (check_keys(w, duckdb_tree_member(node, "group_expressions"), NULL, &scope) == -1)
		return -1;
	/* GROUP BY ALL */
	if (span_is_str(text_of(w, node, "aggregate_handling"), "FORCE_AGGREGATES") &&
	    check_shape(w, node, shape) == -1)
		return -1;
	return check_modifiers(w, node, &scope);
}

/* The columns of both sides; a set operation that looks for equal rows may have no masks. */
static int
merge(struct lineage_walk *w, const struct duckdb_node *node, const struct duckdb_shape *more,
    bool compares, bool by_name,
    struct duckdb_shape *shape)
{
	for (size_t i = 0; i < more->n; i++) {
		const struct duckdb_shape_column *c = &more->columns[i];

		if (by_name || i >= shape->n)
			add_column(w, shape, c->name, c->action);
		else if (c->action > shape->columns[i].action)
			shape->columns[i].action = c->action;
	}
	shape->open = shape->open || more->open || by_name;
	return compares ? check_shape(w, node, shape) : 0;
}

static int
follow_set(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_with *with,
    const struct lineage_scope *outer, struct duckdb_shape *shape)
{
	static const char *const sides[] = { "left", "right", "children" };
	struct span type = text_of(w, node, "setop_type");
	bool by_name = span_is_str(type, "UNION_BY_NAME");
	bool compares =
	    !((by_name || span_is_str(type, "UNION")) && duckdb_tree_is(duckdb_tree_member(node, "setop_all"), "true"));
	struct lineage_scope scope = { .with = with, .selected = shape, .outer = outer };

	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		const struct duckdb_node *side = duckdb_tree_member(node, sides[i]);

		for (const struct duckdb_node *n = side != NULL && side->kind == '[' ? side->first : side;
		     n != NULL && n->kind == '{'; n = side->kind == '[' ? n->next : NULL) {
			struct duckdb_shape one = { .n = 0 };

			if (follow_query(w, n, with, outer, &one) == -1 ||
			    merge(w, node, &one, compares, by_name, shape) == -1)
				return -1;
		}
	}
	return check_modifiers(w, node, &scope);
}

/* A query of WITH RECURSIVE, whose second part sees the first. */
static int
follow_recursive(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_with *with,
    const struct lineage_scope *outer, struct duckdb_shape *shape)
{
	const struct duckdb_node *left = duckdb_tree_member(node, "left"), *right = duckdb_tree_member(node, "right");
	bool compares = !duckdb_tree_is(duckdb_tree_member(node, "union_all"), "true");
	struct lineage_with own = { .name = text_of(w, node, "cte_name"), .outer = with };
	struct duckdb_shape more = { .n = 0 };

	if (left != NULL && follow_query(w, left, with, outer, shape) == -1)
		return -1;
	own.shape = *shape;
	rename_columns(w, &own.shape, duckdb_tree_member(node, "aliases"));
	if (right != NULL && follow_query(w, right, &own, outer, &more) == -1)
		return -1;
	return merge(w, node, &more, compares, false, shape);
}

/* Up to 1.4 a materialized WITH query is a node around what follows it. */
static int
follow_around(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_with *with,
    const struct lineage_scope *outer, struct duckdb_shape *shape)
{
	const struct duckdb_node *query = duckdb_tree_member(node, "query"), *child = duckdb_tree_member(node, "child");
	struct lineage_with own = { .name = text_of(w, node, "cte_name"), .outer = with };

	if (query != NULL && follow_query(w, query, with, outer, &own.shape) == -1)
		return -1;
	rename_columns(w, &own.shape, duckdb_tree_member(node, "aliases"));
	return child == NULL ? 0 : follow_query(w, child, &own, outer, shape);
}

static int
follow_body(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_with *with,
    const struct lineage_scope *outer, struct duckdb_shape *shape)
{
	struct span type = text_of(w, node, "type");

	if (span_is_str(type, "SELECT_NODE"))
		return follow_select(w, node, with, outer, shape);
	if (span_is_str(type, "SET_OPERATION_NODE"))
		return follow_set(w, node, with, outer, shape);
	if (span_is_str(type, "RECURSIVE_CTE_NODE"))
		return follow_recursive(w, node, with, outer, shape);
	if (span_is_str(type, "CTE_NODE"))
		return follow_around(w, node, with, outer, shape);
	return err_set(w->err, ERR_FORBIDDEN_SQL, "this kind of query is not known here, so it is not allowed");
}

/* Each WITH query sees those before it; the query's body sees all of them. */
static int
follow_with(struct lineage_walk *w, const struct duckdb_node *node, const struct duckdb_node *cte,
    const struct lineage_with *with,
    const struct lineage_scope *outer, struct duckdb_shape *shape)
{
	struct lineage_with own = { .outer = with };
	const struct duckdb_node *value, *query;

	if (cte == NULL)
		return follow_body(w, node, with, outer, shape);
	own.name = text_of(w, cte, "key");
	value = duckdb_tree_member(cte, "value");
	query = duckdb_tree_member(duckdb_tree_member(value, "query"), "node");
	if (query != NULL && follow_query(w, query, with, outer, &own.shape) == -1)
		return -1;
	rename_columns(w, &own.shape, duckdb_tree_member(value, "aliases"));
	return follow_with(w, node, cte->next, &own, outer, shape);
}

static int
follow_query(struct lineage_walk *w, const struct duckdb_node *node, const struct lineage_with *with,
    const struct lineage_scope *outer, struct duckdb_shape *shape)
{
	const struct duckdb_node *map = duckdb_tree_member(duckdb_tree_member(node, "cte_map"), "map");

	return follow_with(w, node, map == NULL ? NULL : map->first, with, outer, shape);
}

int
duckdb_lineage_follow(struct duckdb_lineage *l, struct span tree, struct duckdb_shape *shape, struct err *err)
{
	struct lineage_walk w = { .l = l, .err = err };
	const struct duckdb_node *root = duckdb_tree_read(l->arena, tree, err), *statements;

	*shape = (struct duckdb_shape){ .n = 0 };
	l->at = SIZE_MAX;
	l->later = false;
	if (root == NULL)
		return -1;
	statements = duckdb_tree_member(root, "statements");
	if (statements == NULL || statements->first == NULL || statements->first->next != NULL)
		return err_set(err, ERR_FORBIDDEN_SQL, "only a query can be followed under a column policy");
	statements = duckdb_tree_member(statements->first, "node");
	if (statements != NULL && follow_query(&w, statements, NULL, NULL, shape) == -1)
		return -1;
	return w.work <= WORK_MOST ? 0 :
				     err_set(err, ERR_FORBIDDEN_SQL,
					 "the statement names too many columns to be checked under a column policy; "
					 "simplify it");
}

/* mysql_lineage.c - see mysql_lineage.h. */
#include "workers/sql/mysql/guard/mysql_lineage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/guard/mysql_shown.h"

#define VIEWS_DEEP	32u	/* views within views */
#define VIEWS_MAX	500u	/* definitions in one statement */
#define WORK_MAX	((size_t)20 << 20)	/* columns looked at: some tenths of a second */

/* A relation of FROM. */
struct mysql_lineage_item {
	struct span			 schema, alias;
	struct mysql_shape		 shape;
	const struct mysql_seen		*seen;		/* what hidden columns it has; NULL: none */
	struct mysql_lineage_item		*next;
};

/* A WITH query; the innermost first. */
struct mysql_lineage_with {
	struct span			 name, renamed;
	struct mysql_node		*cte;
	enum { WITH_NEW, WITH_BUSY, WITH_DONE } state;
	struct mysql_shape		 shape;		/* before it is renamed by the list of names */
	const struct mysql_lineage_with	*sees;		/* what its query sees */
	struct mysql_lineage_with		*outer;
};

/* What names of columns mean at a place of a query. */
struct mysql_lineage_scope {
	struct mysql_lineage_with		*with;
	struct mysql_lineage_item		*items;
	const struct mysql_shape	*selected;	/* what SELECT lists; NULL: not visible here */
	bool				 merged;	/* a join lists columns of both sides once */
	const struct mysql_lineage_scope	*outer;
};

static int follow_query(struct mysql_lineage *l, struct mysql_node *query, struct mysql_lineage_with *with,
    const struct mysql_lineage_scope *outer, struct mysql_shape *shape);
static int follow_joined(struct mysql_lineage *l, struct mysql_node *joined, struct mysql_lineage_scope *scope);
static int check_node(struct mysql_lineage *l, struct mysql_node *node, const struct mysql_lineage_scope *scope);

static int
refuse_at(struct mysql_lineage *l, const struct mysql_node *node, enum err_code code, const char *before,
    struct span name, const char *behind)
{
	*l->at = node->at;
	return err_set(l->err, code, "%s%.*s%s", before, SPAN_FMT(name), behind);
}

int
mysql_lineage_full(struct mysql_lineage *l)
{
	*l->at = SIZE_MAX;
	return err_set(l->err, ERR_SQL_TOO_LONG, "the statement is too large under this connection's column policy");
}

static int
refuse_masked(struct mysql_lineage *l, const struct mysql_node *node, struct span name)
{
	return refuse_at(l, node, ERR_FORBIDDEN_SQL, "the column ", name,
	    " is masked: this connection's column policy shows it as " COLUMNS_MASKED
	    ", so it cannot be compared, ordered, grouped, joined or computed with; select it as "
	    "it is, count it, test it for NULL, or leave it out");
}

static int
refuse_hidden(struct mysql_lineage *l, const struct mysql_node *node, struct span name)
{
	return refuse_at(l, node, ERR_FORBIDDEN_SQL, "the column ", name,
	    " is hidden by this connection's column policy; leave it out");
}

/* Adds a leaf to parent, at its place; -1: the arena is full. */
static int
add_leaf(struct mysql_lineage *l, struct mysql_node *parent, enum mysql_kind kind, struct span text)
{
	struct mysql_node *n = mysql_tree_leaf(l->arena, kind, parent->at, text);

	if (n == NULL)
		return mysql_lineage_full(l);
	mysql_tree_add(parent, n);
	return 0;
}

/* ( query ) */
static struct mysql_node *
make_subquery(struct mysql_lineage *l, struct mysql_node *query)
{
	struct mysql_node *sub = mysql_tree_new(l->arena, MYSQL_NODE_SUBQUERY, query->at);

	if (sub == NULL) {
		mysql_lineage_full(l);
		return NULL;
	}
	if (add_leaf(l, sub, MYSQL_NODE_WORD, SPAN("(")) == -1)
		return NULL;
	query->next = NULL;
	mysql_tree_add(sub, query);
	return add_leaf(l, sub, MYSQL_NODE_WORD, SPAN(")")) == -1 ? NULL : sub;
}

static void
clear_children(struct mysql_node *node)
{
	node->first = node->last = NULL;
}

/* The name that many parts before the last; the empty span if none. */
static struct span
part_of(const struct mysql_node *names, unsigned back)
{
	struct span parts[3] = { SPAN_NONE, SPAN_NONE, SPAN_NONE };

	for (const struct mysql_node *n = mysql_tree_child(names, MYSQL_NODE_NAME); n != NULL;
	     n = mysql_tree_next(n, MYSQL_NODE_NAME)) {
		parts[2] = parts[1];
		parts[1] = parts[0];
		parts[0] = n->text;
	}
	return parts[back];
}

static const struct mysql_node *
name_of_alias(const struct mysql_node *alias)
{
	return alias == NULL ? NULL : alias->last;
}

static int
add_column(struct mysql_lineage *l, struct mysql_shape *shape, struct span name, enum columns_action action)
{
	struct mysql_shape_column *more;

	if (++l->work > WORK_MAX)
		return mysql_lineage_full(l);
	if (shape->n == shape->cap) {
		more = arena_array(l->arena, 2 * shape->cap + 8, sizeof(*more));
		if (more == NULL)
			return mysql_lineage_full(l);
		if (shape->n > 0)
			memcpy(more, shape->columns, shape->n * sizeof(*more));
		shape->columns = more;
		shape->cap = 2 * shape->cap + 8;
	}
	shape->columns[shape->n++] = (struct mysql_shape_column){ name, action };
	return 0;
}

static bool
find_column(struct mysql_lineage *l, const struct mysql_shape *shape, struct span name, enum columns_action *action)
{
	bool found = false;

	l->work += shape->n;
	for (size_t i = 0; i < shape->n && l->work <= WORK_MAX; i++)
		if (span_is_folded(shape->columns[i].name, name)) {
			if (!found || shape->columns[i].action > *action)
				*action = shape->columns[i].action;
			found = true;
		}
	return found;
}

static const struct mysql_shape_column *
masked_column(const struct mysql_shape *shape)
{
	const struct mysql_shape_column *c = shape->columns;
	size_t left = shape->n;

	while (left > 0 && c->action != COLUMNS_MASK) {
		left--;
		c++;
	}
	return left == 0 ? NULL : c;
}

/* No column of the shape may be masked. */
static int
check_shape(struct mysql_lineage *l, const struct mysql_node *node, const struct mysql_shape *shape)
{
	const struct mysql_shape_column *c = masked_column(shape);

	return c == NULL ? 0 : refuse_masked(l, node, c->name);
}

/* A list of names, first and those behind it, by position; a column that is not known by position may be any. */
static int
rename_columns(struct mysql_lineage *l, struct mysql_shape *shape, const struct mysql_node *name)
{
	struct mysql_shape old = *shape;
	enum columns_action any = masked_column(shape) == NULL ? COLUMNS_CLEAR : COLUMNS_MASK;

	if (name == NULL)
		return 0;
	*shape = (struct mysql_shape){ .open = old.open };
	for (size_t i = 0; name != NULL; name = mysql_tree_next(name, MYSQL_NODE_NAME), i++)
		if (add_column(l, shape, name->text, old.open || i >= old.n ? any : old.columns[i].action) == -1)
			return -1;
	return 0;
}

struct lineage_found {
	bool				 found, hidden;
	enum columns_action		 action;
	const struct mysql_lineage_item	*item;
};

static bool
is_hidden_in(struct mysql_lineage *l, const struct mysql_lineage_item *item, struct span name)
{
	const struct mysql_seen *seen = item->seen;

	l->work += seen == NULL ? 0 : seen->relation->ncolumns;
	for (size_t i = 0; seen != NULL && i < seen->relation->ncolumns; i++)
		if (seen->actions[i] == COLUMNS_HIDE && span_is_folded(seen->relation->columns[i].name, name))
			return true;
	return false;
}

static void
find_in_item(struct mysql_lineage *l, const struct mysql_lineage_item *item, struct span name, struct lineage_found *f)
{
	enum columns_action action = COLUMNS_CLEAR;

	if (find_column(l, &item->shape, name, &action)) {
		f->action = f->found && f->action > action ? f->action : action;
		f->found = true;
		f->item = item;
	} else if (is_hidden_in(l, item, name))
		f->hidden = true;
}

/* A name of one scope. */
static void
find_in_scope(struct mysql_lineage *l, const struct mysql_lineage_scope *scope, const struct mysql_node *column,
    struct lineage_found *f)
{
	struct span name = part_of(column, 0), table = part_of(column, 1), schema = part_of(column, 2);
	enum columns_action action;

	for (const struct mysql_lineage_item *i = scope->items; i != NULL; i = i->next)
		if ((table.len == 0 || span_is_folded(i->alias, table)) &&
		    (schema.len == 0 || span_is_folded(i->schema, schema)))
			find_in_item(l, i, name, f);
	if (table.len > 0 || scope->selected == NULL || !find_column(l, scope->selected, name, &action))
		return;
	f->action = f->found && f->action > action ? f->action : action;
	f->found = true;
}

/* A derived table has no schema. */
static void
drop_schema(struct mysql_node *names)
{
	names->first = names->first->next->next;
}

/* What a name stands for; the tree is changed to say it. */
static int
use_column(struct mysql_lineage *l, struct mysql_node *column, const struct mysql_lineage_scope *scope,
    enum columns_action *action)
{
	struct lineage_found f = { .found = false };

	for (; scope != NULL && !f.found && !f.hidden; scope = scope->outer)
		find_in_scope(l, scope, column, &f);
	if (l->work > WORK_MAX)
		return mysql_lineage_full(l);
	if (f.hidden && !f.found)
		return refuse_hidden(l, column, part_of(column, 0));
	*action = f.found ? f.action : COLUMNS_CLEAR;
	if (f.item != NULL && f.item->seen != NULL && part_of(column, 2).len > 0)
		drop_schema(column);
	return 0;
}

/* Functions and operators that give or compare what they are given; others compute with its text. */
static bool
takes_digests(const struct mysql_node *node)
{
	static const char *const functions[] = { "ANY_VALUE", "COALESCE", "COUNT", "FIRST_VALUE", "GREATEST", "IF",
		"IFNULL", "ISNULL", "LAG", "LAST_VALUE", "LEAD", "LEAST", "MAX", "MIN", "NTH_VALUE", "NULLIF", "NVL",
		"NVL2", NULL };
	static const char *const operators[] = { "=", "<=>", "<>", "!=", "<", ">", "<=", ">=", "IN", "BETWEEN", "IS",
		"NOT", "AND", "OR", "XOR", NULL };
	const struct mysql_node *word = node->first;

	if (node->kind == MYSQL_NODE_CALL)
		return span_is_any_word(word->text, functions);
	if (word->kind != MYSQL_NODE_WORD)
		word = word->next;
	if (mysql_tree_is(word, "NOT") && word->next != NULL && word->next->kind == MYSQL_NODE_WORD)
		word = word->next;
	return span_is_any(word->text, operators);
}

/* The one operand of IS NULL, ISNULL() and COUNT(), which may be a masked column; NULL: it is another expression. */
static const struct mysql_node *
harmless_operand(const struct mysql_node *node)
{
	static const char *const functions[] = { "COUNT", "ISNULL", NULL };
	const struct mysql_node *first = node->first;

	if (node->kind == MYSQL_NODE_EXPRESSION)
		return mysql_tree_is(first->next, "IS") && mysql_tree_is(node->last, "NULL") ? first : NULL;
	if (node->kind != MYSQL_NODE_CALL || !span_is_any_word(first->text, functions))
		return NULL;
	/* COUNT ( column ) */
	return first->next->next != NULL && mysql_tree_is(first->next->next->next, ")") ? first->next->next : NULL;
}

static int
check_column(struct mysql_lineage *l, struct mysql_node *column, const struct mysql_node *parent,
    const struct mysql_lineage_scope *scope)
{
	enum columns_action action;

	if (use_column(l, column, scope, &action) == -1)
		return -1;
	if (action == COLUMNS_MASK && column != harmless_operand(parent))
		return refuse_masked(l, column, part_of(column, 0));
	if (action == COLUMNS_HASH && (parent->kind == MYSQL_NODE_CALL || parent->kind == MYSQL_NODE_EXPRESSION) &&
	    !takes_digests(parent))
		return refuse_at(l, column, ERR_FORBIDDEN_SQL, "the column ", part_of(column, 0),
		    " is hashed: this connection's column policy shows its digest, which can be selected, "
		    "compared, grouped, joined and counted; text functions, patterns and arithmetic have "
		    "no meaning on it");
	return 0;
}

/* The column of CONVERT(x USING utf8mb4) COLLATE MYSQL_BY_BYTES; NULL: node is another expression. */
static struct mysql_node *
column_by_bytes(const struct mysql_node *node)
{
	const struct mysql_node *call = node->kind == MYSQL_NODE_EXPRESSION ? node->first : NULL;
	struct mysql_node *column;

	if (call == NULL || call->kind != MYSQL_NODE_CALL || !span_is_word(call->first->text, "CONVERT") ||
	    !mysql_tree_is(call->next, "COLLATE") || !span_is_word(node->last->last->text, MYSQL_BY_BYTES))
		return NULL;
	column = call->first->next->next;
	return column->kind == MYSQL_NODE_COLUMN && mysql_tree_is(column->next, "USING") ? column : NULL;
}

/*
 * The semantic layer writes each column of text so that it compares by bytes.  What replaces a protected
 * column does that by itself: the name alone is sent.
 */
static int
drop_collation(struct mysql_lineage *l, struct mysql_node *node, const struct mysql_lineage_scope *scope)
{
	struct mysql_node *column = column_by_bytes(node);
	enum columns_action action;

	if (column == NULL)
		return 0;
	if (use_column(l, column, scope, &action) == -1)
		return -1;
	if (action != COLUMNS_CLEAR) {
		node->kind = MYSQL_NODE_COLUMN;
		node->height = column->height;
		node->first = column->first;
		node->last = column->last;
	}
	return 0;
}

static int
check_subquery(struct mysql_lineage *l, struct mysql_node *query, const struct mysql_node *where,
    const struct mysql_lineage_scope *scope)
{
	struct mysql_shape shape = { .n = 0 };

	if (follow_query(l, query, scope->with, scope, &shape) == -1)
		return -1;
	return where->kind == MYSQL_NODE_exists ? 0 : check_shape(l, query, &shape);
}

static int
check_child(struct mysql_lineage *l, struct mysql_node *child, const struct mysql_node *parent,
    const struct mysql_lineage_scope *scope)
{
	if (drop_collation(l, child, scope) == -1)
		return -1;
	if (child->kind == MYSQL_NODE_SUBQUERY)
		return check_subquery(l, child->first->next, parent, scope);
	if (child->kind == MYSQL_NODE_COLUMN)
		return check_column(l, child, parent, scope);
	return check_node(l, child, scope);
}

/* What is in an expression, or in a part of a statement that has expressions. */
static int
check_node(struct mysql_lineage *l, struct mysql_node *node, const struct mysql_lineage_scope *scope)
{
	struct mysql_node *n = node->first;

	if (node->kind == MYSQL_NODE_COLUMN)
		return check_column(l, node, node, scope);
	if (node->kind == MYSQL_NODE_default || (node->kind == MYSQL_NODE_CALL && span_is_str(n->text, "VALUE")))
		return refuse_at(l, node, ERR_FORBIDDEN_SQL, "", n->text,
		    "(…) is not allowed under this connection's column policy: what it is computed from is not "
		    "followed; leave it out");
	if (node->kind == MYSQL_NODE_SUBQUERY)
		return check_subquery(l, n->next, node, scope);
	if (node->kind == MYSQL_NODE_CALL && n->kind == MYSQL_NODE_COLUMN)
		return refuse_at(l, n, ERR_FORBIDDEN_SQL, "the stored function ", part_of(n, 0),
		    " cannot be called under this connection's column policy: what it reads is not known; "
		    "query the tables");
	for (; n != NULL; n = n->next)
		if (check_child(l, n, node, scope) == -1)
			return -1;
	return 0;
}

static int
show_columns(struct mysql_lineage *l, const struct mysql_seen *seen, struct mysql_shape *shape)
{
	for (size_t i = 0; i < seen->relation->ncolumns; i++)
		if (mysql_shown_column(seen, i) &&
		    add_column(l, shape, seen->relation->columns[i].name, seen->actions[i]) == -1)
			return -1;
	return 0;
}

static struct mysql_lineage_item *
add_item(struct mysql_lineage *l, struct mysql_lineage_scope *scope, struct span alias, struct mysql_shape shape)
{
	struct mysql_lineage_item *item = arena_alloc(l->arena, sizeof(*item)), **end = &scope->items;

	if (item == NULL) {
		mysql_lineage_full(l);
		return NULL;
	}
	*item = (struct mysql_lineage_item){ .alias = alias, .shape = shape };
	while (*end != NULL)
		end = &(*end)->next;
	return *end = item;
}

/* The alias of a table, or of a query in brackets; the empty span: it has none. */
static struct span
alias_of(struct mysql_node *table)
{
	struct mysql_node *derived = mysql_tree_child(table, MYSQL_NODE_derived);
	const struct mysql_node *name =
	    name_of_alias(mysql_tree_child(derived == NULL ? table : derived, MYSQL_NODE_alias));

	return name == NULL ? SPAN_NONE : name->text;
}

/* What stands between a table's name and its alias, with partitions and time, moves into the sub-select with it. */
static void
move_parts(struct mysql_node *table, struct mysql_node *into)
{
	struct mysql_node *name = mysql_tree_child(into, MYSQL_NODE_table_name), *next;

	for (struct mysql_node *n = mysql_tree_child(table, MYSQL_NODE_table_name)->next; n != NULL; n = next) {
		next = n->next;
		if (n->kind == MYSQL_NODE_alias || n->kind == MYSQL_NODE_index_hint)
			continue;
		mysql_tree_insert(into, name, n);
		name = n;
	}
}

/* The table of FROM becomes ( query ) AS alias. */
static int
replace_table(struct mysql_lineage *l, struct mysql_node *table, struct mysql_node *query, struct span alias)
{
	struct mysql_node *derived = mysql_tree_new(l->arena, MYSQL_NODE_derived, table->at), *sub, *as;

	if (query == NULL || derived == NULL)
		return query == NULL ? -1 : mysql_lineage_full(l);
	if ((sub = make_subquery(l, query)) == NULL)
		return -1;
	if ((as = mysql_tree_alias(l->arena, table->at, MYSQL_NODE_NAME, alias)) == NULL)
		return mysql_lineage_full(l);
	clear_children(table);
	mysql_tree_add(derived, as);
	mysql_tree_add(table, sub);
	mysql_tree_add(table, derived);
	l->reached = true;
	return 0;
}

static int
replace_protected(struct mysql_lineage *l, struct mysql_node *table, const struct mysql_seen *seen, struct span alias)
{
	struct mysql_node *partitions = mysql_tree_child(table, MYSQL_NODE_partitions), *query;
	bool divides = mysql_shown_divides(l, seen);

	l->divided = l->divided || divides;
	if (partitions != NULL && divides)
		return refuse_at(l, partitions, ERR_FORBIDDEN_SQL, "a partition of ", seen->relation->name,
		    " cannot be read by itself: a protected column decides which rows are in it; leave "
		    "PARTITION out");
	if ((query = mysql_shown_table(l, seen, table->at)) == NULL)
		return -1;
	move_parts(table, mysql_shown_inner(query));
	return replace_table(l, table, query, alias);
}

static int
refuse_view(struct mysql_lineage *l, const struct mysql_node *node, const struct mysql_relation *view)
{
	return refuse_at(l, node, ERR_FORBIDDEN_SQL, "the view ", view->name,
	    " cannot be read: it names hidden columns, compares, filters by or computes from "
	    "columns that this connection's column policy protects, or its definition is not known "
	    "here; query the tables");
}

/* The definition of a view, followed. */
static struct mysql_node *
follow_definition(struct mysql_lineage *l, const struct mysql_relation *view, struct mysql_shape *shape)
{
	struct mysql_node *tree;
	size_t at;
	int rc;

	if (view->definition.len == 0 || l->depth == VIEWS_DEEP || l->nviews == VIEWS_MAX)
		return NULL;
	l->nviews++;
	tree = mysql_parse(l->arena, view->definition, &at, l->err);
	if (tree == NULL || tree->first->kind != MYSQL_NODE_QUERY)
		return NULL;
	l->depth++;
	rc = follow_query(l, tree->first, NULL, NULL, shape);
	l->depth--;
	return rc == 0 && shape->n == view->ncolumns && !shape->open ? tree->first : NULL;
}

/* Whether a rule names columns of the view itself that are not protected as much already. */
static bool
has_own_rules(const struct mysql_seen *seen, const struct mysql_shape *shape)
{
	for (size_t i = 0; i < shape->n; i++)
		if (seen->actions[i] > shape->columns[i].action)
			return true;
	return false;
}

static int
follow_view(struct mysql_lineage *l, struct mysql_node *table, const struct mysql_seen *seen, struct span alias,
    struct mysql_shape *shape)
{
	const struct mysql_node *name = table->first;
	struct mysql_shape own = { .n = 0 };
	bool reached = l->reached;
	struct mysql_node *query;

	if (!seen->protects && !seen->refused)
		return show_columns(l, seen, shape);
	l->reached = false;
	query = follow_definition(l, seen->relation, &own);
	if (query == NULL)
		return refuse_view(l, name, seen->relation);
	for (size_t i = 0; i < own.n; i++) {
		enum columns_action action =
		    seen->actions[i] > own.columns[i].action ? seen->actions[i] : own.columns[i].action;

		if (action != COLUMNS_HIDE && add_column(l, shape, seen->relation->columns[i].name, action) == -1)
			return -1;
	}
	if (has_own_rules(seen, &own))
		query = mysql_shown_around(l, seen, &own, query);
	else if (!l->reached) {
		l->reached = reached;
		return 0;
	}
	return replace_table(l, table, query, alias);
}

static int
follow_relation(struct mysql_lineage *l, struct mysql_node *table, const struct mysql_seen *seen, struct span alias,
    struct mysql_shape *shape)
{
	const struct mysql_relation *r = seen->relation;

	if (r->is_view && !span_is_word(r->schema, "information_schema"))
		return follow_view(l, table, seen, alias, shape);
	if (r->elsewhere)
		return refuse_at(l, table, ERR_FORBIDDEN_SQL, "the table ", r->name,
		    " cannot be read under this connection's column policy: what is in it is that of other "
		    "tables; query those");
	if (show_columns(l, seen, shape) == -1)
		return -1;
	if (seen->protects)
		return replace_protected(l, table, seen, alias);
	if (span_is_word(r->schema, "information_schema") && mysql_shown_tells(r->name) &&
	    l->next(l->arg, NULL) != NULL)
		return replace_table(l, table, mysql_shown_described(l, r, table->at), alias);
	return 0;
}

static struct mysql_lineage_with *
find_with(struct mysql_lineage_with *with, struct span name)
{
	while (with != NULL && !span_is_folded(with->name, name))
		with = with->outer;
	return with;
}

/* The names behind the name of a WITH query; NULL: it has none. */
static const struct mysql_node *
names_of_cte(const struct mysql_node *cte)
{
	const struct mysql_node *open = cte->first->next;

	return mysql_tree_is(open, "(") ? open->next : NULL;
}

static int
follow_cte(struct mysql_lineage *l, struct mysql_lineage_with *with, const struct mysql_lineage_scope *outer)
{
	int rc;

	if (with->state != WITH_NEW)
		return 0;
	with->state = WITH_BUSY;
	rc = follow_query(l, mysql_tree_child(with->cte, MYSQL_NODE_QUERY), (struct mysql_lineage_with *)with->sees,
	    outer, &with->shape);
	with->state = WITH_DONE;
	return rc;
}

/* A table of FROM that is the name of a WITH query. */
static int
follow_with_name(struct mysql_lineage *l, struct mysql_node *table, struct mysql_lineage_with *with,
    const struct mysql_lineage_scope *scope, struct mysql_shape *shape)
{
	struct mysql_node *name = table->first->first;
	struct span called = name->text;

	if (follow_cte(l, with, scope->outer) == -1)
		return -1;
	*shape = with->shape;
	name->text = with->renamed;
	if (!mysql_tree_name_table(l->arena, table, called))
		return mysql_lineage_full(l);
	return rename_columns(l, shape, names_of_cte(with->cte));
}

static int
find_relation(struct mysql_lineage *l, const struct mysql_node *names, struct span schema, struct span name,
    const struct mysql_seen **seen)
{
	*seen = l->find(l->arg, schema, name);
	return *seen != NULL ? 0 :
			       refuse_at(l, names, ERR_TABLE_NOT_FOUND, "there is no table ", name,
				   " that this connection knows; its names are listed by entity_details");
}

static int
follow_named(struct mysql_lineage *l, struct mysql_node *table, struct mysql_lineage_scope *scope)
{
	struct span name = part_of(table->first, 0), schema = part_of(table->first, 1), alias = alias_of(table);
	struct mysql_lineage_with *with = schema.len == 0 ? find_with(scope->with, name) : NULL;
	struct mysql_shape shape = { .n = 0 };
	const struct mysql_seen *seen = NULL;
	struct mysql_lineage_item *item;

	for (struct mysql_node *n = table->first->next; n != NULL; n = n->next)
		if (n->kind == MYSQL_NODE_assumed && check_node(l, n, scope) == -1)
			return -1;
	if (alias.len == 0)
		alias = name;
	if (with != NULL) {
		if (follow_with_name(l, table, with, scope, &shape) == -1)
			return -1;
	} else if (find_relation(l, table->first, schema, name, &seen) == -1 ||
	    follow_relation(l, table, seen, alias, &shape) == -1)
		return -1;
	if ((item = add_item(l, scope, alias, shape)) == NULL)
		return -1;
	/* Only what was replaced has lost its schema. */
	item->seen = seen != NULL && table->first->kind == MYSQL_NODE_SUBQUERY ? seen : NULL;
	item->schema = seen != NULL ? seen->relation->schema : SPAN_NONE;
	return 0;
}

static int
add_json_columns(struct mysql_lineage *l, const struct mysql_node *columns, struct mysql_shape *shape)
{
	for (const struct mysql_node *c = mysql_tree_child(columns, MYSQL_NODE_json_column); c != NULL;
	     c = mysql_tree_next(c, MYSQL_NODE_json_column)) {
		const struct mysql_node *nested = mysql_tree_child(c, MYSQL_NODE_json_columns);

		if (nested != NULL ? add_json_columns(l, nested, shape) == -1 :
				     add_column(l, shape, c->first->text, COLUMNS_CLEAR) == -1)
			return -1;
	}
	return 0;
}

static int
follow_table(struct mysql_lineage *l, struct mysql_node *table, struct mysql_lineage_scope *scope)
{
	struct mysql_node *first = table->first, *derived = mysql_tree_child(table, MYSQL_NODE_derived);
	bool lateral = mysql_tree_is(first, "LATERAL");
	struct mysql_shape shape = { .n = 0 };

	if (lateral)
		first = first->next;
	if (first->kind == MYSQL_NODE_table_name)
		return follow_named(l, table, scope);
	if (first->kind == MYSQL_NODE_NESTED) {
		for (struct mysql_node *n = first->first; n != NULL; n = n->next)
			if (n->kind == MYSQL_NODE_joined && follow_joined(l, n, scope) == -1)
				return -1;
		return 0;
	}
	if (first->kind == MYSQL_NODE_json_table) {
		if (check_node(l, first, scope) == -1 ||
		    add_json_columns(l, mysql_tree_child(first, MYSQL_NODE_json_columns), &shape) == -1)
			return -1;
	} else if (follow_query(l, first->first->next, scope->with, lateral ? scope : scope->outer, &shape) == -1 ||
	    rename_columns(l, &shape, mysql_tree_child(derived, MYSQL_NODE_NAME)) == -1)
		return -1;
	return add_item(l, scope, alias_of(table), shape) == NULL ? -1 : 0;
}

/* The last relation so far, else NULL. */
static const struct mysql_lineage_item *
last_item(const struct mysql_lineage_scope *scope)
{
	const struct mysql_lineage_item *last = scope->items;

	while (last != NULL && last->next != NULL)
		last = last->next;
	return last;
}

static bool
is_named(const struct mysql_node *names, struct span name)
{
	for (const struct mysql_node *n = mysql_tree_child(names, MYSQL_NODE_NAME); n != NULL;
	     n = mysql_tree_next(n, MYSQL_NODE_NAME))
		if (span_is_folded(n->text, name))
			return true;
	return false;
}

static int
check_using(struct mysql_lineage *l, const struct mysql_node *names, const struct mysql_lineage_scope *scope)
{
	for (const struct mysql_node *n = mysql_tree_child(names, MYSQL_NODE_NAME); n != NULL;
	     n = mysql_tree_next(n, MYSQL_NODE_NAME))
		for (const struct mysql_lineage_item *i = scope->items; i != NULL; i = i->next) {
			struct lineage_found f = { .found = false };

			find_in_item(l, i, n->text, &f);
			if (f.hidden)
				return refuse_hidden(l, n, n->text);
		}
	return 0;
}

/*
 * Columns of the same name on both sides of USING (names) or NATURAL JOIN (NULL) are compared.  left: the last
 * relation of the left side.
 */
static int
check_merged(struct mysql_lineage *l, const struct mysql_node *node, const struct mysql_node *names,
    const struct mysql_lineage_scope *scope, const struct mysql_lineage_item *left)
{
	for (const struct mysql_lineage_item *r = left->next; r != NULL; r = r->next)
		for (size_t k = 0; k < r->shape.n; k++) {
			const struct mysql_shape_column *c = &r->shape.columns[k];

			if (names != NULL && !is_named(names, c->name))
				continue;
			for (const struct mysql_lineage_item *o = scope->items; o != left->next; o = o->next) {
				enum columns_action action;

				if (find_column(l, &o->shape, c->name, &action) &&
				    (c->action == COLUMNS_MASK || action == COLUMNS_MASK))
					return refuse_masked(l, node, c->name);
			}
		}
	return l->work > WORK_MAX ? mysql_lineage_full(l) : names == NULL ? 0 : check_using(l, names, scope);
}

static int
follow_join(struct mysql_lineage *l, struct mysql_node *join, struct mysql_lineage_scope *scope)
{
	struct mysql_node *joining = mysql_tree_child(join, MYSQL_NODE_joining);
	bool natural = mysql_tree_has(join, "NATURAL"), merges = joining != NULL && mysql_tree_has(joining, "USING");
	const struct mysql_lineage_item *left = last_item(scope);

	if (follow_joined(l, mysql_tree_child(join, MYSQL_NODE_joined), scope) == -1)
		return -1;
	scope->merged = scope->merged || natural || merges;
	if ((natural || merges) && check_merged(l, join, merges ? joining : NULL, scope, left) == -1)
		return -1;
	return joining == NULL || merges ? 0 : check_node(l, joining, scope);
}

static int
follow_joined(struct mysql_lineage *l, struct mysql_node *joined, struct mysql_lineage_scope *scope)
{
	for (struct mysql_node *n = joined->first; n != NULL; n = n->next)
		if ((n->kind == MYSQL_NODE_table ? follow_table(l, n, scope) : follow_join(l, n, scope)) == -1)
			return -1;
	return 0;
}

static int
follow_star(struct mysql_lineage *l, struct mysql_node *star, const struct mysql_lineage_scope *scope,
    struct mysql_shape *shape)
{
	struct span table = part_of(star, 0), schema = part_of(star, 1);

	for (const struct mysql_lineage_item *i = scope->items; i != NULL; i = i->next) {
		if ((table.len > 0 && !span_is_folded(i->alias, table)) ||
		    (schema.len > 0 && !span_is_folded(i->schema, schema)))
			continue;
		for (size_t k = 0; k < i->shape.n; k++)
			if (add_column(l, shape, i->shape.columns[k].name, i->shape.columns[k].action) == -1)
				return -1;
		shape->open = shape->open || i->shape.open;
		if (schema.len > 0 && i->seen != NULL) {
			drop_schema(star);
			schema = SPAN_NONE;
		}
	}
	shape->open = shape->open || (table.len == 0 && scope->merged);
	return 0;
}

static int
follow_item(struct mysql_lineage *l, struct mysql_node *item, const struct mysql_lineage_scope *scope,
    struct mysql_shape *shape)
{
	struct mysql_node *expr = item->first;
	const struct mysql_node *alias = name_of_alias(mysql_tree_child(item, MYSQL_NODE_alias));
	enum columns_action action = COLUMNS_CLEAR;
	struct mysql_shape one = { .n = 0 };
	struct span name = alias != NULL ? alias->text : SPAN_NONE;

	if (drop_collation(l, expr, scope) == -1)
		return -1;
	if (expr->kind == MYSQL_NODE_COLUMN) {
		if (name.len == 0)
			name = part_of(expr, 0);
		if (use_column(l, expr, scope, &action) == -1)
			return -1;
	} else if (expr->kind == MYSQL_NODE_SUBQUERY) {
		if (follow_query(l, expr->first->next, scope->with, scope, &one) == -1)
			return -1;
		for (size_t i = 0; i < one.n; i++)
			action = one.columns[i].action > action ? one.columns[i].action : action;
	} else if (check_node(l, expr, scope) == -1)
		return -1;
	return add_column(l, shape, name, action);
}

/* GROUP BY 2, ORDER BY 2: the number of a column of the list, from 1; 0: it is no number. */
static size_t
position_of(const struct mysql_node *expr)
{
	const struct mysql_node *n = expr->kind == MYSQL_NODE_literal ? expr->first : NULL;
	size_t position = 0;

	if (n == NULL || n->kind != MYSQL_NODE_NUMBER || n->text.len > 6)
		return 0;
	for (size_t i = 0; i < n->text.len; i++)
		position = position * 10 + (size_t)(n->text.p[i] - '0');
	return position;
}

/* A key of GROUP BY or ORDER BY. */
static int
check_key(struct mysql_lineage *l, struct mysql_node *grouping, const struct mysql_lineage_scope *scope)
{
	const struct mysql_shape *shape = scope->selected;
	size_t position = position_of(grouping->first);

	if (position == 0 || shape == NULL)
		return check_node(l, grouping, scope);
	if (shape->open)
		return check_shape(l, grouping, shape);
	return position <= shape->n && shape->columns[position - 1].action == COLUMNS_MASK ?
	    refuse_masked(l, grouping, shape->columns[position - 1].name) :
	    0;
}

static int
check_keys(struct mysql_lineage *l, struct mysql_node *node, const struct mysql_lineage_scope *scope)
{
	for (struct mysql_node *n = mysql_tree_child(node, MYSQL_NODE_grouping); n != NULL;
	     n = mysql_tree_next(n, MYSQL_NODE_grouping))
		if (check_key(l, n, scope) == -1)
			return -1;
	return 0;
}

/* FROM and WHERE, which do not know what is selected; then the list; then what is behind it. */
static int
follow_select(struct mysql_lineage *l, struct mysql_node *select, struct mysql_lineage_scope *scope,
    struct mysql_shape *shape)
{
	bool distinct = false, where = false;

	for (struct mysql_node *n = select->first; n != NULL; n = n->next) {
		distinct = distinct ||
		    (n->kind == MYSQL_NODE_option &&
			(mysql_tree_has(n, "DISTINCT") || mysql_tree_has(n, "DISTINCTROW")));
		if ((n->kind == MYSQL_NODE_joined && follow_joined(l, n, scope) == -1) ||
		    (where && check_child(l, n, n, scope) == -1))
			return -1;
		where = mysql_tree_is(n, "WHERE");
	}
	for (struct mysql_node *n = mysql_tree_child(select, MYSQL_NODE_selected); n != NULL;
	     n = mysql_tree_next(n, MYSQL_NODE_selected))
		if ((n->first->kind == MYSQL_NODE_STAR ? follow_star(l, n->first, scope, shape) :
							 follow_item(l, n->first, scope, shape)) == -1)
			return -1;
	scope->selected = shape;
	where = false;
	for (struct mysql_node *n = select->first; n != NULL; n = n->next) {
		if ((n->kind == MYSQL_NODE_grouping && check_key(l, n, scope) == -1) ||
		    (n->kind == MYSQL_NODE_window && check_node(l, n, scope) == -1) ||
		    (where && check_child(l, n, n, scope) == -1))
			return -1;
		where = mysql_tree_is(n, "HAVING");
	}
	return distinct ? check_shape(l, select, shape) : 0;
}

static int
follow_values(struct mysql_lineage *l, struct mysql_node *values, const struct mysql_lineage_scope *scope,
    struct mysql_shape *shape)
{
	struct mysql_node *row = mysql_tree_child(values, MYSQL_NODE_values_row);

	for (const struct mysql_node *n = row->first; n != NULL; n = n->next)
		if (n->kind != MYSQL_NODE_WORD && add_column(l, shape, SPAN_NONE, COLUMNS_CLEAR) == -1)
			return -1;
	return check_node(l, values, scope);
}

/* TABLE t is SELECT * FROM t. */
static int
make_select(struct mysql_lineage *l, struct mysql_node *node)
{
	static const enum mysql_kind kinds[] = { MYSQL_NODE_selected, MYSQL_NODE_STAR, MYSQL_NODE_joined,
		MYSQL_NODE_table };
	struct mysql_node *name = mysql_tree_child(node, MYSQL_NODE_table_name), *made[4];

	for (size_t i = 0; i < 4; i++)
		if ((made[i] = mysql_tree_new(l->arena, kinds[i], node->at)) == NULL)
			return mysql_lineage_full(l);
	node->kind = MYSQL_NODE_select;
	clear_children(node);
	name->next = NULL;
	if (add_leaf(l, made[1], MYSQL_NODE_WORD, SPAN("*")) == -1 ||
	    add_leaf(l, node, MYSQL_NODE_WORD, SPAN("SELECT")) == -1)
		return -1;
	mysql_tree_add(made[0], made[1]);
	mysql_tree_add(node, made[0]);
	if (add_leaf(l, node, MYSQL_NODE_WORD, SPAN("FROM")) == -1)
		return -1;
	mysql_tree_add(made[3], name);
	mysql_tree_add(made[2], made[3]);
	mysql_tree_add(node, made[2]);
	return 0;
}

static int
follow_operand(struct mysql_lineage *l, struct mysql_node *operand, struct mysql_lineage_scope *scope,
    struct mysql_shape *shape)
{
	switch (operand->kind) {
	case MYSQL_NODE_SUBQUERY:
		return follow_query(l, operand->first->next, scope->with, scope->outer, shape);
	case MYSQL_NODE_values:
		return follow_values(l, operand, scope, shape);
	case MYSQL_NODE_table_query:
		if (make_select(l, operand) == -1)
			return -1;
		/* FALLTHROUGH */
	default:
		return follow_select(l, operand, scope, shape);
	}
}

/* The columns of both sides; what looks for equal rows may have no masks. */
static int
follow_set(struct mysql_lineage *l, struct mysql_node *set, const struct mysql_lineage_scope *around,
    struct mysql_shape *shape)
{
	struct mysql_lineage_scope scope = { .with = around->with, .outer = around->outer };
	struct mysql_shape more = { .n = 0 };

	if (follow_operand(l, set->last, &scope, &more) == -1)
		return -1;
	for (size_t i = 0; i < more.n && i < shape->n; i++)
		if (more.columns[i].action > shape->columns[i].action)
			shape->columns[i].action = more.columns[i].action;
	shape->open = shape->open || more.open;
	if (more.open && masked_column(&more) != NULL)
		for (size_t i = 0; i < shape->n; i++)
			shape->columns[i].action = COLUMNS_MASK;
	return mysql_tree_has(set, "UNION") && mysql_tree_has(set, "ALL") ? 0 : check_shape(l, set, shape);
}

static int
push_cte(struct mysql_lineage *l, struct mysql_node *cte, struct mysql_lineage_scope *scope)
{
	struct mysql_lineage_with *with = arena_alloc(l->arena, sizeof(*with));
	char name[32];

	snprintf(name, sizeof(name), "carrel with %u", ++l->nwith);
	if (with == NULL)
		return mysql_lineage_full(l);
	*with = (struct mysql_lineage_with){ .name = cte->first->text,
		.renamed = arena_span(l->arena, span_str(name)),
		.cte = cte,
		.sees = scope->with,
		.outer = scope->with };
	if (with->renamed.p == NULL)
		return mysql_lineage_full(l);
	cte->first->text = with->renamed;
	scope->with = with;
	return 0;
}

/* Each query of WITH sees those before it; with RECURSIVE all see all of them. */
static int
follow_with(struct mysql_lineage *l, struct mysql_node *with, struct mysql_lineage_scope *scope)
{
	const struct mysql_lineage_with *outer = scope->with;

	for (struct mysql_node *n = mysql_tree_child(with, MYSQL_NODE_cte); n != NULL;
	     n = mysql_tree_next(n, MYSQL_NODE_cte))
		if (push_cte(l, n, scope) == -1)
			return -1;
	if (mysql_tree_has(with, "RECURSIVE"))
		for (struct mysql_lineage_with *w = scope->with; w != outer; w = w->outer)
			w->sees = scope->with;
	for (struct mysql_lineage_with *w = scope->with; w != outer; w = w->outer)
		if (follow_cte(l, w, scope->outer) == -1)
			return -1;
	return 0;
}

static int
follow_query(struct mysql_lineage *l, struct mysql_node *query, struct mysql_lineage_with *with,
    const struct mysql_lineage_scope *outer, struct mysql_shape *shape)
{
	struct mysql_lineage_scope scope = { .with = with, .outer = outer };
	bool first = true;
	int rc = 0;

	for (struct mysql_node *n = query->first; n != NULL && rc == 0; n = n->next)
		switch (n->kind) {
		case MYSQL_NODE_with:
			rc = follow_with(l, n, &scope);
			break;
		case MYSQL_NODE_set_operation:
			rc = follow_set(l, n, &scope, shape);
			break;
		case MYSQL_NODE_order:
			rc = check_keys(l, n, &scope);
			break;
		case MYSQL_NODE_limit:
			break;
		default:
			rc = first ? follow_operand(l, n, &scope, shape) : check_node(l, n, &scope);
			scope.selected = shape;
			first = false;
		}
	return rc;
}

static int
describe_named(struct mysql_lineage *l, const struct mysql_node *names, struct span schema)
{
	const struct mysql_seen *seen;
	struct span name = part_of(names, 0);

	if (schema.len == 0) /* of SHOW COLUMNS FROM a.t FROM b the server shows b.t */
		schema = part_of(names, 1);
	if (find_relation(l, names, schema, name, &seen) == -1)
		return -1;
	return !seen->protects && !seen->refused ?
	    0 :
	    refuse_at(l, names, ERR_FORBIDDEN_SQL, "", name,
		" has columns that this connection's column policy protects, and its description could "
		"tell their values; SELECT from information_schema.COLUMNS or STATISTICS instead");
}

/* SHOW COLUMNS FROM t FROM shop, SHOW CREATE TABLE shop.t, DESCRIBE t */
static int
follow_description(struct mysql_lineage *l, struct mysql_node *node)
{
	const struct mysql_lineage_scope nothing = { .with = NULL };
	const struct mysql_node *from = mysql_tree_child(node, MYSQL_NODE_shown_from);
	const struct mysql_node *schema = mysql_tree_child(from, MYSQL_NODE_schema);
	bool where = false;

	for (struct mysql_node *n = node->first; n != NULL; n = n->next) {
		if ((n->kind == MYSQL_NODE_table_name &&
			describe_named(l, n, schema == NULL ? SPAN_NONE : schema->first->text) == -1) ||
		    (n->kind == MYSQL_NODE_shown_of && follow_description(l, n) == -1) ||
		    (where && check_child(l, n, n, &nothing) == -1))
			return -1;
		if (mysql_tree_is(n, "STATUS") && l->next(l->arg, NULL) != NULL)
			return refuse_at(l, n, ERR_FORBIDDEN_SQL, "SHOW TABLE ", n->text,
			    " is not allowed under this connection's column policy; SELECT from "
			    "information_schema.TABLES instead");
		where = mysql_tree_is(n, "WHERE");
	}
	return 0;
}

/* The table that MySQL shows only where its explain_format is no other. */
static int
pin_format(struct mysql_lineage *l, struct mysql_node *explain)
{
	static const char *const words[] = { "FORMAT", "=", "TRADITIONAL" };
	struct mysql_node *before = explain->first, *n;

	for (size_t i = 0; i < 3; i++, before = n) {
		n = mysql_tree_leaf(l->arena, i == 2 ? MYSQL_NODE_NAME : MYSQL_NODE_WORD, explain->at,
		    span_str(words[i]));
		if (n == NULL)
			return mysql_lineage_full(l);
		mysql_tree_insert(explain, before, n);
	}
	return 0;
}

/* FORMAT=JSON shows conditions with the values of tables of one row; the names of partitions tell values. */
static int
follow_explain(struct mysql_lineage *l, struct mysql_node *explain)
{
	struct mysql_node *last = explain->last;
	struct mysql_shape shape = { .n = 0 };

	if (last->kind == MYSQL_NODE_described)
		return follow_description(l, last);
	if (follow_query(l, last, NULL, NULL, &shape) == -1)
		return -1;
	if (l->divided)
		return refuse_at(l, explain, ERR_FORBIDDEN_SQL,
		    "EXPLAIN could tell the names of partitions that a column protected by this connection's column "
		    "policy divides; leave ",
		    SPAN("EXPLAIN"), " out");
	if (!l->reached || mysql_tree_has(explain, "EXTENDED") || mysql_tree_has(explain, "PARTITIONS"))
		return 0;
	return mysql_tree_has(explain, "FORMAT") ?
	    refuse_at(l, explain, ERR_FORBIDDEN_SQL,
		"EXPLAIN FORMAT could tell values of columns that this connection's column policy "
		"protects; leave ",
		SPAN("FORMAT"), " out") :
	    pin_format(l, explain);
}

int
mysql_lineage_statement(struct mysql_lineage *l, struct mysql_node *tree)
{
	struct mysql_node *first = tree->first;
	struct mysql_shape shape = { .n = 0 };

	switch (first->kind) {
	case MYSQL_NODE_explain:
		return follow_explain(l, first);
	case MYSQL_NODE_show:
		return follow_description(l, first);
	default:
		return follow_query(l, first, NULL, NULL, &shape);
	}
}

int
mysql_lineage_view(struct mysql_lineage *l, const struct mysql_relation *view, struct mysql_shape *shape)
{
	return follow_definition(l, view, shape) == NULL ? -1 : 0;
}

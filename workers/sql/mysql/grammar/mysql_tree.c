/* mysql_tree.c - see mysql_tree.h. */
#include "workers/sql/mysql/grammar/mysql_tree.h"

struct mysql_node *
mysql_tree_new(struct arena *a, enum mysql_kind kind, size_t at)
{
	struct mysql_node *n = arena_alloc(a, sizeof(*n));

	if (n != NULL)
		*n = (struct mysql_node){ .kind = kind, .at = at, .end = at };
	return n;
}

struct mysql_node *
mysql_tree_leaf(struct arena *a, enum mysql_kind kind, size_t at, struct span text)
{
	struct mysql_node *leaf = mysql_tree_new(a, kind, at);

	if (leaf != NULL)
		leaf->text = text;
	return leaf;
}

void
mysql_tree_add(struct mysql_node *node, struct mysql_node *child)
{
	if (node->first == NULL)
		node->first = child;
	else
		node->last->next = child;
	node->last = child;
	if (node->height <= child->height)
		node->height = child->height + 1;
	if (child->at < node->at)
		node->at = child->at;
	if (child->end > node->end)
		node->end = child->end;
}

void
mysql_tree_insert(struct mysql_node *node, struct mysql_node *before, struct mysql_node *child)
{
	child->next = before->next;
	before->next = child;
	if (node->last == before)
		node->last = child;
}

struct mysql_node *
mysql_tree_alias(struct arena *a, size_t at, enum mysql_kind kind, struct span name)
{
	struct mysql_node *alias = mysql_tree_new(a, MYSQL_NODE_alias, at);
	struct mysql_node *as = mysql_tree_leaf(a, MYSQL_NODE_WORD, at, SPAN("AS"));
	struct mysql_node *own = mysql_tree_leaf(a, kind, at, name);

	if (alias == NULL || as == NULL || own == NULL)
		return NULL;
	mysql_tree_add(alias, as);
	mysql_tree_add(alias, own);
	return alias;
}

bool
mysql_tree_name_table(struct arena *a, struct mysql_node *table, struct span name)
{
	struct mysql_node *alias, *before = table->first;

	if (mysql_tree_child(table, MYSQL_NODE_alias) != NULL)
		return true;
	if ((alias = mysql_tree_alias(a, table->at, MYSQL_NODE_NAME, name)) == NULL)
		return false;
	while (before->next != NULL && before->next->kind != MYSQL_NODE_index_hint)
		before = before->next;
	mysql_tree_insert(table, before, alias);
	return true;
}

struct mysql_node *
mysql_tree_next(const struct mysql_node *node, enum mysql_kind kind)
{
	struct mysql_node *next = node->next;

	while (next != NULL && next->kind != kind)
		next = next->next;
	return next;
}

struct mysql_node *
mysql_tree_child(const struct mysql_node *node, enum mysql_kind kind)
{
	if (node == NULL || node->first == NULL)
		return NULL;
	return node->first->kind == kind ? node->first : mysql_tree_next(node->first, kind);
}

bool
mysql_tree_is(const struct mysql_node *node, const char *text)
{
	return node != NULL && node->kind == MYSQL_NODE_WORD && span_is_str(node->text, text);
}

bool
mysql_tree_has(const struct mysql_node *node, const char *text)
{
	for (const struct mysql_node *n = node->first; n != NULL; n = n->next)
		if (mysql_tree_is(n, text))
			return true;
	return false;
}

bool
mysql_tree_equal(const struct mysql_node *a, const struct mysql_node *b)
{
	if (a->kind != b->kind || !span_is(a->text, b->text))
		return false;
	for (a = a->first, b = b->first; a != NULL && b != NULL; a = a->next, b = b->next)
		if (!mysql_tree_equal(a, b))
			return false;
	return a == NULL && b == NULL;
}

void
mysql_tree_rename(struct mysql_node *node, enum mysql_kind kind, const char *from, const char *to)
{
	for (struct mysql_node *n = node->first; n != NULL; n = n->next) {
		if (node->kind == kind && span_is_word(n->text, from))
			n->text = span_str(to);
		mysql_tree_rename(n, kind, from, to);
	}
}

void
mysql_tree_each(struct mysql_node *node, enum mysql_kind kind, void (*fn)(void *arg, struct mysql_node *node),
    void *arg)
{
	if (node->kind == kind)
		fn(arg, node);
	for (struct mysql_node *n = node->first; n != NULL; n = n->next)
		mysql_tree_each(n, kind, fn, arg);
}

/* mysql_plain.c - see mysql_plain.h. */
#include "workers/sql/mysql/guard/mysql_plain.h"

#define NAME_BYTES	64u	/* of a name that is looked up; a longer one is no table's */

/* ASCII alone is folded: a WITH query whose name is taken for another one is a table that is not there. */
static bool
names_a_cte(const struct mysql_node *node, struct span name)
{
	const struct mysql_node *own = node->kind == MYSQL_NODE_cte ? mysql_tree_child(node, MYSQL_NODE_NAME) : NULL;
	bool found = own != NULL && span_is_folded(own->text, name);

	for (const struct mysql_node *n = node->first; n != NULL && !found; n = n->next)
		found = names_a_cte(n, name);
	return found;
}

static bool
add_table(const struct mysql_node *statement, const struct mysql_node *table, struct mysql_plain *out)
{
	const struct mysql_node *first = mysql_tree_child(table, MYSQL_NODE_NAME), *second;
	struct mysql_plain_table *t;

	if (first == NULL || out->n == MYSQL_PLAIN_TABLES)
		return false;
	second = mysql_tree_next(first, MYSQL_NODE_NAME);
	t = &out->tables[out->n++];
	*t = (struct mysql_plain_table){ .schema = second == NULL ? SPAN_NONE : first->text,
		.name = second == NULL ? first->text : second->text };
	t->cte = second == NULL && names_a_cte(statement, t->name);
	return t->name.len > 0 && t->name.len <= NAME_BYTES && t->schema.len <= NAME_BYTES;
}

static bool
read_node(const struct mysql_node *statement, const struct mysql_node *node, struct mysql_plain *out)
{
	bool plain = true;

	if (node->kind == MYSQL_NODE_CALL)
		plain = node->first != NULL && node->first->kind == MYSQL_NODE_FUNCTION;
	else if (node->kind == MYSQL_NODE_PARAMETER || node->kind == MYSQL_NODE_default)
		plain = false; /* it runs prepared, with variables (mysql_bound.h); what a table's owner wrote is run */
	else if (node->kind == MYSQL_NODE_table_name)
		plain = add_table(statement, node, out);
	for (const struct mysql_node *n = node->first; n != NULL && plain; n = n->next)
		plain = read_node(statement, n, out);
	return plain;
}

bool
mysql_plain_read(const struct mysql_node *statement, struct mysql_plain *out)
{
	*out = (struct mysql_plain){ .n = 0 };
	return statement->first != NULL && statement->first->kind == MYSQL_NODE_QUERY &&
	    read_node(statement, statement->first, out);
}

/* mysql_print.c - see mysql_print.h. */
#include "workers/sql/mysql/grammar/mysql_print.h"

void
mysql_print_string(struct buf *out, struct span text)
{
	static const char from[] = "\b\t\n\r\x1a\\'", to[] = "btnrZ\\";

	buf_byte(out, '\'');
	for (size_t i = 0; i < text.len; i++) {
		const char *p = text.p[i] == '\0' ? NULL : strchr(from, text.p[i]);

		if (text.p[i] == '\0')
			buf_str(out, "\\0");
		else if (p != NULL) {
			buf_byte(out, *p == '\'' ? '\'' : '\\');
			buf_byte(out, *p == '\'' ? '\'' : (uint8_t)to[p - from]);
		} else
			buf_byte(out, text.p[i]);
	}
	buf_byte(out, '\'');
}

void
mysql_print_name(struct buf *out, const char *name)
{
	buf_quoted(out, span_str(name), '`');
}

void
mysql_print_table(struct buf *out, const char *schema, const char *table)
{
	if (schema != NULL) {
		mysql_print_name(out, schema);
		buf_byte(out, '.');
	}
	mysql_print_name(out, table);
}

static void
print_leaf(struct buf *out, const struct mysql_node *node)
{
	if (node->kind == MYSQL_NODE_STRING)
		mysql_print_string(out, node->text);
	else if (node->kind == MYSQL_NODE_PARAMETER)
		buf_byte(out, '?');
	else if (node->kind == MYSQL_NODE_NAME)
		buf_quoted(out, node->text, '`');
	else
		buf_span(out, node->text);
}

/* Functions of the servers are called without a blank before the bracket, and names have none at their dots. */
static bool
stands_apart(const struct mysql_node *before, const struct mysql_node *node)
{
	return before != NULL && before->kind != MYSQL_NODE_FUNCTION && !mysql_tree_is(before, ".") &&
	    !mysql_tree_is(node, ".");
}

/* An operand with operators of its own gets brackets, whatever binds tighter. */
static void
print_node(struct buf *out, const struct mysql_node *node, bool grouped, const struct mysql_node **before)
{
	if (node->first == NULL) {
		if (stands_apart(*before, node))
			buf_byte(out, ' ');
		print_leaf(out, node);
		*before = node;
		return;
	}
	if (grouped)
		buf_str(out, stands_apart(*before, node) ? " (" : "(");
	if (grouped)
		*before = NULL;
	for (const struct mysql_node *n = node->first; n != NULL; n = n->next)
		print_node(out, n,
		    n->kind == MYSQL_NODE_EXPRESSION && (n->grouped || node->kind == MYSQL_NODE_EXPRESSION), before);
	if (grouped)
		buf_byte(out, ')');
}

void
mysql_print(struct buf *out, const struct mysql_node *node)
{
	const struct mysql_node *before = NULL;

	print_node(out, node, false, &before);
}

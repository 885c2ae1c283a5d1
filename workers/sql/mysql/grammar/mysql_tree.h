/*
 * mysql_tree - a parsed statement: rules of mysql_grammar.def as inner nodes, tokens as leaves, in the order of the
 * text.  Brackets that only group an expression are not kept; the printer writes them where the tree needs them.
 * What the text says in several ways (quotes, escapes, case of keywords) the leaves say in one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"

/* The collation by which the semantic layer compares text: by bytes.  MySQL has it under another name. */
#define MYSQL_BY_BYTES	"utf8mb4_nopad_bin"
#define MYSQL8_BY_BYTES	"utf8mb4_0900_bin"

enum mysql_kind {
	/* Leaves. */
	MYSQL_NODE_WORD,		/* a keyword or punctuation, as mysql_grammar.def has it */
	MYSQL_NODE_NAME,		/* without quotes */
	MYSQL_NODE_STRING,		/* without quotes and escapes */
	MYSQL_NODE_NUMBER,		/* as written */
	MYSQL_NODE_BITS,		/* as written */
	MYSQL_NODE_PARAMETER,		/* :1; printed as ?, in the order of the tree */
	MYSQL_NODE_CHARSET,		/* _utf8mb4 */
	MYSQL_NODE_FUNCTION,		/* a function of mysql_functions.def, or INTERVAL, before its arguments */

	/* Inner nodes: those of mysql_parse.c, and the rules. */
	MYSQL_NODE_EXPRESSION,	/* operands and what joins them; a.b + 1 */
	MYSQL_NODE_COLUMN,		/* NAME { . NAME } */
	MYSQL_NODE_STAR,		/* { NAME . } * */
	MYSQL_NODE_ROW,		/* ( expr, expr … ) */
	MYSQL_NODE_CALL,		/* FUNCTION or column (of a function that is not listed), arguments [, over] */
	MYSQL_NODE_SUBQUERY,		/* ( query ) */
	MYSQL_NODE_NESTED,		/* ( tables ) in FROM */
	MYSQL_NODE_QUERY,		/* [with] select or subquery { set_operation } [order] [limit] */
#define RULE(name, template)	MYSQL_NODE_##name,
#include "workers/sql/mysql/grammar/mysql_grammar.def"
#undef RULE
	MYSQL_NODE_KINDS
};

struct mysql_node {
	enum mysql_kind		 kind;
	unsigned		 height;	/* of the tree below; a leaf has 0 */
	bool			 grouped;	/* an expression that needs brackets where it stands */
	unsigned		 length;	/* of a PARAMETER: bytes of its value, set by who knows it */
	struct span		 text;		/* of a leaf */
	size_t			 at, end;	/* the bytes of the statement */
	struct mysql_node	*first, *last, *next;
};

/* NULL: the arena is full. */
struct mysql_node *mysql_tree_new(struct arena *a, enum mysql_kind kind, size_t at);
struct mysql_node *mysql_tree_leaf(struct arena *a, enum mysql_kind kind, size_t at, struct span text);
struct mysql_node *mysql_tree_alias(struct arena *a, size_t at, enum mysql_kind kind, struct span name); /* AS name */

/* child, which has no parent, becomes the last child of node. */
void mysql_tree_add(struct mysql_node *node, struct mysql_node *child);

/* child becomes the one behind before, which is a child of node. */
void mysql_tree_insert(struct mysql_node *node, struct mysql_node *before, struct mysql_node *child);

/* A table of FROM without an alias gets this one, before its index hints.  False: the arena is full. */
bool mysql_tree_name_table(struct arena *a, struct mysql_node *table, struct span name);

/* The first child of this kind; NULL: none, or node is NULL. */
struct mysql_node *mysql_tree_child(const struct mysql_node *node, enum mysql_kind kind);

/* The next sibling of this kind; NULL: none. */
struct mysql_node *mysql_tree_next(const struct mysql_node *node, enum mysql_kind kind);

/* Whether node is the keyword or punctuation text. */
bool mysql_tree_is(const struct mysql_node *node, const char *text);

/* Whether node has the keyword text as a child. */
bool mysql_tree_has(const struct mysql_node *node, const char *text);

/* Calls fn for each node of this kind, in the order in which they are printed. */
void mysql_tree_each(struct mysql_node *node, enum mysql_kind kind, void (*fn)(void *arg, struct mysql_node *node),
    void *arg);

/* Whether both trees are the same but for the places of their nodes. */
bool mysql_tree_equal(const struct mysql_node *a, const struct mysql_node *b);

/* What the nodes of this kind say in one leaf, if it is from, becomes to. */
void mysql_tree_rename(struct mysql_node *node, enum mysql_kind kind, const char *from, const char *to);

/*
 * mysql_parse - reads a statement of MariaDB or MySQL into a tree, or refuses it with its position.
 *
 * Recursive descent along mysql_grammar.def: one token decides at each point, so time and memory grow with the length
 * of the text.  What brackets begin, a query, a row, a nested join or an expression, is known at their end; what was
 * read so far is then the left operand of what follows, and nothing is read twice.
 *
 * A column of a result without an alias gets the one that the servers would give it, the text of its expression, since
 * what is sent is printed from the tree (mysql_print.h).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "workers/sql/mysql/grammar/mysql_tree.h"

#define MYSQL_NESTING_MAX	400u	/* rules, brackets and operands within each other, as the parser reads them */
#define MYSQL_HEIGHT_MAX	800u	/* of the tree of an expression: a - b - c is as high as it is long */

#define MYSQL_PARSE_NOWHERE	SIZE_MAX

/*
 * The tree of sql, a MYSQL_NODE_statement; it lives in the arena and borrows sql.  NULL with ERR_INVALID_SQL,
 * ERR_FORBIDDEN_SQL or ERR_SQL_TOO_LONG, and *at the byte that the message is about, or MYSQL_PARSE_NOWHERE.
 */
struct mysql_node *mysql_parse(struct arena *a, struct span sql, size_t *at, struct err *err);

/* The same of a statement that may have parameters, :1 where a literal or the number of LIMIT can stand. */
struct mysql_node *mysql_parse_bound(struct arena *a, struct span sql, size_t *at, struct err *err);

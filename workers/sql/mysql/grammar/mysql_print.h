/* mysql_print - the text of a tree, as it is sent: parsed again it is the same tree. */
#ifndef WORKERS_SQL_MYSQL_GRAMMAR_MYSQL_PRINT_H
#define WORKERS_SQL_MYSQL_GRAMMAR_MYSQL_PRINT_H

#include "base/buf.h"
#include "workers/sql/mysql/grammar/mysql_tree.h"

/* Appends the text of node; out says if it did not fit. */
void mysql_print(struct buf *out, const struct mysql_node *node);

#endif

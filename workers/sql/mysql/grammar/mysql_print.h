/* mysql_print - the text of a tree, as it is sent: parsed again it is the same tree. */
#pragma once

#include "base/buf.h"
#include "workers/sql/mysql/grammar/mysql_tree.h"

/* Appends the text of node; out says if it did not fit. */
void mysql_print(struct buf *out, const struct mysql_node *node);

/* A text as a literal.  Quotes are doubled, not escaped: so it ends where it ends under every sql_mode. */
void mysql_print_string(struct buf *out, struct span text);

/* A name in backticks; a table's name, with its database if that is not NULL. */
void mysql_print_name(struct buf *out, const char *name);
void mysql_print_table(struct buf *out, const char *schema, const char *table);

/* mysql_print - the text of a tree, as it is sent: parsed again it is the same tree. */
#pragma once

#include "base/buf.h"
#include "workers/sql/mysql/grammar/mysql_tree.h"

/* Appends the text of node; out says if it did not fit. */
void mysql_print(struct buf *out, const struct mysql_node *node);

/*
 * mysql_bound - statements with parameters.
 *
 * The values are bound by the binary protocol to `SET @carrel_1 = ?, …`, and the statement, whose text has only ?, is
 * prepared and executed with these variables: so its rows come by the protocol of text, as those of others do.  All of
 * it is gone when the session is reset behind the statement.
 */
#pragma once

#include "workers/sql/mysql/grammar/mysql_tree.h"
#include "workers/sql/mysql/mysql_db.h"

/* The text with :1 in the place of its parameters, as mysql_parse_bound() reads it; in the arena. */
int mysql_bound_write(struct arena *a, const struct sql_bound *bound, struct span *sql, struct err *err);

/* Tells the guard how long the values are.  -1: the tree has a parameter that the statement does not. */
int mysql_bound_measure(struct mysql_node *tree, const struct sql_bound *bound, struct err *err);

/* "SET @carrel_1 = ?", and "EXECUTE carrel_tool USING @carrel_1" for the parameters of the tree as it is printed. */
void mysql_bound_put_set(struct buf *out, const struct sql_bound *bound);
void mysql_bound_put_execute(struct buf *out, struct mysql_node *tree);

/* "PREPARE carrel_tool FROM '…'" */
void mysql_bound_put_prepare(struct buf *out, struct span printed);

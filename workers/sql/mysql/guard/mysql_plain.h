/*
 * mysql_plain - recognises statements that leave no effect in a session if the tables that they read are tables of
 * the server's own engines: queries that call only functions of the server.
 *
 * The grammar (mysql_parse.h) has no variables, locks, sequences or statements that write, and mysql_functions.def no
 * function that changes a session.  What is left are routines of the database, which are called by their names with a
 * schema or run within a view.  A query is plain when it has no such call; whether what it reads is a table, and no
 * view, the catalogue says (mysql_settled.h).  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "workers/sql/mysql/grammar/mysql_tree.h"

#define MYSQL_PLAIN_TABLES	16u	/* that a plain statement names at most, each as often as it is named */

struct mysql_plain_table {
	struct span	schema, name;	/* borrowed from the tree; schema empty: of the default database */
	bool		cte;		/* a WITH query of the statement has this name: there need be no table */
};

struct mysql_plain {
	size_t				n;
	struct mysql_plain_table	tables[MYSQL_PLAIN_TABLES];
};

/* Whether the statement, which the guard has allowed, is plain if all of out->tables are tables. */
bool mysql_plain_read(const struct mysql_node *statement, struct mysql_plain *out);

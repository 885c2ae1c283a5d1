/*
 * mysql_weight - what a statement may cost the server before an interrupt can end it.
 *
 * The server copies a WITH query for each place that names it before anything is computed, and needs some 250 KB a
 * table: copies of copies double with each query.  And functions with MYSQL_REWRITES (mysql_functions.def) compute for
 * hours, or into gigabytes, where constants of the statement make large values for them.  Those with MYSQL_SPATIAL
 * crash on bytes that a statement can make, so geometries are read from columns, literals of usual length and each
 * other.
 */
#pragma once

#include "base/err.h"
#include "workers/sql/mysql/grammar/mysql_tree.h"

#define MYSQL_SETS_MAX		500u	/* set operations: planning takes time by their number */
#define MYSQL_TABLES_MAX	1000u	/* of FROM, with all copies */
#define MYSQL_QUERIES_MAX	64u	/* of one WITH; the server has the same limit */
#define MYSQL_GEOMETRY_MAX	2000u	/* characters of a literal that could be read as one */
#define MYSQL_MADE_MAX		100000u	/* characters that constants make, one within the other */

/* -1 with ERR_FORBIDDEN_SQL, and *at the byte of the statement that the message is about. */
int mysql_weight_judge(const struct mysql_node *tree, size_t *at, struct err *err);


/*
 * mysql_weight - what a statement may cost the server before an interrupt can end it.
 *
 * The server copies a WITH query for each place that names it before anything is computed, and needs some 250 KB a
 * table: copies of copies double with each query.  What constants make (REPEAT and its kin, mysql_functions.def) has a
 * bound in all, since between the values of one row no interrupt is looked at and no memory is counted.  Functions with
 * MYSQL_REWRITES compute for hours, or into gigabytes, on large values; LIKE and those with MYSQL_SEARCHES_ where the
 * pattern is large, too.  Those with MYSQL_SPATIAL crash on bytes that a statement can make, so geometries are read
 * from columns, literals of usual length and each other.
 *
 * A value comes into a function as its argument, by the column of a query in FROM, or by the name that SELECT gives it,
 * which HAVING, GROUP BY, ORDER BY, windows and queries within expressions can use.
 */
#pragma once

#include "base/err.h"
#include "workers/sql/mysql/grammar/mysql_tree.h"

#define MYSQL_SETS_MAX		500u	/* set operations: planning takes time by their number */
#define MYSQL_TABLES_MAX	1000u	/* of FROM, with all copies */
#define MYSQL_QUERIES_MAX	64u	/* of one WITH; the server has the same limit */
#define MYSQL_GEOMETRY_MAX	2000u	/* characters of a literal that could be read as one */
#define MYSQL_MADE_MAX		100000u	/* characters that constants make, one within the other */
#define MYSQL_SUM_MAX		1000000u	/* characters that constants make, in all */

/* -1 with ERR_FORBIDDEN_SQL, and *at the byte of the statement that the message is about. */
int mysql_weight_judge(const struct mysql_node *tree, size_t *at, struct err *err);


/*
 * mysql_datasets - statements that may only read published tables.
 *
 * In the tree each dataset_<id> becomes the table behind it, and each WITH query gets a name that no table has,
 * wherever its name stands in FROM: a reference out of its scope then finds nothing, rather than a table of the same
 * name.  All other tables, and stored functions, are refused.
 */
#pragma once

#include "workers/sql/mysql/grammar/mysql_tree.h"
#include "workers/sql/mysql/mysql_db.h"

/* Rewrites the tree, which lives in the call's arena. */
int mysql_datasets_define(struct sql_db *db, struct call *c, const struct sql_published *p, struct mysql_node *tree,
    struct err *err);

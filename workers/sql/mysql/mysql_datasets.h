/*
 * mysql_datasets - statements that may only read published tables.
 *
 * In the tree each dataset_<id> becomes the table behind it, and each WITH query gets a name that no table has,
 * wherever its name is in FROM: a reference out of its scope then finds nothing, rather than a table of the same
 * name.  All other tables, and stored functions, are refused.
 */
#pragma once

#include "workers/sql/mysql/grammar/mysql_tree.h"
#include "workers/sql/mysql/mysql_db.h"

/* Rewrites the tree, which lives in the arena.  -1: *at is the byte that the message is about, or SIZE_MAX. */
int mysql_datasets_define(struct sql_db *db, struct arena *a, const struct sql_published *p, struct mysql_node *tree,
    size_t *at, struct err *err);

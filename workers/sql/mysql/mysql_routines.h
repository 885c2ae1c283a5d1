/*
 * mysql_routines - the stored functions that statements may call: those that the catalogue calls READS SQL DATA or NO
 * SQL and that have their caller's rights, and those that the configuration trusts.  Under a column policy there are
 * none: a function reads whatever its caller may.
 */
#pragma once

#include "workers/sql/mysql/grammar/mysql_tree.h"
#include "workers/sql/mysql/mysql_db.h"

/* mysql_guard_judge() of a tree; the catalogue is read for a statement that would be refused without it. */
int mysql_routines_judge(struct sql_db *db, struct call *c, const struct mysql_node *tree, size_t *at, struct err *err);

void mysql_routines_forget(struct sql_db *db);

/* mysql - what the files of the driver have from its main one: how a statement is judged and prepared to be sent. */
#pragma once

#include "workers/sql/mysql/grammar/mysql_tree.h"
#include "workers/sql/mysql/mysql_db.h"

/* The tree of a caller's statement, which may be sent; NULL with *err and the position in the call's details. */
struct mysql_node *mysql_judge(struct sql_db *db, struct call *c, struct span sql, struct err *err);

/* mysql_audit - tries the inputs of guard/attacks_mysql.def on each layer. */
#pragma once

#include "workers/sql/mysql/mysql_db.h"

int mysql_audit(struct sql_db *db, struct call *c, struct result *r, struct err *err);

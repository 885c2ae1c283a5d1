/* mysql_grants - the statements that make an account which can read what the connection serves, and nothing else. */
#pragma once

#include "workers/sql/mysql/mysql_db.h"

int mysql_grants(struct sql_db *db, struct call *c, const char *role, struct buf *script, struct err *err);

/* mysql_test - what `carrel connection test` asks. */
#pragma once

#include "workers/sql/mysql/mysql_db.h"

int mysql_test(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err);

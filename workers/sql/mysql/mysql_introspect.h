/* mysql_introspect - the structure of the databases that are served, from information_schema. */
#pragma once

#include "workers/sql/mysql/mysql_db.h"

int mysql_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err);
int mysql_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err);

/* How much of the server the connection serves, and how much of that its account may read. */
int mysql_reach(struct sql_db *db, struct call *c, struct sql_reach *r, struct err *err);

/* postgres_reach - the tables of the database, those that are served, and those that the account may read. */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

/* Counts the served tables and those that the account may read, in one query.  -1 with *err. */
int pg_reach(struct sql_db *db, struct call *c, struct sql_reach *r, struct err *err);

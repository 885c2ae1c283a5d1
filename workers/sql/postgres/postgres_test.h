/* postgres_test - connection_test: can this account write, and is it kept from writing here? */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

int pg_test(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err);

/* postgres_test - connection_test: can this account write, and is it kept from writing here? */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_TEST_H
#define WORKERS_SQL_POSTGRES_POSTGRES_TEST_H

#include "workers/sql/postgres/postgres_db.h"

int pg_test(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err);

#endif

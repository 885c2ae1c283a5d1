/* duckdb_introspect - the structure of a database, for sql_driver. */
#ifndef WORKERS_SQL_DUCKDB_DUCKDB_INTROSPECT_H
#define WORKERS_SQL_DUCKDB_DUCKDB_INTROSPECT_H

#include "workers/sql/driver.h"

int duckdb_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err);
int duckdb_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err);

#endif

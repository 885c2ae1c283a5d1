/* duckdb_introspect - the structure of a database, for sql_driver. */
#pragma once

#include "workers/sql/driver.h"

int duckdb_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err);
int duckdb_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err);

/* duckdb_introspect - the structure of a database, for sql_driver. */
#pragma once

#include "workers/sql/driver.h"

int duckdb_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err);

/* Counts tables and names the schemas that are not served; the session has begun.  -1 with *err. */
int duckdb_reach(struct sql_db *db, struct call *c, struct sql_reach *r, struct err *err);

int duckdb_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err);

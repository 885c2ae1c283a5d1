/* duckdb_audit - the layers tried one by one, for sql_driver. */
#ifndef WORKERS_SQL_DUCKDB_DUCKDB_AUDIT_H
#define WORKERS_SQL_DUCKDB_DUCKDB_AUDIT_H

#include "workers/sql/driver.h"

int duckdb_audit(struct sql_db *db, struct call *c, struct result *r, struct err *err);

#endif

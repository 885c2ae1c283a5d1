/* duckdb_audit - the layers tried one by one, for sql_driver. */
#pragma once

#include "workers/sql/driver.h"

int duckdb_audit(struct sql_db *db, struct call *c, struct result *r, struct err *err);

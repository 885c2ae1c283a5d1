/* duckdb - what the driver's files ask of its main one. */
#pragma once

#include "workers/sql/driver.h"

/* Opens the file again if it was closed; does not return if it is another file now.  -1 with *err. */
int duckdb_reopen(struct sql_db *db, struct call *c, struct err *err);

/* Parses and judges a statement.  -1 with *err, its place in call_details(). */
int duckdb_judge(struct sql_db *db, struct call *c, struct span sql, struct err *err);

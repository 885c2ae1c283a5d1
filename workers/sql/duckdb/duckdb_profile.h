/*
 * duckdb_profile - samples of a table's columns, for sql_driver.
 *
 * The sample of a table of CSV or JSON files is read once for all columns, into a temporary table of a connection that
 * outlives the statements.  If that fails, as where a value of one column does not fit its type, each column is read
 * from the files.
 */
#pragma once

#include "workers/sql/driver.h"

void duckdb_profile_begin(struct sql_db *db, struct call *c, const struct profile_ask *a);
void duckdb_profile_end(struct sql_db *db, struct call *c);

int duckdb_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p,
    struct err *err);

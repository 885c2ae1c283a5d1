/* duckdb - the demo's warehouse as a DuckDB file. */
#pragma once

#include "base/err.h"

/*
 * Copies the tables and the view of the SQLite warehouse at from into a new file at to, with DuckDB's library.  DOUBLE
 * for REAL; keys within a table are left out, because DuckDB checks each row against those before its statement only.
 */
int demo_duckdb(const char *library, const char *from, const char *to, struct err *err);

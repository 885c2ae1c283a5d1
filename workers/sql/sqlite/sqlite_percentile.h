/*
 * sqlite_percentile - median(x) and percentile_cont(x, p), aggregates that SQLite has since 3.47 when it is built
 * with them.  Interpolated, computed in doubles, as PostgreSQL's percentile_cont: the same data give the same digits.
 */
#pragma once

#include <sqlite3.h>

/* Adds both to db, in place of its own.  SQLITE_OK, or SQLite's error. */
int sqlite_percentile_install(sqlite3 *db);

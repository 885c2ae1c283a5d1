/* sqlite_values - SQLite's values and headers as cells. */
#pragma once

#include "workers/sql/sqlite/sqlite_db.h"

/* The names of stmt's columns, one label each. */
void sqlite_put_names(struct buf *out, sqlite3_stmt *stmt);

/* The head map {headers, headerTypes?} of stmt. */
void sqlite_put_head(struct buf *out, sqlite3_stmt *stmt);

/* Writes column i of stmt's current row as a cell. */
bool sqlite_put_value(struct buf *out, sqlite3_stmt *stmt, int i);

/* sqlite_values - SQLite's values and headers as cells. */
#ifndef WORKERS_SQL_SQLITE_SQLITE_VALUES_H
#define WORKERS_SQL_SQLITE_SQLITE_VALUES_H

#include "workers/sql/sqlite/sqlite_db.h"

/* The head map {headers, headerTypes?} of stmt. */
void sqlite_put_head(struct buf *out, sqlite3_stmt *stmt);

/* Writes column i of stmt's current row as a cell. */
bool sqlite_put_value(struct buf *out, sqlite3_stmt *stmt, int i);

#endif

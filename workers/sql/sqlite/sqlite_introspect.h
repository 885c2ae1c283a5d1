/* sqlite_introspect - tables, columns, keys and row counts of an SQLite file, for a scan. */
#pragma once

#include "workers/sql/sqlite/sqlite_db.h"

int sqlite_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err);

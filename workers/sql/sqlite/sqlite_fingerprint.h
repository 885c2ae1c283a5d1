/* sqlite_fingerprint - the structure of an SQLite file: the CREATE statements that it stores. */
#pragma once

#include "workers/sql/sqlite/sqlite_db.h"

int sqlite_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err);

/* sqlite_fingerprint - the structure of an SQLite file: the CREATE statements that it stores. */
#ifndef WORKERS_SQL_SQLITE_SQLITE_FINGERPRINT_H
#define WORKERS_SQL_SQLITE_SQLITE_FINGERPRINT_H

#include "workers/sql/sqlite/sqlite_db.h"

int sqlite_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err);

#endif

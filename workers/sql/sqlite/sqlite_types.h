/* sqlite_types - the meaning of a declared column type; SQLite itself accepts any words there. */
#ifndef WORKERS_SQL_SQLITE_SQLITE_TYPES_H
#define WORKERS_SQL_SQLITE_SQLITE_TYPES_H

#include "workers/sql/sqlite/sqlite_db.h"

/* The meaning of a declared type: "time", "string", "number" or "boolean". */
const char *sqlite_dimension(const char *declared);

#endif

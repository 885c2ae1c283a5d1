/* sqlite_types - the meaning of a declared column type; SQLite itself accepts any words there. */
#pragma once

#include "workers/sql/sqlite/sqlite_db.h"

/* The meaning of a declared type: "time", "string", "number" or "boolean". */
const char *sqlite_dimension(const char *declared);

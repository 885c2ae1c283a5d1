/* sqlite_profile - statistics of one column from a sample of a table in an SQLite file. */
#pragma once

#include "workers/sql/sqlite/sqlite_db.h"

int sqlite_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p,
    struct err *err);

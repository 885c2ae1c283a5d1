/* duckdb_profile - samples of a column, for sql_driver. */
#pragma once

#include "workers/sql/driver.h"

int duckdb_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p,
    struct err *err);

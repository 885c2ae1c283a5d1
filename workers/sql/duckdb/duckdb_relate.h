/* duckdb_relate - values that two tables share, for sql_driver. */
#pragma once

#include "workers/sql/driver.h"

int duckdb_relate(struct sql_db *db, struct call *c, const struct relate_ask *a, struct overlap_counts *n,
    struct err *err);

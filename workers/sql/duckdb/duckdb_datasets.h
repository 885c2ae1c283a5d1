/* duckdb_datasets - statements over published tables. */
#pragma once

#include "workers/sql/driver.h"

/* Runs a statement that may read datasets and nothing else; its rows follow.  -1 with *err. */
int duckdb_datasets_run(struct sql_db *db, struct call *c, const struct sql_query *q, struct err *err);

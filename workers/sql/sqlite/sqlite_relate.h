/* sqlite_relate - counts how many values of one table occur in another one of an SQLite file. */
#pragma once

#include "workers/sql/sqlite/sqlite_db.h"

int sqlite_relate(struct sql_db *db, struct call *c, const struct relate_ask *a, struct overlap_counts *n,
    struct err *err);

/* mysql_relate - counts how many values of one table occur in another. */
#pragma once

#include "workers/sql/mysql/mysql_db.h"

int mysql_relate(struct sql_db *db, struct call *c, const struct relate_ask *a, struct overlap_counts *n,
    struct err *err);

/* mysql_profile - samples one column. */
#pragma once

#include "workers/sql/mysql/mysql_db.h"

int mysql_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p,
    struct err *err);

/* The numbers of the answer's one row, 0 for NULL; frees it. */
void mysql_profile_counts(MYSQL_RES *result, uint64_t *const *counts, size_t n);

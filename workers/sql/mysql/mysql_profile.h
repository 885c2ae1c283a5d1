/* mysql_profile - samples one column. */
#pragma once

#include "workers/sql/mysql/mysql_db.h"

/* The table's name, quoted, with its database if it is not NULL. */
void mysql_put_table(struct buf *out, const char *schema, const char *table);

/* A name in backticks. */
void mysql_put_name(struct buf *out, const char *name);

int mysql_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p,
    struct err *err);

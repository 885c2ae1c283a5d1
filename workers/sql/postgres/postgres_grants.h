/* postgres_grants - the grants that let an account read everything that the column policy leaves open. */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

int pg_grants(struct sql_db *db, struct call *c, const char *role, struct buf *script, struct err *err);

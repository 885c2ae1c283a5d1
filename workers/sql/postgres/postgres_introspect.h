/*
 * postgres_introspect - tables, columns and keys from the system catalogues, for a scan.  Every role may read the
 * catalogues, so a reader without any table sees the same keys as the owner.  A partitioned table is one table, and its
 * partitions are names of its parts.
 */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

int pg_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err);

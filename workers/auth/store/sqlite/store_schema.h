/* store_schema - the store's tables version by version, and the copy made before each migration. */
#pragma once

#include "workers/auth/store/sqlite/store_sqlite.h"

/*
 * Step i migrates the tables from version i to version i + 1, from the empty store on.  A released step never changes.
 */
int store_migrate(struct store_sqlite *s, const char *const *steps, int n, struct err *err);

/* The number in the single row of a query or pragma. */
int store_read_number(struct store_sqlite *s, const char *query, int *value, struct err *err);

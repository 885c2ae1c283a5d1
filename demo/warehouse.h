/*
 * warehouse - the demo: Lodenfels Outdoor GmbH, two fiscal years of a shop
 * that never existed, with the traps that real warehouses have.  All rows come
 * from a fixed seed with integer arithmetic only, so every run on every
 * machine gives the same rows.  The data ends on DEMO_AS_OF.
 */
#pragma once

#include "base/err.h"
#include "demo/world.h"

#define DEMO_FIRST_DAY	"2024-04-01"
#define DEMO_AS_OF	"2026-03-31"

/*
 * Makes only the database, at path.  An existing file fails the call; a
 * failure leaves nothing at path.
 */
int demo_warehouse(const char *path, struct err *err);

/*
 * Write one row.  kinds has one letter a column, in order, each taking one
 * argument: i int64_t, b int (0/1), t const char * (NULL: NULL), d double,
 * m int64_t seconds as a timestamp (0: NULL), y int day as a date (0: NULL),
 * o int64_t where 0 means NULL; n takes none and is NULL.
 */
void world_put(struct world *w, enum world_table table, const char *kinds, ...);

/*
 * warehouse - the demo: Lodenfels Outdoor GmbH, two fiscal years of a shop
 * that never existed, with the traps that real warehouses have.  All rows come
 * from a fixed seed with integer arithmetic only, so every run on every
 * machine gives the same rows.  The data ends on DEMO_AS_OF.
 */
#ifndef DEMO_WAREHOUSE_H
#define DEMO_WAREHOUSE_H

#include "base/err.h"

#define DEMO_FIRST_DAY	"2024-04-01"
#define DEMO_AS_OF	"2026-03-31"

/*
 * Makes a project in dir (created if missing): a copy of the files below
 * source_dir, the warehouse as <dir>/warehouse.db, and the empty directories
 * of a project.  Nothing that exists is overwritten: if a file already
 * exists, the call fails and what was made so far stays.
 */
int demo_create(const char *dir, const char *source_dir, struct err *err);

/*
 * Makes only the database, at path.  An existing file fails the call; a
 * failure leaves nothing at path.
 */
int demo_warehouse(const char *path, struct err *err);

#endif

/*
 * target - the table that an import writes, in the project's database of imports.
 *
 * The import is one transaction: an interruption leaves the database unchanged.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "workers/import/infer.h"
#include "workers/import/rows_records.h"

struct target;

/*
 * Begin table in the database at path, which is created if necessary; with replace, target_keep() replaces an existing
 * table of that name. names: columns->n distinct names.  NULL: *err.
 */
struct target *target_begin(const char *path, const char *table, bool replace, const struct infer_columns *columns,
    const struct span *names, struct err *err);

/* Add a row.  -1: *err; the import has failed. */
int target_add(struct target *t, const struct import_row *row, struct err *err);

/* Commit.  -1: *err, and nothing is kept. */
int target_keep(struct target *t, struct err *err);

/* Close, and discard what was not committed.  t may be NULL. */
void target_close(struct target *t);

/* Drop the table if it exists. */
int target_drop(const char *path, const char *table, struct err *err);

/* Restore the database to its last committed import, and remove its extra files if no other process has it open. */
int target_recover(const char *path, struct err *err);

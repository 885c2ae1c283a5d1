/*
 * target - the table that an import makes, in the project's own database of imports.
 *
 * All of it is one transaction: an import that is interrupted leaves the
 * database as it was.
 */
#ifndef WORKERS_IMPORT_TARGET_H
#define WORKERS_IMPORT_TARGET_H

#include <stdbool.h>

#include "base/err.h"
#include "workers/import/infer.h"
#include "workers/import/rows.h"

struct target;

/*
 * Begin table in the database at path, which is made if there is none; with
 * replace, what is there under that name is replaced at target_keep().
 * names: columns->n of them, each a name that no other has.  NULL: *err.
 */
struct target *target_begin(const char *path, const char *table, bool replace, const struct columns *columns,
    const struct span *names, struct err *err);

/* Add one row.  -1: *err; the import is over. */
int target_add(struct target *t, const struct row *row, struct err *err);

/* Keep everything.  -1: *err, and nothing is kept. */
int target_keep(struct target *t, struct err *err);

/* Close; what was not kept is gone.  t may be NULL. */
void target_close(struct target *t);

/* The table goes, if it is there. */
int target_drop(const char *path, const char *table, struct err *err);

/* The database is as after its last import that ended, and alone in its directory, when nobody else has it open. */
int target_recover(const char *path, struct err *err);

#endif

/* sqlite_columns_virtual - what a column policy means for virtual tables, which show other tables' values; parts of sqlite_columns. */
#ifndef WORKERS_SQL_SQLITE_SQLITE_COLUMNS_VIRTUAL_H
#define WORKERS_SQL_SQLITE_SQLITE_COLUMNS_VIRTUAL_H

#include <sqlite3.h>
#include <stdbool.h>

#include "workers/sql/sqlite/sqlite_columns_db.h"
#include "workers/sql/sqlite/sqlite_guard.h"

/*
 * Decide on one virtual table by its module and arguments and by what is known
 * of the others: true when it became stricter, and then those made of it have
 * to be decided again.  What shows words or computed values of protected
 * columns, or cannot be looked into, is refused as a whole.
 */
bool sqlite_columns_virtual_decide(struct sqlite_columns_db *d, struct sqlite_object *o, sqlite3 *db,
    struct sqlite_guard *guard);

/* Whether its module may be connected at all. */
bool sqlite_columns_virtual_is_allowed(const struct sqlite_object *o);

#endif

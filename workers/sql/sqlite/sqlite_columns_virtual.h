/*
 * sqlite_columns_virtual - the column policy for virtual tables, which show other tables' values;
 * part of sqlite_columns.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

#include "workers/sql/sqlite/sqlite_columns_db.h"
#include "workers/sql/sqlite/sqlite_guard.h"

/*
 * Decides on one virtual table by its module, its arguments and the other
 * objects.  True if an action became stricter; then the virtual tables that
 * depend on it must be decided again.  A table that shows words or computed
 * values of protected columns, or that cannot be examined, is refused as a
 * whole.
 */
bool sqlite_columns_virtual_decide(struct sqlite_columns_db *d, struct sqlite_object *o, sqlite3 *db,
    struct sqlite_guard *guard);

/* Whether its module may be connected. */
bool sqlite_columns_virtual_is_allowed(const struct sqlite_object *o);

/*
 * sqlite_columns_text - what the words of a statement say about protected
 * columns, without parsing it: a courtesy, which tells a caller that a masked
 * column would be answered wrongly, and two walls, where SQLite does not ask
 * the authorizer: columns that USING and NATURAL JOIN compare.
 */
#ifndef WORKERS_SQL_SQLITE_SQLITE_COLUMNS_TEXT_H
#define WORKERS_SQL_SQLITE_SQLITE_COLUMNS_TEXT_H

#include "base/err.h"
#include "base/span.h"
#include "workers/sql/sqlite/sqlite_columns_db.h"

/* -1 with ERR_FORBIDDEN_SQL: a masked column is compared, ordered, grouped or computed with, at that byte. */
int sqlite_columns_text_check(const struct sqlite_columns_db *d, struct span sql, size_t *at, struct err *err);

/* Whether it joins by name and names a table that keeps protected values and that no view can stand in front of. */
bool sqlite_columns_text_joins_unseen(const struct sqlite_columns_db *d, struct span sql);

/* The text with "main." in front of what is protected, or a view, as "temp."; NULL: nothing to change. */
char *sqlite_columns_text_temporary(const struct sqlite_columns_db *d, struct span sql);

#endif

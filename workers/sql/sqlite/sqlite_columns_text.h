/*
 * sqlite_columns_text - checks the words of a statement for protected columns, without parsing it.  The first check is
 * a courtesy: it tells a caller that the answer from a masked column would be wrong.  The other two are walls where
 * SQLite does not ask the authorizer: columns that USING and NATURAL JOIN compare.
 */
#pragma once

#include "base/err.h"
#include "base/span.h"
#include "workers/sql/sqlite/sqlite_columns_db.h"

/* -1 with ERR_FORBIDDEN_SQL: a masked column is compared, sorted, grouped or computed with, at that byte. */
int sqlite_columns_text_check(const struct sqlite_columns_db *d, struct span sql, size_t *at, struct err *err);

/* Whether sql joins by column names and names a table with protected values that no view can replace. */
bool sqlite_columns_text_joins_unseen(const struct sqlite_columns_db *d, struct span sql);

/* The text with "temp." instead of "main." in front of protected tables and views; NULL: no change. */
char *sqlite_columns_text_temporary(const struct sqlite_columns_db *d, struct span sql);

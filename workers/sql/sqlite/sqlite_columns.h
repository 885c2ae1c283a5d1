/*
 * sqlite_columns - the column policy on an SQLite file.
 *
 * There are two walls.  First, a temporary view with the same name replaces
 * every table with protected columns, because SQLite finds temporary names
 * first: a hidden column is missing, a masked one is a constant, a hashed one
 * is a keyed digest.  The file's own views are made again as temporary ones,
 * so that they read these.  Second, while a statement is compiled, the
 * authorizer refuses every reading of a protected column that does not come
 * from such a view, through whatever name, view or module: what the first
 * wall does not cover is refused, never shown.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "policy/columns.h"
#include "workers/sql/sqlite/sqlite_guard.h"

struct sqlite_columns;

/*
 * Reserved prefix of names.  A statement that contains this text anywhere is
 * refused, so a caller cannot make a view that is trusted.
 */
#define SQLITE_COLUMNS_TRUSTED	"carrel_protected:"
#define SQLITE_COLUMNS_RESERVED	"carrel_protected"

/* Registers the functions and makes the views.  policy and key are borrowed. */
int sqlite_columns_open(struct sqlite_columns **out, sqlite3 *db, struct sqlite_guard *guard,
    const struct columns *policy, const char *key, struct err *err);

/* Accepts NULL.  Call before the connection is closed. */
void sqlite_columns_close(struct sqlite_columns *p);

/*
 * Call before each statement: makes views for callers with these scopes from
 * the current schema.  *changed: statements compiled before must not be used.
 */
int sqlite_columns_prepare(struct sqlite_columns *p, uint32_t scopes, bool *changed, struct err *err);

/* Whether a rule matches any column of the file. */
bool sqlite_columns_matches(const struct sqlite_columns *p, size_t rule);

/* Call if the temporary schema may have been changed: the views are made again.  Accepts NULL. */
void sqlite_columns_forget(struct sqlite_columns *p);

/* Whether one of our views replaces this table or view. */
bool sqlite_columns_is_fronted(const struct sqlite_columns *p, const char *table);

/* Whether the table must not be read: it shows values of protected columns that a view cannot hide. */
bool sqlite_columns_is_refused(const struct sqlite_columns *p, const char *table);

/* For the authorizer: whether this column of the file may be read there.  accessor may be NULL. */
bool sqlite_columns_may_read(const struct sqlite_columns *p, const char *table, const char *column,
    const char *database, const char *accessor);

/* For the authorizer: whether it is one of our functions, which only the views may call. */
bool sqlite_columns_is_function(const char *name);
bool sqlite_columns_is_trusted(const char *accessor);

/* What the current scopes may see of a column. */
enum columns_action sqlite_columns_action(const struct sqlite_columns *p, const char *table, const char *column);

/* The strictest action of the table's columns that sql names; sql NULL: of all columns. */
enum columns_action sqlite_columns_named(const struct sqlite_columns *p, const char *table, const char *sql);

/* Whether sql names a table or view and a protected column of it. */
bool sqlite_columns_names_any(const struct sqlite_columns *p, struct span sql);

/*
 * Gives the table a further name until sqlite_columns_also_none(), for sqlite_columns_check(), which compares words.
 * The caller has a view of that name.
 */
void sqlite_columns_also(struct sqlite_columns *p, const char *name, const char *table);
void sqlite_columns_also_none(struct sqlite_columns *p);

/*
 * Call before compiling.  -1 for a text with a reserved name, and, as far as
 * words tell, for a comparison or computation with masked columns, which would
 * be answered wrongly.  *at: the byte; SIZE_MAX: no single place.
 */
int sqlite_columns_check(const struct sqlite_columns *p, struct span sql, size_t *at, struct err *err);

/* The text with temp.name instead of main.name where one of our views is; the caller frees it.  NULL: no change. */
char *sqlite_columns_unqualified(const struct sqlite_columns *p, struct span sql);

/* For a name that SQLite does not find because the policy hides it: true, and *err is set. */
bool sqlite_columns_explain(const struct sqlite_columns *p, const char *message, struct err *err);

/*
 * sqlite_columns - the column policy on an SQLite file.
 *
 * Two walls.  Temporary views stand in front of every table with protected
 * columns, under its own name, which SQLite finds first: a hidden column is
 * not in them, a masked one is a constant, a hashed one a keyed digest.  The
 * file's own views are made again as temporary ones, so that they stand on
 * these.  And while a statement is compiled the authorizer refuses every
 * reading of a protected column that does not come from such a view, whatever
 * name, view or module it goes through: what the first wall does not cover is
 * refused, never shown.
 */
#ifndef WORKERS_SQL_SQLITE_SQLITE_COLUMNS_H
#define WORKERS_SQL_SQLITE_SQLITE_COLUMNS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "policy/columns.h"
#include "workers/sql/sqlite/sqlite_guard.h"

struct sqlite_columns;

/*
 * Names that begin so are ours alone: a statement that holds this text
 * anywhere is refused, so nobody can make up a view that is trusted.
 */
#define SQLITE_COLUMNS_TRUSTED	"carrel_protected:"
#define SQLITE_COLUMNS_RESERVED	"carrel_protected"

/* Registers its functions and makes the views.  policy and key are borrowed. */
int sqlite_columns_open(struct sqlite_columns **out, sqlite3 *db, struct sqlite_guard *guard,
    const struct columns *policy, const char *key, struct err *err);

/* Accepts NULL; before the connection is closed. */
void sqlite_columns_close(struct sqlite_columns *p);

/*
 * Before each statement: views for callers with these scopes, and of the
 * schema as it is now.  *changed: statements compiled before must not be used.
 */
int sqlite_columns_prepare(struct sqlite_columns *p, uint32_t scopes, bool *changed, struct err *err);

/* Whether a rule names any column of the file. */
bool sqlite_columns_matches(const struct sqlite_columns *p, size_t rule);

/* Something may have been done to the temporary schema: make the views again.  Accepts NULL. */
void sqlite_columns_forget(struct sqlite_columns *p);

/* Whether a view of ours stands in front of this table or view. */
bool sqlite_columns_is_fronted(const struct sqlite_columns *p, const char *table);

/* Whether nobody may read any of it: it shows values of protected columns that no view in front could keep back. */
bool sqlite_columns_is_refused(const struct sqlite_columns *p, const char *table);

/* For the authorizer: may this column of the file be read there?  accessor may be NULL. */
bool sqlite_columns_may_read(const struct sqlite_columns *p, const char *table, const char *column,
    const char *database, const char *accessor);

/* Likewise: a function of ours, which only the views call. */
bool sqlite_columns_is_function(const char *name);
bool sqlite_columns_is_trusted(const char *accessor);

/* What the current scopes may see of a column. */
enum columns_action sqlite_columns_action(const struct sqlite_columns *p, const char *table, const char *column);

/* The strictest action of the table's columns that stand in sql, which may be NULL: then of all. */
enum columns_action sqlite_columns_named(const struct sqlite_columns *p, const char *table, const char *sql);

/* Whether sql names a table or view and a protected column of it. */
bool sqlite_columns_names_any(const struct sqlite_columns *p, struct span sql);

/*
 * Before compiling: -1 for what holds a reserved name, and, as a courtesy, for
 * what compares or computes with masked columns as far as words tell, which
 * would be answered wrongly.  *at: the byte where, SIZE_MAX: no one place.
 */
int sqlite_columns_check(const struct sqlite_columns *p, struct span sql, size_t *at, struct err *err);

/* The text with main.name as temp.name where a view of ours stands, to be freed; NULL: nothing to change. */
char *sqlite_columns_unqualified(const struct sqlite_columns *p, struct span sql);

/* A name that SQLite does not find and the policy hides: true, and *err is set. */
bool sqlite_columns_explain(const struct sqlite_columns *p, const char *message, struct err *err);

#endif

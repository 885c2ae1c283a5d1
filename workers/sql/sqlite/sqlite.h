/* sqlite - the SQLite driver: opens the file read-only inside the sandbox, and runs one statement at a time. */
#pragma once

#include "workers/sql/sqlite/sqlite_db.h"

/* Begin and end serving c's channel and deadline.  Outside of that, SQLite is not interrupted. */
void sqlite_watch_begin(struct sql_db *db, struct call *c, uint64_t deadline_ns);
void sqlite_watch_end(struct sql_db *db);

/*
 * Applies the column policy for callers with these scopes.  Call before using
 * any table name of the file.  0 without a policy.
 */
int sqlite_apply_policy(struct sql_db *db, uint32_t scopes, struct err *err);

/* The schema to use for a table in our own statements that read rows: "main", or the one of the policy's views. */
const char *sqlite_schema(const struct sql_db *db, const char *table);

/* Connects every virtual table that may be used; a caller's statement cannot do so. */
void sqlite_connect_modules(struct sql_db *db);

/* The first step of a compiled statement; if it needs an unconnected virtual table, connects that and starts again. */
int sqlite_first_step(struct sql_db *db, sqlite3_stmt *stmt);

/*
 * Compiles, and reads double-quoted words that name nothing as strings.  If there are any, *sql becomes the changed
 * text and *text its owner; *text NULL: the caller's text.
 */
int sqlite_compile_quoted(struct sql_db *db, struct call *c, struct span *sql, char **text, sqlite3_stmt **out,
    struct err *err);

/* Restricts a connection of SQLite: limits, and switches against active content of files. */
int sqlite_restrict(sqlite3 *db);

/* As sqlite_connect_modules(), for the table-valued functions that every statement may use. */
void sqlite_connect_functions(struct sql_db *db);

/* Compiles one statement under the guard; -1 with *err.  The caller finalizes *out, which is NULL after an error. */
int sqlite_compile(struct sql_db *db, struct call *c, struct span sql, sqlite3_stmt **out, struct err *err);

/* Restores the settings of the connection; no transaction is open afterwards. */
int sqlite_pin(struct sql_db *db);

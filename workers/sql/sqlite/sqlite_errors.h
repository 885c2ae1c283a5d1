/* sqlite_errors - maps SQLite's result codes to our error codes, each with the next step for the caller. */
#pragma once

#include "workers/sql/sqlite/sqlite_db.h"

/*
 * Translates SQLite's last error for the caller, with position and code in
 * call_details().  running: the statement was already compiled.  Does not
 * return if the file needs a fresh process.
 */
int sqlite_explain(struct sql_db *db, struct call *c, struct span sql, int rc, bool running,
    struct err *err);

/* Writes the place in the caller's text of byte `at` of sql, as it is compiled, into call_details(). */
void sqlite_put_place(const struct sql_db *db, struct call *c, struct span sql, size_t at);

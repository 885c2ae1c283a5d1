/* sqlite_db - the declarations that the files of the SQLite driver share. */
#ifndef WORKERS_SQL_SQLITE_SQLITE_DB_H
#define WORKERS_SQL_SQLITE_SQLITE_DB_H

#include <sqlite3.h>

#include "workers/sql/driver.h"
#include "workers/sql/sqlite/sqlite_bounds.h"
#include "workers/sql/sqlite/sqlite_cache.h"
#include "workers/sql/sqlite/sqlite_columns.h"
#include "workers/sql/sqlite/sqlite_file.h"
#include "workers/sql/sqlite/sqlite_guard.h"

#define SQLITE_VALUE_MAX	(16 * 1024 * 1024)	/* bytes of one value; a larger one is refused */

/* The call to be served while SQLite computes. */
struct sqlite_watch {
	struct call	*call;		/* NULL: no call */
	uint64_t	 since_ns, deadline_ns, looked_ns;
	bool		 stopped;
	struct err	 why;
};

struct sql_db {
	const struct sql_config	*cfg;
	sqlite3			*db;
	struct sqlite_file	 file;
	struct sqlite_bounds	*bounds;
	struct sqlite_guard	 guard;
	struct sqlite_columns	*columns;	/* NULL: no column policy */
	struct sqlite_cache	 cache;
	bool			 no_automatic;	/* no automatic indexes for the running statement */
	bool			 reworded;	/* the running text was changed for this schema */
	struct span		 asked;		/* the caller's text while it, or a changed text, is compiled;
                                                 * borrowed */
	struct sqlite_watch	 watch;
	struct late_limit	 limit;		/* of the running statement */
	bool			 published;	/* the running statement may read datasets and nothing else */
	struct sql_db		*names;		/* sqlite_datasets.h */
};

/* Begin and end serving c's channel and deadline.  Outside of that, SQLite is not interrupted. */
void sqlite_watch_begin(struct sql_db *db, struct call *c, uint64_t deadline_ns);
void sqlite_watch_end(struct sql_db *db);

/*
 * Translates SQLite's last error for the caller, with position and code in
 * call_details().  running: the statement was already compiled.  Does not
 * return if the file needs a fresh process.
 */
int sqlite_explain(struct sql_db *db, struct call *c, struct span sql, int rc, bool running,
    struct err *err);

/* Writes the place in the caller's text of byte `at` of sql, as it is compiled, into call_details(). */
void sqlite_put_place(const struct sql_db *db, struct call *c, struct span sql, size_t at);

/*
 * Ends the process; a new one opens the changed file.  The
 * call stays unanswered: the front sends it to the new process.
 */
void sqlite_leave(const char *reason) __attribute__((noreturn));

/*
 * Applies the column policy for callers with these scopes.  Call before using
 * any table name of the file.  0 without a policy.
 */
int sqlite_apply_policy(struct sql_db *db, uint32_t scopes, struct err *err);

/* The schema to use for a table in our own statements that read rows: "main", or the one of the policy's views. */
const char *sqlite_schema(const struct sql_db *db, const char *table);

/* Connects every virtual table that may be used; a caller's statement cannot do so. */
void sqlite_connect_modules(struct sql_db *db);

/* The head map {headers, headerTypes?} of stmt. */
void sqlite_put_head(struct buf *out, sqlite3_stmt *stmt);

/* Writes column i of stmt's current row as a cell. */
bool sqlite_put_value(struct buf *out, sqlite3_stmt *stmt, int i);

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

int sqlite_audit(struct sql_db *db, struct call *c, struct result *r, struct err *err);

int sqlite_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err);

int sqlite_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p,
    struct err *err);

int sqlite_relate(struct sql_db *db, struct call *c, const struct relate_ask *a, struct overlap_counts *n,
    struct err *err);
int sqlite_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err);

/* The meaning of a declared type: "time", "string", "number" or "boolean". */
const char *sqlite_dimension(const char *declared);

#endif

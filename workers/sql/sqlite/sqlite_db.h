/* sqlite_db - the parts of the SQLite driver, as its own files see each other. */
#ifndef WORKERS_SQL_SQLITE_SQLITE_DB_H
#define WORKERS_SQL_SQLITE_SQLITE_DB_H

#include <sqlite3.h>

#include "workers/sql/driver.h"
#include "workers/sql/sqlite/sqlite_bounds.h"
#include "workers/sql/sqlite/sqlite_cache.h"
#include "workers/sql/sqlite/sqlite_columns.h"
#include "workers/sql/sqlite/sqlite_file.h"
#include "workers/sql/sqlite/sqlite_guard.h"

#define SQLITE_VALUE_MAX	(16 * 1024 * 1024)	/* bytes of one value; more is refused */

/* Looks after the call while SQLite computes. */
struct sqlite_watch {
	struct call	*call;		/* NULL: nothing to look after */
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
	bool			 no_automatic;	/* indexes are not made for the statement that runs */
	bool			 reworded;	/* what runs has words otherwise than the caller, as the schema is now */
	struct span		 asked;		/* the caller's text while it is compiled, perhaps otherwise written; borrowed */
	struct sqlite_watch	 watch;
};

/* Begin and end looking after c; until then nothing interrupts SQLite. */
void sqlite_watch_begin(struct sql_db *db, struct call *c, uint64_t deadline_ns);
void sqlite_watch_end(struct sql_db *db);

/*
 * Translate SQLite's last error for the caller, with position and code in
 * call_details().  running: the statement had been compiled.  Does not return
 * when the file needs a fresh process.
 */
int sqlite_explain(struct sql_db *db, struct call *c, struct span sql, int rc, bool running,
    struct err *err);

/* The place of byte `at` of sql, as it is compiled, in what the caller wrote, into call_details(). */
void sqlite_put_place(const struct sql_db *db, struct call *c, struct span sql, size_t at);

/*
 * Leave, so that a fresh process opens the file as it is now.  The call stays
 * unanswered: the front sends it to that process.
 */
void sqlite_leave(const char *reason) __attribute__((noreturn));

/*
 * Apply the column policy for callers with these scopes, before anything that
 * names tables of the file.  0 without a policy.
 */
int sqlite_apply_policy(struct sql_db *db, uint32_t scopes, struct err *err);

/* The schema of a table in a statement of our own that reads rows: "main", or where a view of the policy is. */
const char *sqlite_schema(const struct sql_db *db, const char *table);

/* Connect every virtual table that may be used, which a caller's statement cannot. */
void sqlite_connect_modules(struct sql_db *db);

/* The head map {headers, headerTypes?} of stmt. */
void sqlite_put_head(struct buf *out, sqlite3_stmt *stmt);

/* Column i of the row stmt is at, as a cell. */
bool sqlite_put_value(struct buf *out, sqlite3_stmt *stmt, int i);

/* The first step of a compiled statement; a virtual table that it needs is connected, and it begins again. */
int sqlite_first_step(struct sql_db *db, sqlite3_stmt *stmt);

/* Compile one statement under the guard; -1 with *err.  *out is the caller's to finalize, NULL after an error. */
int sqlite_compile(struct sql_db *db, struct call *c, struct span sql, sqlite3_stmt **out, struct err *err);

/* Set what holds for the connection again, whatever has been done to it; no transaction is open afterwards. */
int sqlite_pin(struct sql_db *db);

int sqlite_audit(struct sql_db *db, struct call *c, struct result *r, struct err *err);

int sqlite_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err);

int sqlite_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p,
    struct err *err);

int sqlite_relate(struct sql_db *db, struct call *c, const struct relate_ask *a, struct relate_counts *n,
    struct err *err);
int sqlite_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err);

/* What a declared type means: "time", "string", "number" or "boolean". */
const char *sqlite_dimension(const char *declared);

#endif

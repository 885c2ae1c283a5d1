/*
 * duckdb_session - one connection of the library, for one statement or a few of ours, with their rows.
 *
 * A connection costs some 60 microseconds, so every call has its own, and
 * nothing that a statement set, declared or prepared reaches another call.
 *
 * That is the whole session proof: what belongs to a connection ends with it,
 * and what belongs to the database cannot be changed.  The file is opened
 * READ_ONLY, or attached so under a column policy; enable_external_access is
 * off and the configuration is locked before the first statement of a caller.
 * Settings are thus those of the start for every call, and the catalogue is
 * the file's.  Over files: the database is in memory and cannot be READ_ONLY:
 * each statement runs in a transaction that only reads
 * (duckdb_session_only_read()), and only the views of duckdb_files.h are in it.
 *
 * The library may be inside a call of its own when a call's time is over.  The
 * connection then belongs to the runner's thread (duckdb_runner.h) and cannot
 * be closed: the caller is answered, and the process ends behind the answer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "workers/sql/duckdb/duckdb_library.h"
#include "workers/sql/duckdb/duckdb_values.h"
#include "workers/sql/late.h"

#define DUCKDB_SQL_MAX	((size_t)4 << 20)	/* bytes of a statement of ours */

struct call;
struct sql_db;

struct duckdb_session {
	struct call		*call;		/* NULL: none, before the process serves */
	uint64_t		 since_ns, deadline_ns;
	struct late_limit	 limit;
	/* What the library is to do, and what it did; the runner's while a job runs. */
	struct duck_connection	*connection;
	struct duck_connection	*aside;		/* outlives sessions (duckdb_session_swap()); NULL if none */
	struct duck_connection	*_Atomic stoppable;
	struct buf		 sql, text;	/* the statement; an error, or what was asked for */
	bool			 foreign;	/* the statement is a caller's */
	const struct sql_bound	*bound;		/* its values; NULL: it may have no placeholders */
	bool			 failed;
	int			 error;		/* its type */
	struct duck_prepared	*prepared;
	struct duck_result	 result;
	bool			 has_result;
	struct duck_chunk	*chunk;
	uint64_t		 size, row;	/* of the chunk; row: the next one */
	struct duckdb_type	**types;
	uint64_t		 ntypes;
};

/* Begins to serve a call until then. */
void duckdb_session_begin(struct sql_db *db, struct call *c, uint64_t deadline_ns);

/* Ends the statement and the connection; the process ends behind the call if the library does not come back. */
void duckdb_session_end(struct sql_db *db);

/*
 * Runs a statement; its rows follow.  foreign: it is a caller's, and has to be
 * one that reads, with the placeholders of `bound` alone, in the library's own opinion.  -1 with *err.
 */
int duckdb_session_run(struct sql_db *db, struct span sql, bool foreign, struct err *err);

/* Begins a transaction in which the library itself refuses to write, until the session ends.  -1 with *err. */
int duckdb_session_only_read(struct sql_db *db, struct err *err);

/* The next row: 1; 0 if none; -1 with *err. */
int duckdb_session_next(struct sql_db *db, struct err *err);

/* The current row's value in that column as a text in the call's arena; NULL: it is NULL. */
const char *duckdb_session_text(struct sql_db *db, uint64_t column);
int64_t duckdb_session_number(struct sql_db *db, uint64_t column, int64_t otherwise);

/* The current row's value as a cell. */
bool duckdb_session_put(struct sql_db *db, struct buf *out, uint64_t column);

/* The parse tree of a statement, as JSON, valid until the next job.  -1 with *err. */
int duckdb_session_parse(struct sql_db *db, struct span sql, struct span *tree, struct err *err);

/* Lays the connection aside, or takes the one there. */
void duckdb_session_swap(struct sql_db *db);

/* Any other work of the library, on its thread. */
int duckdb_session_work(struct sql_db *db, void (*work)(void *db), struct err *err);

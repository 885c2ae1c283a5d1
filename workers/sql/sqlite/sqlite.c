/*
 * sqlite.c - see sqlite.h.
 *
 * Why no session proof is needed
 *
 * One connection serves all callers, and nothing is asked of it between two statements.  SQLite compiles a statement
 * before it runs, and the authorizer (sqlite_guard.h) is asked for each action while it does so: reading a column,
 * calling a listed function, recursion.  Whatever could leave something in the connection (PRAGMA, ATTACH, a
 * transaction, a temporary table) has an action of its own that is on no list, so it does not compile.  What compiles
 * must also be read-only in the library's own opinion (check_statement()), and the connection is opened read-only with
 * query_only, in a process that the kernel lets open no other file and write none.
 *
 * Three things do outlive a statement, and each is ended by name: the statement itself is reset, so that no read lock
 * and no snapshot stays; compiled statements are kept by their text, and forgotten when the column policy is another
 * one for this caller's scopes (sqlite_apply_policy()); the views of datasets exist during one statement, and a
 * worker that cannot drop them ends.
 *
 * What can change is the file.  A replaced one ends the worker before the next statement; one that was opened as
 * immutable, because its directory cannot be written, is looked at again after the statement, and if it was written
 * to meanwhile the worker ends without an answer: the front sends the call to another worker.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/mem.h"
#include "base/mp.h"
#include "workers/sql/late.h"
#include "workers/sql/sqlite/sqlite_datasets.h"
#include "workers/sql/sqlite/sqlite.h"
#include "workers/sql/sqlite/sqlite_audit.h"
#include "workers/sql/sqlite/sqlite_calls.h"
#include "workers/sql/sqlite/sqlite_errors.h"
#include "workers/sql/sqlite/sqlite_fingerprint.h"
#include "workers/sql/sqlite/sqlite_introspect.h"
#include "workers/sql/sqlite/sqlite_profile.h"
#include "workers/sql/sqlite/sqlite_relate.h"
#include "workers/sql/sqlite/sqlite_values.h"
#include "workers/sql/sqlite/sqlite_memory.h"
#include "workers/sql/sqlite/sqlite_percentile.h"
#include "workers/sql/sqlite/sqlite_quoted.h"
#include "workers/sql/sqlite/sqlite_temp.h"
#include "workers/sql/sqlite/sqlite_text.h"
#include "workers/shared/call.h"

#define MAPPED_PART	4		/* of the process's addresses; half of them are the heap's */
#define LOOK_OPS	2000		/* VDBE operations between readings of the clock */
#define LOOK_NS		(10 * CLOCK_MS)	/* between polls of the channels */
#define SETTLE_NS	(100 * CLOCK_MS)	/* how long unreadable files are watched for a change */
#define SETTLE_LOOKS	20
#define BUSY_WAIT_NS	(5 * CLOCK_SECOND) /* for a writer's lock, if the deadline allows */

static int
watch_progress(void *arg)
{
	struct sqlite_watch *p = &((struct sql_db *)arg)->watch;
	uint64_t now;

	if (p->call == NULL)
		return 0;
	now = clock_ns();
	if (now >= p->deadline_ns) {
		p->stopped = true;
		late_query(now - p->since_ns, &((struct sql_db *)arg)->limit, &p->why);
	} else if (now - p->looked_ns >= LOOK_NS) {
		p->looked_ns = now;
		p->stopped = !call_poll(p->call, &p->why);
	}
	return p->stopped;
}

/* A writer holds its lock: waits a little, and serves the call's channel meanwhile. */
static int
wait_for_writer(void *arg, int attempt)
{
	struct timespec pause = { 0, attempt < 10 ? 1000000 : 5000000 };

	if ((uint64_t)attempt * (uint64_t)pause.tv_nsec > BUSY_WAIT_NS || watch_progress(arg))
		return 0;
	nanosleep(&pause, NULL);
	return 1;
}

void
sqlite_watch_begin(struct sql_db *db, struct call *c, uint64_t deadline_ns)
{
	db->limit = (struct late_limit){ db->cfg->timeout_ms, LATE_LIMIT_KEY };
	db->watch.call = c;
	db->watch.deadline_ns = deadline_ns;
	db->watch.since_ns = db->watch.looked_ns = clock_ns();
	db->watch.stopped = false;
}

void
sqlite_watch_end(struct sql_db *db)
{
	db->watch.call = NULL;
}

static int
sqlite_init(const struct sql_config *cfg, struct sql_db **out, struct err *err)
{
	struct sql_db *db = mem_new(1, sizeof(*db));

	*out = db;
	db->cfg = cfg;
	if (cfg->path[0] != '/')
		return err_set(err, ERR_INTERNAL, "an SQLite connection needs the absolute path of its file");
	sqlite_file_init(&db->file, cfg->path);
	return 0;
}

/* Before sqlite3_initialize(): no locks, no statistics, a bounded heap, no shared cache. */
static int
prepare_library(const struct sql_config *cfg, struct err *err)
{
	if (sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) != SQLITE_OK ||
	    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK ||
	    sqlite_memory_install(cfg->memory_max / 2) != SQLITE_OK || sqlite3_initialize() != SQLITE_OK ||
	    sqlite_temp_install() != SQLITE_OK)
		return err_set(err, ERR_INTERNAL, "the SQLite library could not be set up");
	return 0;
}

static void
set_limits(sqlite3 *db)
{
	static const struct {
		int id, most;
	} limits[] = {
		{ SQLITE_LIMIT_LENGTH, SQLITE_VALUE_MAX },
		{ SQLITE_LIMIT_SQL_LENGTH, SQL_TEXT_MAX },
		{ SQLITE_LIMIT_EXPR_DEPTH, 1000 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 100 },
		{ SQLITE_LIMIT_VDBE_OP, 500000 },
		{ SQLITE_LIMIT_FUNCTION_ARG, 127 },
		{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1024 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_VARIABLE_NUMBER, 32 }, /* full-text tables use some internally */
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite3_limit(db, limits[i].id, limits[i].most);
}

static int
set_switches(sqlite3 *db)
{
	static const struct {
		int id, on;
	} switches[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		/* "colum" misspelt is an error, not the text 'colum'; see sqlite_quoted.h. */
		{ SQLITE_DBCONFIG_DQS_DML, 0 },
	};
	int rc = SQLITE_OK;

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]) && rc == SQLITE_OK; i++)
		rc = sqlite3_db_config(db, switches[i].id, switches[i].on, (int *)NULL);
	return rc;
}

int
sqlite_restrict(sqlite3 *db)
{
	set_limits(db);
	return set_switches(db);
}

/* The error of opening, outside of a call. */
static int
cannot_open(struct sql_db *db, int rc, struct err *err)
{
	if (rc == SQLITE_READONLY_ROLLBACK)
		err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the SQLite database %.300s has a hot journal: its last writer crashed and the file has to be "
		    "repaired by a process that may write; open it once with its application",
		    db->file.path);
	else if ((rc & 0xFF) == SQLITE_NOTADB || (rc & 0xFF) == SQLITE_CORRUPT)
		err_set(err, ERR_DATABASE_UNAVAILABLE, "the file %.300s is not a readable SQLite database: %s",
		    db->file.path, sqlite3_errmsg(db->db));
	else if ((rc & 0xFF) == SQLITE_BUSY)
		err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the SQLite database %.300s is locked by another program; try again when that program's "
		    "transaction has ended",
		    db->file.path);
	else
		err_set(err, ERR_DATABASE_UNAVAILABLE, "the SQLite database %.300s cannot be opened: %s", db->file.path,
		    sqlite3_errmsg(db->db));
	return err_detail(err, "code %d, %s", rc, db->file.immutable ? "immutable" : "shared");
}

int
sqlite_pin(struct sql_db *db)
{
	char settings[200];
	int rc = set_switches(db->db);

	snprintf(settings, sizeof(settings),
	    "PRAGMA temp_store=FILE; PRAGMA query_only=1; PRAGMA cache_size=-8192; PRAGMA mmap_size=%llu;"
	    "SELECT count(*) FROM sqlite_schema;",
	    db->file.mappable ? (unsigned long long)db->cfg->memory_max / MAPPED_PART : 0);

	sqlite_columns_forget(db->columns);
	if (rc == SQLITE_OK && !sqlite3_get_autocommit(db->db))
		rc = sqlite3_exec(db->db, "ROLLBACK", NULL, NULL, NULL);
	return rc == SQLITE_OK ? sqlite3_exec(db->db, settings, NULL, NULL, NULL) : rc;
}

static int
open_connection(struct sql_db *db)
{
	struct buf uri = { 0 };
	int rc;

	sqlite_file_uri(&db->file, &uri);
	rc = sqlite3_open_v2(buf_cstr(&uri), &db->db,
	    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
	buf_fini(&uri);
	if (rc != SQLITE_OK)
		return rc;
	sqlite3_extended_result_codes(db->db, 1);
	sqlite3_busy_handler(db->db, wait_for_writer, db);
	return sqlite_pin(db);
}

int
sqlite_apply_policy(struct sql_db *db, uint32_t scopes, struct err *err)
{
	bool changed;

	if (db->columns == NULL)
		return 0;
	if (sqlite_columns_prepare(db->columns, scopes, &changed, err) == -1)
		return -1;
	if (changed) {
		sqlite_cache_clear(&db->cache);
		sqlite_connect_modules(db);
	}
	return 0;
}

const char *
sqlite_schema(const struct sql_db *db, const char *table)
{
	return db->columns != NULL && sqlite_columns_is_fronted(db->columns, table) ? "temp" : "main";
}

static int
open_policy(struct sql_db *db, struct err *err)
{
	if (columns_is_empty(db->cfg->columns))
		return 0;
	if (sqlite_columns_open(&db->columns, db->db, &db->guard, db->cfg->columns, db->cfg->column_key, err) == -1)
		return -1;
	db->guard.columns = db->columns;
	return sqlite_apply_policy(db, 0, err);
}

/*
 * Returns -1 with the reason.  But if the files changed since our Landlock
 * rules were made (a writer comes or goes, which takes a moment), the process
 * ends.
 */
static int
cannot_reach(const struct sql_db *db)
{
	struct timespec pause = { 0, SETTLE_NS / SETTLE_LOOKS };

	for (int i = 0; i < SETTLE_LOOKS; i++) {
		if (!sqlite_file_is_untouched(&db->file))
			leave_process("the database's files changed while it was being opened");
		nanosleep(&pause, NULL);
	}
	return -1;
}

static int
open_database(struct sql_db *db, struct err *err)
{
	int rc;

	if (prepare_library(db->cfg, err) == -1)
		return -1;
	if (sqlite_file_look(&db->file, err) == -1)
		return cannot_reach(db);
	sqlite_calls_install(&db->file);
	rc = open_connection(db);
	if (rc == SQLITE_READONLY_RECOVERY) { /* a writer is just rebuilding the -wal's index */
		sqlite3_close(db->db);
		rc = open_connection(db);
	}
	if (rc != SQLITE_OK) {
		(void)cannot_open(db, rc, err);
		return cannot_reach(db);
	}
	if ((db->bounds = sqlite_bounds_install(db->db, SQLITE_VALUE_MAX)) == NULL)
		return err_set(err, ERR_INTERNAL, "the SQLite library could not be set up");
	if (sqlite_percentile_install(db->db) != SQLITE_OK)
		return err_set(err, ERR_INTERNAL, "the SQLite library could not be set up");
	sqlite_guard_install(&db->guard, db->db);
	sqlite_connect_modules(db);
	set_limits(db->db);
	if (open_policy(db, err) == -1 || sqlite_datasets_open(db, err) == -1)
		return -1;
	sqlite3_progress_handler(db->db, LOOK_OPS, watch_progress, db);
	db->guard.mode = GUARD_QUERY;
	return 0;
}

/* Compiling connects a virtual table.  The statement is never run: the guard allows everything in trusted mode. */
static void
connect_module(struct sql_db *db, const char *schema, const char *table)
{
	char *sql = sqlite3_mprintf("SELECT * FROM %s\"%w\"", schema, table);
	sqlite3_stmt *stmt = NULL;

	if (sql != NULL)
		(void)sqlite3_prepare_v2(db->db, sql, -1, &stmt, NULL);
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
}

void
sqlite_connect_functions(struct sql_db *db)
{
	connect_module(db, "", "json_each");
	connect_module(db, "", "json_tree");
}

/* The module in "CREATE VIRTUAL TABLE name USING module(…)"; empty for another statement. */
static struct span
module_of(const unsigned char *sql)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = span_str((const char *)sql) };
	struct sqltext_token t = sqltext_next(&s);

	if (!sqltext_is(&t, "CREATE"))
		return SPAN_NONE;
	t = sqltext_next(&s);
	if (!sqltext_is(&t, "VIRTUAL"))
		return SPAN_NONE;
	while (t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN && !sqltext_is(&t, "USING"))
		t = sqltext_next(&s);
	t = sqltext_next(&s);
	return t.kind == SQLTEXT_WORD ? t.text : SPAN_NONE;
}

void
sqlite_connect_modules(struct sql_db *db)
{
	enum sqlite_guard_mode mode = db->guard.mode;
	sqlite3_stmt *stmt = NULL;
	char pragma[40];

	db->guard.mode = GUARD_TRUSTED;
	sqlite_connect_functions(db);
	for (size_t i = 0; sqlite_guard_description(i) != NULL; i++) {
		snprintf(pragma, sizeof(pragma), "pragma_%s", sqlite_guard_description(i));
		connect_module(db, "", pragma);
	}
	if (sqlite3_prepare_v2(db->db,
		"SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'create virtual%'", -1, &stmt,
		NULL) == SQLITE_OK)
		while (sqlite3_step(stmt) == SQLITE_ROW)
			if (sqlite_guard_allows_module(module_of(sqlite3_column_text(stmt, 1))))
				connect_module(db, "main.", (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	db->guard.mode = mode;
}

static size_t
first_word(struct span sql)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = sql };
	struct sqltext_token t;

	do
		t = sqltext_next(&s);
	while (sqltext_is_punct(&t, ';'));
	return (size_t)(t.text.p - sql.p);
}

static size_t
first_placeholder(struct span sql)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = sql };
	struct sqltext_token t;

	do
		t = sqltext_next(&s);
	while (t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN && !sqltext_is_punct(&t, '?') &&
	    !sqltext_is_punct(&t, ':') && !sqltext_is_punct(&t, '@') && !sqltext_is_punct(&t, '$'));
	return (size_t)(t.text.p - sql.p);
}

/* Faults that the guard cannot see: several statements, none, or one that returns no rows. */
static int
check_statement(struct sql_db *db, struct call *c, sqlite3_stmt *stmt, const char *tail, struct span sql,
    struct err *err)
{
	struct span rest = span_of(tail, (size_t)(sql.p + sql.len - (const uint8_t *)tail)), body;

	if (stmt == NULL)
		return err_set(err, ERR_INVALID_SQL, "there is no statement, only white space or comments");
	if (sqltext_statement(SQLTEXT_SQLITE, rest, &body) != SQLTEXT_NONE) {
		sqlite_put_place(db, c, sql, sql.len - rest.len + first_word(rest));
		return err_set(err, ERR_FORBIDDEN_SQL, "several statements are not allowed; send one statement a call");
	}
	if (sqlite3_bind_parameter_count(stmt) > (db->bound == NULL ? 0 : (int)db->bound->n)) {
		sqlite_put_place(db, c, sql, first_placeholder(sql));
		return err_set(err, ERR_INVALID_SQL,
		    "placeholders are not supported; write the values into the statement");
	}
	if (!sqlite3_stmt_readonly(stmt) || sqlite3_column_count(stmt) == 0) {
		sqlite_put_place(db, c, sql, first_word(sql));
		return err_set(err, ERR_FORBIDDEN_SQL,
		    "only statements that read and return rows are allowed; write a SELECT");
	}
	return 0;
}

static int
sqlite_prepare(struct sql_db *db, struct span sql, sqlite3_stmt **out, const char **tail)
{
	int rc;

	for (int attempt = 0;; attempt++) {
		sqlite_guard_reset(&db->guard);
		rc = sqlite3_prepare_v3(db->db, (const char *)sql.p, (int)sql.len, 0, out, tail);
		/*
		 * A virtual table of a changed schema, or a temporary state during a write.  In the database of
		 * dataset names nothing is connected: a module would stay connected for later statements.
		 */
		if (attempt == 0 && rc != SQLITE_OK && db->guard.denied && db->guard.connecting && db->names != NULL)
			sqlite_connect_modules(db);
		else if (attempt > 0 || rc != SQLITE_READONLY_RECOVERY)
			return rc;
	}
}

/* Judges the result code of sqlite_prepare(). */
static int
judge_prepared(struct sql_db *db, struct call *c, int rc, struct span sql, const char *tail, sqlite3_stmt **out,
    struct err *err)
{
	if (rc != SQLITE_OK)
		return sqlite_explain(db, c, sql, rc, false, err);
	if (check_statement(db, c, *out, tail, sql, err) == 0)
		return 0;
	sqlite3_finalize(*out);
	*out = NULL;
	return -1;
}

int
sqlite_compile(struct sql_db *db, struct call *c, struct span sql, sqlite3_stmt **out, struct err *err)
{
	const char *tail = NULL;
	int rc = sqlite_prepare(db, sql, out, &tail);

	return judge_prepared(db, c, rc, sql, tail, out, err);
}

/* Whether SQLite would build an index for this statement alone.  An EXPLAIN reads no rows. */
static bool
wants_automatic_index(struct sql_db *db, struct span sql)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = sql };
	struct sqltext_token first = sqltext_next(&s);
	struct buf text = { 0 };
	sqlite3_stmt *stmt = NULL;
	bool found = false;

	if (sqltext_is(&first, "EXPLAIN"))
		return false;
	buf_str(&text, "EXPLAIN ");
	buf_span(&text, sql);
	if (sqlite3_prepare_v2(db->db, buf_cstr(&text), -1, &stmt, NULL) != SQLITE_OK)
		found = true; /* too long with EXPLAIN in front: assume that it does */
	while (!found && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *opcode = (const char *)sqlite3_column_text(stmt, 1);

		found = opcode != NULL && strcmp(opcode, "OpenAutoindex") == 0;
	}
	sqlite3_finalize(stmt);
	buf_fini(&text);
	return found;
}

/* The PRAGMA expires compiled statements, so it stays in force until the statement has run. */
static int
allow_automatic_indexes(struct sql_db *db, bool allowed)
{
	enum sqlite_guard_mode mode = db->guard.mode;
	int rc;

	db->guard.mode = GUARD_TRUSTED;
	rc = sqlite3_exec(db->db, allowed ? "PRAGMA automatic_index=1" : "PRAGMA automatic_index=0", NULL, NULL, NULL);
	db->guard.mode = mode;
	db->no_automatic = !allowed;
	return rc;
}

/*
 * Builds no automatic index: it would hold the protected columns behind the
 * policy's views, and return rows in their order.
 */
static int
compile_without_automatic(struct sql_db *db, struct call *c, struct span sql, sqlite3_stmt **out, struct err *err)
{
	sqlite3_finalize(*out);
	*out = NULL;
	if (allow_automatic_indexes(db, false) != SQLITE_OK)
		return err_set(err, ERR_INTERNAL, "automatic indexes cannot be switched off");
	return sqlite_compile(db, c, sql, out, err);
}

int
sqlite_compile_quoted(struct sql_db *db, struct call *c, struct span *sql, char **text, sqlite3_stmt **out,
    struct err *err)
{
	struct sqlite_quoted quoted = { .read = false };
	const char *tail = NULL;
	char *other;
	int rc;

	for (unsigned n = 0; (rc = sqlite_prepare(db, *sql, out, &tail)) == SQLITE_ERROR && !db->guard.denied; n++) {
		if (n == SQLITE_QUOTED_MAX || watch_progress(db))
			break;
		if ((other = sqlite_quoted_as_text(&quoted, db, *sql)) == NULL) {
			rc = sqlite_prepare(db, *sql, out, &tail); /* compile again for the error message */
			break;
		}
		free(*text);
		*text = other;
		*sql = span_str(other);
		db->reworded = true;
	}
	sqlite_quoted_fini(&quoted);
	return judge_prepared(db, c, rc, *sql, tail, out, err);
}

/*
 * Protected tables must be named through their views: the authorizer is not
 * asked about columns that USING and NATURAL JOIN compare.
 */
static int
compile_under_policy(struct sql_db *db, struct call *c, struct span sql, sqlite3_stmt **out, struct err *err)
{
	char *text = NULL;
	size_t at;
	int rc;

	if (db->columns != NULL) {
		if (sqlite_columns_check(db->columns, sql, &at, err) == -1) {
			if (at < sql.len)
				sqlite_put_place(db, c, sql, at);
			return -1;
		}
		text = sqlite_columns_unqualified(db->columns, sql);
	}
	if (text != NULL)
		sql = span_str(text);
	rc = sqlite_compile_quoted(db, c, &sql, &text, out, err);
	if (rc == 0 && db->guard.wrapped && wants_automatic_index(db, sql))
		rc = compile_without_automatic(db, c, sql, out, err);
	free(text);
	return rc;
}

int
sqlite_first_step(struct sql_db *db, sqlite3_stmt *stmt)
{
	int rc = sqlite3_step(stmt);

	if (rc == SQLITE_ROW || rc == SQLITE_DONE || !db->guard.denied || !db->guard.connecting)
		return rc;
	/* pragma_table_info() of a virtual table that a changed schema has disconnected. */
	sqlite3_reset(stmt);
	sqlite_connect_modules(db);
	sqlite_guard_reset(&db->guard);
	return sqlite3_step(stmt);
}

/*
 * Steps through the rows and returns the last result code; *failed: *err is
 * set.  The first step may recompile the statement for a changed schema, so
 * its columns are read afterwards.
 */
static int
sqlite_fetch(struct sql_db *db, sqlite3_stmt *stmt, struct result *r, bool *failed, struct err *err)
{
	enum result_added added = RESULT_GO_ON;
	int rc = sqlite_first_step(db, stmt), n = sqlite3_column_count(stmt);
	struct buf *row;

	*failed = false;
	if (rc == SQLITE_ROW || rc == SQLITE_DONE)
		sqlite_put_head(row_stream_head(r), stmt);
	if ((rc == SQLITE_ROW || rc == SQLITE_DONE) && row_stream_wants_names(r))
		sqlite_put_names(row_stream_names(r, (size_t)n), stmt);
	for (; rc == SQLITE_ROW && row_stream_wants(r); rc = sqlite3_step(stmt)) {
		row = row_stream_row(r, (size_t)n);
		for (int i = 0; i < n && !row_stream_hopeless(r); i++)
			if (sqlite_put_value(row, stmt, i))
				row_stream_note_text(r, (unsigned)i);
		if ((added = row_stream_row_done(r, err)) != RESULT_GO_ON)
			break;
	}
	*failed = added == RESULT_FAILED;
	return rc == SQLITE_ROW ? SQLITE_DONE : rc;
}

static int
run_statement(struct sql_db *db, struct call *c, sqlite3_stmt *stmt, struct span sql, struct result *r,
    struct err *err)
{
	bool failed;
	int rc = sqlite_fetch(db, stmt, r, &failed, err);

	if (rc == SQLITE_READONLY_RECOVERY && row_stream_head(r)->len == 0) {
		sqlite3_reset(stmt);
		rc = sqlite_fetch(db, stmt, r, &failed, err);
	}
	if (failed)
		rc = -1;
	else
		rc = rc == SQLITE_DONE ? 0 : sqlite_explain(db, c, sql, rc, true, err);
	sqlite3_reset(stmt);
	return rc;
}

static struct span
without_mark(struct span sql)
{
	/* Skips one byte-order mark, which editors write. */
	if (sql.len >= 3 && memcmp(sql.p, "\xEF\xBB\xBF", 3) == 0)
		return span_of(sql.p + 3, sql.len - 3);
	return sql;
}

static const struct sql_bound_style numbers = { SQLTEXT_SQLITE, "?$@", NULL, '?' };

static void
bind_value(sqlite3_stmt *stmt, int number, const struct sql_parameter *p)
{
	if (p->text == NULL)
		sqlite3_bind_null(stmt, number);
	else if (p->type == PARAMETER_INTEGER)
		sqlite3_bind_int64(stmt, number, strtoll(p->text, NULL, 10));
	else if (p->type == PARAMETER_NUMBER)
		sqlite3_bind_double(stmt, number, strtod(p->text, NULL));
	else if (p->type == PARAMETER_BOOLEAN)
		sqlite3_bind_int(stmt, number, strcmp(p->text, "true") == 0);
	else
		sqlite3_bind_text(stmt, number, p->text, -1, SQLITE_TRANSIENT);
}

/* A statement with parameters is not cached: a caller's with the same text would find the values of another call. */
static int
execute_bound(struct sql_db *db, struct call *c, const struct sql_query *q, struct result *r, struct err *err)
{
	struct buf text = BUF_MAX(SQL_TEXT_MAX);
	sqlite3_stmt *stmt = NULL;
	int rc = sql_bound_write(&numbers, without_mark(q->text), q->bound, &text, err);

	sqlite_guard_reset(&db->guard);
	db->bound = q->bound;
	if (rc == 0)
		rc = compile_under_policy(db, c, buf_view(&text), &stmt, err);
	for (size_t i = 0; rc == 0 && i < q->bound->n; i++)
		bind_value(stmt, (int)i + 1, &q->bound->v[i]);
	db->asked = SPAN("");
	if (rc == 0) {
		call_progress(c, 300, "Executing");
		rc = run_statement(db, c, stmt, buf_view(&text), r, err);
	}
	sqlite3_finalize(stmt);
	db->bound = NULL;
	buf_fini(&text);
	return rc;
}

/* A statement over datasets is not cached: its views exist only during it. */
static int
execute_published(struct sql_db *db, struct call *c, const struct sql_query *q, struct result *r, struct err *err)
{
	struct span sql = without_mark(q->text);
	struct sqlite_datasets *published = NULL;
	sqlite3_stmt *stmt = NULL;
	char *text = NULL;
	int rc = sqlite_datasets_begin(&published, db, q->published, err);

	sqlite_guard_reset(&db->guard);
	if (rc == 0)
		rc = sqlite_datasets_check(published, db, c, &sql, &text, err);
	if (rc == 0)
		rc = compile_under_policy(db, c, sql, &stmt, err);
	if (rc == 0) {
		call_progress(c, 300, "Executing");
		rc = run_statement(db, c, stmt, sql, r, err);
	}
	sqlite3_finalize(stmt);
	free(text);
	sqlite_datasets_end(published, db);
	return rc;
}

static int
execute_own(struct sql_db *db, struct call *c, const struct sql_query *q, struct result *r, struct err *err)
{
	struct span sql = without_mark(q->text);
	sqlite3_stmt *stmt = sqlite_cache_get(&db->cache, sql);
	bool kept = stmt != NULL;
	int rc = 0;

	sqlite_guard_reset(&db->guard);
	if (!kept)
		rc = compile_under_policy(db, c, sql, &stmt, err);
	db->asked = SPAN("");
	if (rc == 0) {
		kept = kept || (!db->no_automatic && !db->reworded && sqlite_cache_put(&db->cache, sql, stmt));
		call_progress(c, 300, "Executing");
		rc = run_statement(db, c, stmt, sql, r, err);
		if (!kept)
			sqlite3_finalize(stmt);
	}
	return rc;
}

static int
sqlite_execute(struct sql_db *db, struct call *c, const struct sql_query *q, struct result *r,
    struct err *err)
{
	int rc;

	if (!sqlite_file_is_same(&db->file))
		leave_process("the database file was replaced");
	sqlite_watch_begin(db, c, q->deadline_ns);
	if (q->limit.key != NULL)
		db->limit = q->limit;
	rc = sqlite_apply_policy(db, call_scopes(c), err);
	db->reworded = false;
	db->asked = q->text;
	if (rc == 0)
		rc = q->published != NULL ? execute_published(db, c, q, r, err) :
		    q->bound != NULL      ? execute_bound(db, c, q, r, err) :
					    execute_own(db, c, q, r, err);
	db->asked = SPAN("");
	sqlite_watch_end(db);
	if (db->no_automatic)
		(void)allow_automatic_indexes(db, true);
	(void)fault_point("sql.before_recheck");
	if (db->file.immutable && !sqlite_file_is_same(&db->file))
		leave_process("the database file was written to while it was read");
	return rc;
}

/* Tries a forbidden statement; true if it was refused. */
static bool
refuses_writes(struct sql_db *db)
{
	sqlite3_stmt *stmt = NULL;
	int rc;

	sqlite_guard_reset(&db->guard);
	rc = sqlite3_prepare_v2(db->db, "CREATE TABLE carrel_write_probe(x)", -1, &stmt, NULL);
	sqlite3_finalize(stmt);
	return rc != SQLITE_OK && sqlite3_db_readonly(db->db, "main") == 1;
}

static int
test(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err)
{
	uint64_t since = clock_ns(), micros;
	int rc;

	if (!sqlite_file_is_same(&db->file))
		leave_process("the database file was replaced");
	sqlite_watch_begin(db, c, call_deadline(c));
	rc = sqlite3_exec(db->db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		rc = sqlite_explain(db, c, SPAN(""), rc, true, err);
	sqlite_watch_end(db);
	if (rc != 0)
		return -1;
	micros = (clock_ns() - since) / 1000;
	t->latency_ms = (double)micros / 1000.0;
	snprintf(t->server_version, sizeof(t->server_version), "%s", sqlite3_libversion());
	t->can_write = db->file.writable ? SQL_WRITE_YES : SQL_WRITE_NO;
	snprintf(t->can_write_why, sizeof(t->can_write_why), "%s",
	    db->file.writable ?
		"the account may write the file; this worker opens it read-only and is confined to reading" :
		"the account may not write the file");
	t->read_only_session = refuses_writes(db);
	return 0;
}

static int
sqlite_column(struct sql_db *db, struct call *c, uint32_t scopes, const char *schema, const char *table,
    const char *name, enum columns_action *action, struct err *err)
{
	(void)c, (void)schema;
	if (sqlite_apply_policy(db, scopes, err) == -1)
		return -1;
	*action = sqlite_columns_action(db->columns, table, name);
	return 0;
}

static bool
sqlite_matches(struct sql_db *db, size_t rule)
{
	return sqlite_columns_matches(db->columns, rule);
}

static void
close_database(struct sql_db *db)
{
	if (db == NULL)
		return;
	sqlite_cache_clear(&db->cache);
	sqlite_datasets_close(db);
	sqlite_columns_close(db->columns);
	sqlite3_close(db->db);
	sqlite_bounds_free(db->bounds);
	sqlite_file_fini(&db->file);
	free(db);
}

const struct sql_driver sql_driver = {
	.name = "sqlite",
	.binary = "carrel-sql-sqlite",
	.profile = "sql-sqlite",
	.published_limits = true,
	.row_number = "_rowid_",
	.no_grants = "an SQLite file has no roles to grant anything to: an account that may read the file may read all "
		     "of it; the column policy is what keeps columns back",
	.quote = '"',
	.init = sqlite_init,
	.open = open_database,
	.execute = sqlite_execute,
	.introspect = sqlite_introspect,
	.sample = sqlite_profile,
	.relate = sqlite_relate,
	.fingerprint = sqlite_fingerprint,
	.column = sqlite_column,
	.matches = sqlite_matches,
	.test = test,
	.audit = sqlite_audit,
	.close = close_database,
};

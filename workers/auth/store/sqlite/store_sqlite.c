/* store_sqlite.c - see store.h: an embedded SQLite file with a write-ahead log. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "workers/auth/store/sqlite/store_schema.h"

#define BUSY_MS		5000	/* waiting for another process's transaction */
/*
 * For a new store.  Most rows are audit entries of some 800 bytes, appended in order: large pages need fewer writes
 * and split fewer rows.
 */
#define PAGE_BYTES	16384
#define LOG_BYTES	(4 << 20)

static const char *const texts[STORE_NSTATEMENTS] = {
#define SHARED(NAME, text)		[STORE_##NAME] = text,
#define APART(NAME, text, postgres)	[STORE_##NAME] = text,
#define LOCAL(NAME, text)		[STORE_##NAME] = text,
#define NODES(NAME, text)		/* of a store that nodes share */
#include "workers/auth/store/store_statements.def"
#undef SHARED
#undef APART
#undef LOCAL
#undef NODES
};

static struct store_sqlite *
sqlite_of(struct store *s)
{
	return (struct store_sqlite *)s;
}

static sqlite3_stmt *
stmt_of(struct store_query *q)
{
	return ((struct sqlite_query *)q)->stmt;
}

/* SQLite has few error codes for files; the system call's errno says more.  SQLite does not save it at a commit. */
static int
code_of(const struct store_sqlite *s, int code)
{
	int number = errno;

	if (s->db == NULL || (code & 0xff) != SQLITE_IOERR)
		return code & 0xff;
	if (sqlite3_system_errno(s->db) != 0)
		number = sqlite3_system_errno(s->db);

	return number == EROFS ? SQLITE_READONLY : number == ENOSPC || number == EDQUOT ? SQLITE_FULL : SQLITE_IOERR;
}

int
store_fail(struct store_sqlite *s, int code, struct err *err)
{
	const char *said =
	    s->db != NULL && sqlite3_errcode(s->db) != SQLITE_OK ? sqlite3_errmsg(s->db) : sqlite3_errstr(code);
	int kind = code_of(s, code);

	s->full = s->full || kind == SQLITE_FULL;
	switch (kind) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the state store is damaged (%s): stop carrel, put a copy of %s in its place or move its files "
		    "away, and start again; without a copy, tokens must be made again",
		    said, s->path);
	case SQLITE_FULL:
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the state store has no room: its file system is full; make room there");
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the state store is held by another process for longer than %d s; see which one has it open",
		    BUSY_MS / 1000);
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_CANTOPEN:
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the state store cannot be written (%s): %s and its directory belong to carrel's user, and the "
		    "file system must not be read-only",
		    said, s->path);
	case SQLITE_NOMEM:
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "the state store ran out of memory");
	default:
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "the state store failed: %s (code %d)", said, code);
	}
}

int
store_exec(struct store_sqlite *s, const char *sql, struct err *err)
{
	int code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : store_fail(s, code, err);
}

/* The statement, reset and without bindings; prepared at its first use. */
static struct sqlite_query *
sqlite_query_of(struct store_sqlite *s, enum store_statement which, struct err *err)
{
	struct sqlite_query *q = &s->queries[which];
	int code;

	if (q->stmt != NULL) {
		sqlite3_reset(q->stmt);
		sqlite3_clear_bindings(q->stmt);
		return q;
	}
	q->base.store = &s->base;
	code = sqlite3_prepare_v3(s->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, &q->stmt, NULL);
	if (code == SQLITE_OK)
		return q;
	(void)store_fail(s, code, err);
	return NULL;
}

static struct store_query *
sqlite_ask(struct store *s, enum store_statement which, const struct store_value *values, size_t n, struct err *err)
{
	struct sqlite_query *q = sqlite_query_of(sqlite_of(s), which, err);

	for (size_t i = 0; q != NULL && i < n; i++) {
		const struct store_value *v = &values[i];
		int at = (int)i + 1;

		if (v->kind == STORE_NUMBER)
			sqlite3_bind_int64(q->stmt, at, (sqlite3_int64)v->n);
		else if (v->kind == STORE_BYTES)
			sqlite3_bind_blob(q->stmt, at, v->s.p, (int)v->s.len, SQLITE_STATIC);
		else
			sqlite3_bind_text(q->stmt, at, v->s.p != NULL ? (const char *)v->s.p : "", (int)v->s.len,
			    SQLITE_STATIC);
	}
	return q == NULL ? NULL : &q->base;
}

static int
sqlite_next(struct store_query *q, struct err *err)
{
	sqlite3_stmt *stmt = stmt_of(q);
	int code = sqlite3_step(stmt);

	if (code == SQLITE_ROW)
		return 1;
	sqlite3_reset(stmt);
	return code == SQLITE_DONE ? 0 : store_fail(sqlite_of(q->store), code, err);
}

static int
sqlite_run(struct store_query *q, uint64_t *changed, struct err *err)
{
	struct store_sqlite *s = sqlite_of(q->store);
	int code = sqlite3_step(stmt_of(q));
	int result = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : store_fail(s, code, err);

	sqlite3_reset(stmt_of(q));
	*changed = (uint64_t)sqlite3_changes(s->db);
	return result;
}

static void
sqlite_end(struct store_query *q)
{
	sqlite3_reset(stmt_of(q));
}

static struct span
sqlite_bytes(struct store_query *q, int i)
{
	sqlite3_stmt *stmt = stmt_of(q);
	const void *p =
	    sqlite3_column_type(stmt, i) == SQLITE_BLOB ? sqlite3_column_blob(stmt, i) : sqlite3_column_text(stmt, i);

	return p == NULL ? SPAN("") : span_of(p, (size_t)sqlite3_column_bytes(stmt, i));
}

static int64_t
sqlite_number(struct store_query *q, int i)
{
	return sqlite3_column_int64(stmt_of(q), i);
}

static int
run_simple(struct store_sqlite *s, enum store_statement which, struct err *err)
{
	return store_change(store_statement(&s->base, which, err), NULL, err);
}

static bool
file_stat(const struct store_sqlite *s, size_t i, struct stat *st)
{
	static const char *const suffixes[STORE_FILES] = { "", "-wal", "-shm" };
	char *name = mem_printf("%s%s", s->path, suffixes[i]);
	bool found = stat(name, st) == 0;

	free(name);
	return found;
}

static void
remember_files(struct store_sqlite *s)
{
	struct stat st;

	for (size_t i = 0; i < STORE_FILES; i++)
		if (file_stat(s, i, &st)) {
			s->files[i].dev = st.st_dev;
			s->files[i].ino = st.st_ino;
		}
}

/* Whether one of the files was removed or replaced: writes to it would be lost. */
static bool
has_moved(const struct store_sqlite *s)
{
	struct stat st;

	for (size_t i = 0; i < STORE_FILES; i++)
		if (s->files[i].ino != 0 &&
		    (!file_stat(s, i, &st) || st.st_ino != s->files[i].ino || st.st_dev != s->files[i].dev))
			return true;
	return false;
}

/*
 * Merge the write-ahead log into the store and truncate it: on a small file system the log may fill the disk, and it
 * does not shrink by itself while nothing can be written.  Does not wait.
 */
static void
take_log_in(struct store_sqlite *s)
{
	sqlite3_busy_timeout(s->db, 0);
	(void)sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	sqlite3_busy_timeout(s->db, BUSY_MS);
}

static int
run_begin(struct store_sqlite *s, enum store_statement which, struct err *err)
{
	if (run_simple(s, which, err) != 0)
		return -1;
	s->writing = true;
	return 0;
}

static int
sqlite_begin(struct store *base, enum store_purpose purpose, struct err *err)
{
	struct store_sqlite *s = sqlite_of(base);

	if (purpose == STORE_LOOK)
		return run_begin(s, STORE_BEGIN_LOOK, err);
	if (s->writing)
		return err_set(err, ERR_INTERNAL, "a transaction within another");
	if (has_moved(s))
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the files of the state store were moved, replaced or deleted while they were in use: put them "
		    "back, "
		    "or stop carrel and start it again; what is in their place counts then");
	if (s->full) {
		s->full = false;
		take_log_in(s);
	}
	return run_begin(s, STORE_BEGIN, err);
}

static void
sqlite_rollback(struct store *base)
{
	struct store_sqlite *s = sqlite_of(base);

	/* After some errors SQLite has already rolled back. */
	if (s->writing && sqlite3_get_autocommit(s->db) == 0)
		(void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	s->writing = false;
}

static int
sqlite_commit(struct store *base, struct err *err)
{
	struct store_sqlite *s = sqlite_of(base);

	if (run_simple(s, STORE_COMMIT, err) != 0) {
		sqlite_rollback(base);
		return -1;
	}
	s->writing = false;
	return 0;
}

static bool
sqlite_changed_elsewhere(struct store *base)
{
	struct store_sqlite *s = sqlite_of(base);
	uint64_t now = s->seen;

	if (store_count(store_statement(base, STORE_DATA_VERSION, NULL), &now, NULL) != 0 || now == s->seen)
		return false;
	s->seen = now;
	return true;
}

static uint64_t
sqlite_revision(struct store *base)
{
	(void)base;
	return 0;
}

static void
sqlite_acted(struct store *base, uint64_t revision)
{
	(void)base, (void)revision;
}

static int
sqlite_watch(struct store *base)
{
	(void)base;
	return -1;
}

static int
sqlite_sync(struct store *base, struct err *err)
{
	struct store_sqlite *s = sqlite_of(base);
	sqlite3_file *log = NULL;
	int code = sqlite3_file_control(s->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);

	if (code == SQLITE_OK && log != NULL && log->pMethods != NULL)
		code = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
	return code == SQLITE_OK ? 0 : store_fail(s, code, err);
}

static uint64_t
sqlite_now_ms(struct store *base)
{
	(void)base;
	return clock_unix_ms();
}

static uint64_t
sqlite_lease_ms(struct store *base)
{
	(void)base;
	return STORE_OWN;
}

static void
sqlite_close(struct store *base)
{
	struct store_sqlite *s = sqlite_of(base);

	sqlite_rollback(base);
	for (size_t i = 0; i < STORE_NSTATEMENTS; i++)
		sqlite3_finalize(s->queries[i].stmt);
	if (sqlite3_close(s->db) != SQLITE_OK)
		log_error("the state store was not closed: %s", sqlite3_errmsg(s->db));
	free(s->path);
	free(s);
}

static const struct store_driver sqlite_driver = {
	.ask = sqlite_ask,
	.next = sqlite_next,
	.run = sqlite_run,
	.end = sqlite_end,
	.bytes = sqlite_bytes,
	.number = sqlite_number,
	.begin = sqlite_begin,
	.commit = sqlite_commit,
	.rollback = sqlite_rollback,
	.changed_elsewhere = sqlite_changed_elsewhere,
	.revision = sqlite_revision,
	.acted = sqlite_acted,
	.watch = sqlite_watch,
	.sync = sqlite_sync,
	.now_ms = sqlite_now_ms,
	.lease_ms = sqlite_lease_ms,
	.close = sqlite_close,
};

static bool
is_memory_of_nobody(void)
{
	static bool done;

	done = done ||
	    (sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK &&
		sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK && sqlite3_initialize() == SQLITE_OK);
	return done;
}

/* The log has changes but the file is empty: the file alone was removed. */
static int
check_files(const char *path, struct err *err)
{
	char *log = mem_printf("%s-wal", path);
	struct stat file, wal;
	bool lost = stat(path, &file) == 0 && stat(log, &wal) == 0 && file.st_size == 0 && wal.st_size > 0;

	free(log);
	return !lost ? 0 :
		       err_set(err, ERR_SERVICE_UNAVAILABLE,
			   "the state store is empty, but its log is not: put %s back, or move its -wal away "
			   "too and start again; tokens must then be made again",
			   path);
}

/*
 * Switching to a write-ahead log writes no journal, since no journal file can be created; the store is empty at that
 * time.
 */
static int
use_log(struct store_sqlite *s, struct err *err)
{
	sqlite3_stmt *q = NULL;
	bool logs = false;
	int code = sqlite3_prepare_v2(s->db, "PRAGMA journal_mode", -1, &q, NULL);

	if (code == SQLITE_OK && (code = sqlite3_step(q)) == SQLITE_ROW)
		logs = strcmp((const char *)sqlite3_column_text(q, 0), "wal") == 0;
	sqlite3_finalize(q);
	if (code != SQLITE_ROW)
		return store_fail(s, code, err);
	return logs ? 0 : store_exec(s, "PRAGMA journal_mode = MEMORY; PRAGMA journal_mode = WAL", err);
}

/* Only a new file takes the page size. */
static int
use_pages(struct store_sqlite *s, struct err *err)
{
	char pragma[64];

	snprintf(pragma, sizeof(pragma), "PRAGMA page_size = %d", PAGE_BYTES);
	return store_exec(s, pragma, err);
}

/* Sets the log size that triggers a merge, and the size that the file keeps afterwards. */
static int
bound_log(struct store_sqlite *s, struct err *err)
{
	char pragmas[128];
	int size;

	if (store_read_number(s, "PRAGMA page_size", &size, err) != 0)
		return -1;
	snprintf(pragmas, sizeof(pragmas), "PRAGMA wal_autocheckpoint = %d; PRAGMA journal_size_limit = %d",
	    LOG_BYTES / size, 2 * LOG_BYTES);
	return store_exec(s, pragmas, err);
}

static int
settle(struct store_sqlite *s, bool disk, struct err *err)
{
	int keep = 1;

	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, BUSY_MS);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	/* The sandbox allows neither creating nor removing files. */
	(void)sqlite3_file_control(s->db, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
	if (store_exec(s, "PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; PRAGMA cache_size = -512", err) != 0 ||
	    use_pages(s, err) != 0 || use_log(s, err) != 0 || bound_log(s, err) != 0)
		return -1;
	return store_exec(s, disk ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", err);
}

struct store *
store_open(const char *path, bool disk, struct err *err)
{
	return store_open_with(path, disk, store_steps, store_nsteps, err);
}

/* SQLite falls back to read-only when it may not write; the store must not. */
static int
open_writable(struct store_sqlite *s, struct err *err)
{
	int code = sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);

	if (code == SQLITE_OK && sqlite3_db_readonly(s->db, "main") != 0)
		code = SQLITE_READONLY;
	if (code != SQLITE_OK)
		(void)store_fail(s, code, err);
	return code;
}

struct store *
store_open_with(const char *path, bool disk, const char *const *steps, int n, struct err *err)
{
	struct store_sqlite *s;
	int code;

	if (!is_memory_of_nobody()) {
		err_set(err, ERR_INTERNAL, "SQLite cannot be set up");
		return NULL;
	}
	if (check_files(path, err) != 0)
		return NULL;
	s = mem_new(1, sizeof(*s));
	s->base.driver = &sqlite_driver;
	s->path = mem_text(span_str(path));
	code = open_writable(s, err);
	if (code != SQLITE_OK || settle(s, disk, err) != 0 || store_migrate(s, steps, n, err) != 0) {
		/* Damage is permanent; a full or unwritable disk or a busy process may pass. */
		if (code != SQLITE_READONLY)
			code = s->db != NULL ? sqlite3_errcode(s->db) : SQLITE_NOMEM;
		if (code == SQLITE_BUSY || code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_READONLY)
			err->code = ERR_DATABASE_UNAVAILABLE;
		store_close(&s->base);
		return NULL;
	}
	/* Merge what a killed writer left in the log, which would otherwise grow with each writer. */
	(void)sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	remember_files(s);
	(void)store_changed_elsewhere(&s->base);
	return &s->base;
}

/* duckdb.c - the DuckDB driver: opens the file read-only inside the sandbox, and runs one statement at a time. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/mp.h"
#include "base/system/clock.h"
#include "base/utf8.h"
#include "workers/shared/call.h"
#include "workers/sql/duckdb/duckdb.h"
#include "workers/sql/duckdb/duckdb_audit.h"
#include "workers/sql/duckdb/duckdb_datasets.h"
#include "workers/sql/duckdb/duckdb_db.h"
#include "workers/sql/duckdb/duckdb_introspect.h"
#include "workers/sql/duckdb/duckdb_parquet.h"
#include "workers/sql/duckdb/duckdb_profile.h"
#include "workers/sql/duckdb/duckdb_relate.h"
#include "workers/sql/duckdb/duckdb_sql.h"
#include "workers/sql/duckdb/duckdb_text.h"
#include "workers/sql/duckdb/duckdb_unpack.h"
#include "workers/sql/leave.h"
#include "workers/sql/value.h"

#define IDLE_NS		(2 * CLOCK_SECOND)	/* then the file is closed: its writers are kept out by an open one */
#define LIBRARY_MEMORY	(UINT64_C(160) << 20)	/* addresses of the library, its thread and the parser */
#define THREAD_MEMORY	(UINT64_C(16) << 20)	/* of each further thread: its stack and what it keeps for itself */
#define PARSER_MEMORY	"64MB"

/* Reads the lines of duckdb_target() in duckdb_driver.c. */
static void
read_target(struct sql_db *db, const char *target)
{
	static const char library[] = "library=", files[] = "files=";
	struct span rest = span_str(target), line;

	db->threads = 1;
	while (span_line(&rest, &line)) {
		if (span_begins(line, library))
			db->library = mem_text(span_of(line.p + sizeof(library) - 1, line.len - sizeof(library) + 1));
		else if (span_begins(line, files))
			duckdb_files_add(&db->files, span_of(line.p + sizeof(files) - 1, line.len - sizeof(files) + 1));
		else
			(void)sscanf((const char *)line.p, "threads=%u", &db->threads);
	}
}

static int
duckdb_init(const struct sql_config *cfg, struct sql_db **out, struct err *err)
{
	struct sql_db *db = mem_new(1, sizeof(*db));

	*out = db;
	db->cfg = cfg;
	db->guard.names = &db->names;
	read_target(db, cfg->target);
	duckdb_files_find(&db->files);
	db->guard.policed = db->files.policed = !columns_is_empty(cfg->columns);
	if (db->files.n == 0 && cfg->path[0] != '/')
		return err_set(err, ERR_INTERNAL, "a DuckDB connection needs the absolute path of its file");
	db->columns = duckdb_columns_new(cfg->columns, cfg->column_key, db->files.n > 0 ? cfg->connection : cfg->path);
	if (db->files.n == 0)
		duckdb_file_init(&db->file, cfg->path);
	for (size_t i = 0; db->files.all[i] != NULL; i++)
		db->file.writable = db->file.writable || access(db->files.all[i], W_OK) == 0;
	return 0;
}

static char *const *
read_files(const struct sql_db *db)
{
	return db->files.n > 0 ? db->files.all : NULL;
}

/* Before confinement: the library's code cannot be mapped afterwards. */
static int
load_library(struct sql_db *db, struct err *err)
{
	/* Each arena would reserve 64 MB of the addresses that RLIMIT_AS allows. */
	mallopt(M_ARENA_MAX, 1);
	return duckdb_library_load(db->library, err);
}

/* Settings that only take effect before the database is open; the others are in sql/duckdb_settings_*.sql. */
static int
configure(struct duck_config *config, const char *access, const char *memory, const char *threads, bool attaches,
    struct err *err)
{
	const char *const settings[][2] = {
		{ "access_mode", access },
		{ "threads", threads },
		{ "memory_limit", memory },
		{ "temp_directory", "" }, /* nothing is spilled to disk; has to precede the next one */
		{ "enable_external_access", attaches ? "true" : "false" }, /* ends once the file is attached */
		{ "autoload_known_extensions", "false" },
		{ "autoinstall_known_extensions", "false" },
		{ "allow_community_extensions", "false" },
		{ "allow_unsigned_extensions", "false" },
		{ "allow_persistent_secrets", "false" },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (duck.set_config(config, settings[i][0], settings[i][1]) != 0)
			return err_set(err, ERR_DATABASE_UNAVAILABLE,
			    "the DuckDB library does not know the setting %s; use "
			    "another version",
			    settings[i][0]);
	return 0;
}

static int
run_all(struct duck_database *database, const char *const *statements, struct err *err)
{
	struct duck_connection *c = NULL;
	struct duck_result result;
	int rc = 0;

	if (duck.connect(database, &c) != 0)
		return err_set(err, ERR_DATABASE_UNAVAILABLE, "the DuckDB library gives no connection");
	for (; *statements != NULL && rc == 0; statements++) {
		if (duck.query(c, *statements, &result) != 0) {
			rc = err_set(err, ERR_DATABASE_UNAVAILABLE, "the DuckDB library cannot be set up");
			err_detail(err, "%s", duck.result_error(&result));
		}
		duck.destroy_result(&result);
	}
	duck.disconnect(&c);
	return rc;
}

/* What the library says of a file that it cannot open. */
static int
cannot_open(const struct sql_db *db, const char *message, struct err *err)
{
	const char *name = db->files.n > 0 ? db->cfg->connection : db->file.path;

	if (message != NULL && strstr(message, "Could not set lock") != NULL)
		err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the DuckDB database %.300s is locked by another program that has it open to write; try again when "
		    "that program has closed it",
		    name);
	else if (message != NULL && (strstr(message, "newer") != NULL || strstr(message, "version number") != NULL))
		err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the DuckDB database %.300s was written by a DuckDB that this library (%s) cannot read; use a "
		    "newer library, or write the file with an older storage version",
		    name, duck.library_version());
	else
		err_set(err, ERR_DATABASE_UNAVAILABLE, "the DuckDB database %.300s cannot be opened", name);
	return err_detail(err, "%s", message == NULL ? "no reason was given" : message);
}

static int
attach_one(const struct sql_db *db, struct duck_connection *c, struct buf *sql, struct err *err)
{
	struct duck_result result;
	int rc = 0;

	if (duck.query(c, buf_cstr(sql), &result) != 0)
		rc = cannot_open(db, duck.result_error(&result), err);
	duck.destroy_result(&result);
	buf_fini(sql);
	return rc;
}

/* Under a column policy (duckdb_columns.h). */
static int
attach_file(const struct sql_db *db, struct duck_connection *c, struct err *err)
{
	struct buf sql = { 0 };

	buf_str(&sql, "ATTACH ");
	buf_quoted(&sql, db->files.n > 0 ? SPAN(":memory:") : span_str(db->file.real), '\'');
	buf_printf(&sql, " AS " DUCKDB_COLUMNS_FILE "%s", db->files.n > 0 ? "" : " (READ_ONLY)");
	if (attach_one(db, c, &sql, err) == -1)
		return -1;
	return duckdb_columns_register(db->columns, c) == 0 ?
	    0 :
	    err_set(err, ERR_DATABASE_UNAVAILABLE, "the DuckDB library cannot compute the digests of a column policy");
}

/* What the database in memory is to have, before it is closed to everything else. */
static int
attach_all(struct sql_db *db, struct duck_database *database, struct err *err)
{
	struct duck_connection *c = NULL;
	struct buf sql = { 0 };
	int rc = 0;

	if (duck.connect(database, &c) != 0)
		return err_set(err, ERR_DATABASE_UNAVAILABLE, "the DuckDB library gives no connection");
	if (db->columns != NULL)
		rc = attach_file(db, c, err);
	if (rc == 0 && db->files.n > 0) {
		duckdb_files_put_allowed(&db->files, &sql);
		rc = attach_one(db, c, &sql, err);
	}
	db->session.stoppable = c;
	if (rc == 0)
		duckdb_files_make(&db->files, c, db->runner, db->columns == NULL ? "memory" : DUCKDB_COLUMNS_FILE);
	db->session.stoppable = NULL;
	duck.disconnect(&c);
	return rc;
}

/* path NULL: an empty database in memory, the parser with one thread, or with attaches the file or the files in it. */
static int
open_one(struct sql_db *db, const char *path, const char *memory, bool attaches, struct duck_database **out,
    struct err *err)
{
	static const char *const settings[] = { duckdb_settings_closed_sql, duckdb_settings_zone_sql,
		duckdb_settings_lock_sql, NULL };
	struct duck_config *config = NULL;
	char *message = NULL, threads[16];
	int rc;

	snprintf(threads, sizeof(threads), "%u", path == NULL && !attaches ? 1 : db->threads);
	if (duck.create_config(&config) != 0)
		return err_set(err, ERR_INTERNAL, "the DuckDB library cannot be configured");
	rc = configure(config, path == NULL ? "AUTOMATIC" : "READ_ONLY", memory, threads, attaches, err);
	if (rc == 0 && duck.open_ext(path, out, config, &message) != 0)
		rc = cannot_open(db, message, err);
	duck.free(message);
	duck.destroy_config(&config);
	if (rc == -1)
		return -1;
	if ((attaches && attach_all(db, *out, err) == -1) || run_all(*out, settings, err) == -1) {
		duck.close(out);
		return -1;
	}
	return 0;
}

/* Tables of files that cannot be read, each with the reason. */
static void
note_faults(struct sql_db *db)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < db->files.n; i++) {
		const struct duckdb_files_table *t = &db->files.v[i];

		if (t->fault == NULL)
			continue;
		buf_reset(&text, 4096);
		duckdb_files_put_message(&db->files, t->fault, &text);
		duckdb_names_add_fault(&db->names, span_str(t->name), buf_view(&text));
	}
	buf_fini(&text);
}

/* The relations and macros that the guard resolves. */
static int
read_names(struct sql_db *db, struct err *err)
{
	struct buf parts[3] = { { 0 } };
	int rc;

	duckdb_names_fini(&db->names);
	if (duckdb_session_run(db, span_str(duckdb_names_sql), false, err) == -1)
		return -1;
	while ((rc = duckdb_session_next(db, err)) == 1) {
		struct duckdb_session *s = &db->session;
		bool relation = true;

		for (uint64_t i = 0; i < 3; i++) {
			buf_reset(&parts[i], 4096);
			if (!duckdb_values_text(&parts[i], s->types[i], duck.data_chunk_get_vector(s->chunk, i),
				s->row - 1))
				relation = false;
		}
		if (db->names.database == NULL)
			db->names.database =
			    mem_text(db->columns == NULL ? buf_view(&parts[0]) :
							   span_str(duckdb_columns_front(db->columns)));
		if (relation)
			duckdb_names_add(&db->names, buf_view(&parts[1]), buf_view(&parts[2]));
		else if (parts[2].len > 0)
			duckdb_names_add_macro(&db->names, buf_view(&parts[2]));
	}
	for (size_t i = 0; i < 3; i++)
		buf_fini(&parts[i]);
	note_faults(db);
	return rc;
}

static void
job_open(void *arg)
{
	struct sql_db *db = arg;
	uint64_t most = db->cfg->memory_max, own = LIBRARY_MEMORY + (db->threads - 1) * THREAD_MEMORY;
	char memory[32];
	bool attaches;

	most = most > 2 * own ? most - own : most / 2;
	snprintf(memory, sizeof(memory), "%lluB", (unsigned long long)most);
	attaches = db->columns != NULL || db->files.n > 0;
	db->opened = open_one(db, attaches ? NULL : db->file.real, memory, attaches, &db->database, &db->opening);
}

static void
job_open_parser(void *arg)
{
	struct sql_db *db = arg;

	db->opened = open_one(db, NULL, PARSER_MEMORY, false, &db->parser, &db->opening);
	if (db->opened == 0 && duck.connect(db->parser, &db->parser_connection) != 0)
		db->opened = err_set(&db->opening, ERR_INTERNAL, "the DuckDB library gives no connection");
}

static void
job_close(void *arg)
{
	struct sql_db *db = arg;

	if (db->session.aside != NULL)
		duck.disconnect(&db->session.aside);
	duck.close(&db->database);
	db->database = NULL;
}

static int
do_opening(struct sql_db *db, void (*job)(void *db), struct err *err)
{
	if (duckdb_session_work(db, job, err) == -1)
		return -1;
	if (db->opened == -1)
		*err = db->opening;
	return db->opened;
}

static bool
is_same(const struct sql_db *db)
{
	return db->files.n > 0 ? duckdb_files_are_same(&db->files) : duckdb_file_is_same(&db->file);
}

/* The file may have changed since our Landlock rules were made: then a fresh process may succeed. */
static int
open_file(struct sql_db *db, struct err *err)
{
	if (!is_same(db))
		leave_process("the database file was replaced");
	if ((db->files.n == 0 && duckdb_file_look(&db->file, err) == -1) || do_opening(db, job_open, err) == -1) {
		if (!is_same(db))
			leave_process("the database file changed while it was being opened");
		return -1;
	}
	return read_names(db, err) == -1 || duckdb_columns_read(db, err) == -1 ? -1 : 0;
}

static int
open_database(struct sql_db *db, struct err *err)
{
	if (db->cfg->stand_in) /* no library was loaded */
		return 0;
	if ((db->runner = duckdb_runner_new(err)) == NULL)
		return -1;
	duckdb_session_begin(db, NULL, UINT64_MAX);
	if (do_opening(db, job_open_parser, err) == -1 || open_file(db, err) == -1)
		return err->code != ERR_QUERY_TIMEOUT ? -1 :
							err_set(err, ERR_DATABASE_UNAVAILABLE,
							    "looking at the files of %.200s takes too long and cannot "
							    "be stopped; take them out, or convert "
							    "them to Parquet",
							    db->files.looked_at);
	duckdb_session_end(db);
	return 0;
}

int
duckdb_reopen(struct sql_db *db, struct call *c, struct err *err)
{
	(void)c;
	if (!is_same(db))
		leave_process("the database file was replaced");
	/* Views have the columns that were there when they were made. */
	if (db->database != NULL && db->files.n > 0 && !duckdb_files_are_unchanged(&db->files)) {
		if (db->threads > 1) /* a confined process cannot start them again */
			leave_process("a file changed");
		if (duckdb_session_work(db, job_close, err) == -1)
			return -1;
	}
	return db->database != NULL ? 0 : open_file(db, err);
}

/* With several threads the file stays open: a confined process cannot start them again. */
static void
duckdb_idle(struct sql_db *db)
{
	struct err ignored;

	if (db->files.n == 0 && db->threads == 1 && db->database != NULL && !duckdb_runner_is_lost(db->runner) &&
	    clock_ns() - db->used_ns > IDLE_NS)
		(void)duckdb_session_work(db, job_close, &ignored);
}

static void
put_place(struct call *c, struct span sql, size_t at)
{
	struct buf *out = call_details(c);
	size_t mark;

	if (at > sql.len)
		return;
	buf_reset(out, 4096);
	mark = mp_open_map(out);
	mp_pair_uint(out, "position", 1 + utf8_count(span_of(sql.p, at)));
	mp_close(out, mark, 1);
}

int
duckdb_judge(struct sql_db *db, struct call *c, struct span sql, struct err *err)
{
	struct span body, tree;
	bool explained;
	size_t at = DUCKDB_GUARD_NOWHERE;

	if (duckdb_guard_body(sql, &body, &explained, err) == -1)
		return -1;
	if (duckdb_session_parse(db, body, &tree, err) == -1)
		return -1;
	if (duckdb_guard_judge(&db->guard, call_arena(c), tree, body, &at, err) == 0 &&
	    duckdb_columns_check(db, tree, &at, err) == 0)
		return 0;
	if (at != DUCKDB_GUARD_NOWHERE)
		put_place(c, sql, (size_t)(body.p - sql.p) + at);
	return -1;
}

static void
put_names(struct duckdb_session *s, struct buf *out)
{
	for (uint64_t i = 0; i < s->ntypes; i++)
		value_label(out, duck.column_name(&s->result, i));
}

static void
put_head(struct sql_db *db, struct buf *out)
{
	struct duckdb_session *s = &db->session;
	struct buf name = { 0 };
	size_t mark = mp_open_map(out);

	mp_pair_array(out, "headers", s->ntypes);
	put_names(s, out);
	mp_pair_array(out, "headerTypes", s->ntypes);
	for (uint64_t i = 0; i < s->ntypes; i++) {
		buf_reset(&name, 4096);
		duckdb_types_put_name(&name, s->types[i]);
		value_label(out, buf_cstr(&name));
	}
	mp_close(out, mark, 2);
	buf_fini(&name);
}

static int
fetch_rows(struct sql_db *db, struct result *r, struct err *err)
{
	struct duckdb_session *s = &db->session;
	enum result_added added;
	int rc;

	while ((rc = duckdb_session_next(db, err)) == 1 && row_stream_wants(r)) {
		struct buf *row = row_stream_row(r, s->ntypes);

		for (uint64_t i = 0; i < s->ntypes && !row_stream_hopeless(r); i++)
			if (duckdb_session_put(db, row, i))
				row_stream_note_text(r, (unsigned)i);
		if ((added = row_stream_row_done(r, err)) != RESULT_GO_ON)
			return added == RESULT_FAILED ? -1 : 0;
	}
	return rc == -1 ? -1 : 0;
}

/*
 * Values that are not printed here come as texts of the library's own cast, from the statement as a sub-select: what
 * parses as one query alone is the same query there.  Names and types are those of the statement itself.
 */
static int
run_as_text(struct sql_db *db, struct span statement, struct err *err)
{
	struct duckdb_session *s = &db->session;
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX);
	struct span body = statement;
	int rc;

	(void)sqltext_statement(SQLTEXT_DUCKDB, statement, &body);
	buf_str(&sql, "SELECT ");
	for (uint64_t i = 0; i < s->ntypes; i++)
		buf_printf(&sql, duckdb_types_is_printed(s->types[i]) ? "%sc%llu" : "%sCAST(c%llu AS VARCHAR)",
		    i > 0 ? ", " : "", (unsigned long long)i);
	buf_str(&sql, " FROM (\n");
	buf_span(&sql, body);
	buf_str(&sql, "\n) AS carrel_values(");
	for (uint64_t i = 0; i < s->ntypes; i++)
		buf_printf(&sql, "%sc%llu", i > 0 ? ", " : "", (unsigned long long)i);
	buf_byte(&sql, ')');
	rc = duckdb_session_run(db, buf_view(&sql), true, err);
	buf_fini(&sql);
	return rc;
}

static bool
prints_all(const struct duckdb_session *s)
{
	for (uint64_t i = 0; i < s->ntypes; i++)
		if (!duckdb_types_is_printed(s->types[i]))
			return false;
	return true;
}

/* The rows of the statement that runs, as cells or as a Parquet file. */
static int
give_rows(struct sql_db *db, struct span text, struct result *r, struct err *err)
{
	struct buf names = { .max = 0 };
	int rc;

	put_head(db, row_stream_head(r));
	if (row_stream_wants_names(r))
		put_names(&db->session, row_stream_names(r, db->session.ntypes));
	if (row_stream_wants_parquet(r))
		put_names(&db->session, &names);
	rc = prints_all(&db->session) ? 0 : run_as_text(db, text, err);
	if (rc == 0)
		rc = row_stream_wants_parquet(r) ? duckdb_parquet_write(db, r, buf_view(&names), err) :
						   fetch_rows(db, r, err);
	buf_fini(&names);
	return rc;
}

static void
put_cast(struct buf *out, size_t number, const struct sql_parameter *p)
{
	/* In the order of parameter_types.def. */
	static const char *const types[] = { "VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP" };

	_Static_assert(sizeof(types) / sizeof(types[0]) == PARAMETER_TYPES, "a type for each");
	buf_printf(out, "CAST($%zu AS %s)", number, p->small ? "INTEGER" : types[p->type]);
}

static const struct sql_bound_style casts = { SQLTEXT_DUCKDB, "?$", put_cast, '?' };

/* The caller's text, of a statement with parameters with placeholders in their place, which is in the call's arena. */
static int
write_text(struct sql_db *db, struct call *c, const struct sql_query *q, struct span *text, struct err *err)
{
	*text = q->text;
	db->guard.parameters = q->bound != NULL;
	db->session.bound = q->bound;
	return q->bound == NULL ? 0 : sql_bound_text(&casts, call_arena(c), q->bound, text, err);
}

static int
run_own(struct sql_db *db, struct call *c, struct span sql, struct err *err)
{
	if (duckdb_judge(db, c, sql, err) == -1)
		return -1;
	call_progress(c, 300, "Executing");
	return duckdb_session_only_read(db, err) == -1 ? -1 : duckdb_session_run(db, sql, true, err);
}

static bool
reads_table(const struct sql_query *q, const char *name)
{
	for (size_t i = 0; q->published != NULL && i < q->published->n; i++)
		if (span_is_word(q->published->datasets[i].table, name))
			return true;
	return q->published == NULL && duckdb_names_in(q->text, name, true);
}

/* Files of other tables may change: the next call takes them as they are then. */
static int
check_files(const struct sql_db *db, const struct sql_query *q, struct err *err)
{
	for (size_t i = 0; i < db->files.n; i++)
		if (reads_table(q, db->files.v[i].name) && duckdb_files_check(&db->files.v[i], err) == -1)
			return -1;
	return 0;
}

static int
duckdb_execute(struct sql_db *db, struct call *c, const struct sql_query *q, struct result *r, struct err *err)
{
	struct span text;
	int rc;

	duckdb_session_begin(db, c, q->deadline_ns);
	if (q->limit.key != NULL)
		db->session.limit = q->limit;
	rc = duckdb_reopen(db, c, err);
	if (rc == 0)
		rc = duckdb_columns_enter(db, call_scopes(c), err);
	if (rc == 0)
		rc = write_text(db, c, q, &text, err);
	if (rc == 0)
		rc = q->published != NULL ? duckdb_datasets_run(db, c, q, err) : run_own(db, c, text, err);
	if (rc == 0)
		rc = give_rows(db, text, r, err);
	duckdb_session_end(db);
	return check_files(db, q, err) == -1 ? -1 : rc;
}

/* Tries a forbidden statement, which the engine itself has to refuse. */
static bool
refuses_writes(struct sql_db *db)
{
	struct err ignored;

	return duckdb_session_only_read(db, &ignored) == 0 &&
	    duckdb_session_run(db, SPAN("CREATE TABLE carrel_write_probe (x INTEGER)"), false, &ignored) == -1;
}

static int
test_connection(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err)
{
	uint64_t since = clock_ns(), micros;
	int rc;

	duckdb_session_begin(db, c, call_deadline(c));
	rc = duckdb_reopen(db, c, err);
	if (rc == 0)
		rc = duckdb_session_run(db, SPAN("SELECT 1"), false, err);
	if (rc == 0) {
		micros = (clock_ns() - since) / 1000;
		t->latency_ms = (double)micros / 1000.0;
		snprintf(t->server_version, sizeof(t->server_version), "%s", duck.library_version() + 1);
		t->can_write = db->file.writable ? SQL_WRITE_YES : SQL_WRITE_NO;
		snprintf(t->can_write_why, sizeof(t->can_write_why), "%s",
		    db->file.writable ?
			"the account may write the file; this worker opens it read-only and is confined to reading" :
			"the account may not write the file");
		rc = duckdb_reach(db, c, &t->reach, err);
	}
	if (rc == 0)
		t->read_only_session = refuses_writes(db);
	duckdb_session_end(db);
	for (size_t i = 0; rc == 0 && i < db->files.n; i++)
		if (db->files.v[i].fault != NULL)
			rc = err_set(err, ERR_DATABASE_UNAVAILABLE, "the files of %s cannot be read: %s",
			    db->files.v[i].name, duckdb_names_fault(&db->names, span_str(db->files.v[i].name)));
	return rc;
}

static bool
duckdb_matches(struct sql_db *db, size_t rule)
{
	return duckdb_columns_matches(db->columns, rule);
}

static int
duckdb_column(struct sql_db *db, struct call *c, uint32_t scopes, const char *schema, const char *table,
    const char *name, enum columns_action *action, struct err *err)
{
	int rc;

	duckdb_session_begin(db, c, call_deadline(c));
	rc = duckdb_reopen(db, c, err);
	if (rc == 0)
		rc = duckdb_columns_enter(db, scopes, err);
	if (rc == 0)
		*action = duckdb_columns_action(db->columns, schema, table, name);
	duckdb_session_end(db);
	return rc;
}

static void
close_parser(void *arg)
{
	struct sql_db *db = arg;

	duck.disconnect(&db->parser_connection);
	duck.close(&db->parser);
	if (db->database != NULL)
		duck.close(&db->database);
}

static void
close_database(struct sql_db *db)
{
	struct err ignored;

	if (db == NULL)
		return;
	/* Nothing may be taken from under a thread that still computes, and nothing else ends it. */
	if (db->runner != NULL && duckdb_runner_is_lost(db->runner))
		_exit(EXIT_RECYCLE);
	if (db->parser != NULL)
		(void)duckdb_session_work(db, close_parser, &ignored);
	duckdb_runner_free(db->runner);
	duckdb_names_fini(&db->names);
	duckdb_columns_free(db->columns);
	duckdb_file_fini(&db->file);
	duckdb_files_fini(&db->files);
	buf_fini(&db->session.sql);
	buf_fini(&db->session.text);
	free(db->library);
	free(db);
}

const struct sql_driver sql_driver = {
	.name = "duckdb",
	.binary = "carrel-sql-duckdb",
	.profile = "sql-duckdb",
	.schemas = true,
	.parquet = true,
	.row_number = "rowid",
	.quote = '"',
	.init = duckdb_init,
	.files = read_files,
	.connect = load_library,
	.open = open_database,
	.idle = duckdb_idle,
	.execute = duckdb_execute,
	.introspect = duckdb_introspect,
	.sample_begin = duckdb_profile_begin,
	.sample = duckdb_profile,
	.sample_end = duckdb_profile_end,
	.relate = duckdb_relate,
	.fingerprint = duckdb_fingerprint,
	.column = duckdb_column,
	.matches = duckdb_matches,
	.no_grants = "a DuckDB file has no roles to grant anything to: an account that may read the file may read "
		     "all of it, and the column policy is kept by this program alone",
	.test = test_connection,
	.audit = duckdb_audit,
	.alone = duckdb_unpack,
	.close = close_database,
};

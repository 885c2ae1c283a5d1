#include "workers/sql/duckdb/duckdb_session.h"

#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "workers/shared/call.h"
#include "workers/shared/serve.h"
#include "workers/sql/duckdb/duckdb_db.h"
#include "workers/sql/duckdb/duckdb_errors.h"

static void
note_failure(struct duckdb_session *s, int error, const char *message)
{
	s->failed = true;
	s->error = error;
	buf_reset(&s->text, 65536);
	buf_str(&s->text, message == NULL ? "no reason was given" : message);
}

static void
note_result(struct duckdb_session *s)
{
	note_failure(s, duck.result_error_type(&s->result), duck.result_error(&s->result));
}

static void
drop_statement(struct duckdb_session *s)
{
	if (s->chunk != NULL)
		duck.destroy_data_chunk(&s->chunk);
	if (s->has_result)
		duck.destroy_result(&s->result);
	if (s->prepared != NULL)
		duck.destroy_prepare(&s->prepared);
	s->has_result = false;
	s->size = s->row = 0;
}

static void
job_fetch(void *arg)
{
	struct duckdb_session *s = &((struct sql_db *)arg)->session;
	const char *message;

	if (s->chunk != NULL)
		duck.destroy_data_chunk(&s->chunk);
	s->row = 0;
	s->chunk = duck.fetch_chunk(s->result);
	s->size = s->chunk == NULL ? 0 : duck.data_chunk_get_size(s->chunk);
	if (s->chunk == NULL && (message = duck.result_error(&s->result)) != NULL && message[0] != '\0')
		note_result(s);
}

/* One statement, prepared; false: it failed. */
static bool
prepare_one(struct duckdb_session *s)
{
	struct duck_extracted *all = NULL;
	uint64_t n = duck.extract_statements(s->connection, buf_cstr(&s->sql), &all);
	bool ok = false;

	if (n == 0)
		note_failure(s, DUCK_ERROR_PARSER, duck.extract_statements_error(all));
	else if (n > 1)
		note_failure(s, DUCK_ERROR_PERMISSION, "several statements");
	else if (duck.prepare_extracted_statement(s->connection, all, 0, &s->prepared) != 0)
		note_failure(s, DUCK_ERROR_BINDER, duck.prepare_error(s->prepared));
	else
		ok = true;
	duck.destroy_extracted(&all);
	return ok;
}

/* The library's own opinion of what the guard let pass. */
static bool
is_reading(struct duckdb_session *s)
{
	int type = duck.prepared_statement_type(s->prepared);

	if (!s->foreign ||
	    ((type == DUCK_STATEMENT_SELECT || type == DUCK_STATEMENT_EXPLAIN) &&
		duck.nparams(s->prepared) == (s->bound == NULL ? 0 : s->bound->n)))
		return true;
	note_failure(s, DUCK_ERROR_PERMISSION, "not a statement that reads");
	return false;
}

/* Every placeholder has a cast to its type, so all values are given as text. */
static bool
bind_values(struct duckdb_session *s)
{
	for (size_t i = 0; s->foreign && s->bound != NULL && i < s->bound->n; i++) {
		const char *text = s->bound->v[i].text;

		if (text == NULL ? duck.bind_null(s->prepared, i + 1) != 0 :
				   duck.bind_varchar_length(s->prepared, i + 1, text, strlen(text)) != 0) {
			note_failure(s, DUCK_ERROR_INTERNAL, "a value cannot be bound");
			return false;
		}
	}
	return true;
}

/* Under a column policy the file is one of several databases, and our own statements are about the file. */
static bool
connect_session(struct sql_db *db)
{
	struct duckdb_session *s = &db->session;
	struct duck_result used;
	bool ok = duck.connect(db->database, &s->connection) == 0;

	if (ok && db->columns != NULL) {
		ok = duck.query(s->connection, "USE " DUCKDB_COLUMNS_FILE "." DUCKDB_SCHEMA, &used) == 0;
		duck.destroy_result(&used);
	}
	return ok;
}

static void
job_run(void *arg)
{
	struct sql_db *db = arg;
	struct duckdb_session *s = &db->session;

	drop_statement(s);
	if (s->connection == NULL && !connect_session(db)) {
		note_failure(s, DUCK_ERROR_INTERNAL, "a connection cannot be made");
		return;
	}
	s->stoppable = s->connection;
	if (!prepare_one(s) || !is_reading(s) || !bind_values(s))
		return;
	s->has_result = true;
	if (duck.execute_prepared_streaming(s->prepared, &s->result) != 0)
		note_result(s);
	else
		job_fetch(db);
}

static void
job_end(void *arg)
{
	struct duckdb_session *s = &((struct sql_db *)arg)->session;

	drop_statement(s);
	s->stoppable = NULL;
	if (s->connection != NULL)
		duck.disconnect(&s->connection);
}

static void
job_parse(void *arg)
{
	struct sql_db *db = arg;
	struct duckdb_session *s = &db->session;
	struct span sql = buf_view(&s->sql);

	drop_statement(s);
	s->stoppable = db->parser_connection;
	if (duck.prepare(db->parser_connection, "SELECT json_serialize_sql($1::VARCHAR)", &s->prepared) != 0 ||
	    duck.bind_varchar_length(s->prepared, 1, (const char *)sql.p, sql.len) != 0)
		note_failure(s, DUCK_ERROR_INTERNAL, duck.prepare_error(s->prepared));
	else {
		s->has_result = true;
		buf_reset(&s->text, 65536);
		if (duck.execute_prepared_streaming(s->prepared, &s->result) != 0)
			note_result(s);
		else if (!duckdb_values_put_only(&s->text, &s->result))
			note_failure(s, DUCK_ERROR_INTERNAL, "the parser gave no tree");
	}
	drop_statement(s);
	s->stoppable = NULL;
}

static void
session_stop(void *arg)
{
	struct duck_connection *c = ((struct sql_db *)arg)->session.stoppable;

	if (c != NULL)
		duck.interrupt(c);
}

static int
stopped(struct sql_db *db, struct err *err)
{
	struct duckdb_session *s = &db->session;

	if (duckdb_runner_is_lost(db->runner))
		serve_stop_after_call(EXIT_RECYCLE, "the library did not end a statement");
	if (err->code == ERR_QUERY_TIMEOUT)
		late_query(clock_ns() - s->since_ns, &s->limit, err);
	return -1;
}

static int
session_do(struct sql_db *db, void (*work)(void *db), struct err *err)
{
	struct duckdb_session *s = &db->session;

	if (duckdb_runner_is_lost(db->runner))
		return err_set(err, ERR_DATABASE_UNAVAILABLE, "the database library is being started again");
	s->failed = false;
	if (duckdb_runner_run(db->runner, s->call, s->deadline_ns, work, session_stop, db, err) == DUCKDB_RAN)
		return 0;
	return stopped(db, err);
}

int
duckdb_session_work(struct sql_db *db, void (*work)(void *db), struct err *err)
{
	return session_do(db, work, err);
}

void
duckdb_session_begin(struct sql_db *db, struct call *c, uint64_t deadline_ns)
{
	struct duckdb_session *s = &db->session;

	s->call = c;
	s->since_ns = clock_ns();
	s->deadline_ns = deadline_ns;
	s->limit = (struct late_limit){ db->cfg->timeout_ms, LATE_LIMIT_KEY };
}

void
duckdb_session_swap(struct sql_db *db)
{
	struct duck_connection *c = db->session.connection;

	db->session.connection = db->session.aside;
	db->session.aside = c;
}

static void
drop_types(struct duckdb_session *s)
{
	duckdb_types_free(s->types, s->ntypes);
	s->types = NULL;
	s->ntypes = 0;
}

void
duckdb_session_end(struct sql_db *db)
{
	struct duckdb_session *s = &db->session;
	struct err ignored;

	db->used_ns = clock_ns();
	s->call = NULL;
	s->deadline_ns = UINT64_MAX;
	s->bound = NULL;
	if (duckdb_runner_is_lost(db->runner))
		return;
	(void)session_do(db, job_end, &ignored);
	drop_types(s);
	buf_reset(&s->text, 65536);
}

static int
explain_failure(struct sql_db *db, struct err *err)
{
	return duckdb_errors_explain(db, db->session.error, buf_view(&db->session.text), err);
}

int
duckdb_session_run(struct sql_db *db, struct span sql, bool foreign, struct err *err)
{
	struct duckdb_session *s = &db->session;

	buf_reset(&s->sql, DUCKDB_SQL_MAX);
	buf_span(&s->sql, sql);
	s->foreign = foreign;
	drop_types(s);
	if (session_do(db, job_run, err) == -1)
		return -1;
	if (s->failed)
		return explain_failure(db, err);
	duckdb_types_read(&s->result, &s->types, &s->ntypes);
	return 0;
}

int
duckdb_session_only_read(struct sql_db *db, struct err *err)
{
	return duckdb_session_run(db, SPAN("BEGIN TRANSACTION READ ONLY"), false, err);
}

/* `row` is the next one: the current one is the row before. */
int
duckdb_session_next(struct sql_db *db, struct err *err)
{
	struct duckdb_session *s = &db->session;

	while (s->row >= s->size) {
		if (s->chunk == NULL)
			return 0;
		if (session_do(db, job_fetch, err) == -1)
			return -1;
		if (s->failed)
			return explain_failure(db, err);
	}
	s->row++;
	return 1;
}

const char *
duckdb_session_text(struct sql_db *db, uint64_t column)
{
	struct duckdb_session *s = &db->session;
	struct buf text = { 0 };
	const char *kept = NULL;

	if (duckdb_values_text(&text, s->types[column], duck.data_chunk_get_vector(s->chunk, column), s->row - 1))
		kept = arena_cstr(call_arena(s->call), buf_view(&text));
	buf_fini(&text);
	return kept;
}

int64_t
duckdb_session_number(struct sql_db *db, uint64_t column, int64_t otherwise)
{
	const char *text = duckdb_session_text(db, column);

	return text == NULL ? otherwise : (int64_t)strtoll(text, NULL, 10);
}

bool
duckdb_session_put(struct sql_db *db, struct buf *out, uint64_t column)
{
	struct duckdb_session *s = &db->session;

	return duckdb_values_put(out, s->types[column], duck.data_chunk_get_vector(s->chunk, column), s->row - 1);
}

int
duckdb_session_parse(struct sql_db *db, struct span sql, struct span *tree, struct err *err)
{
	struct duckdb_session *s = &db->session;

	buf_reset(&s->sql, DUCKDB_SQL_MAX);
	buf_span(&s->sql, sql);
	if (session_do(db, job_parse, err) == -1)
		return -1;
	if (s->failed)
		return explain_failure(db, err);
	*tree = buf_view(&s->text);
	return 0;
}

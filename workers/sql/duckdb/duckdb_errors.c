/* duckdb_errors.c - DuckDB's errors as ours, each with the next step for the caller. */
#include <string.h>

#include "workers/sql/duckdb/duckdb_db.h"
#include "workers/shared/call.h"
#include "workers/shared/serve.h"
#include "workers/sql/duckdb/duckdb_errors.h"
#include "workers/sql/value.h"

/*
 * "Binder Error: Referenced column … \n\nLINE 1: …" without the kind in front, the picture or a list of solutions
 * behind, and advice to change a setting, which no caller may.
 */
struct span
duckdb_errors_sentence(struct span message)
{
	static const char kind[] = " Error: ";
	static const char *const behind[] = { "\n\nLINE ", "\n\nPossible solutions", " Use \"SET ", " Use SET " };
	const uint8_t *at = memmem(message.p, message.len, kind, sizeof(kind) - 1);
	size_t from = at == NULL || (size_t)(at - message.p) > 30 ? 0 : (size_t)(at - message.p) + sizeof(kind) - 1;
	size_t to = message.len;

	for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++)
		if ((at = memmem(message.p, to, behind[i], strlen(behind[i]))) != NULL)
			to = (size_t)(at - message.p);
	return from < to ? span_of(message.p + from, to - from) : message;
}

static bool
mentions(struct span message, const char *what)
{
	return memmem(message.p, message.len, what, strlen(what)) != NULL;
}

bool
duckdb_errors_lacks_memory(struct span message)
{
	return mentions(message, "Allocation failure") || mentions(message, "bad allocation") ||
	    mentions(message, "std::bad_alloc");
}

static const char *
advice_for(struct span message)
{
	if (mentions(message, "Referenced column") || mentions(message, "does not have a column"))
		return "; look the columns up with entity_details, and write text in single quotes";
	if (mentions(message, "No function matches"))
		return "; this is DuckDB: cast the arguments to the types that it names";
	return "";
}

/* Whether it names a hidden column as one that is not there; *name. */
static bool
misses_hidden(const struct sql_db *db, struct span message, struct span *name)
{
	const uint8_t *end = message.p + message.len, *from = memchr(message.p, '"', message.len), *to;

	for (; from != NULL && (to = memchr(from + 1, '"', (size_t)(end - from) - 1)) != NULL;
	     from = memchr(to + 1, '"', (size_t)(end - to) - 1)) {
		*name = span_of(from + 1, (size_t)(to - from) - 1);
		if (duckdb_columns_hides(db->columns, *name))
			return true;
	}
	return false;
}

/* The library refuses further work after such an error; a new process is needed. */
static int
end_process(struct span message, struct err *err)
{
	serve_stop_after_call(EXIT_RECYCLE, "the library met an error of its own");
	err_set(err, ERR_DATABASE_ERROR, "DuckDB met an error of its own and is started again");
	return err_detail(err, "%.*s", SPAN_FMT(message));
}

int
duckdb_errors_explain(struct sql_db *db, int error, struct span message, struct err *err)
{
	struct span said = duckdb_errors_sentence(message), hidden;
	struct buf shown = BUF_MAX(4096);
	const char *text;

	if (db->session.call == NULL) { /* the process is not serving yet */
		err_set(err, ERR_DATABASE_UNAVAILABLE, "the catalogue of the DuckDB database cannot be read");
		return err_detail(err, "%.*s", SPAN_FMT(said));
	}
	if (duckdb_errors_lacks_memory(message)) {
		error = DUCK_ERROR_OUT_OF_MEMORY;
		/* What the library took by then it may keep: the next statement would have less. */
		serve_stop_after_call(EXIT_RECYCLE, "the worker's memory was used up");
	}
	text = arena_cstr(call_arena(db->session.call), said);
	if (db->files.n > 0 && db->columns != NULL &&
	    (error == DUCK_ERROR_CONVERSION || error == DUCK_ERROR_INVALID_INPUT))
		text = "a value in a file or in the statement does not fit its type";
	else if (db->files.n > 0) {
		duckdb_files_put_message(&db->files, text, &shown);
		text = arena_cstr(call_arena(db->session.call), buf_view(&shown));
		buf_fini(&shown);
	}
	text = value_clean(call_arena(db->session.call), text);
	switch (error) {
	case DUCK_ERROR_PARSER:
	case DUCK_ERROR_SYNTAX:
		return err_set(err, ERR_INVALID_SQL, "%s", text);
	case DUCK_ERROR_CATALOG:
	case DUCK_ERROR_BINDER:
		if (misses_hidden(db, said, &hidden))
			return err_set(err, ERR_FORBIDDEN_SQL,
			    "the column %.*s is hidden: this connection's column policy does not let it be read, "
			    "compared or named; leave it out",
			    SPAN_FMT(hidden));
		return err_set(err, ERR_INVALID_SQL, "%s%s", text, advice_for(message));
	case DUCK_ERROR_PERMISSION:
		err_set(err, ERR_FORBIDDEN_SQL,
		    "the statement is not allowed: this connection only reads; write a SELECT");
		return err_detail(err, "%s", text);
	case DUCK_ERROR_INTERRUPT:
		return err_set(err, ERR_QUERY_CANCELLED, "the statement was stopped");
	case DUCK_ERROR_OUT_OF_MEMORY:
		return err_set(err, ERR_DATABASE_ERROR,
		    "the statement needs more memory than is allowed; sort, join or group fewer rows");
	case DUCK_ERROR_IO:
		err_set(err, ERR_DATABASE_ERROR, "the database file cannot be read");
		return err_detail(err, "%s", text);
	case DUCK_ERROR_FATAL:
	case DUCK_ERROR_INTERNAL:
		return end_process(message, err);
	default:
		return err_set(err, ERR_DATABASE_ERROR, "%s", text);
	}
}

#include <string.h>

#include "base/mp.h"
#include "base/utf8.h"
#include "workers/sql/sqlite/sqlite_errors.h"
#include "workers/sql/value.h"
#include "workers/sql/sqlite/sqlite_text.h"
#include "workers/shared/call.h"

/*
 * The character of the caller's text, counted from 1, that byte `at` of sql
 * corresponds to.  The compiled text may spell words differently, but has the
 * same words.
 */
static size_t
callers_position(const struct sql_db *db, struct span sql, size_t at)
{
	struct sqltext compiled = { .dialect = SQLTEXT_SQLITE, .text = sql };
	struct sqltext asked = { .dialect = SQLTEXT_SQLITE, .text = db->asked };
	struct sqltext_token t, u;

	if (db->asked.len == 0)
		return 1 + utf8_count(span_of(sql.p, at));
	do {
		t = sqltext_next(&compiled);
		u = sqltext_next(&asked);
	} while (compiled.at <= at && t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN && u.kind != SQLTEXT_END);
	return 1 + utf8_count(span_of(db->asked.p, (size_t)(u.text.p - db->asked.p)));
}

void
sqlite_put_place(const struct sql_db *db, struct call *c, struct span sql, size_t at)
{
	struct buf *out = call_details(c);

	buf_reset(out, 4096);
	mp_put_pairs(out, mp_uint("position", callers_position(db, sql, at)));
}

static void
put_details(struct sql_db *db, struct call *c, struct span sql, int rc)
{
	struct buf *out = call_details(c);
	int at = sqlite3_error_offset(db->db);
	bool placed = at >= 0 && (size_t)at <= sql.len;

	buf_reset(out, 4096);
	mp_put_map(out, placed ? 2 : 1);
	mp_put_cstr(out, "sqliteCode");
	mp_put_int(out, rc);
	if (placed)
		mp_pair_uint(out, "position", callers_position(db, sql, (size_t)at));
}

static bool
errors_mentions(const char *message, const char *what)
{
	return strstr(message, what) != NULL;
}

static const char *
advice(const char *message, bool published)
{
	if (errors_mentions(message, "no such table"))
		return "; find the right name with discover_data, or SELECT name FROM sqlite_schema";
	if (errors_mentions(message, "no such column"))
		return published ? "; look the columns up with carrel_get_schema, and write text in single quotes" :
				   "; look the columns up with entity_details, and write text in single quotes";
	if (errors_mentions(message, "no such function"))
		return "; this is SQLite: see its built-in functions, for dates strftime()";
	if (errors_mentions(message, "incomplete input"))
		return ": the statement ends before it is whole; close its brackets, or write what is missing";
	if (errors_mentions(message, "SQL variable") || errors_mentions(message, "variable number"))
		return "; placeholders are not supported, write the values into the statement";
	if (errors_mentions(message, "unsafe use"))
		return "; query the virtual table itself instead of the view";
	return "";
}

/* Codes that a fresh process may cure: the journal or the -wal has changed. */
static bool
wants_fresh_process(int rc)
{
	return (rc & 0xFF) == SQLITE_CANTOPEN || rc == SQLITE_READONLY_DIRECTORY || rc == SQLITE_READONLY_ROLLBACK ||
	    rc == SQLITE_READONLY_CANTINIT || rc == SQLITE_READONLY_DBMOVED;
}

static int
explain_refusal(struct sql_db *db, struct call *c, struct span sql, struct err *err)
{
	char text[512];
	size_t at;

	if (sqlite_guard_place(&db->guard, sql, &at))
		sqlite_put_place(db, c, sql, at);
	sqlite_guard_explain(&db->guard, sql, text, sizeof(text));
	return err_set(err, ERR_FORBIDDEN_SQL, "%s", text);
}

static int
explain_code(struct sql_db *db, int rc, const char *message, bool running, struct err *err)
{
	switch (rc & 0xFF) {
	case SQLITE_ERROR:
	case SQLITE_RANGE:
	case SQLITE_MISMATCH:
		if (errors_mentions(message, "may not be modified") || errors_mentions(message, "cannot modify"))
			return err_set(err, ERR_FORBIDDEN_SQL, "%s: this connection only reads; write a SELECT",
			    message);
		if (db->published && errors_mentions(message, "no such table"))
			return err_set(err, ERR_TABLE_NOT_FOUND,
			    "%s; only datasets can be read, each by its table_name from carrel_get_schema alone",
			    message);
		return err_set(err, running ? ERR_DATABASE_ERROR : ERR_INVALID_SQL, "%s%s", message,
		    advice(message, db->published));
	case SQLITE_TOOBIG:
		return err_set(err, ERR_DATABASE_ERROR,
		    "the statement reads or builds a value of more than %d MiB; "
		    "use length() or substr() on that column",
		    SQLITE_VALUE_MAX >> 20);
	case SQLITE_NOMEM:
		return err_set(err, ERR_DATABASE_ERROR,
		    "the statement needs more memory than is allowed; sort or group fewer rows");
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(err, ERR_BUSY, "the database file is locked by a writer; try again");
	case SQLITE_READONLY:
	case SQLITE_AUTH:
	case SQLITE_PERM:
		return err_set(err, ERR_FORBIDDEN_SQL,
		    "the statement would write: this connection only reads; write a SELECT");
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return err_set(err, ERR_DATABASE_ERROR,
		    "the database file is damaged: %s; "
		    "its owner can check it with PRAGMA integrity_check",
		    message);
	default:
		break;
	}
	err_set(err, ERR_DATABASE_ERROR, "SQLite says: %s", message);
	return err_detail(err, "code %d, file %s", rc, db->file.immutable ? "immutable" : "shared");
}

int
sqlite_explain(struct sql_db *db, struct call *c, struct span sql, int rc, bool running,
    struct err *err)
{
	const char *message = value_clean(call_arena(c), sqlite3_errmsg(db->db));

	if (db->watch.stopped) {
		*err = db->watch.why;
		return -1;
	}
	if (wants_fresh_process(rc))
		leave_process("the database file changed and has to be opened again");
	if (db->guard.denied)
		return explain_refusal(db, c, sql, err);
	put_details(db, c, sql, rc);
	if (db->columns != NULL && !running && sqlite_columns_explain(db->columns, message, err))
		return -1;
	return explain_code(db, rc, message, running, err);
}

#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "workers/shared/child.h"
#include "workers/shared/serve.h"
#include "workers/sql/attack_rows.h"
#include "workers/sql/sqlite/sqlite.h"
#include "workers/sql/sqlite/sqlite_audit.h"
#include "workers/sql/sqlite/sqlite_text.h"
#include "workers/shared/call.h"

#define TRY_NS		(CLOCK_SECOND / 5)	/* time of a hostile input */
#define HONEST_NS	(10 * CLOCK_SECOND)
#define HONEST_ROWS	100

static const struct audit_input inputs[] = {
#include "workers/sql/sqlite/attacks_sqlite.def"
};

#define INPUTS	(sizeof(inputs) / sizeof(inputs[0]))

struct sqlite_audit {
	struct sql_db	*db;
	struct call	*call;
};

static void
ask_guard(const struct sqlite_audit *a, struct audit_row *row, enum audit_layer layer)
{
	struct sql_db *db = a->db;
	sqlite3_stmt *stmt = NULL;
	struct err why;

	db->guard.mode = layer == AUDIT_PARSER ? GUARD_ONLY_ACTIONS : GUARD_ONLY_FUNCTIONS;
	if (sqlite_compile(db, a->call, span_str(row->input->sql), &stmt, &why) == -1 &&
	    (layer == AUDIT_PARSER || db->guard.denied))
		audit_say(row, layer, AUDIT_IS_STOPPED, "%s", why.message);
	sqlite3_finalize(stmt);
	db->guard.mode = GUARD_QUERY;
}

/*
 * Steps to the end, or through at most `rows` rows.  Returns SQLite's last result code, and
 * whether there was a row.
 */
static int
step_all(struct sql_db *db, sqlite3_stmt *stmt, int rows, bool *answered)
{
	int rc = sqlite_first_step(db, stmt);

	*answered = rc == SQLITE_ROW;
	while (rc == SQLITE_ROW && --rows > 0)
		rc = sqlite3_step(stmt);
	return rc == SQLITE_ROW ? SQLITE_DONE : rc;
}

static void
explain_failure(struct sql_db *db, struct audit_row *row, int rc)
{
	const char *message = sqlite3_errmsg(db->db);

	if (db->watch.stopped || (rc & 0xFF) == SQLITE_INTERRUPT)
		audit_say(row, AUDIT_SESSION, AUDIT_IS_BOUNDED, "ended by the time limit");
	else if ((rc & 0xFF) == SQLITE_TOOBIG || (rc & 0xFF) == SQLITE_NOMEM || (rc & 0xFF) == SQLITE_FULL ||
	    strstr(message, SQLITE_BOUNDS_SAYS) != NULL)
		audit_say(row, AUDIT_SESSION, AUDIT_IS_BOUNDED, "%s", message);
	else if (strncmp(message, "no such", 7) == 0 && strstr(message, "function") == NULL)
		audit_say(row, AUDIT_SESSION, AUDIT_IS_UNTRIED, "SQLite did not get so far: %s", message);
	else
		audit_say(row, AUDIT_SESSION, AUDIT_IS_STOPPED, "%s", message);
}

static bool
has_more(const char *tail)
{
	struct span body;

	return tail != NULL && sqltext_statement(SQLTEXT_SQLITE, span_str(tail), &body) != SQLTEXT_NONE;
}

static void
try_hostile(const struct sqlite_audit *a, struct audit_row *row)
{
	struct sql_db *db = a->db;
	sqlite3_stmt *stmt = NULL;
	const char *tail = NULL;
	bool answered = false;
	int rc;

	db->guard.mode = GUARD_TRUSTED;
	sqlite_guard_reset(&db->guard);
	sqlite_watch_begin(db, a->call, clock_ns() + TRY_NS);
	rc = sqlite3_prepare_v2(db->db, row->input->sql, -1, &stmt, &tail);
	if (rc == SQLITE_OK && stmt != NULL)
		rc = step_all(db, stmt, HONEST_ROWS, &answered);
	if (rc != SQLITE_OK && rc != SQLITE_DONE)
		explain_failure(db, row, rc);
	else if (has_more(tail))
		audit_say(row, AUDIT_SESSION, AUDIT_IS_STOPPED, "only the first statement of a text is run");
	else if (stmt == NULL)
		audit_say(row, AUDIT_SESSION, AUDIT_IS_UNDONE, "there is nothing to run");
	else if (answered)
		audit_say(row, AUDIT_SESSION, AUDIT_IS_PASSED, "it answers");
	else
		audit_say(row, AUDIT_SESSION, AUDIT_IS_UNDONE, "it changes the connection only, which is not kept");
	sqlite3_finalize(stmt);
	sqlite_watch_end(db);
	db->guard.mode = GUARD_TRUSTED;
	sqlite_pin(db);
	db->guard.mode = GUARD_QUERY;
}

static void
try_honest(const struct sqlite_audit *a, struct audit_row *row)
{
	struct sql_db *db = a->db;
	sqlite3_stmt *stmt = NULL;
	bool answered;
	struct err why;
	int rc;

	sqlite_watch_begin(db, a->call, clock_ns() + HONEST_NS);
	if (sqlite_compile(db, a->call, span_str(row->input->sql), &stmt, &why) == 0 &&
	    (rc = step_all(db, stmt, HONEST_ROWS, &answered)) != SQLITE_DONE)
		explain_failure(db, row, rc);
	sqlite3_finalize(stmt);
	sqlite_watch_end(db);
}

static void
judge_row(const struct sqlite_audit *a, struct audit_row *row)
{
	bool hostile = row->input->kind == AUDIT_HOSTILE;

	if (hostile)
		try_hostile(a, row);
	else
		try_honest(a, row);
	if (hostile && row->input->account == AUDIT_WRITER && !a->db->file.writable)
		audit_say(row, AUDIT_ACCOUNT, AUDIT_IS_STOPPED, "the account may not write the file");
}

int
sqlite_audit(struct sql_db *db, struct call *c, struct result *r, struct err *err)
{
	const struct sqlite_audit a = { .db = db, .call = c };
	struct audit_row *rows;
	int rc = 0;

	if (!sqlite_file_is_same(&db->file))
		leave_process("the database file was replaced");
	sqlite_cache_clear(&db->cache);
	/* From here on, no other call uses this connection. */
	serve_stop_after_call(EXIT_RECYCLE, "an audit was run");
	rows = mem_new(INPUTS, sizeof(*rows));
	/*
	 * SQLite does not authorise a virtual table again after it is connected: test the parser layer first, as in a
	 * fresh process.
	 */
	for (size_t i = 0; i < INPUTS; i++) {
		audit_row_begin(&rows[i], &inputs[i]);
		ask_guard(&a, &rows[i], AUDIT_PARSER);
	}
	for (size_t i = 0; i < INPUTS; i++)
		ask_guard(&a, &rows[i], AUDIT_FUNCTIONS);
	for (size_t i = 0; i < INPUTS && rc == 0; i++) {
		judge_row(&a, &rows[i]);
		rc = audit_add(r, &rows[i], err);
		call_progress(c, (unsigned)(1000 * i / INPUTS), "%zu inputs", i + 1);
		if (rc == 0 && !call_poll(c, err))
			rc = -1;
	}
	free(rows);
	return rc;
}

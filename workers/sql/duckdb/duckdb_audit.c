/*
 * duckdb_audit.c - audit_sql on DuckDB.  Every input is also run with the guard
 * switched off, each on a connection of its own, because this process can open
 * nothing for writing.  The process ends after the audit.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "workers/shared/call.h"
#include "workers/shared/serve.h"
#include "workers/sql/attack_rows.h"
#include "workers/sql/duckdb/duckdb.h"
#include "workers/sql/duckdb/duckdb_audit.h"
#include "workers/sql/duckdb/duckdb_db.h"

#define TRY_NS		(CLOCK_SECOND / 2)	/* time of a hostile input */
#define HONEST_NS	(10 * CLOCK_SECOND)
#define ROWS		100
#define RESERVE		((size_t)8 << 20)	/* addresses for the answer; hostile inputs take all others */

static const struct audit_input inputs[] = {
#include "workers/sql/duckdb/attacks_duckdb.def"
};

#define INPUTS	(sizeof(inputs) / sizeof(inputs[0]))

/* Judges by one half of the guard. */
static void
ask_guard(struct sql_db *db, struct call *c, struct audit_row *row, enum audit_layer layer)
{
	struct err why;

	db->guard.mode = layer == AUDIT_PARSER ? DUCKDB_GUARD_ONLY_FORM : DUCKDB_GUARD_ONLY_FUNCTIONS;
	duckdb_session_begin(db, c, clock_ns() + HONEST_NS);
	if (duckdb_judge(db, c, span_str(row->input->sql), &why) == -1)
		audit_say(row, layer, AUDIT_IS_STOPPED, "%s", why.message);
	duckdb_session_end(db);
	db->guard.mode = DUCKDB_GUARD_ALL;
}

/* Runs the statement without the guard; *rows: how many came, at most ROWS. */
static int
run_bare(struct sql_db *db, struct call *c, struct span sql, uint64_t limit_ns, int *rows, struct err *err)
{
	int rc;

	*rows = 0;
	duckdb_session_begin(db, c, clock_ns() + limit_ns);
	rc = duckdb_session_only_read(db, err);
	if (rc == 0)
		rc = duckdb_session_run(db, sql, false, err);
	while (rc != -1 && *rows < ROWS && (rc = duckdb_session_next(db, err)) == 1)
		++*rows;
	duckdb_session_end(db);
	return rc == -1 ? -1 : 0;
}

static void
try_session(struct sql_db *db, struct call *c, struct audit_row *row)
{
	bool hostile = row->input->kind == AUDIT_HOSTILE;
	struct err why;
	int rows;

	if (run_bare(db, c, span_str(row->input->sql), hostile ? TRY_NS : HONEST_NS, &rows, &why) == 0) {
		if (hostile && rows == 0)
			audit_say(row, AUDIT_SESSION, AUDIT_IS_UNDONE, "it ends with its connection");
		else if (hostile)
			audit_say(row, AUDIT_SESSION, AUDIT_IS_PASSED, "it answers");
	} else if (why.code == ERR_QUERY_TIMEOUT || strstr(why.message, "memory") != NULL)
		audit_say(row, AUDIT_SESSION, AUDIT_IS_BOUNDED, "%s", why.message);
	else
		audit_say(row, AUDIT_SESSION, AUDIT_IS_STOPPED, "%s", why.detail[0] != '\0' ? why.detail : why.message);
}

/* Honest inputs come first: a hostile one may keep the library for good, and those behind it cannot be run any more. */
static int
try_all(struct sql_db *db, struct call *c, struct audit_row *rows, enum audit_kind kind, struct err *err)
{
	for (size_t i = 0; i < INPUTS; i++) {
		if (inputs[i].kind != kind)
			continue;
		if (inputs[i].session == AUDIT_BOUNDS)
			audit_say(&rows[i], AUDIT_SESSION, AUDIT_IS_BOUNDED, "a limit of memory, or the process ends");
		else if (duckdb_runner_is_lost(db->runner))
			audit_say(&rows[i], AUDIT_SESSION, AUDIT_IS_UNTRIED,
			    "the library did not end a statement before");
		else
			try_session(db, c, &rows[i]);
		if (!call_poll(c, err))
			return -1;
	}
	return 0;
}

static int
judge_all(struct sql_db *db, struct call *c, struct audit_row *rows, struct err *err)
{
	for (size_t i = 0; i < INPUTS; i++) {
		audit_row_begin(&rows[i], &inputs[i]);
		ask_guard(db, c, &rows[i], AUDIT_PARSER);
		ask_guard(db, c, &rows[i], AUDIT_FUNCTIONS);
		if (inputs[i].kind == AUDIT_HOSTILE && inputs[i].account == AUDIT_WRITER && !db->file.writable)
			audit_say(&rows[i], AUDIT_ACCOUNT, AUDIT_IS_STOPPED, "the account may not write the file");
	}
	call_progress(c, 300, "%zu inputs", INPUTS);
	if (try_all(db, c, rows, AUDIT_HONEST, err) == -1)
		return -1;
	call_progress(c, 600, "%zu inputs", INPUTS);
	return try_all(db, c, rows, AUDIT_HOSTILE, err);
}

int
duckdb_audit(struct sql_db *db, struct call *c, struct result *r, struct err *err)
{
	struct audit_row *rows = mem_new(INPUTS, sizeof(*rows));
	char *reserve = mem_new(1, RESERVE);
	int rc;

	/* From here on, no other call uses this process. */
	serve_stop_after_call(EXIT_RECYCLE, "an audit was run");
	duckdb_session_begin(db, c, call_deadline(c));
	rc = duckdb_reopen(db, c, err);
	duckdb_session_end(db);
	if (rc == 0)
		rc = judge_all(db, c, rows, err);
	free(reserve);
	for (size_t i = 0; i < INPUTS && rc == 0; i++)
		rc = audit_add(r, &rows[i], err);
	free(rows);
	return rc;
}

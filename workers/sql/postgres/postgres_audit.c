#include <stdio.h>
#include <string.h>

#include "base/system/clock.h"
#include "workers/sql/postgres/guard/guard_pg.h"
#include "workers/sql/attack_rows.h"
#include "workers/sql/postgres/postgres.h"
#include "workers/sql/postgres/postgres_audit.h"
#include "workers/sql/postgres/postgres_session.h"
#include "workers/sql/postgres/postgres_sql.h"
#include "workers/shared/call.h"

#define TRY_NS		(2 * CLOCK_SECOND)	/* time of a hostile input on the server */
#define HONEST_NS	(10 * CLOCK_SECOND)
#define HONEST_ROWS	100u

static const struct audit_input inputs[] = {
#include "workers/sql/postgres/guard/attacks_postgres.def"
};

#define INPUTS	(sizeof(inputs) / sizeof(inputs[0]))

struct pg_audit {
	struct sql_db	*db;
	struct call	*call;
	struct err	*err;
	bool		 may[AUDIT_RELATION + 1];	/* by enum audit_account; FUNCTION and RELATION are unused */
};

static void
ask_parser(const struct pg_audit *a, struct audit_row *row)
{
	struct span sql = span_str(row->input->sql);
	struct guard_finding found;
	struct pg_statement st;
	struct err why;

	if (postgres_guard_check(sql, false, &st, &why) == -1 ||
	    pg_statement_check_ask(a->db->statements, st.text, GUARD_LAYER_PARSER, &found, &why) == -1)
		audit_say(row, AUDIT_PARSER, AUDIT_IS_STOPPED, "%s", why.message);
}

static void
ask_functions(const struct pg_audit *a, struct audit_row *row)
{
	struct guard_finding found;
	struct err why;

	/* A text that is no statement names no functions: the function layer has no verdict. */
	if (pg_statement_check_ask(a->db->statements, span_str(row->input->sql), GUARD_LAYER_FUNCTIONS, &found, &why) ==
		-1 &&
	    (why.code == ERR_FORBIDDEN_SQL || found.unknown))
		audit_say(row, AUDIT_FUNCTIONS, AUDIT_IS_STOPPED, "%s", why.message);
}

/* Sends it and reads the whole answer.  0: it ran; 1: refused, with the state in sqlstate; -1: *a->err. */
static int
run_input(const struct pg_audit *a, const struct pg_round_trip *trip, char sqlstate[6], char *message, size_t cap)
{
	const char *state;
	PGresult *res;
	int rc = -1;

	if (pg_send(a->db, a->call, trip, a->err) == -1)
		return -1;
	switch (pg_next(a->db, a->call, false, &res, a->err)) {
	case PG_REFUSED:
		state = PQresultErrorField(res, PG_DIAG_SQLSTATE);
		snprintf(sqlstate, 6, "%s", state == NULL ? "" : state);
		state = PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY);
		snprintf(message, cap, "%s", state == NULL ? "" : state);
		rc = 1;
		break;
	case PG_COMPLETE:
	case PG_ROW:
		rc = 0;
		break;
	case PG_FAILED:
		break;
	}
	PQclear(res);
	return rc;
}

static int
try_hostile(const struct pg_audit *a, struct audit_row *row)
{
	struct pg_round_trip trip = { .deadline_ns = clock_ns() + TRY_NS, .text = row->input->sql, .reset = true,
		.own = true };
	char state[6] = "", message[200] = "";

	switch (run_input(a, &trip, state, message, sizeof(message))) {
	case 0:
		audit_say(row, AUDIT_SESSION, AUDIT_IS_UNDONE, "it ran and was rolled back; the session is as before");
		return 0;
	case 1:
		break;
	default:
		return -1;
	}
	if (strncmp(state, "25", 2) == 0 || strcmp(state, "42601") == 0)
		audit_say(row, AUDIT_SESSION, AUDIT_IS_STOPPED, "%s", message);
	else
		audit_say(row, AUDIT_SESSION, AUDIT_IS_UNTRIED, "the server did not get so far: %s", message);
	return 0;
}

static int
try_honest(const struct pg_audit *a, struct audit_row *row)
{
	struct pg_round_trip trip = { .deadline_ns = clock_ns() + HONEST_NS, .reset = true, .own = true };
	char state[6] = "", message[200] = "";
	struct pg_statement st;
	struct err why;

	if (postgres_guard_check(span_str(row->input->sql), false, &st, &why) == -1)
		return 0; /* the parser refuses it */
	pg_write_query(a->db, &st, HONEST_ROWS, &trip);
	switch (run_input(a, &trip, state, message, sizeof(message))) {
	case 0:
		return 0;
	case 1:
		audit_say(row, AUDIT_SESSION, AUDIT_IS_STOPPED, "%s", message);
		return 0;
	default:
		return -1;
	}
}

static bool
is_true(const PGresult *res, int column)
{
	return PQntuples(res) == 1 && strcmp(PQgetvalue(res, 0, column), "t") == 0;
}

static int
read_account(struct pg_audit *a)
{
	PGresult *res = pg_ask(a->db, a->call, postgres_audit_account_sql, 0, NULL, a->err);

	if (res == NULL)
		return -1;
	a->may[AUDIT_ANYONE] = true;
	for (int i = AUDIT_WRITER; i <= AUDIT_SIGNALS; i++)
		a->may[i] = is_true(res, i - AUDIT_WRITER);
	PQclear(res);
	return 0;
}

static int
ask_account(const struct pg_audit *a, struct audit_row *row)
{
	const struct audit_input *in = row->input;
	const char *params[] = { in->what };
	PGresult *res;

	if (in->what == NULL) {
		if (!a->may[in->account])
			audit_say(row, AUDIT_ACCOUNT, AUDIT_IS_STOPPED, "the account has no such privilege");
		return 0;
	}
	res = pg_ask(a->db, a->call,
	    in->account == AUDIT_FUNCTION ? postgres_audit_function_sql : postgres_audit_relation_sql, 1, params,
	    a->err);
	if (res == NULL)
		return -1;
	if (!is_true(res, 0))
		audit_say(row, AUDIT_ACCOUNT, AUDIT_IS_STOPPED, "%s does not exist here", in->what);
	else if (!is_true(res, 1))
		audit_say(row, AUDIT_ACCOUNT, AUDIT_IS_STOPPED, "the account has no privilege on %s", in->what);
	PQclear(res);
	return 0;
}

static int
judge_input(const struct pg_audit *a, struct audit_row *row)
{
	ask_parser(a, row);
	ask_functions(a, row);
	if (row->input->kind == AUDIT_HONEST)
		return try_honest(a, row);
	if (row->input->session != AUDIT_TRY)
		audit_know_session(row, a->db->session.timeout_ms);
	else if (try_hostile(a, row) == -1)
		return -1;
	return ask_account(a, row);
}

int
pg_audit(struct sql_db *db, struct call *c, struct result *r, struct err *err)
{
	struct pg_audit a = { .db = db, .call = c, .err = err };
	struct audit_row row;
	int rc = 0;

	if (read_account(&a) == -1)
		return -1;
	/* A changed session ends the audit with an error instead of ending the process. */
	db->session.tells = true;
	for (size_t i = 0; i < INPUTS && rc == 0; i++) {
		audit_row_begin(&row, &inputs[i]);
		if ((rc = judge_input(&a, &row)) == 0)
			rc = audit_add(r, &row, err);
		call_progress(c, (unsigned)(1000 * i / INPUTS), "%zu inputs", i + 1);
		if (rc == 0 && !call_poll(c, err))
			rc = -1;
	}
	pg_give_up(db, EXIT_RECYCLE, "an audit was run");
	return rc;
}

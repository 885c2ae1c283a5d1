#include "workers/sql/mysql/mysql_statement.h"

#include <string.h>

#include "base/system/clock.h"
#include "workers/shared/call.h"
#include "workers/shared/child.h"
#include "workers/shared/serve.h"
#include "workers/sql/mysql/grammar/mysql_print.h"
#include "workers/sql/mysql/mysql_errors.h"

#define WARNINGS_MAX	65535u	/* max_error_count, and the most that an answer can count */
#define LIST_CUT	"1260"	/* ER_CUT_VALUE_GROUP_CONCAT */
#define SLACK_MS	50u	/* of the call's time, at most a tenth, is for the way back */

_Static_assert(MYSQL_KILL_MS < CONTRACT_FRONT_GRACE_MS, "what is left is told before the process is killed");

/* What waits for a statement, and why it does not go on. */
struct patience {
	struct call	*call;
	struct err	 err;
};

static bool
goes_on(void *arg)
{
	struct patience *p = arg;

	return call_poll(p->call, &p->err);
}

void
mysql_statement_give_up(struct sql_db *db, enum contract_exit code, const char *reason)
{
	if (db->dead)
		return;
	pool_leave(db->cfg, &db->asked, mysql_thread_id(mysql_session_handle(db->session)));
	serve_stop_after_call(code, reason);
	db->dead = true;
}

static int
say_lost(struct err *err)
{
	return err_set(err, ERR_DATABASE_UNAVAILABLE,
	    "the connection to the database was lost and is being made again; try again");
}

/* The server's own limit: the account's or the server's is less than ours. */
static int
explain_server_limit(const struct sql_db *db, struct err *err)
{
	uint64_t ran = clock_ns() - db->since_ns;
	const struct late_limit limit = { ran / CLOCK_MS, "max_statement_time of the account or server" };

	return late_query(ran, &limit, err);
}

/* Tells a failed statement as callers are told.  Returns -1. */
static int
explain_statement(struct sql_db *db, struct call *c, const struct patience *p, struct err *err)
{
	unsigned number = mysql_errno(mysql_session_handle(db->session));

	switch (err->code) {
	case ERR_QUERY_TIMEOUT:
		return late_query(clock_ns() - db->since_ns, &db->limit, err);
	case ERR_QUERY_CANCELLED:
		if (p->err.code != ERR_NONE)
			*err = p->err;
		return -1;
	case ERR_DATABASE_UNAVAILABLE:
		mysql_statement_give_up(db, EXIT_CONNECTION, err->message);
		if (mysql_session_was_late(db->session))
			return late_query(clock_ns() - db->since_ns, &db->limit, err);
		err_detail(err, "%s", err->message);
		return say_lost(err);
	default:
		break;
	}
	if (number == 1927 || number == 1053) { /* killed, or the server shuts down: the connection ends, too */
		mysql_statement_give_up(db, EXIT_CONNECTION, err->message);
		return say_lost(err);
	}
	if (number == 1969 || number == 3024)
		return explain_server_limit(db, err);
	return mysql_errors_explain(mysql_session_handle(db->session), call_details(c), err);
}

/*
 * The session is not as it was, or was ended.  The waiting call has no answer yet, so the process ends at once and the
 * front sends the call to another worker.
 */
static void
leave_session(const char *why)
{
	struct err err;

	err_set(&err, ERR_DATABASE_UNAVAILABLE, "%s", why);
	child_unable(EXIT_RECYCLE, &err);
}

/* Proves the session after what may have left something in it. */
static int
statement_settle(struct sql_db *db, struct err *err)
{
	if (!db->dirty && !mysql_settled_is_due(db))
		return 0;
	db->dirty = false;
	return mysql_session_settle(db->session, err) == -1 ? -1 : mysql_settled_proved(db, err);
}

/* Makes sure that the session is there and as it was before the last statement. */
static int
begin(struct sql_db *db, struct err *err)
{
	if (db->dead)
		return say_lost(err);
	if (db->asleep || mysql_session_is_asleep(db->session))
		leave_session("the server ended the session while it was idle");
	if (statement_settle(db, err) == -1)
		leave_session(err->message);
	return 0;
}

/*
 * The variables of the one who asks, with values that are parameters.  They end when the session is reset, which is
 * before the next statement.
 */
static int
set_identity(struct sql_db *db, uint64_t deadline_ns, struct patience *p, struct err *err)
{
	struct buf sql = { 0 };
	MYSQL_RES *none;
	int rc;

	if (db->as == NULL)
		return 0;
	for (size_t i = 0; i < db->as->n; i++)
		buf_printf(&sql, "%s @%s = ?", i == 0 ? "SET" : ",", db->as->names[i]);
	db->dirty = true;
	rc = mysql_session_bind(db->session, buf_cstr(&sql), db->as->n, db->as->values, err);
	buf_fini(&sql);
	/* What was set is reported with the answer to its own statement, and not with that to DO. */
	return rc == -1 ? -1 : mysql_session_run(db->session, SPAN("DO 0"), deadline_ns, goes_on, p, &none, err);
}

/* What was set is reported with the answer to its own statement, and not with that to DO. */
static int
prepare_bound(struct sql_db *db, const struct mysql_prepared *prepared, uint64_t deadline_ns, struct patience *p,
    struct err *err)
{
	MYSQL_RES *none;

	if (prepared->n > 0 && mysql_session_bind(db->session, prepared->set, prepared->n, prepared->texts, err) == -1)
		return -1;
	return mysql_session_run(db->session, span_str(prepared->prepare), deadline_ns, goes_on, p, &none, err) == -1 ?
	    -1 :
	    mysql_session_run(db->session, SPAN("DO 0"), deadline_ns, goes_on, p, &none, err);
}

int
mysql_statement_run_bound(struct sql_db *db, struct call *c, const struct mysql_prepared *prepared, struct span sql,
    uint64_t deadline_ns, MYSQL_RES **result, struct err *err)
{
	struct patience p = { .call = c };
	uint64_t left, slack;

	if (begin(db, err) == -1)
		return -1;
	db->since_ns = clock_ns();
	left = deadline_ns > db->since_ns ? deadline_ns - db->since_ns : 0;
	slack = left / 10 < SLACK_MS * CLOCK_MS ? left / 10 : SLACK_MS * CLOCK_MS;
	db->dirty = true;
	if (set_identity(db, deadline_ns - slack, &p, err) == 0 &&
	    (prepared == NULL || prepare_bound(db, prepared, deadline_ns - slack, &p, err) == 0) &&
	    mysql_session_run(db->session, sql, deadline_ns - slack, goes_on, &p, result, err) == 0)
		return 0;
	return explain_statement(db, c, &p, err);
}

int
mysql_statement_run(struct sql_db *db, struct call *c, struct span sql, uint64_t deadline_ns, MYSQL_RES **result,
    struct err *err)
{
	return mysql_statement_run_bound(db, c, NULL, sql, deadline_ns, result, err);
}

int
mysql_statement_row(struct sql_db *db, struct call *c, MYSQL_RES *result, MYSQL_ROW *row, struct err *err)
{
	struct patience p = { .call = c };
	int got = mysql_session_row(db->session, result, goes_on, &p, row, err);

	return got == -1 ? explain_statement(db, c, &p, err) : got;
}

void
mysql_statement_end(struct sql_db *db, MYSQL_RES *result, bool whole)
{
	struct err err;

	db->answered = true;
	if (result == NULL || db->dead)
		return; /* freeing would wait for a server that does not answer */
	if (!whole && mysql_session_stop(db->session, result, &err) == -1)
		mysql_statement_give_up(db, EXIT_RECYCLE, err.message);
	else
		mysql_free_result(result);
}

static bool
has_shape(MYSQL_RES *result, const char *shape)
{
	unsigned n = mysql_num_fields(result);
	bool fits = n == strlen(shape);
	MYSQL_ROW row;

	while (fits && (row = mysql_fetch_row(result)) != NULL)
		for (unsigned i = 0; i < n; i++)
			fits = fits && (shape[i] == '.' || row[i] != NULL);
	mysql_data_seek(result, 0);
	return fits;
}

/* Asks until deadline_ns; NULL: it failed, or the answer has another shape. */
static MYSQL_RES *
ask_shaped(struct sql_db *db, struct call *c, struct span sql, const char *shape, uint64_t deadline_ns, struct err *err)
{
	struct patience p = { .call = c };
	MYSQL_RES *result;

	if (mysql_session_ask(db->session, sql, deadline_ns, goes_on, &p, &result, err) == -1) {
		explain_statement(db, c, &p, err);
		return NULL;
	}
	if (has_shape(result, shape))
		return result;
	mysql_free_result(result);
	err_set(err, ERR_DATABASE_ERROR, "the server's answer has another form than was asked for");
	return NULL;
}

/* Views and routines that make lists are not looked into. */
static bool
makes_list(const char *sql)
{
	return strstr(sql, "GROUP_CONCAT(") != NULL || strstr(sql, "JSON_ARRAYAGG(") != NULL;
}

/* Of more warnings than it counts the server keeps the first ones, so any of the others may be of a list. */
int
mysql_statement_check_lists(struct sql_db *db, struct call *c, struct err *err)
{
	MYSQL_RES *warnings;
	MYSQL_ROW row;
	unsigned n = mysql_warning_count(mysql_session_handle(db->session));
	bool cut = n >= WARNINGS_MAX && makes_list(buf_cstr(&db->printed));

	if (db->dead || n == 0)
		return 0;
	/* Whatever is asked before resets the warnings. */
	if ((warnings = ask_shaped(db, c, SPAN("SHOW WARNINGS"), "!!!", call_deadline(c), err)) == NULL)
		return -1;
	while ((row = mysql_fetch_row(warnings)) != NULL)
		cut = cut || strcmp(row[1], LIST_CUT) == 0;
	mysql_free_result(warnings);
	return !cut ?
	    0 :
	    err_set(err, ERR_DATABASE_ERROR,
		"GROUP_CONCAT or JSON_ARRAYAGG makes a list of more than 1 MB, which the server would cut; group by "
		"more, or list fewer values");
}

MYSQL_RES *
mysql_statement_ask(struct sql_db *db, struct call *c, struct span sql, const char *shape, struct err *err)
{
	return mysql_statement_ask_until(db, c, sql, shape, call_deadline(c), err);
}

MYSQL_RES *
mysql_statement_ask_until(struct sql_db *db, struct call *c, struct span sql, const char *shape, uint64_t deadline_ns,
    struct err *err)
{
	struct patience p = { .call = c };

	if (begin(db, err) == -1)
		return NULL;
	db->since_ns = clock_ns();
	if (set_identity(db, deadline_ns, &p, err) == -1) {
		explain_statement(db, c, &p, err);
		return NULL;
	}
	return ask_shaped(db, c, sql, shape, deadline_ns, err);
}

void
mysql_statement_put_schema(const struct sql_db *db, struct buf *out, struct span name)
{
	unsigned name_case = mysql_session_name_case(db->session);

	buf_str(out, name_case == 1 ? "LOWER(" : "");
	mysql_print_string(out, name);
	buf_str(out, name_case == 1 ? ")" : "");
	buf_str(out, name_case < 2 ? " COLLATE utf8mb4_bin" : "");
}

MYSQL_RES *
mysql_statement_ask_of_schemas(struct sql_db *db, struct call *c, const char *text, const char *shape, struct err *err)
{
	static const char place[] = "${schemas}";
	struct buf sql = { 0 };
	const char *at;
	MYSQL_RES *result;

	for (; (at = strstr(text, place)) != NULL; text = at + sizeof(place) - 1) {
		buf_append(&sql, text, (size_t)(at - text));
		for (size_t i = 0; i < db->guard.nschemas; i++) {
			buf_str(&sql, i > 0 ? ", " : "");
			mysql_statement_put_schema(db, &sql, db->guard.schemas[i]);
		}
	}
	buf_str(&sql, text);
	result = mysql_statement_ask(db, c, buf_view(&sql), shape, err);
	buf_fini(&sql);
	return result;
}

void
mysql_statement_idle(struct sql_db *db)
{
	struct err err;

	if (db->dead || db->asleep || db->session == NULL)
		return;
	/* Right after a statement the next one finds out, or the watched connection is readable. */
	db->asleep = !db->answered && mysql_session_is_asleep(db->session);
	db->answered = false;
	if (!db->asleep && statement_settle(db, &err) == -1)
		mysql_statement_give_up(db, EXIT_RECYCLE, err.message);
}

#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/mp.h"
#include "base/utf8.h"
#include "workers/sql/late.h"
#include "workers/sql/postgres/postgres_datasets.h"
#include "workers/sql/postgres/postgres_errors.h"
#include "workers/sql/postgres/postgres_identity.h"
#include "workers/sql/postgres/postgres_session.h"
#include "workers/sql/value.h"
#include "workers/shared/call.h"

static const char *
field(struct call *c, const PGresult *res, int code)
{
	const char *text = PQresultErrorField(res, code);

	return text == NULL ? NULL : value_clean(call_arena(c), text);
}

/*
 * The character of the caller's text that the server points at, counted from
 * 1; 0 if it points nowhere.  The query was sent behind other text.
 */
static unsigned long
position_of(const struct sql_db *db, const PGresult *res, const struct pg_statement *st)
{
	const char *text = PQresultErrorField(res, PG_DIAG_STATEMENT_POSITION);
	unsigned long at = text == NULL ? 0 : strtoul(text, NULL, 10), shift = 0;

	if (at == 0 || st == NULL)
		return 0;
	if (st->kind == STATEMENT_QUERY)
		shift = utf8_count(span_str(pg_wrapped_from(db)));
	if (at <= shift)
		return 0;
	at -= shift;
	return (db->columns != NULL ? pg_columns_origin(db->columns, st, at) : at) + st->before;
}

static void
put_details(struct call *c, const PGresult *res, unsigned long position)
{
	struct buf *out = call_details(c);
	const char *detail = field(c, res, PG_DIAG_MESSAGE_DETAIL);

	buf_reset(out, 4096);
	mp_put_map(out, 1u + (position > 0) + (detail != NULL));
	mp_put_cstr(out, "sqlstate");
	value_label(out, PQresultErrorField(res, PG_DIAG_SQLSTATE));
	if (position > 0) {
		mp_pair_uint(out, "position", position);
	}
	if (detail != NULL) {
		mp_pair_cstr(out, "detail", detail);
	}
}

/* SQLSTATEs and classes (two characters) with code and advice; the first match counts. */
static const struct {
	const char	*state;
	enum err_code	 code;
	const char	*advice;
} states[] = {
	{ "25006", ERR_FORBIDDEN_SQL, "this connection only reads; write a SELECT without side effects" },
	{ "42501", ERR_DATABASE_ERROR, "the database account has no privilege for this; use something else, "
	    "or ask the owner of the database to grant it" },
	{ "42P01", ERR_INVALID_SQL, "find the right name with discover_data or entity_details, "
	    "and qualify it with its schema" },
	{ "42703", ERR_INVALID_SQL, "look the columns up with entity_details" },
	{ "42702", ERR_INVALID_SQL, "qualify the column with its table's name or alias" },
	{ "42883", ERR_INVALID_SQL, "check the function's name and argument types; a cast may be needed" },
	{ "42P02", ERR_INVALID_SQL, "placeholders are not supported, write the values into the statement" },
	{ "42P18", ERR_INVALID_SQL, "placeholders are not supported, write the values into the statement" },
	{ "42803", ERR_INVALID_SQL, "add the column to GROUP BY or aggregate it" },
	{ "42", ERR_INVALID_SQL, NULL },
	{ "08P01", ERR_INVALID_SQL, "placeholders are not supported, write the values into the statement" },
	{ "0A", ERR_INVALID_SQL, NULL },
	{ "22012", ERR_DATABASE_ERROR, "guard the divisor with NULLIF(x, 0)" },
	{ "55P03", ERR_DATABASE_ERROR, "a table is locked by another session; try again" },
	{ "53400", ERR_DATABASE_ERROR, "what the statement sorts or groups does not fit the space it may use on the "
	    "server's disk; filter first, or ask for less" },
	{ "53", ERR_DATABASE_ERROR, "the server is short of resources; ask for less" },
	{ "54000", ERR_DATABASE_ERROR, "a value would be larger than the server can make; aggregate less into one" },
	{ "54", ERR_INVALID_SQL, "the statement is too complex for the server; simplify it" },
	{ "", ERR_DATABASE_ERROR, NULL },
};

/* The same for errors of statements over datasets, which have tools of their own. */
static const char *
published_advice(const char *state)
{
	if (strcmp(state, "42P01") == 0)
		return "name each dataset in FROM";
	if (strcmp(state, "42703") == 0)
		return "look the columns up with carrel_get_schema";
	return strcmp(state, "42883") == 0 ? "check the function's name and argument types; a cast may be needed" :
					     NULL;
}

static int
explain_state(struct call *c, const PGresult *res, const struct pg_statement *st, const char *state, struct err *err)
{
	const char *message = field(c, res, PG_DIAG_MESSAGE_PRIMARY), *hint = field(c, res, PG_DIAG_MESSAGE_HINT);
	const char *advice;
	size_t i = 0, n = hint == NULL ? 0 : strlen(hint);

	while (strncmp(state, states[i].state, strlen(states[i].state)) != 0)
		i++;
	if (n > 0 && hint[n - 1] == '.')
		n--;
	advice =
	    st != NULL && st->published && strncmp(state, "42", 2) == 0 ? published_advice(state) : states[i].advice;
	return err_set(err, states[i].code, "%s%s%.*s%s%s", message == NULL ? "the server gave no reason" : message,
	    n == 0 ? "" : ". ", (int)n, hint == NULL ? "" : hint, advice == NULL ? "" : "; ",
	    advice == NULL ? "" : advice);
}

/* An administrator's pg_cancel_backend() also gives 57014, and the message's language depends on the server. */
static int
explain_cancelled(struct sql_db *db, struct err *err)
{
	const struct late_limit owner = { db->session.owner_ms, "statement_timeout of the account or database" };

	if (db->brief_ms > 0 && clock_ns() + 100 * CLOCK_MS >= db->session.deadline_ns)
		return err_set(err, ERR_QUERY_TIMEOUT,
		    "the query took too long for one that keeps many rows or large values in the "
		    "server's memory, and was stopped after %.1f s; gather fewer rows (those of a sub-select with "
		    "LIMIT), "
		    "filter before gathering, or count and sum instead",
		    (double)db->brief_ms / 1000);
	if (clock_ns() + 100 * CLOCK_MS >= db->session.deadline_ns)
		return late_query(clock_ns() - db->session.since_ns, db->session.owner_ms > 0 ? &owner : &db->limit,
		    err);
	return err_set(err, ERR_DATABASE_ERROR, "the query was cancelled in the database by somebody else; try again");
}

static bool
is_loss(const char *state)
{
	return strncmp(state, "57P", 3) == 0 || (strncmp(state, "08", 2) == 0 && strcmp(state, "08P01") != 0);
}

/*
 * Whether the statement may do more than read: the server says so, or does
 * not accept as a WITH query a statement that the guard has allowed.
 */
static bool
is_construct(const char *state, const struct pg_statement *st)
{
	if (st == NULL)
		return false;
	return strcmp(state, "42601") == 0 || strcmp(state, "0A000") == 0 || strcmp(state, "25006") == 0;
}

/*
 * libpq's own error, without an SQLSTATE: no memory for a row, or for the
 * input buffer, which libpq reports as a loss of synchronization.
 */
static bool
is_row_too_large(const struct sql_db *db, const PGresult *res)
{
	return PQstatus(db->session.conn) == CONNECTION_OK ||
	    strstr(PQresultErrorMessage(res), "message type \"D\"") != NULL;
}

int
pg_explain(struct sql_db *db, struct call *c, const PGresult *res, const struct pg_statement *st, struct err *err)
{
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE), *culprit;
	size_t position;

	if (state == NULL && is_row_too_large(db, res)) {
		pg_give_up(db, EXIT_RECYCLE, "a row was larger than memory");
		err_set(err, ERR_RESULT_TOO_LARGE,
		    "a row is too large to be read; "
		    "select fewer columns or parts of them, for example left(column, 1000)");
		return err_detail(err, "%s", PQresultErrorMessage(res));
	}
	if (state == NULL || is_loss(state)) {
		pg_give_up(db, EXIT_CONNECTION, "the connection to the database was lost");
		err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the connection to the database was lost and is being made again; try again");
		return err_detail(err, "%s", PQresultErrorMessage(res));
	}
	if (strcmp(state, "57014") == 0)
		return explain_cancelled(db, err);
	if (db->session.step == PG_IDENTITY)
		return postgres_identity_explain(db, res, err);
	position = position_of(db, res, st);
	put_details(c, res, position);
	if (st != NULL && st->published && pg_datasets_explain(db, res, state, err))
		return -1;
	if (db->columns != NULL && pg_columns_explain(db->columns, st, state, PQresultErrorMessage(res), position, err))
		return -1;
	if (is_construct(state, st) &&
	    (culprit = postgres_guard_culprit(st->written.len > 0 ? st->written : st->text)) != NULL)
		return err_set(err, ERR_FORBIDDEN_SQL,
		    "%s is not allowed: this connection only reads; write a plain SELECT", culprit);
	return explain_state(c, res, st, state, err);
}

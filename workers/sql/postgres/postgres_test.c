#include <stdio.h>
#include <string.h>

#include "base/system/clock.h"
#include "workers/sql/postgres/postgres_errors.h"
#include "workers/sql/postgres/postgres_identity.h"
#include "workers/sql/postgres/postgres_reach.h"
#include "workers/sql/postgres/postgres_session.h"
#include "workers/sql/postgres/postgres_test.h"
#include "workers/sql/postgres/postgres_sql.h"
#include "workers/sql/value.h"
#include "workers/shared/call.h"

/* Tries a write inside the transaction that every statement gets: it must fail because that is read-only. */
static int
try_write(struct sql_db *db, struct call *c, bool *refused, struct err *err)
{
	struct pg_round_trip trip = { .deadline_ns = call_deadline(c), .reset = true, .own = true,
		.text = "CREATE TABLE pg_temp.carrel_write_probe ()" };
	PGresult *res = NULL;
	const char *state;
	int rc = 0;

	if (pg_send(db, c, &trip, err) == -1)
		return -1;
	*refused = false;
	switch (pg_next(db, c, false, &res, err)) {
	case PG_REFUSED:
		state = PQresultErrorField(res, PG_DIAG_SQLSTATE);
		*refused = state != NULL && strcmp(state, "25006") == 0;
		if (state == NULL)
			rc = pg_explain(db, c, res, NULL, err);
		break;
	case PG_FAILED:
		return -1;
	default:
		break;
	}
	PQclear(res);
	return rc;
}

static const char *
test_cell(struct call *c, const PGresult *res, int i)
{
	if (PQntuples(res) == 0 || PQgetisnull(res, 0, i))
		return NULL;
	return value_clean(call_arena(c), PQgetvalue(res, 0, i));
}

static void
note_readable(void *arg, const char *schema, const char *table, const char *column)
{
	struct sql_test *t = arg;
	size_t len = strlen(t->readable);

	t->nreadable++;
	snprintf(t->readable + len, sizeof(t->readable) - len, "%s%s.%s.%s", len > 0 ? ", " : "", schema, table,
	    column);
}

int
pg_test(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err)
{
	uint64_t since = clock_ns(), us;
	const char *text;
	PGresult *res;

	res = pg_ask(db, c, "SELECT pg_catalog.current_setting('server_version'), current_user", 0, NULL, err);
	if (res == NULL)
		return -1;
	us = (clock_ns() - since) / 1000;
	t->latency_ms = (double)us / 1000.0;
	if ((text = test_cell(c, res, 0)) != NULL)
		snprintf(t->server_version, sizeof(t->server_version), "%s", text);
	if ((text = test_cell(c, res, 1)) != NULL)
		snprintf(t->user, sizeof(t->user), "%s", text);
	PQclear(res);

	if ((res = pg_ask(db, c, postgres_test_writes_sql, 0, NULL, err)) == NULL)
		return -1;
	text = test_cell(c, res, 0);
	t->can_write = PQntuples(res) == 0 ? SQL_WRITE_UNKNOWN : text != NULL ? SQL_WRITE_YES : SQL_WRITE_NO;
	snprintf(t->can_write_why, sizeof(t->can_write_why), "%s",
	    text != NULL ? text : "the account has no privilege to write");
	PQclear(res);
	if (db->columns != NULL && pg_columns_readable(db->columns, db, c, note_readable, t, err) == -1)
		return -1;
	if (postgres_identity_test(db, c, t, err) == -1 || pg_reach(db, c, &t->reach, err) == -1)
		return -1;
	return try_write(db, c, &t->read_only_session, err);
}

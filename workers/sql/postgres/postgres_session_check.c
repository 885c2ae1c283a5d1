#include "base/mem.h"
#include "workers/sql/postgres/postgres_identity.h"
#include "workers/sql/postgres/postgres_query.h"
#include "workers/sql/postgres/postgres_session_check.h"

#include <stdlib.h>
#include <string.h>

/* The values of all settings. */
#define VALUES	"pg_catalog.string_agg(pg_catalog.concat(n, '=', pg_catalog.current_setting(n, true)), E'\\n')"

static const char *const parts[PG_SESSION_CHECK_PARTS] = {
	"a setting is not what it was", "a prepared statement is left", "a cursor is left open",
	"it listens to a channel", "there are temporary objects", "it acts as another role or is another session",
};

static void
session_check_write(struct pg_session_check *p, int version)
{
	/* Before version 11 there is no sha256(). */
	const char *digest = version >= 110000 ? "pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(" VALUES
						 ", 'UTF8')), 'hex')" :
						 "pg_catalog.md5(" VALUES ")";
	struct buf text = { 0 };

	pg_query_put(&text, postgres_session_check_sql,
	    (const struct pg_given[]){ { "digest", digest }, { NULL, NULL } });
	p->text = mem_text(buf_view(&text));
	buf_fini(&text);
}

static bool
is_row(const PGresult *res, int columns)
{
	return PQresultStatus(res) == PGRES_TUPLES_OK && PQntuples(res) == 1 && PQnfields(res) == columns;
}

/* The one row of an answer, or NULL with *err. */
static PGresult *
ask_row(PGconn *conn, const char *text, const char *settings, int columns, struct err *err)
{
	PGresult *res = PQexecParams(conn, text, 1, NULL, &settings, NULL, NULL, 0);

	if (is_row(res, columns))
		return res;
	err_set(err, ERR_DATABASE_UNAVAILABLE, "the session's settings cannot be read");
	err_detail(err, "%s", PQresultErrorMessage(res));
	PQclear(res);
	return NULL;
}

int
pg_session_check_open(struct pg_session_check *p, PGconn *conn, const struct sql_config *cfg, struct err *err)
{
	PGresult *res;

	p->own = postgres_identity_names(cfg);
	session_check_write(p, PQserverVersion(conn));
	if ((res = ask_row(conn, postgres_session_check_settings_sql, p->own, 1, err)) == NULL)
		return -1;
	p->settings = mem_text(span_str(PQgetvalue(res, 0, 0)));
	PQclear(res);
	if ((res = ask_row(conn, p->text, p->settings, PG_SESSION_CHECK_PARTS + 1, err)) == NULL)
		return -1;
	for (int i = 0; i < PG_SESSION_CHECK_PARTS; i++)
		p->baseline[i] = mem_text(span_str(PQgetvalue(res, 0, i)));
	PQclear(res);
	if ((res = ask_row(conn, postgres_session_check_brief_sql, p->own, 2, err)) == NULL)
		return -1;
	p->brief = mem_text(span_str(PQgetvalue(res, 0, 0)));
	PQclear(res);
	return 0;
}

void
pg_session_check_fini(struct pg_session_check *p)
{
	free(p->own);
	free(p->settings);
	free(p->text);
	free(p->brief);
	for (int i = 0; i < PG_SESSION_CHECK_PARTS; i++)
		free(p->baseline[i]);
	memset(p, 0, sizeof(*p));
}

bool
pg_session_check_is_due(const struct pg_session_check *p)
{
	return p->always || p->sent_ns == 0 || clock_ns() - p->sent_ns >= PG_SESSION_CHECK_MAX_AGE;
}

bool
pg_session_check_send(struct pg_session_check *p, PGconn *conn)
{
	const char *params[] = { p->settings }, *own[] = { p->own };
	uint64_t now = clock_ns();

	p->is_brief = p->sent_ns != 0 && now - p->sent_ns < PG_SESSION_CHECK_INTERVAL;
	if (p->is_brief)
		return PQsendQueryParams(conn, postgres_session_check_brief_sql, 1, NULL, own, NULL, NULL, 0) == 1;
	p->sent_ns = now;
	return PQsendQueryParams(conn, p->text, 1, NULL, params, NULL, NULL, 0) == 1;
}

const char *
pg_session_check_differs(const struct pg_session_check *p, const PGresult *answer)
{
	if (!is_row(answer, p->is_brief ? 2 : PG_SESSION_CHECK_PARTS + 1))
		return "it does not tell its state";
	if (p->is_brief)
		return strcmp(PQgetvalue(answer, 0, 0), p->brief) != 0 ?
		    "its settings or roles are not what they were" :
		    NULL;
	for (int i = 0; i < PG_SESSION_CHECK_PARTS; i++)
		if (strcmp(PQgetvalue(answer, 0, i), p->baseline[i]) != 0)
			return parts[i];
	return NULL;
}

/* postgres_proof.c - see postgres_proof.h. */
#include "base/mem.h"
#include "workers/sql/postgres_proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "internal", "postmaster", "sighup" and "backend" cannot be set within a session. */
static const char settings_query[] =
    "SELECT pg_catalog.array_agg(name ORDER BY name)::pg_catalog.text FROM pg_catalog.pg_settings"
    " WHERE context IN ('user', 'superuser')";

/* One row of PG_PROOF_PARTS texts; %s makes a digest of the settings' values. */
static const char question[] =
    "SELECT %s,"
    " (SELECT pg_catalog.count(*) FROM pg_catalog.pg_prepared_statements),"
    " (SELECT pg_catalog.count(*) FROM pg_catalog.pg_cursors),"
    " (SELECT pg_catalog.count(*) FROM pg_catalog.pg_listening_channels()),"
    " pg_catalog.pg_my_temp_schema(),"
    " pg_catalog.concat_ws('/', session_user, current_user)"
    " FROM pg_catalog.unnest($1::pg_catalog.text[]) n";

#define VALUES	"pg_catalog.string_agg(pg_catalog.concat(n, '=', pg_catalog.current_setting(n, true)), E'\\n')"

static const char *const parts[PG_PROOF_PARTS] = {
	"a setting is not what it was", "a prepared statement is left", "a cursor is left open",
	"it listens to a channel", "there are temporary objects", "it acts as another role",
};

static void
spell(struct pg_proof *p, int version)
{
	/* Before version 11 there is no sha256(). */
	const char *digest = version >= 110000 ?
	    "pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(" VALUES ", 'UTF8')), 'hex')" :
	    "pg_catalog.md5(" VALUES ")";
	size_t size = sizeof(question) + strlen(digest);

	p->text = mem_alloc(size);
	snprintf(p->text, size, question, digest);
}

static bool
is_answer(const PGresult *res)
{
	return PQresultStatus(res) == PGRES_TUPLES_OK && PQntuples(res) == 1 && PQnfields(res) == PG_PROOF_PARTS;
}

static int
cannot_read(PGresult *res, struct err *err)
{
	err_set(err, ERR_DATABASE_UNAVAILABLE, "the session's settings cannot be read");
	err_detail(err, "%s", PQresultErrorMessage(res));
	PQclear(res);
	return -1;
}

int
pg_proof_open(struct pg_proof *p, PGconn *conn, struct err *err)
{
	PGresult *res = PQexec(conn, settings_query);
	const char *params[1];

	if (PQresultStatus(res) != PGRES_TUPLES_OK || PQntuples(res) != 1)
		return cannot_read(res, err);
	p->settings = mem_text(span_str(PQgetvalue(res, 0, 0)));
	PQclear(res);
	spell(p, PQserverVersion(conn));
	params[0] = p->settings;
	res = PQexecParams(conn, p->text, 1, NULL, params, NULL, NULL, 0);
	if (!is_answer(res))
		return cannot_read(res, err);
	for (int i = 0; i < PG_PROOF_PARTS; i++)
		p->baseline[i] = mem_text(span_str(PQgetvalue(res, 0, i)));
	PQclear(res);
	return 0;
}

void
pg_proof_fini(struct pg_proof *p)
{
	free(p->settings);
	free(p->text);
	for (int i = 0; i < PG_PROOF_PARTS; i++)
		free(p->baseline[i]);
	memset(p, 0, sizeof(*p));
}

bool
pg_proof_send(const struct pg_proof *p, PGconn *conn)
{
	const char *params[] = { p->settings };

	return PQsendQueryParams(conn, p->text, 1, NULL, params, NULL, NULL, 0) == 1;
}

const char *
pg_proof_differs(const struct pg_proof *p, const PGresult *answer)
{
	if (!is_answer(answer))
		return "it does not tell its state";
	for (int i = 0; i < PG_PROOF_PARTS; i++)
		if (strcmp(PQgetvalue(answer, 0, i), p->baseline[i]) != 0)
			return parts[i];
	return NULL;
}

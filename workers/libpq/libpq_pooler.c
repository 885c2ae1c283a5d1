#include "workers/libpq/libpq_pooler.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS		2000	/* for the answer of a second session, which a full pool does not have */
#define OWN_PROCESS	"SELECT pg_catalog.pg_backend_pid()"
#define TRIES		4u

/* The first cell of an answer that comes within a moment; false: none came, or an error. */
static bool
ask_briefly(PGconn *conn, const char *text, char *out, size_t cap)
{
	struct pollfd wait = { PQsocket(conn), POLLIN, 0 };
	PGresult *res;
	bool told;

	out[0] = '\0';
	if (PQsendQuery(conn, text) == 0)
		return false;
	while (PQconsumeInput(conn) && PQisBusy(conn))
		if (poll(&wait, 1, WAIT_MS) <= 0)
			return false;
	res = PQgetResult(conn);
	told = PQresultStatus(res) == PGRES_TUPLES_OK && PQntuples(res) == 1;
	snprintf(out, cap, "%s", told ? PQgetvalue(res, 0, 0) : PQresultErrorMessage(res));
	PQclear(res);
	while ((res = PQgetResult(conn)) != NULL)
		PQclear(res);
	return told || out[0] == '\0';
}

/* With transaction pooling, one of a few clients that begin a transaction is given the idle session `own`. */
static bool
is_shared(const char *own, PGconn *(*another)(void *arg), void *arg)
{
	PGconn *more[TRIES];
	char other[160];
	bool shared = false;
	size_t n = 0;

	while (!shared && n < TRIES) {
		more[n] = another(arg);
		if (PQstatus(more[n++]) != CONNECTION_OK)
			break;
		if (!ask_briefly(more[n - 1], "BEGIN", other, sizeof(other))) {
			shared = other[0] != '\0'; /* statement pooling refuses it */
			break;
		}
		if (!ask_briefly(more[n - 1], OWN_PROCESS, other, sizeof(other)))
			break;
		shared = strcmp(own, other) == 0;
	}
	while (n > 0)
		PQfinish(more[--n]);
	return shared;
}

int
libpq_pooler_know(PGconn *conn, PGconn *(*another)(void *arg), void *arg, bool *pooled, struct err *err)
{
	char own[160], now[160];
	bool told = ask_briefly(conn, OWN_PROCESS, own, sizeof(own));

	if (told && strtol(own, NULL, 10) == PQbackendPID(conn))
		return 0;
	*pooled = true; /* also where nothing was told: a busy pooler lets its clients wait */
	/* Another client may have been given our session, and this one its. */
	if (!told ||
	    (!is_shared(own, another, arg) &&
		(!ask_briefly(conn, OWN_PROCESS, now, sizeof(now)) || strcmp(own, now) == 0)))
		return 0;
	return err_set(err, ERR_DATABASE_UNAVAILABLE,
	    "the connection pooler at this address gives each transaction or statement another "
	    "session; use its session pooling (PgBouncer: pool_mode = session), or connect to "
	    "PostgreSQL directly");
}

/* postgres_link.c - see postgres_link.h. */
#include "workers/auth/store/postgres/postgres_link.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/system/net.h"
#include "workers/libpq/libpq_connect.h"
#include "workers/libpq/libpq_explain.h"
#include "workers/libpq/libpq_pooler.h"
#include "workers/libpq/libpq_url.h"

#define ANSWER_MS	1000u	/* more than the server's own limits, below */
#define CONNECT_S	"3"	/* for each address, unless the URL says otherwise */
#define GONE		"the connection to its server was lost"

static const char session_sql[] =
    "SET search_path = carrel; SET statement_timeout = 800; SET lock_timeout = 700;"
    " SET idle_in_transaction_session_timeout = 1500; SET default_transaction_isolation = 'read committed';"
    " SET default_transaction_read_only = off; SET standard_conforming_strings = on; LISTEN carrel;"
    " LISTEN carrel_word";

int
postgres_link_fail(const struct postgres_link *l, struct err *err)
{
	return err_set(err, ERR_SERVICE_UNAVAILABLE, "the state store is away: %s", l->why);
}

/* Close the connection, whose state is not known or not of use. */
static int
lose(struct postgres_link *l, const char *why, struct err *err)
{
	snprintf(l->why, sizeof(l->why), "%.*s", (int)strcspn(why, "\n"), why);
	PQfinish(l->conn);
	l->conn = NULL;
	return postgres_link_fail(l, err);
}

/* What the server refused, by its SQLSTATE: a class or the whole. */
static const struct link_refusal {
	const char	*state, *says;
	bool		 lost;	/* the connection is closed, or of no use */
} refusals[] = {
	{ "55P03", "the state store is held by another node for longer than 0.7 s", false },
	{ "57014", "the state store took longer than 0.8 s for a statement", false },
	{ "42501", "the state store's role may not do this: let it own the schema carrel", false },
	{ "53100", "the state store has no room: the file system of its server is full", false },
	{ "25006", "its server is a standby now, or read-only", true },
	{ "57P", "its server is shutting down", true },
	{ "25P03", "this node was stopped for too long within a transaction", true },
};

static int
fail_refused(struct postgres_link *l, const PGresult *res, struct err *err)
{
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);
	const char *said = PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY);
	bool over = PQstatus(l->conn) != CONNECTION_OK || PQtransactionStatus(l->conn) == PQTRANS_ACTIVE;

	for (size_t i = 0; state != NULL && i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct link_refusal *r = &refusals[i];

		if (strncmp(state, r->state, strlen(r->state)) == 0)
			return r->lost || over ? lose(l, r->says, err) :
						 err_set(err, ERR_SERVICE_UNAVAILABLE, "%s", r->says);
	}
	if (over)
		return lose(l, GONE, err);
	return err_set(err, ERR_SERVICE_UNAVAILABLE, "the state store failed: %s (%s)",
	    said != NULL ? said : "no answer", state != NULL ? state : "no code");
}

static bool
is_refused(const PGresult *res)
{
	ExecStatusType status = PQresultStatus(res);

	return status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK;
}

/* Wait until a result has come: false at until_ns, or when the connection is lost. */
static bool
wait_for_result(struct postgres_link *l, uint64_t until_ns)
{
	for (;;) {
		int unsent = PQflush(l->conn);
		struct pollfd wait = { PQsocket(l->conn), (short)(unsent > 0 ? POLLIN | POLLOUT : POLLIN), 0 };
		uint64_t now = clock_ns();

		if (unsent >= 0 && PQisBusy(l->conn) == 0)
			return true;
		if (unsent < 0 || now >= until_ns)
			return false;
		(void)poll(&wait, 1, (int)((until_ns - now) / CLOCK_MS) + 1);
		if (PQconsumeInput(l->conn) == 0)
			return false;
	}
}

bool
postgres_link_hear(struct postgres_link *l)
{
	if (PQconsumeInput(l->conn) != 0)
		return true;
	(void)lose(l, GONE, NULL);
	return false;
}

PGresult *
postgres_link_await(struct postgres_link *l, int sent, struct err *err)
{
	uint64_t until = clock_ns() + l->patience_ms * CLOCK_MS;
	PGresult *kept = NULL, *res = NULL;

	for (;;) {
		if (sent == 0 || !wait_for_result(l, until)) {
			if (kept != NULL && is_refused(kept))
				break; /* the server's last words */
			PQclear(kept);
			(void)lose(l, PQstatus(l->conn) == CONNECTION_OK ? "its server does not answer" : GONE, err);
			return NULL;
		}
		if ((res = PQgetResult(l->conn)) == NULL)
			break;
		/* Of several statements the last one's, or the one that was refused: nothing runs after it. */
		if (kept != NULL && is_refused(kept))
			PQclear(res);
		else {
			PQclear(kept);
			kept = res;
		}
	}
	if (!is_refused(kept))
		return kept;
	(void)fail_refused(l, kept, err);
	PQclear(kept);
	return NULL;
}

int
postgres_link_post(struct postgres_link *l, int sent, struct err *err)
{
	if (sent == 0) {
		PQclear(postgres_link_await(l, sent, err));
		return -1;
	}
	l->posted = true;
	return 0;
}

void
postgres_link_settle(struct postgres_link *l)
{
	PGresult *res;

	if (!l->posted)
		return;
	l->posted = false;
	res = l->conn == NULL ? NULL : postgres_link_await(l, 1, &l->posted_err);
	if (res == NULL && l->conn == NULL)
		(void)postgres_link_fail(l, &l->posted_err);
	l->outcome = res != NULL ? 1 : -1;
	PQclear(res);
}

int
postgres_link_posted(struct postgres_link *l, struct err *err)
{
	if (l->posted && l->conn != NULL) {
		if (!postgres_link_hear(l))
			return postgres_link_posted(l, err);
		if (PQflush(l->conn) > 0 || PQisBusy(l->conn) != 0)
			return 0;
	}
	postgres_link_settle(l);
	if (l->outcome < 0 && err != NULL)
		*err = l->posted_err;
	return l->outcome;
}

PGresult *
postgres_link_tell(struct postgres_link *l, const char *sql, struct err *err)
{
	postgres_link_settle(l);
	if (l->conn == NULL) {
		(void)postgres_link_fail(l, err);
		return NULL;
	}
	return postgres_link_await(l, PQsendQuery(l->conn, sql), err);
}

int
postgres_link_do(struct postgres_link *l, const char *sql, struct err *err)
{
	PGresult *res = postgres_link_tell(l, sql, err);

	PQclear(res);
	return res == NULL ? -1 : 0;
}

int
postgres_link_number(struct postgres_link *l, const char *sql, int64_t *n, struct err *err)
{
	PGresult *res = postgres_link_tell(l, sql, err);

	if (res == NULL)
		return -1;
	if (PQntuples(res) > 0)
		*n = strtoll(PQgetvalue(res, 0, 0), NULL, 10);
	PQclear(res);
	return 0;
}

static PGconn *
connect_verified(void *arg)
{
	const PQconninfoOption *given = arg;
	bool local = libpq_url_is_local(given);

	return libpq_connect(given,
	    (const char *const[][2]){ { "target_session_attrs", "read-write" },
		{ "connect_timeout", libpq_url_option(given, "connect_timeout") == NULL ? CONNECT_S : "" },
		{ "sslmode", local ? "" : "verify-full" },
		{ "sslrootcert", local || libpq_url_option(given, "sslrootcert") != NULL ? "" : NET_AUTHORITIES },
		{ NULL, NULL } });
}

static int
check_verified(const PQconninfoOption *given, struct err *err)
{
	const char *mode = libpq_url_option(given, "sslmode");

	return mode == NULL || strcmp(mode, "verify-full") == 0 || libpq_url_is_local(given) ?
	    0 :
	    err_set(err, ERR_SERVICE_UNAVAILABLE,
		"the URL of the state store says sslmode=%.16s, and its server is on another machine: it holds who may "
		"do what, and is used with sslmode=verify-full only",
		mode);
}

static int
open_session(struct postgres_link *l, PQconninfoOption *given, struct err *err)
{
	bool pooled = false;

	l->conn = connect_verified(given);
	if (PQstatus(l->conn) != CONNECTION_OK)
		return libpq_explain(l->conn, err);
	if (libpq_pooler_know(l->conn, connect_verified, given, &pooled, err) != 0)
		return -1;
	/* A server that reads nothing must not hold up this process where a statement is longer than what is buffered.
	 */
	(void)PQsetnonblocking(l->conn, 1);
	return postgres_link_do(l, session_sql, err);
}

int
postgres_link_open(struct postgres_link *l, char *url, struct err *err)
{
	char *why = NULL;
	PQconninfoOption *given = libpq_url_read(url, &why);
	int result;

	*l = (struct postgres_link){ .patience_ms = ANSWER_MS };
	PQfreemem(why); /* may quote the password */
	explicit_bzero(url, strlen(url));
	if (given == NULL)
		result = err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the URL of the state store cannot be read as postgres://USER:PASSWORD@HOST:PORT/DATABASE; in user "
		    "and "
		    "password : / ? # @ %% and blanks are written percent-encoded");
	else
		result = check_verified(given, err) != 0 ? -1 : open_session(l, given, err);
	PQconninfoFree(given);
	return result;
}

void
postgres_link_give_up(struct postgres_link *l, const char *why)
{
	if (l->conn != NULL)
		(void)lose(l, why, NULL);
}

void
postgres_link_close(struct postgres_link *l)
{
	PQfinish(l->conn);
	l->conn = NULL;
}

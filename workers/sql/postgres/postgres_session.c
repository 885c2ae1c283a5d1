/*
 * postgres_session.c - see postgres_session.h.
 *
 * One session, many callers
 *
 * A worker keeps one session and runs one statement at a time in it, for any caller.  What a statement leaves in
 * the session would reach the next caller, so each statement is sent with its own clean-up, in one pipelined round
 * trip:
 *
 *	BEGIN READ ONLY, SET LOCAL statement_timeout, whose settings and role, the statement, Sync,
 *	ROLLBACK, DEALLOCATE ALL, a fingerprint of the session, Sync
 *
 * The answer leaves as soon as the statement's own result is there; the rest of the trip is read when the worker is
 * idle (pg_settle_idle()) or before the next statement is sent (read_rest()), so no caller waits for it.
 * choose_steps() leaves out what is not needed: a statement that guard_plain.h knows to leave nothing goes alone,
 * without transaction and fingerprint, as long as the last whole fingerprint is recent; the timeout is sent only when
 * it differs from the session's own.  Such a statement is kept prepared when it comes again (postgres_prepared.h).
 *
 * The rollback undoes settings, cursors and temporary objects of the transaction.  The fingerprint
 * (postgres_session_check.h) proves that it did: what a rollback does not undo, such as an advisory lock, set_config()
 * in a function or a changed role, is given back or found.  A session that differs from its baseline is not repaired.
 * The worker ends (EXIT_RECYCLE) and the supervisor starts another one; a call that waited for this session has had
 * no answer yet, so the front sends it to another worker and its caller notices nothing.
 *
 * The same end comes to sessions whose state cannot be known: a cancelled statement, one that the server did not end
 * in time, an answer that is not rows, a lost connection.  Cancelling would take a second connection and a race with
 * the next statement; ending the process closes the socket, and the server ends the statement when it notices
 * (client_connection_check_interval, 250 ms).
 *
 * Behind a pooler "the session" may be another one with each transaction.  libpq_pooler_know() recognises a pooler by
 * the process number that it invents, refuses transaction and statement pooling, and has every statement followed by
 * a fingerprint where the session is kept.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/text/sqltext.h"
#include "workers/libpq/libpq_connect.h"
#include "workers/libpq/libpq_explain.h"
#include "workers/libpq/libpq_pooler.h"
#include "workers/libpq/libpq_url.h"
#include "workers/shared/child.h"
#include "workers/shared/serve.h"
#include "workers/sql/late.h"
#include "workers/sql/postgres/postgres_errors.h"
#include "workers/sql/postgres/postgres_identity.h"
#include "workers/sql/postgres/postgres_pool.h"
#include "workers/sql/postgres/postgres_session.h"
#include "workers/sql/postgres/postgres_sql.h"
#include "workers/shared/call.h"

#define CHECK_INTERVAL_MS	"250"	/* how soon a backend notices that we have gone */
#define LOCK_TIMEOUT_MS		5000
#define CONNECT_TIMEOUT_S	15 /* of libpq_connect() */
#define STARTING_PAUSE_NS	200000000
#define TEMP_FILES_MOST		"1GB"
#define LATE_NS			(2 * CLOCK_SECOND) /* we give up this long after the server should have */

/* The part of the call's time that is reserved for the way back. */
static uint64_t
slack_ms(uint64_t timeout_ms)
{
	return timeout_ms / 10 < 50 ? timeout_ms / 10 : 50;
}

/* One "-c name=value" of the options keyword, where space and backslash are escaped. */
static void
put_option(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, " -c %s=", name);
	for (; *value != '\0'; value++) {
		if (*value == ' ' || *value == '\\')
			buf_byte(out, '\\');
		buf_byte(out, (uint8_t)*value);
	}
}

/* The same as part of a statement, for poolers that refuse options. */
static void
put_set_config(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "%spg_catalog.set_config('%s', E'", out->len == 0 ? "SELECT " : ", ", name);
	for (; *value != '\0'; value++) {
		if (*value == '\'' || *value == '\\')
			buf_byte(out, '\\');
		buf_byte(out, (uint8_t)*value);
	}
	buf_str(out, "', false)");
}

typedef void put_setting(struct buf *out, const char *name, const char *value);

static void
put_search_path(struct buf *out, const struct sql_config *cfg, put_setting *put)
{
	struct buf path = { 0 };

	for (size_t i = 0; i < cfg->nschemas; i++) {
		if (i > 0)
			buf_byte(&path, ',');
		sqltext_put_name(&path, span_str(cfg->schemas[i]));
	}
	put(out, "search_path", buf_cstr(&path));
	buf_fini(&path);
}

/* The format of values and the session's limits, whatever the role's or the database's own settings are. */
static const struct {
	const char	*name, *value;
} pinned[] = {
	{ "default_transaction_read_only", "on" },
	{ "standard_conforming_strings", "on" },
	{ "TimeZone", "UTC" },
	{ "DateStyle", "ISO, MDY" },
	{ "IntervalStyle", "postgres" },
	{ "extra_float_digits", "1" },
	{ "bytea_output", "hex" },
};

static void
put_settings(struct buf *out, const struct sql_db *db, bool check_interval, put_setting *put)
{
	const struct sql_config *cfg = db->cfg;

	for (size_t i = 0; i < sizeof(pinned) / sizeof(pinned[0]); i++)
		put(out, pinned[i].name, pinned[i].value);
	if (columns_has(cfg->columns, COLUMNS_HASH))
		put(out, PG_COLUMNS_KEY_SETTING, cfg->column_key);
	if (!columns_is_empty(cfg->columns)) /* see pg_columns_open() */
		put(out, "enable_indexonlyscan", "off");
	if (cfg->nschemas > 0)
		put_search_path(out, cfg, put);
	if (check_interval)
		put(out, "client_connection_check_interval", CHECK_INTERVAL_MS);
}

/* Whether these settings go with the connection, where poolers refuse them, or as a statement behind it. */
enum session_settings { SETTINGS_ALL, SETTINGS_OLD_SERVER, SETTINGS_LATER };

/* How long a server that is starting is waited for, as libpq waits for one that does not answer. */
static uint64_t
connect_ns(const PQconninfoOption *given)
{
	const char *seconds = libpq_url_option(given, "connect_timeout");

	return (seconds != NULL ? strtoull(seconds, NULL, 10) : CONNECT_TIMEOUT_S) * CLOCK_SECOND;
}

/* Whether the server says that it will take connections soon (SQLSTATE 57P03, which libpq does not hand on). */
static bool
is_starting(const PGconn *conn)
{
	const char *said = PQstatus(conn) == CONNECTION_OK ? "" : PQerrorMessage(conn);

	return strstr(said, "system is starting up") != NULL || strstr(said, "system is in recovery mode") != NULL ||
	    strstr(said, "system is not yet accepting connections") != NULL;
}

static PGconn *
try_connect(const struct sql_db *db, const PQconninfoOption *given, enum session_settings how)
{
	struct buf options = { 0 };
	char name[PG_POOL_NAME];
	uint64_t until = clock_ns() + connect_ns(given);
	PGconn *conn;

	pg_pool_name(db->cfg, name);
	if (libpq_url_option(given, "options") != NULL)
		buf_str(&options, libpq_url_option(given, "options"));
	if (how != SETTINGS_LATER)
		put_settings(&options, db, how == SETTINGS_ALL, put_option);
	for (;; PQfinish(conn)) {
		conn = libpq_connect(given,
		    (const char *const[][2]){
			{ "application_name", name }, { "options", buf_cstr(&options) }, { NULL, NULL } });
		if (!is_starting(conn) || clock_ns() >= until)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = STARTING_PAUSE_NS }, NULL);
	}
	buf_fini(&options);
	return conn;
}

/* Between calls libpq reports the server's errors as notices. */
static void
take_notice(void *arg, const PGresult *res)
{
	struct pg_session *s = arg;
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);

	if (state != NULL && strcmp(state, "57P05") == 0) /* idle_session_timeout */
		s->asleep = true;
}

static int
set_later(struct sql_db *db, struct err *err)
{
	struct buf text = { 0 };
	PGresult *res;
	int rc = 0;

	put_settings(&text, db, false, put_set_config);
	res = PQexec(db->session.conn, buf_cstr(&text));
	if (PQresultStatus(res) != PGRES_TUPLES_OK)
		rc = err_set(err, ERR_DATABASE_UNAVAILABLE, "the server does not accept the session's settings");
	PQclear(res);
	buf_fini(&text);
	return rc;
}

/* Set the limits of a session, where the account, database or server has no smaller ones of its own. */
static int
limit_session(struct sql_db *db, struct err *err)
{
	struct pg_session *s = &db->session;
	uint64_t ms = db->cfg->timeout_ms, lock = ms < LOCK_TIMEOUT_MS ? ms : LOCK_TIMEOUT_MS, own;
	char limits[3][24];
	const char *params[] = { limits[0], limits[1], limits[2] };
	PGresult *res;

	snprintf(limits[0], sizeof(limits[0]), "%llu", (unsigned long long)s->timeout_ms);
	snprintf(limits[1], sizeof(limits[1]), "%llu", (unsigned long long)lock);
	snprintf(limits[2], sizeof(limits[2]), "%llu", (unsigned long long)ms + 10000);
	res = PQexecParams(s->conn, postgres_session_limits_sql, 3, NULL, params, NULL, NULL, 0);
	if (PQresultStatus(res) != PGRES_TUPLES_OK || PQntuples(res) != 3) {
		PQclear(res);
		return err_set(err, ERR_DATABASE_UNAVAILABLE, "the server does not accept the session's limits");
	}
	own = strtoull(PQgetvalue(res, 0, 1), NULL, 10);
	PQclear(res);
	if (own < s->timeout_ms)
		s->timeout_ms = s->owner_ms = own;
	return 0;
}

struct another {
	const struct sql_db	*db;
	const PQconninfoOption	*given;
};

static PGconn *
connect_another(void *arg)
{
	const struct another *a = arg;

	return try_connect(a->db, a->given, SETTINGS_LATER);
}

/* A pooler or another kind of server may ignore the session's settings: then it must not be used. */
static int
verify_pinned(PGconn *conn, struct err *err)
{
	for (size_t i = 0; i < sizeof(pinned) / sizeof(pinned[0]); i++) {
		const char *params[] = { pinned[i].name };
		PGresult *res =
		    PQexecParams(conn, "SELECT pg_catalog.current_setting($1)", 1, NULL, params, NULL, NULL, 0);
		bool right = PQresultStatus(res) == PGRES_TUPLES_OK && PQntuples(res) == 1 &&
		    strcasecmp(PQgetvalue(res, 0, 0), pinned[i].value) == 0;

		PQclear(res);
		if (!right)
			return err_set(err, ERR_DATABASE_UNAVAILABLE,
			    "the server did not accept the session setting %s = %s; connect to PostgreSQL "
			    "directly, not through a pooler that drops settings",
			    pinned[i].name, pinned[i].value);
	}
	return 0;
}

static int
read_types(struct sql_db *db, struct err *err)
{
	/* OIDs below 16384 belong to the server. */
	PGresult *res = PQexec(db->session.conn,
	    "SELECT oid, pg_catalog.format_type(oid, NULL) FROM pg_catalog.pg_type WHERE oid < 16384");
	int rc = 0;

	if (PQresultStatus(res) == PGRES_TUPLES_OK)
		pg_types_learn(&db->types, res);
	else
		rc = err_set(err, ERR_DATABASE_UNAVAILABLE, "the server's catalogue cannot be read");
	PQclear(res);
	return rc;
}

/* "$0.00" has two decimals, "¥0" none. */
static void
read_money(struct sql_db *db)
{
	PGresult *res = PQexec(db->session.conn, "SELECT 0::pg_catalog.money");

	db->money_decimals = -1;
	if (PQresultStatus(res) == PGRES_TUPLES_OK && PQntuples(res) == 1)
		for (const char *p = PQgetvalue(res, 0, 0); *p != '\0'; p++)
			db->money_decimals += *p == '0';
	PQclear(res);
}

/*
 * Limits what sorts and hashes write to the server's disk.  Only a superuser
 * may set this, and a limit that is set already stays.
 */
static void
bound_temporary_files(PGconn *conn)
{
	PQclear(PQexec(conn,
	    "SELECT pg_catalog.set_config('temp_file_limit', '" TEMP_FILES_MOST "', false)"
	    " WHERE pg_catalog.current_setting('temp_file_limit') = '-1'"
	    " AND (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user)"));
}

/*
 * JIT compilation checks for no interrupts and takes gigabytes for large
 * expressions.  Servers before version 11 do not have the setting.
 */
static void
leave_uncompiled(PGconn *conn)
{
	if (PQserverVersion(conn) >= 110000)
		PQclear(PQexec(conn, "SET jit = off"));
}

static int
make_connection(struct sql_db *db, const PQconninfoOption *given, struct err *err)
{
	struct pg_session *s = &db->session;

	enum session_settings how = SETTINGS_ALL;

	s->conn = try_connect(db, given, how);
	if (PQstatus(s->conn) != CONNECTION_OK) {
		/* Servers before version 14, or not on Linux, refuse a setting; poolers refuse them all. */
		how = strstr(PQerrorMessage(s->conn), "client_connection_check_interval") != NULL ?
		    SETTINGS_OLD_SERVER :
		    strstr(PQerrorMessage(s->conn), "unsupported startup parameter") != NULL ? SETTINGS_LATER :
											       SETTINGS_ALL;
		if (how != SETTINGS_ALL) {
			PQfinish(s->conn);
			s->conn = try_connect(db, given, how);
		}
	}
	if (PQstatus(s->conn) != CONNECTION_OK)
		return libpq_explain(s->conn, err);
	PQsetNoticeReceiver(s->conn, take_notice, s);
	if (libpq_pooler_know(s->conn, connect_another, &(struct another){ db, given }, &s->check.always, err) == -1 ||
	    (how == SETTINGS_LATER && set_later(db, err) == -1) ||
	    limit_session(db, err) == -1 || pg_pool_enter(db, err) == -1)
		return -1;
	if (PQserverVersion(s->conn) < 100000)
		return err_set(err, ERR_DATABASE_UNAVAILABLE, "PostgreSQL 10 or newer is needed");
	bound_temporary_files(s->conn);
	leave_uncompiled(s->conn);
	read_money(db);
	if (verify_pinned(s->conn, err) == -1 || read_types(db, err) == -1 ||
	    pg_statement_check_open(&db->statements, s->conn, db->cfg, err) == -1)
		return -1;
	if (pg_columns_open(&db->columns, s->conn, db->cfg->columns, db->cfg->column_key, db->cfg->identity != NULL,
		err) == -1)
		return -1;
	if (postgres_identity_open(db, err) == -1 || pg_session_check_open(&s->check, s->conn, db->cfg, err) == -1)
		return -1;
	if (PQsetnonblocking(s->conn, 1) == -1 || !PQenterPipelineMode(s->conn))
		return err_set(err, ERR_INTERNAL, "libpq refuses pipeline mode");
	return 0;
}

#define OPTION_MAX	40u
#define SCHEME_MAX	20u

/*
 * Explains why the conninfo cannot be read.  libpq quotes an unknown option of the URL.  The quotation is passed on
 * only if it cannot be part of a password: nothing after the ? contains an @ or "passw".
 */
static int
say_unreadable(const char *conninfo, const char *why, struct err *err)
{
	static const char before[] = "URI query parameter: \"";
	const char *query = strchr(conninfo, '?'), *name = why == NULL ? NULL : strstr(why, before);
	size_t n;

	if (name != NULL && query != NULL && strchr(query, '@') == NULL && strcasestr(query, "passw") == NULL) {
		name += sizeof(before) - 1;
		n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
		if (n > 0 && n <= OPTION_MAX && name[n] == '"')
			return err_set(err, ERR_DATABASE_UNAVAILABLE,
			    "the connection's url has an unknown option \"%.*s\", or the option has no value; correct "
			    "it, or leave it out",
			    (int)n, name);
	}
	n = strspn(conninfo, "abcdefghijklmnopqrstuvwxyz+");
	if (n > 0 && n <= SCHEME_MAX && strncmp(conninfo + n, "://", 3) == 0 && strncmp(conninfo, "postgres", 8) != 0)
		return err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the connection's url begins with %.*s://, and its driver serves PostgreSQL (postgres://...); for "
		    "a "
		    "server of MariaDB or MySQL write driver: mysql, for a file driver: sqlite and path: FILE",
		    (int)n, conninfo);
	return err_set(err, ERR_DATABASE_UNAVAILABLE,
	    "the connection's url cannot be read as postgres://USER:PASSWORD@HOST:PORT/DATABASE; in user and "
	    "password "
	    ": / ? # @ %% and blanks are written percent-encoded (%%3A %%2F %%3F %%23 %%40 %%25 %%20), or give "
	    "host, database, user and password as keys of their own");
}

int
pg_connect(struct sql_db *db, struct err *err)
{
	char *why = NULL, *conninfo = db->cfg->target;
	PQconninfoOption *given = libpq_url_read(conninfo, &why);
	uint64_t timeout = db->cfg->timeout_ms;
	int rc;

	rc = given == NULL ? say_unreadable(conninfo, why, err) : 0;
	PQfreemem(why); /* may quote the password */
	explicit_bzero(conninfo, strlen(conninfo));
	if (rc != 0) {
		PQconninfoFree(given);
		return -1;
	}
	db->session.timeout_ms = timeout - slack_ms(timeout);
	db->session.step = PG_STEPS;
	rc = make_connection(db, given, err);
	PQconninfoFree(given);
	return rc;
}

const char *
pg_wrapped_from(const struct sql_db *db)
{
	if (db->from != NULL)
		return db->from;
	/* Before version 12 every WITH query is materialized. */
	return PQserverVersion(db->session.conn) < 120000 ? "WITH q AS (" : "WITH q AS MATERIALIZED (";
}

void
pg_give_up(struct sql_db *db, enum contract_exit code, const char *reason)
{
	if (!db->session.dead)
		serve_stop_after_call(code, reason);
	db->session.dead = true;
}

static int
lost(struct sql_db *db, struct err *err)
{
	pg_give_up(db, EXIT_CONNECTION, "the connection to the database was lost");
	return err_set(err, ERR_DATABASE_UNAVAILABLE,
	    "the connection to the database was lost and is being made again; try again");
}

static int
wait_for_server(struct sql_db *db, struct call *c, struct err *err)
{
	PGconn *conn = db->session.conn;
	int unsent = PQflush(conn);

	if (!call_wait(c, PQsocket(conn), unsent == 1, 200, err)) {
		pg_pool_leave(db);
		pg_give_up(db, EXIT_RECYCLE, "a query was abandoned");
		return -1;
	}
	if (clock_ns() > db->session.deadline_ns + LATE_NS) {
		pg_pool_leave(db);
		pg_give_up(db, EXIT_RECYCLE, "the server did not end a query in time");
		return late_query(clock_ns() - db->session.since_ns, &db->limit, err);
	}
	/* A failure shows in the next result, after earlier results. */
	(void)PQconsumeInput(conn);
	return 0;
}

/* libpq's next result, including NULL.  0; 1: it would have to wait (no call); -1: *err. */
static int
next_result(struct sql_db *db, struct call *c, PGresult **res, struct err *err)
{
	while (PQisBusy(db->session.conn)) {
		if (c == NULL)
			return 1;
		if (wait_for_server(db, c, err) == -1)
			return -1;
	}
	*res = PQgetResult(db->session.conn);
	return 0;
}

/* Moves to the next step of this round trip. */
static void
next_step(struct pg_session *s)
{
	do
		s->step++;
	while (s->step < PG_STEPS && !s->steps[s->step]);
	s->between = false;
}

static bool
is_sync(unsigned step)
{
	return step == PG_SYNC_QUERY || step == PG_SYNC_RESET;
}

/* Discards one result that no call waits for.  False if the session cannot be trusted. */
static bool
is_as_expected(const struct pg_session *s, ExecStatusType status)
{
	if (is_sync(s->step))
		return status == PGRES_PIPELINE_SYNC;
	if (s->step == PG_ROLLBACK || s->step == PG_DEALLOCATE)
		return status == PGRES_COMMAND_OK;
	if (s->step == PG_CHECK_SESSION)
		return status == PGRES_TUPLES_OK;
	return status == PGRES_PIPELINE_ABORTED;
}

/*
 * The session has changed and must not be used again.  The waiting call has
 * no answer yet, so the process ends at once and the front sends the call to
 * another worker.
 */
static int
doubt_session(struct sql_db *db, struct call *c, const char *why, struct err *err)
{
	err_set(err, ERR_DATABASE_UNAVAILABLE, "the session could not be reset: %s", why);
	if (c != NULL && !db->session.tells)
		child_unable(EXIT_RECYCLE, err);
	pg_give_up(db, EXIT_RECYCLE, err->message);
	return -1;
}

/* The fault in one result of the reset; NULL if absent. */
static const char *
fault_of(const struct pg_session *s, const PGresult *res)
{
	if (!is_as_expected(s, PQresultStatus(res)))
		return "the server refused it";
	return s->step == PG_CHECK_SESSION ? pg_session_check_differs(&s->check, res) : NULL;
}

static bool
is_in_transaction(const PGconn *conn)
{
	PGTransactionStatusType status = PQtransactionStatus(conn);

	return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

/* Reads the rest of the round trip.  Returns as next_result() does. */
static int
read_rest(struct sql_db *db, struct call *c, struct err *err)
{
	struct pg_session *s = &db->session;
	const char *why;
	PGresult *res;
	int rc;

	while (s->step < PG_STEPS) {
		if ((rc = next_result(db, c, &res, err)) != 0)
			return rc;
		if (PQstatus(s->conn) != CONNECTION_OK) {
			PQclear(res);
			return lost(db, err);
		}
		why = res == NULL ? NULL : fault_of(s, res);
		if (res == NULL || is_sync(s->step))
			next_step(s);
		PQclear(res);
		if (why == NULL && s->step == PG_STEPS && is_in_transaction(s->conn))
			why = "a transaction is open";
		if (why != NULL)
			return doubt_session(db, c, why, err);
	}
	return 0;
}

void
pg_settle_idle(struct sql_db *db)
{
	struct err ignored;
	bool good;

	if (db->session.dead || db->session.asleep || db->session.conn == NULL)
		return;
	(void)PQflush(db->session.conn);
	good = PQconsumeInput(db->session.conn);
	(void)PQisBusy(db->session.conn); /* parses input that arrived without a request */
	if (db->session.asleep)
		return;
	if (!good || PQstatus(db->session.conn) != CONNECTION_OK) {
		(void)lost(db, &ignored);
		return;
	}
	if (read_rest(db, NULL, &ignored) == 1 && clock_ns() > db->session.deadline_ns + LATE_NS) {
		pg_pool_leave(db);
		pg_give_up(db, EXIT_RECYCLE, "the server did not end a query in time");
	}
}

static bool
send_step(struct sql_db *db, enum pg_step step, const struct pg_round_trip *t, const char *timeout)
{
	const struct pg_prepared_slot *kept = db->session.prepared.now;
	PGconn *conn = db->session.conn;

	switch (step) {
	case PG_BEGIN:
		return PQsendQueryParams(conn, "BEGIN READ ONLY", 0, NULL, NULL, NULL, NULL, 0);
	case PG_TIMEOUT:
		return PQsendQueryParams(conn, timeout, 0, NULL, NULL, NULL, NULL, 0);
	case PG_IDENTITY:
		return postgres_identity_send(db, t->as);
	case PG_PREPARE:
		return PQsendPrepare(conn, kept->name, t->text, t->nparams, t->types);
	case PG_QUERY:
		return kept != NULL ? PQsendQueryPrepared(conn, kept->name, t->nparams, t->params, NULL, NULL, 0) :
				      PQsendQueryParams(conn, t->text, t->nparams, t->types, t->params, NULL, NULL, 0);
	case PG_ROLLBACK:
		return PQsendQueryParams(conn, "ROLLBACK", 0, NULL, NULL, NULL, NULL, 0);
	case PG_DEALLOCATE:
		return PQsendQueryParams(conn, "DEALLOCATE ALL", 0, NULL, NULL, NULL, NULL, 0);
	case PG_CHECK_SESSION:
		return pg_session_check_send(&db->session.check, conn);
	default:
		return PQpipelineSync(conn);
	}
}

/* The server's time limit: until the deadline, minus the time for the way back. */
static uint64_t
server_ms(const struct sql_db *db, uint64_t deadline_ns)
{
	uint64_t now = clock_ns(), left = deadline_ns > now ? (deadline_ns - now) / CLOCK_MS : 0;
	uint64_t slack = slack_ms(db->cfg->timeout_ms);

	return left > slack + 1 ? left - slack : 1;
}

/* SET LOCAL needs an explicit transaction. */
static void
choose_steps(struct pg_session *s, const struct pg_round_trip *t, bool sets_timeout)
{
	bool alone = t->alone && !sets_timeout && t->as == NULL;

	for (unsigned i = 0; i < PG_STEPS; i++)
		s->steps[i] = !alone || i == PG_QUERY || i == PG_SYNC_QUERY;
	postgres_prepared_choose_none(&s->prepared);
	if (alone)
		postgres_prepared_choose(&s->prepared, t);
	s->steps[PG_PREPARE] = s->prepared.is_new;
	if (!sets_timeout)
		s->steps[PG_TIMEOUT] = false;
	s->steps[PG_IDENTITY] = t->as != NULL;
	if (!t->reset)
		s->steps[PG_DEALLOCATE] = s->steps[PG_CHECK_SESSION] = false;
	if (s->steps[PG_DEALLOCATE])
		postgres_prepared_forget(&s->prepared);
}

int
pg_send(struct sql_db *db, struct call *c, const struct pg_round_trip *t, struct err *err)
{
	struct pg_session *s = &db->session;
	uint64_t ms = server_ms(db, t->deadline_ns);
	char timeout[PG_SETTINGS + 128];

	/* Every statement over users' tables is one with reset: none may be forgotten. */
	if (db->cfg->identity != NULL && (t->as != NULL) == (t->own || !t->reset))
		return err_set(err, ERR_INTERNAL, "a statement does not say as whom it runs");
	if (s->asleep)
		return doubt_session(db, c, "the server ended it while it was idle", err);
	if (s->owner_ms > 0 && ms > s->owner_ms)
		ms = s->owner_ms;
	if (s->dead || read_rest(db, c, err) != 0)
		return s->dead ? lost(db, err) : -1;
	/* If the limit is only a little shorter than the session's own timeout, it is not sent. */
	choose_steps(s, t,
	    t->settings != NULL || ms + slack_ms(db->cfg->timeout_ms) / 2 < s->timeout_ms ||
		ms > s->timeout_ms + CLOCK_SECOND / CLOCK_MS);
	if (s->steps[PG_TIMEOUT])
		snprintf(timeout, sizeof(timeout),
		    t->settings == NULL ? "SET LOCAL statement_timeout = %llu" :
					  "SELECT pg_catalog.set_config('statement_timeout', '%llu', true)%s",
		    (unsigned long long)ms, t->settings == NULL ? "" : t->settings);
	s->since_ns = clock_ns();
	s->deadline_ns = s->since_ns + (s->steps[PG_TIMEOUT] ? ms : s->timeout_ms) * CLOCK_MS;
	for (unsigned i = 0; i < PG_STEPS; i++)
		if (s->steps[i] && !send_step(db, (enum pg_step)i, t, timeout))
			return lost(db, err);
	s->step = s->steps[PG_BEGIN] ? PG_BEGIN : s->steps[PG_PREPARE] ? PG_PREPARE : PG_QUERY;
	s->between = false;
	(void)fault_point("sql.after_send");
	return 0;
}

/* One result of the current step, before its closing NULL. */
static enum pg_got
read_step(struct sql_db *db, PGresult **res, struct err *err)
{
	struct pg_session *s = &db->session;

	s->between = true;
	switch (PQresultStatus(*res)) {
	case PGRES_SINGLE_TUPLE:
		return PG_ROW;
	case PGRES_TUPLES_OK:
	case PGRES_COMMAND_OK:
	case PGRES_EMPTY_QUERY:
		return PG_COMPLETE;
	case PGRES_FATAL_ERROR:
	case PGRES_BAD_RESPONSE:
		return PG_REFUSED;
	default:
		break;
	}
	/* COPY in any form, or an impossible order of results. */
	PQclear(*res);
	*res = NULL;
	pg_give_up(db, EXIT_RECYCLE, "the server answered with something other than rows");
	err_set(err, ERR_FORBIDDEN_SQL, "the statement does not return rows; write a SELECT");
	return PG_FAILED;
}

enum pg_got
pg_next(struct sql_db *db, struct call *c, bool singly, PGresult **res, struct err *err)
{
	struct pg_session *s = &db->session;
	enum pg_got got;

	*res = NULL;
	for (;;) {
		if (s->step > PG_QUERY) {
			err_set(err, ERR_INTERNAL, "no result is awaited");
			return PG_FAILED;
		}
		if (s->step == PG_QUERY && singly && !s->between)
			(void)PQsetSingleRowMode(s->conn);
		if (next_result(db, c, res, err) != 0)
			return PG_FAILED;
		if (*res == NULL) {
			if (PQstatus(s->conn) != CONNECTION_OK) {
				lost(db, err);
				return PG_FAILED;
			}
			next_step(s);
			continue;
		}
		got = read_step(db, res, err);
		if (got != PG_COMPLETE || s->step == PG_QUERY)
			return got;
		PQclear(*res);
	}
}

PGresult *
pg_ask(struct sql_db *db, struct call *c, const char *text, int nparams, const char *const *params,
    struct err *err)
{
	struct pg_round_trip trip = { .deadline_ns = call_deadline(c), .text = text, .nparams = nparams,
		.params = params };
	PGresult *res;

	if (pg_send(db, c, &trip, err) == -1)
		return NULL;
	switch (pg_next(db, c, false, &res, err)) {
	case PG_COMPLETE:
		return res;
	case PG_REFUSED:
		pg_explain(db, c, res, NULL, err);
		PQclear(res);
		return NULL;
	default:
		return NULL;
	}
}

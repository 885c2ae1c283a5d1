/* mysql_session.c - see mysql_session.h. */
#include "workers/sql/mysql/mysql_session.h"

#include <errmsg.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/system/clock.h"

#define POLL_MS		50	/* how often go_on() is asked */

/* Methods that send no password in clear text and start no dialog. */
#define METHODS		"mysql_native_password,client_ed25519,caching_sha2_password,sha256_password"

struct mysql_session {
	MYSQL		*connection, *killer;
	bool		 mariadb;
	char		*database;	/* after connecting; empty: none */
	unsigned long	 id;		/* the server's number of the connection */
};

static const struct mysql_setting {
	const char	*variable, *value;
	bool		 only_mariadb;
} settings[] = {
#define SETTING(variable, value)	{ variable, value, false },
#define MARIADB(variable, value)	{ variable, value, true },
#include "workers/sql/mysql/mysql_settings.def"
#undef SETTING
#undef MARIADB
};

#define SETTINGS	(sizeof(settings) / sizeof(settings[0]))

/* Whether the last error is the library's, which ends the connection. */
static bool
is_lost(MYSQL *m)
{
	return mysql_errno(m) >= CR_MIN_ERROR && mysql_errno(m) <= CR_MAX_ERROR;
}

static int
session_fail(MYSQL *m, struct err *err)
{
	return err_set(err, is_lost(m) ? ERR_DATABASE_UNAVAILABLE : ERR_DATABASE_ERROR, "%s", mysql_error(m));
}

MYSQL *
mysql_session_handle(struct mysql_session *s)
{
	return s->connection;
}

/* --- connecting ------------------------------------------------------------------------ */

static void
set_options(MYSQL *m, const struct mysql_place *place)
{
	unsigned off = 0, seconds = (place->connect_ms + 999) / 1000;
	my_bool yes = 1, no = 0;
	my_bool verified = place->tls == MYSQL_TLS_VERIFY;

	mysql_options(m, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	mysql_options(m, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
	mysql_options(m, MYSQL_OPT_LOCAL_INFILE, &off);
	mysql_options(m, MYSQL_OPT_RECONNECT, &no);
	mysql_options(m, MARIADB_OPT_RESTRICTED_AUTH, METHODS);
	mysql_options(m, MYSQL_OPT_NONBLOCK, 0);
	if (place->tls != MYSQL_TLS_DISABLE) {
		mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &yes);
		mysql_options(m, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verified);
		mysql_options(m, MYSQL_OPT_SSL_CA, place->authorities);
	}
}

static MYSQL *
connect_to(const struct mysql_place *place, struct err *err)
{
	MYSQL *m = mem_must(mysql_init(NULL));

	set_options(m, place);
	if (mysql_real_connect(m, place->host, place->user, place->password, place->database, place->port,
		place->socket, 0) != NULL)
		return m;
	session_fail(m, err);
	mysql_close(m);
	return NULL;
}

/* One statement of our own, without rows; short, so it is waited for. */
static int
tell(MYSQL *m, const char *sql, struct err *err)
{
	MYSQL_RES *result;

	if (mysql_query(m, sql) != 0)
		return session_fail(m, err);
	if ((result = mysql_store_result(m)) != NULL)
		mysql_free_result(result);
	return 0;
}

static bool
has_setting(const struct mysql_session *s, const struct mysql_setting *setting)
{
	return s->mariadb || !setting->only_mariadb;
}

static bool
is_number(const char *value)
{
	return value[strspn(value, "0123456789")] == '\0';
}

/* SET of all of them in one statement; the answer to DO reports no change, in place of that to SET. */
static int
make_settings(struct mysql_session *s, struct err *err)
{
	struct buf sql = { 0 };
	int r;

	for (size_t i = 0; i < SETTINGS; i++)
		if (has_setting(s, &settings[i]))
			buf_printf(&sql,
			    is_number(settings[i].value) ? "%s @@session.%s = %s" : "%s @@session.%s = '%s'",
			    i == 0 ? "SET" : ",", settings[i].variable, settings[i].value);
	r = tell(s->connection, buf_cstr(&sql), err);
	buf_fini(&sql);
	return r == -1 ? -1 : tell(s->connection, "DO 0", err);
}

/* The settings and the default database, as the server has them now. */
static int
check_settings(struct mysql_session *s, const char **changed, struct err *err)
{
	struct buf sql = { 0 };
	MYSQL_RES *result;
	MYSQL_ROW row;
	unsigned column = 1;
	int r;

	buf_str(&sql, "SELECT DATABASE()");
	for (size_t i = 0; i < SETTINGS; i++)
		if (has_setting(s, &settings[i]))
			buf_printf(&sql, ", @@session.%s", settings[i].variable);
	r = mysql_query(s->connection, buf_cstr(&sql));
	buf_fini(&sql);
	if (r != 0 || (result = mysql_store_result(s->connection)) == NULL)
		return session_fail(s->connection, err);
	row = mysql_fetch_row(result);
	*changed = row == NULL || strcmp(row[0] == NULL ? "" : row[0], s->database) != 0 ? "the database" : NULL;
	for (size_t i = 0; i < SETTINGS && *changed == NULL; i++)
		if (has_setting(s, &settings[i])) {
			if (row[column] == NULL || strcmp(row[column], settings[i].value) != 0)
				*changed = settings[i].variable;
			column++;
		}
	mysql_free_result(result);
	return 0;
}

struct mysql_session *
mysql_session_open(const struct mysql_place *place, struct err *err)
{
	struct mysql_session *s = mem_alloc(sizeof(*s));
	const char *changed;

	*s = (struct mysql_session){ .database = mem_text(span_str(place->database)) };
	if ((s->connection = connect_to(place, err)) != NULL && (s->killer = connect_to(place, err)) != NULL) {
		s->mariadb = strstr(mysql_get_server_info(s->connection), "MariaDB") != NULL;
		s->id = mysql_thread_id(s->connection);
		if (make_settings(s, err) == 0 && check_settings(s, &changed, err) == 0) {
			if (changed == NULL)
				return s;
			err_set(err, ERR_DATABASE_ERROR, "the server does not keep the setting %s", changed);
		}
	}
	mysql_session_close(s);
	return NULL;
}

void
mysql_session_close(struct mysql_session *s)
{
	if (s == NULL)
		return;
	if (s->connection != NULL)
		mysql_close(s->connection);
	if (s->killer != NULL)
		mysql_close(s->killer);
	free(s->database);
	free(s);
}

/* --- statements ----------------------------------------------------------------------------- */

struct mysql_wait {
	uint64_t	 deadline_ns;
	bool		 (*go_on)(void *arg);
	void		*arg;
	enum err_code	 why;	/* ERR_NONE until the statement is told to end */
};

/* Waits for the events that the library wants; the events that came, or 0: the time is over. */
static int
wait_for(struct mysql_session *s, int wanted, int timeout_ms)
{
	struct pollfd fd = { .fd = mysql_get_socket(s->connection) };

	fd.events = (short)((wanted & MYSQL_WAIT_READ ? POLLIN : 0) | (wanted & MYSQL_WAIT_WRITE ? POLLOUT : 0));
	if (poll(&fd, 1, timeout_ms) <= 0)
		return 0;
	return (fd.revents & (POLLIN | POLLHUP | POLLERR) ? MYSQL_WAIT_READ : 0) |
	    (fd.revents & POLLOUT ? MYSQL_WAIT_WRITE : 0);
}

/* Tells the server to end the statement, and gives it MYSQL_KILL_MS for that. */
static int
kill_statement(struct mysql_session *s, struct mysql_wait *w, enum err_code why)
{
	char sql[64];

	w->why = why;
	w->deadline_ns = clock_ns() + MYSQL_KILL_MS * CLOCK_MS;
	snprintf(sql, sizeof(sql), "KILL QUERY %lu", s->id);
	return mysql_query(s->killer, sql);
}

/* Whether waiting goes on; a statement that is late or not wanted any more is killed first. */
static bool
keep_waiting(struct mysql_session *s, struct mysql_wait *w)
{
	bool late = clock_ns() >= w->deadline_ns;

	if (w->why != ERR_NONE)
		return !late;
	if (late)
		return kill_statement(s, w, ERR_QUERY_TIMEOUT) == 0;
	return w->go_on(w->arg) || kill_statement(s, w, ERR_QUERY_CANCELLED) == 0;
}

/*
 * The result of a killed statement is dropped: SLEEP() and BENCHMARK() return one when they are killed.  A KILL that
 * comes late ends the statement after it, so one without a use is run.
 */
static int
end_killed(struct mysql_session *s, enum err_code why, struct err *err)
{
	mysql_free_result(mysql_use_result(s->connection));
	mysql_query(s->connection, "DO 0");
	return err_set(err, why, "%s", err_text(why));
}

int
mysql_session_run(struct mysql_session *s, struct span sql, uint64_t deadline_ns, bool (*go_on)(void *arg), void *arg,
    MYSQL_RES **result, struct err *err)
{
	struct mysql_wait w = { .deadline_ns = deadline_ns, .go_on = go_on, .arg = arg };
	int failed = 0, events, wanted;

	*result = NULL;
	wanted = mysql_real_query_start(&failed, s->connection, (const char *)sql.p, sql.len);
	while (wanted != 0) {
		if ((events = wait_for(s, wanted, POLL_MS)) != 0)
			wanted = mysql_real_query_cont(&failed, s->connection, events);
		if (wanted != 0 && !keep_waiting(s, &w))
			return err_set(err, ERR_DATABASE_UNAVAILABLE,
			    "the server did not end the statement when it was told to");
	}
	if (w.why != ERR_NONE && !is_lost(s->connection))
		return end_killed(s, w.why, err);
	if (failed != 0)
		return session_fail(s->connection, err);
	*result = mysql_use_result(s->connection);
	return *result == NULL && mysql_field_count(s->connection) > 0 ? session_fail(s->connection, err) : 0;
}

/* --- between statements ------------------------------------------------------------------------ */

/* What the server reported with its last answer; NULL: nothing. */
static const char *
reported_change(MYSQL *m)
{
	static const struct {
		enum enum_session_state_type type;
		const char *what;
	} kinds[] = { { SESSION_TRACK_SYSTEM_VARIABLES, "a setting" }, { SESSION_TRACK_SCHEMA, "the database" },
		{ SESSION_TRACK_STATE_CHANGE, "the state" } };
	const char *data;
	size_t len;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (mysql_session_track_get_first(m, kinds[i].type, &data, &len) == 0)
			return kinds[i].what;
	return NULL;
}

/* The answer to a SELECT has no room for a report; what it changed is told with the next answer, to DO. */
int
mysql_session_settle(struct mysql_session *s, struct err *err)
{
	const char *changed = reported_change(s->connection);

	if (changed == NULL && tell(s->connection, "DO 0", err) == -1)
		return -1;
	if (changed == NULL)
		changed = reported_change(s->connection);
	if (changed == NULL && check_settings(s, &changed, err) == -1)
		return -1;
	if (changed != NULL)
		return err_set(err, ERR_DATABASE_ERROR, "the statement changed %s of the session", changed);
	if (mysql_reset_connection(s->connection) != 0)
		return session_fail(s->connection, err);
	return make_settings(s, err);
}

/* mysql_session.c - see mysql_session.h. */
#include "workers/sql/mysql/mysql_session.h"

#include <errmsg.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/system/clock.h"
#include "workers/sql/mysql/guard/mysql_columns.h"
#include "workers/sql/mysql/mysql_errors.h"

#define POLL_MS		50	/* how often go_on() is asked */
#define FIRST_MS	1	/* and when first: answers to other calls may wait for that (workers/shared/call.h) */
#define OWN_SECONDS	10u	/* for a statement of our own */
#define MARIADB_LEAST	100400u
#define MYSQL_LEAST	80017u

#ifndef MYSQL_PLUGINS
#error "where the methods of authentication are is not known"
#endif

struct mysql_session {
	MYSQL		*connection, *killer;
	bool		 mariadb;
	unsigned	 name_case;	/* lower_case_table_names */
	char		*database;	/* after connecting; empty: none */
	char		*role;		/* the same; NULL: not read yet */
	char		*key;		/* of digests; empty: none */
	unsigned long	 id;		/* the server's number of the connection */
	char		 limit[32];	/* of the time of a statement, as the server writes it */
	bool		 own_report;	/* what the last report tells is what make_settings() set */

	/* The statement: how it is waited for, and what the library returned. */
	uint64_t	 deadline_ns;
	bool		 (*go_on)(void *arg);
	void		*arg;
	enum err_code	 why;		/* ERR_NONE until it is told to end; ERR_DATABASE_UNAVAILABLE: it is our own */
	int		 failed;
	MYSQL_RES	*result;
	MYSQL_ROW	 row;
	MYSQL_STMT	*stmt;		/* of mysql_session_bind() */
	my_bool		 unclosed;
};

static const struct mysql_setting {
	const char	*variable, *value;
	enum { ON_BOTH, ON_MARIADB, ON_MYSQL } server;
} settings[] = {
#define SETTING(variable, value)	{ variable, value, ON_BOTH },
#define MARIADB(variable, value)	{ variable, value, ON_MARIADB },
#define MYSQL8(variable, value)		{ variable, value, ON_MYSQL },
#include "workers/sql/mysql/mysql_settings.def"
#undef SETTING
#undef MARIADB
#undef MYSQL8
};

#define SETTINGS	(sizeof(settings) / sizeof(settings[0]))

/* Whether the last error is the library's, which ends the connection. */
static bool
is_lost(MYSQL *m)
{
	unsigned number = mysql_errno(m);

	return (number >= CR_MIN_ERROR && number <= CR_MAX_ERROR) || IS_MARIADB_ERROR(number);
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

bool
mysql_session_is_mariadb(const struct mysql_session *s)
{
	return s->mariadb;
}

unsigned
mysql_session_name_case(const struct mysql_session *s)
{
	return s->name_case;
}

static void
set_options(MYSQL *m, const struct mysql_place *place)
{
	unsigned off = 0, seconds = (place->connect_ms + 999) / 1000, own = OWN_SECONDS, tcp = MYSQL_PROTOCOL_TCP;
	my_bool yes = 1, no = 0, named = place->tls == MYSQL_TLS_VERIFY;

	mysql_options(m, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	mysql_options(m, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
	mysql_options(m, MYSQL_OPT_READ_TIMEOUT, &own);
	mysql_options(m, MYSQL_OPT_WRITE_TIMEOUT, &own);
	mysql_options(m, MYSQL_OPT_LOCAL_INFILE, &off);
	mysql_options(m, MYSQL_PLUGIN_DIR, MYSQL_PLUGINS);
	mysql_options(m, MYSQL_OPT_RECONNECT, &no);
	mysql_options(m, MARIADB_OPT_RESTRICTED_AUTH, mysql_place_methods(place));
	mysql_options(m, MYSQL_OPT_NONBLOCK, 0);
	if (place->port != 0 && place->socket == NULL) /* the library takes localhost for a socket */
		mysql_options(m, MYSQL_OPT_PROTOCOL, &tcp);
	if (place->tls != MYSQL_TLS_DISABLE) {
		mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &yes);
		mysql_options(m, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &named);
		if (place->tls >=
		    MYSQL_TLS_VERIFY_CA) /* with authorities the library checks the certificate in any case */
			mysql_options(m, MYSQL_OPT_SSL_CA, place->authorities);
	}
}

/* A connection under way. */
struct mysql_dial {
	MYSQL	*m, *connected;
	int	 wanted;	/* MYSQL_WAIT_…; 0: it has ended, or was not begun */
	bool	 failed;
};

static struct pollfd
poll_for(MYSQL *m, int wanted)
{
	struct pollfd fd = { .fd = mysql_get_socket(m) };

	fd.events = (short)((wanted & MYSQL_WAIT_READ ? POLLIN : 0) | (wanted & MYSQL_WAIT_WRITE ? POLLOUT : 0));
	return fd;
}

/* What came, as the library calls it. */
static int
events_of(const struct pollfd *fd)
{
	return (fd->revents & (POLLIN | POLLHUP | POLLERR) ? MYSQL_WAIT_READ : 0) |
	    (fd->revents & POLLOUT ? MYSQL_WAIT_WRITE : 0);
}

/* OpenSSL waits in read() unless the socket does not block. */
static void
dial_note(struct mysql_dial *d, int wanted)
{
	d->wanted = wanted;
	d->failed = wanted == 0 && (d->connected == NULL || fcntl(mysql_get_socket(d->m), F_SETFL, O_NONBLOCK) == -1);
}

/* Waits for both connections, and lets those go on for which something came.  False: the time is over. */
static bool
dial_wait(struct mysql_dial dials[2], uint64_t deadline_ns)
{
	uint64_t now = clock_ns();
	struct pollfd fds[2];

	for (int i = 0; i < 2; i++) {
		fds[i] = poll_for(dials[i].m, dials[i].wanted);
		fds[i].fd = dials[i].wanted == 0 ? -1 : fds[i].fd;
	}
	if (now >= deadline_ns || poll(fds, 2, (int)((deadline_ns - now) / CLOCK_MS) + 1) == 0)
		return false;
	for (int i = 0; i < 2; i++) {
		int events = events_of(&fds[i]);

		if (dials[i].wanted != 0 && events != 0)
			dial_note(&dials[i], mysql_real_connect_cont(&dials[i].connected, dials[i].m, events));
	}
	return true;
}

/* Both connections at once, until one has failed: a server that is slow to accept is waited for once. */
static bool
dial_both(struct mysql_dial dials[2], const struct mysql_place *place, uint64_t deadline_ns)
{
	for (int i = 0; i < 2; i++) {
		dials[i].m = mem_must(mysql_init(NULL));
		set_options(dials[i].m, place);
		if (!dials[0].failed)
			dial_note(&dials[i],
			    mysql_real_connect_start(&dials[i].connected, dials[i].m, place->host, place->user,
				place->password, place->database, place->port, place->socket, 0));
	}
	while (!dials[0].failed && !dials[1].failed && (dials[0].wanted | dials[1].wanted) != 0)
		if (!dial_wait(dials, deadline_ns))
			return false;
	return true;
}

/* *number: the library's of the error; 0: the time is over. */
static int
connect_once(struct mysql_session *s, const struct mysql_place *place, uint64_t deadline_ns, unsigned *number,
    struct err *err)
{
	struct mysql_dial dials[2] = { { 0 } };
	bool late = !dial_both(dials, place, deadline_ns);
	const struct mysql_dial *failed = &dials[!dials[0].failed];

	s->connection = dials[0].m;
	s->killer = dials[1].m;
	for (int i = 0; i < 2; i++)
		if (dials[i].wanted != 0) /* closing it says good-bye, which must not wait */
			shutdown(mysql_get_socket(dials[i].m), SHUT_RDWR);
	*number = late ? 0 : mysql_errno(failed->m);
	if (late)
		return mysql_errors_connecting(CR_CONNECTION_ERROR, "", place, err);
	return failed->failed ? mysql_errors_connecting(*number, mysql_error(failed->m), place, err) : 0;
}

static void
close_connections(struct mysql_session *s)
{
	if (s->connection != NULL)
		mysql_close(s->connection);
	if (s->killer != NULL)
		mysql_close(s->killer);
	s->connection = s->killer = NULL;
}

/*
 * Where it may, without TLS if the server has none; by TCP if localhost, which the library takes for a socket, has
 * none.
 */
static int
connect_to(struct mysql_session *s, const struct mysql_place *place, struct err *err)
{
	uint64_t deadline_ns = clock_ns() + place->connect_ms * CLOCK_MS;
	struct mysql_place other = *place;
	unsigned number = 0;

	if (connect_once(s, place, deadline_ns, &number, err) == 0)
		return 0;
	if (number == CR_SSL_CONNECTION_ERROR && place->tls == MYSQL_TLS_PREFER)
		other.tls = MYSQL_TLS_DISABLE;
	else if (number == CR_CONNECTION_ERROR && place->socket == NULL && mysql_place_is_by_socket(place))
		other.port = MYSQL_PORT;
	else
		return -1;
	close_connections(s);
	return connect_once(s, &other, deadline_ns, &number, err);
}

/* Waits for the events that the library wants; the events that came, or 0: the time is over. */
static int
wait_for(MYSQL *m, int wanted, int ms)
{
	struct pollfd fd = poll_for(m, wanted);

	return poll(&fd, 1, ms) <= 0 ? 0 : events_of(&fd);
}

/* Sends KILL from the other connection; what that waits for. */
static int
send_kill(struct mysql_session *s, const char *what, int *failed)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "KILL %s %lu", what, s->id);
	return mysql_real_query_start(failed, s->killer, sql, strlen(sql));
}

/* Tells the server to end the statement, and gives it MYSQL_KILL_MS for that. */
static int
kill_statement(struct mysql_session *s, enum err_code why)
{
	int failed = 0, wanted;

	s->why = why;
	s->deadline_ns = clock_ns() + MYSQL_KILL_MS * CLOCK_MS;
	wanted = send_kill(s, "QUERY", &failed);
	while (wanted != 0 && clock_ns() < s->deadline_ns) {
		int events = wait_for(s->killer, wanted, POLL_MS);

		if (events != 0)
			wanted = mysql_real_query_cont(&failed, s->killer, events);
	}
	return wanted != 0 ? -1 : failed;
}

/* Whether waiting goes on; a statement that is late or not wanted any more is killed first. */
static bool
keep_waiting(struct mysql_session *s)
{
	bool late = clock_ns() >= s->deadline_ns;
	int ignored;

	if (s->why != ERR_NONE) {
		if (late) /* MySQL tells of statements that were told to end if the connection was (mysql_left.sql) */
			send_kill(s, "CONNECTION", &ignored);
		return !late;
	}
	if (late)
		return kill_statement(s, ERR_QUERY_TIMEOUT) == 0;
	return s->go_on(s->arg) || kill_statement(s, ERR_QUERY_CANCELLED) == 0;
}

static int
go_on_query(struct mysql_session *s, int events)
{
	return mysql_real_query_cont(&s->failed, s->connection, events);
}

static int
go_on_reset(struct mysql_session *s, int events)
{
	return mysql_reset_connection_cont(&s->failed, s->connection, events);
}

static int
go_on_store(struct mysql_session *s, int events)
{
	return mysql_store_result_cont(&s->result, s->connection, events);
}

static int
go_on_row(struct mysql_session *s, int events)
{
	return mysql_fetch_row_cont(&s->row, s->result, events);
}

/* Waits until the library wants nothing more; its result is then in s. */
static int
wait_until_done(struct mysql_session *s, int wanted, int (*go_on)(struct mysql_session *s, int events), struct err *err)
{
	int ms = FIRST_MS;

	while (wanted != 0) {
		int events = wait_for(s->connection, wanted, ms);

		ms = POLL_MS;
		if (events != 0)
			wanted = go_on(s, events);
		if (wanted != 0 && !keep_waiting(s))
			return err_set(err, ERR_DATABASE_UNAVAILABLE,
			    s->why == ERR_DATABASE_UNAVAILABLE ?
				"the server does not answer" :
				"the server did not end the statement when it was told to");
	}
	return 0;
}

/* What is sent next is our own: short, so it is waited for. */
static void
begin_own(struct mysql_session *s)
{
	s->why = ERR_DATABASE_UNAVAILABLE;
	s->deadline_ns = clock_ns() + OWN_SECONDS * CLOCK_SECOND;
	s->failed = 0;
}

/* One statement of our own, without rows unless ask_row() takes them. */
static int
tell(struct mysql_session *s, const char *sql, struct err *err)
{
	begin_own(s);
	if (wait_until_done(s, mysql_real_query_start(&s->failed, s->connection, sql, strlen(sql)), go_on_query, err) ==
	    -1)
		return -1;
	return s->failed == 0 ? 0 : session_fail(s->connection, err);
}

/* The one row of ncolumns that a statement of our own answers; the result, which the caller frees, or NULL. */
static MYSQL_RES *
ask_row(struct mysql_session *s, const char *sql, unsigned width, MYSQL_ROW *row, struct err *err)
{
	s->result = NULL;
	if (tell(s, sql, err) == -1 ||
	    wait_until_done(s, mysql_store_result_start(&s->result, s->connection), go_on_store, err) == -1)
		return NULL;
	if (s->result == NULL && mysql_errno(s->connection) != 0)
		session_fail(s->connection, err);
	else if (s->result != NULL && mysql_num_fields(s->result) == width &&
	    (*row = mysql_fetch_row(s->result)) != NULL)
		return s->result;
	else
		err_set(err, ERR_DATABASE_UNAVAILABLE, "the server's answer has another form than was asked for");
	mysql_free_result(s->result);
	return NULL;
}

static bool
has_setting(const struct mysql_session *s, const struct mysql_setting *setting)
{
	return setting->server == ON_BOTH || (setting->server == ON_MARIADB) == s->mariadb;
}

static const char *
value_of(const struct mysql_session *s, const struct mysql_setting *setting)
{
	return setting->value != NULL ? setting->value : s->limit;
}

static bool
is_number(const char *value)
{
	return value[strspn(value, "0123456789.")] == '\0';
}

/* SET of all of them in one statement, whose answer reports them as changed. */
static int
make_settings(struct mysql_session *s, struct err *err)
{
	struct buf sql = { 0 };
	int r;

	for (size_t i = 0; i < SETTINGS; i++)
		if (has_setting(s, &settings[i])) {
			const char *value = value_of(s, &settings[i]);

			buf_printf(&sql, is_number(value) ? "%s @@session.%s = %s" : "%s @@session.%s = '%s'",
			    sql.len == 0 ? "SET" : ",", settings[i].variable, value);
		}
	if (s->key[0] != '\0') {
		buf_str(&sql, ", " MYSQL_COLUMNS_KEY " = ");
		buf_quoted(&sql, span_str(s->key), '\'');
	}
	r = tell(s, buf_cstr(&sql), err);
	buf_wipe(&sql);
	s->own_report = true;
	return r;
}

/* A role can be set; no report tells it, and resetting the connection keeps it. */
static bool
keeps_role(struct mysql_session *s, const char *now)
{
	now = now == NULL ? "" : now;
	if (s->role == NULL)
		s->role = mem_text(span_str(now));
	return strcmp(s->role, now) == 0;
}

/* The settings, the default database and the role, as the server has them now. */
static int
check_settings(struct mysql_session *s, const char **changed, struct err *err)
{
	struct buf sql = { 0 };
	MYSQL_RES *result;
	MYSQL_ROW row;
	unsigned width = 2, column = 2;

	buf_str(&sql, "SELECT DATABASE(), CURRENT_ROLE()");
	for (size_t i = 0; i < SETTINGS; i++)
		if (has_setting(s, &settings[i])) {
			buf_printf(&sql, ", @@session.%s", settings[i].variable);
			width++;
		}
	result = ask_row(s, buf_cstr(&sql), width, &row, err);
	buf_fini(&sql);
	if (result == NULL)
		return -1;
	*changed = strcmp(row[0] == NULL ? "" : row[0], s->database) != 0 ? "the database" :
	    !keeps_role(s, row[1]) ? "the role" :
				     NULL;
	for (size_t i = 0; i < SETTINGS && *changed == NULL; i++)
		if (has_setting(s, &settings[i])) {
			if (row[column] == NULL || strcmp(row[column], value_of(s, &settings[i])) != 0)
				*changed = settings[i].variable;
			column++;
		}
	mysql_free_result(result);
	return 0;
}

static int
check_version(struct mysql_session *s, struct err *err)
{
	unsigned long version = mysql_get_server_version(s->connection);

	s->mariadb = mariadb_connection(s->connection) != 0;
	if (version >= (s->mariadb ? MARIADB_LEAST : MYSQL_LEAST))
		return 0;
	return err_set(err, ERR_DATABASE_UNAVAILABLE,
	    "the server is %s; MariaDB 10.4 or MySQL 8.0.17, or newer, is needed",
	    mysql_get_server_info(s->connection));
}

/* The limit of the time of a statement: ours, or the account's own where that is less; and how names are compared. */
static int
read_server(struct mysql_session *s, uint64_t statement_ms, struct err *err)
{
	MYSQL_ROW row;
	MYSQL_RES *result = ask_row(s,
	    s->mariadb ? "SELECT @@max_statement_time * 1000, @@lower_case_table_names" :
			 "SELECT @@max_execution_time, @@lower_case_table_names",
	    2, &row, err);
	double own;

	if (result == NULL)
		return -1;
	own = row[0] == NULL ? 0 : strtod(row[0], NULL);
	s->name_case = row[1] == NULL ? 0 : (unsigned)strtoul(row[1], NULL, 10);
	mysql_free_result(result);
	if (own > 0 && own < (double)statement_ms)
		statement_ms = (uint64_t)own;
	if (s->mariadb)
		snprintf(s->limit, sizeof(s->limit), "%llu.%03u000", (unsigned long long)statement_ms / 1000,
		    (unsigned)(statement_ms % 1000));
	else
		snprintf(s->limit, sizeof(s->limit), "%llu", (unsigned long long)statement_ms);
	return 0;
}

struct mysql_session *
mysql_session_open(const struct mysql_place *place, uint64_t statement_ms, struct err *err)
{
	struct mysql_session *s = mem_alloc(sizeof(*s));
	const char *changed;

	*s = (struct mysql_session){ .database = mem_text(span_str(place->database)),
		.key = mem_text(span_str(place->key)) };
	if (connect_to(s, place, err) == 0) {
		s->id = mysql_thread_id(s->connection);
		if (check_version(s, err) == 0 && read_server(s, statement_ms, err) == 0 &&
		    make_settings(s, err) == 0 && check_settings(s, &changed, err) == 0) {
			if (changed == NULL)
				return s;
			err_set(err, ERR_DATABASE_UNAVAILABLE,
			    "the server does not keep the session's setting %s; connect to it directly, not through a "
			    "proxy that drops settings",
			    changed);
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
	close_connections(s);
	free(s->database);
	free(s->role);
	explicit_bzero(s->key, strlen(s->key));
	free(s->key);
	free(s);
}

static int
take_row(struct mysql_session *s, struct err *err)
{
	return wait_until_done(s, mysql_fetch_row_start(&s->row, s->result), go_on_row, err);
}

/*
 * What is left of a killed statement is dropped: SLEEP() and BENCHMARK() return a result when they are killed.  A KILL
 * that comes late ends the statement after it, so one without a use is run.
 */
static int
end_killed(struct mysql_session *s, MYSQL_RES *result, struct err *err)
{
	enum err_code why = s->why;

	if ((s->result = result) != NULL)
		do {
			if (take_row(s, err) == -1)
				return -1;
		} while (s->row != NULL);
	if (is_lost(s->connection))
		return session_fail(s->connection, err);
	if (tell(s, "DO 0", err) == -1 && err->code == ERR_DATABASE_UNAVAILABLE)
		return -1;
	return err_set(err, why, "%s", err_text(why));
}

/* A statement that has failed, or was killed. */
static int
end_failed(struct mysql_session *s, MYSQL_RES *result, struct err *err)
{
	return s->why != ERR_NONE && !is_lost(s->connection) ? end_killed(s, result, err) :
							       session_fail(s->connection, err);
}

static int
kill_now(struct mysql_session *s, enum err_code why, struct err *err)
{
	return kill_statement(s, why) == 0 ?
	    0 :
	    err_set(err, ERR_DATABASE_UNAVAILABLE, "the server cannot be told to end the statement: %s",
		mysql_errno(s->killer) == 0 ? "it does not answer" : mysql_error(s->killer));
}

static int
send_statement(struct mysql_session *s, struct span sql, uint64_t deadline_ns, bool (*go_on)(void *arg), void *arg,
    struct err *err)
{
	s->deadline_ns = deadline_ns;
	s->go_on = go_on;
	s->arg = arg;
	s->why = ERR_NONE;
	s->failed = 0;
	if (wait_until_done(s, mysql_real_query_start(&s->failed, s->connection, (const char *)sql.p, sql.len),
		go_on_query, err) == -1)
		return -1;
	if (s->failed == 0 && mysql_field_count(s->connection) == 0) /* an answer without rows has room for a report */
		s->own_report = false;
	return 0;
}

int
mysql_session_run(struct mysql_session *s, struct span sql, uint64_t deadline_ns, bool (*go_on)(void *arg), void *arg,
    MYSQL_RES **result, struct err *err)
{
	*result = NULL;
	if (send_statement(s, sql, deadline_ns, go_on, arg, err) == -1)
		return -1;
	if (s->failed != 0)
		return end_failed(s, NULL, err);
	*result = mysql_use_result(s->connection);
	if (s->why == ERR_NONE && (*result != NULL || mysql_field_count(s->connection) == 0))
		return 0;
	if (end_failed(s, *result, err) == -1 && err->code != ERR_DATABASE_UNAVAILABLE)
		mysql_free_result(*result);
	*result = NULL;
	return -1;
}

static int
go_on_prepare(struct mysql_session *s, int events)
{
	return mysql_stmt_prepare_cont(&s->failed, s->stmt, events);
}

static int
go_on_execute(struct mysql_session *s, int events)
{
	return mysql_stmt_execute_cont(&s->failed, s->stmt, events);
}

static int
go_on_close(struct mysql_session *s, int events)
{
	return mysql_stmt_close_cont(&s->unclosed, s->stmt, events);
}

static int
execute_stmt(struct mysql_session *s, const char *sql, MYSQL_BIND *binds, struct err *err)
{
	if (wait_until_done(s, mysql_stmt_prepare_start(&s->failed, s->stmt, sql, strlen(sql)), go_on_prepare, err) ==
	    -1)
		return -1;
	if (s->failed != 0 || mysql_stmt_bind_param(s->stmt, binds) != 0)
		return session_fail(s->connection, err);
	if (wait_until_done(s, mysql_stmt_execute_start(&s->failed, s->stmt), go_on_execute, err) == -1)
		return -1;
	if (s->failed != 0)
		return session_fail(s->connection, err);
	s->own_report = false;
	return 0;
}

int
mysql_session_bind(struct mysql_session *s, const char *sql, size_t n, const char *const *texts, struct err *err)
{
	MYSQL_BIND *binds = mem_new(n, sizeof(*binds));
	struct err ignored;
	int rc;

	for (size_t i = 0; i < n; i++) {
		binds[i].buffer_type = texts[i] == NULL ? MYSQL_TYPE_NULL : MYSQL_TYPE_STRING;
		binds[i].buffer = (void *)(uintptr_t)texts[i];
		binds[i].buffer_length = texts[i] == NULL ? 0 : strlen(texts[i]);
	}
	s->stmt = mem_must(mysql_stmt_init(s->connection));
	begin_own(s);
	rc = execute_stmt(s, sql, binds, err);
	if (!is_lost(s->connection))
		(void)wait_until_done(s, mysql_stmt_close_start(&s->unclosed, s->stmt), go_on_close, &ignored);
	free(binds);
	return rc;
}

int
mysql_session_ask(struct mysql_session *s, struct span sql, uint64_t deadline_ns, bool (*go_on)(void *arg), void *arg,
    MYSQL_RES **result, struct err *err)
{
	*result = NULL;
	if (send_statement(s, sql, deadline_ns, go_on, arg, err) == -1)
		return -1;
	if (s->failed != 0)
		return end_failed(s, NULL, err);
	if (wait_until_done(s, mysql_store_result_start(&s->result, s->connection), go_on_store, err) == -1)
		return -1;
	if (s->result == NULL || s->why != ERR_NONE) {
		mysql_free_result(s->result);
		return end_failed(s, NULL, err);
	}
	*result = s->result;
	return 0;
}

int
mysql_session_row(struct mysql_session *s, MYSQL_RES *result, bool (*go_on)(void *arg), void *arg, MYSQL_ROW *row,
    struct err *err)
{
	s->result = result;
	s->go_on = go_on;
	s->arg = arg;
	if (s->why == ERR_NONE && clock_ns() >= s->deadline_ns && kill_now(s, ERR_QUERY_TIMEOUT, err) == -1)
		return -1;
	if (take_row(s, err) == -1)
		return -1;
	*row = s->row;
	if (s->why != ERR_NONE)
		return end_failed(s, s->row == NULL ? NULL : result, err);
	if (s->row != NULL)
		return 1;
	return mysql_errno(s->connection) != 0 ? session_fail(s->connection, err) : 0;
}

int
mysql_session_stop(struct mysql_session *s, MYSQL_RES *result, struct err *err)
{
	if (s->why == ERR_NONE && kill_now(s, ERR_QUERY_CANCELLED, err) == -1)
		return -1;
	return end_killed(s, result, err) == -1 && err->code == ERR_DATABASE_UNAVAILABLE ? -1 : 0;
}

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
	const char *changed = s->own_report ? NULL : reported_change(s->connection);

	if (changed == NULL && tell(s, "DO 0", err) == -1)
		return -1;
	s->own_report = false;
	if (changed == NULL)
		changed = reported_change(s->connection);
	if (changed == NULL && check_settings(s, &changed, err) == -1)
		return -1;
	if (changed != NULL)
		return err_set(err, ERR_DATABASE_ERROR, "the statement changed %s of the session", changed);
	begin_own(s);
	if (wait_until_done(s, mysql_reset_connection_start(&s->failed, s->connection), go_on_reset, err) == -1)
		return -1;
	return s->failed != 0 ? session_fail(s->connection, err) : make_settings(s, err);
}

bool
mysql_session_was_late(const struct mysql_session *s)
{
	return s->why == ERR_QUERY_TIMEOUT;
}

/* Nothing is owed to either connection: what can be read is their end, or the reason of it. */
bool
mysql_session_is_asleep(const struct mysql_session *s)
{
	struct pollfd fds[] = { { .fd = mysql_get_socket(s->connection), .events = POLLIN },
		{ .fd = mysql_get_socket(s->killer), .events = POLLIN } };

	return poll(fds, sizeof(fds) / sizeof(fds[0]), 0) != 0;
}

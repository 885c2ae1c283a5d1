/*
 * mysql_session.c - what a session on a MariaDB server stops and keeps by itself, with the parser and the guard
 * switched off and an account that may do everything: statements that write are refused, statements that do not end
 * are ended, and whatever a statement leaves in the session is reported or gone.
 */
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/system/clock.h"
#include "policy/attacks.h"
#include "tests/unit/harness.h"
#include "workers/sql/mysql/mysql_session.h"

#define SEQUENCES	100u
#define TIMEOUT_MS	3000u

static const struct audit_input inputs[] = {
#include "workers/sql/mysql/guard/attacks_mysql.def"
};

/* Each changes something of a session, or tries to. */
static const char *const leaving[] = {
	"SET @a = 1", "SELECT @a := 2", "SET sql_mode = 'ANSI_QUOTES'", "SET NAMES latin1",
	"SET SESSION TRANSACTION READ WRITE", "SET TRANSACTION READ WRITE", "START TRANSACTION",
	"START TRANSACTION READ WRITE", "BEGIN", "COMMIT", "XA START 'x'", "USE other",
	"SELECT GET_LOCK('x', 0)", "LOCK TABLES t READ", "HANDLER t OPEN", "PREPARE s FROM 'SELECT 1'",
	"SET ROLE NONE", "SET time_zone = '+05:00'", "SET lc_time_names = 'de_DE'", "SET autocommit = 0",
	"SELECT LAST_INSERT_ID(7)", "SELECT SQL_CALC_FOUND_ROWS 1", "SET timestamp = 1", "SET insert_id = 5",
	"SET sql_select_limit = 1", "SET max_statement_time = 1", "SET tx_isolation = 'READ-UNCOMMITTED'",
	"SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SET session_track_system_variables = ''",
	"SET session_track_state_change = 0", "SET profiling = 1", "SET optimizer_trace = 'enabled=on'",
	"CREATE TEMPORARY TABLE x (a INT)", "SELECT 1", "SELECT * FROM nothing",
	"SET STATEMENT sql_mode = '' FOR SELECT 1", "SET @@rand_seed1 = 5", "SET character_set_results = NULL",
	"SET collation_connection = 'utf8mb4_bin'", "SET foreign_key_checks = 0", "DO RELEASE_LOCK('x')",
	"EXECUTE IMMEDIATE 'SET @b = 3'", "SET SESSION wait_timeout = 3600", "SET big_tables = 1",
	"SET group_concat_max_len = 4", "SET sql_safe_updates = 1",
};

/* What of a session can be asked; some variables are counters, or of the last statement. */
static const char state[] = "SELECT CONCAT_WS('|', DATABASE(), @a, @b, IS_USED_LOCK('x') = CONNECTION_ID(), "
    "CURRENT_ROLE(), LAST_INSERT_ID(), @@in_transaction, (SELECT GROUP_CONCAT(variable_name, '=', variable_value "
    "ORDER BY variable_name) FROM information_schema.session_variables WHERE variable_name NOT IN ('TIMESTAMP', "
    "'LAST_INSERT_ID', 'IDENTITY', 'PSEUDO_THREAD_ID', 'RAND_SEED1', 'RAND_SEED2', 'WARNING_COUNT', 'ERROR_COUNT', "
    "'INNODB_BUFFER_POOL_LOAD_AT_STARTUP') AND variable_name NOT LIKE 'GTID%'))";

static struct mysql_session *session;
static char path[4096];

static bool
goes_on(void *arg)
{
	return arg == NULL || clock_ns() < *(const uint64_t *)arg;
}

static void
reopen(void)
{
	const struct mysql_place place = { .socket = path, .user = "root", .database = "shop", .connect_ms = 5000 };
	struct err err;

	mysql_session_close(session);
	if ((session = mysql_session_open(&place, 60000, &err)) == NULL)
		fail_msg("%s", err.message);
}

/* Runs it and reads its rows; the last value of the last row, if last is not NULL. */
static enum err_code
run(const char *sql, uint64_t ms, void *until, struct buf *last, struct err *err)
{
	MYSQL_RES *result = NULL;
	MYSQL_ROW row;

	*err = (struct err){ 0 };
	if (mysql_session_run(session, span_str(sql), clock_ns() + ms * CLOCK_MS, goes_on, until, &result, err) == -1)
		return err->code;
	while (result != NULL && (row = mysql_fetch_row(result)) != NULL)
		if (last != NULL) {
			last->len = 0;
			buf_str(last, row[0] == NULL ? "NULL" : row[0]);
		}
	mysql_free_result(result);
	return ERR_NONE;
}

static void
assert_settled(void)
{
	struct err err;

	if (mysql_session_settle(session, &err) == -1)
		fail_msg("%s", err.message);
}

static void
read_state(struct buf *out)
{
	struct err err;

	if (run(state, TIMEOUT_MS, NULL, out, &err) != ERR_NONE)
		fail_msg("%s", err.message);
}

static void
read_only_is_held_against_every_statement_that_writes(void **unused)
{
	unsigned stopped = 0;
	struct err err;

	(void)unused;
	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
		if (inputs[i].kind != AUDIT_HOSTILE || inputs[i].account != AUDIT_CREATOR)
			continue;
		reopen();
		if (run(inputs[i].sql, TIMEOUT_MS, NULL, NULL, &err) == ERR_NONE)
			fail_msg("%s ran", inputs[i].sql);
		stopped += mysql_errno(mysql_session_handle(session)) == 1792;
	}
	assert_true(stopped > 10);
	reopen();
	assert_int_equal(run("INSERT INTO t VALUES (9)", TIMEOUT_MS, NULL, NULL, &err), ERR_DATABASE_ERROR);
	assert_int_equal(mysql_errno(mysql_session_handle(session)), 1792);
}

static void
statements_are_ended(void **unused)
{
	static const char *const endless[] = {
		"SELECT SLEEP(100)", "SELECT BENCHMARK(1000000000000, MD5('x'))",
		"SELECT COUNT(*) FROM information_schema.columns a, information_schema.columns b, "
		    "information_schema.columns c",
		"WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) "
		    "SELECT COUNT(*) FROM n",
	};
	struct err err;

	(void)unused;
	reopen();
	for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
		uint64_t start = clock_ns(), until = start + 100 * CLOCK_MS;

		if (run(endless[i], 200, NULL, NULL, &err) != ERR_QUERY_TIMEOUT)
			fail_msg("%s: %s", endless[i], err.message);
		if (run(endless[i], 100000, &until, NULL, &err) != ERR_QUERY_CANCELLED)
			fail_msg("%s: %s", endless[i], err.message);
		assert_true(clock_ns() - start < 10 * CLOCK_SECOND);
		assert_settled();
	}
}

static void
nothing_is_left_of_drawn_sequences(void **unused)
{
	struct buf before = { 0 }, after = { 0 };
	unsigned passed = 0;
	uint64_t seed = 41;
	struct err err;

	(void)unused;
	reopen();
	read_state(&before);
	assert_settled();
	for (unsigned i = 0; i < SEQUENCES; i++) {
		const char *last = "";

		for (uint64_t n = 1 + test_random(&seed) % 3; n > 0; n--) {
			last = leaving[test_random(&seed) % (sizeof(leaving) / sizeof(leaving[0]))];
			run(last, TIMEOUT_MS, NULL, NULL, &err);
		}
		if (mysql_session_settle(session, &err) == -1) {
			reopen();
			continue;
		}
		passed++;
		read_state(&after);
		if (!span_is(buf_view(&before), buf_view(&after)))
			fail_msg("after %s:\n%s\nwas\n%s", last, buf_cstr(&after), buf_cstr(&before));
		assert_settled();
	}
	assert_true(passed > 5 && passed < SEQUENCES);
	buf_fini(&before);
	buf_fini(&after);
}

static bool
is_told(const char *sql, const char *next)
{
	struct err err;

	reopen();
	assert_int_equal(run(sql, TIMEOUT_MS, NULL, NULL, &err), ERR_NONE);
	if (next != NULL)
		assert_int_equal(run(next, TIMEOUT_MS, NULL, NULL, &err), ERR_NONE);
	return mysql_session_settle(session, &err) == -1;
}

/* By the report, by reading the settings back, and by both. */
static void
a_change_is_told(void **unused)
{
	static const char *const told[] = {
		"SET sql_mode = 'ANSI_QUOTES'", "SET SESSION TRANSACTION READ WRITE", "USE other",
		"SET NAMES latin1", "SET time_zone = '+05:00'",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		assert_true(is_told(told[i], NULL));
		assert_true(is_told(told[i], "SELECT 1"));
		assert_true(is_told(told[i], "DO 1"));
	}
	assert_true(is_told("SET SESSION wait_timeout = 100", NULL));
	assert_true(is_told("SET session_track_system_variables = '', session_track_state_change = 0, sql_mode = ''",
	    "DO 1"));
	assert_false(is_told("SELECT 1", NULL));
	assert_false(is_told("DO 1", NULL));
}

static long
number_in(const char *file)
{
	char name[4096];
	long n = 0;
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", getenv("MY_DIR"), file);
	if ((f = fopen(name, "r")) == NULL || fscanf(f, "%ld", &n) != 1)
		fail_msg("%s", name);
	fclose(f);
	return n;
}

/* The server stands still for a while: statements of our own are waited for under TLS as well. */
static void
a_slow_server_is_waited_for(void **unused)
{
	const struct mysql_place place = { .host = "127.0.0.1", .port = (unsigned)number_in("port"), .user = "remote",
		.password = "secret", .database = "shop", .connect_ms = 5000, .tls = MYSQL_TLS_REQUIRE };
	pid_t server = (pid_t)number_in("run/pid"), waker;
	uint64_t since;
	struct err err;

	(void)unused;
	mysql_session_close(session);
	if ((session = mysql_session_open(&place, 60000, &err)) == NULL)
		fail_msg("%s", err.message);
	kill(server, SIGSTOP);
	since = clock_ns();
	if ((waker = fork()) == 0) {
		usleep(300000);
		kill(server, SIGCONT);
		_exit(0);
	}
	assert_settled();
	assert_true(clock_ns() - since > 200 * CLOCK_MS);
	waitpid(waker, NULL, 0);
}

static int
loopback(unsigned port, bool listens)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (listens)
		assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)) | listen(fd, 4), 0);
	else
		assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* It greets two connections as the server does, and more not at all; says then to each what is given. */
static pid_t
impostor(unsigned *port, struct span then)
{
	int fd = loopback((unsigned)number_in("port"), false), listener = loopback(0, true);
	struct sockaddr_in address;
	socklen_t size = sizeof(address);
	char greeting[512], answer[512];
	ssize_t n = read(fd, greeting, sizeof(greeting));
	pid_t pid;

	assert_true(n > 0);
	close(fd);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
	*port = ntohs(address.sin_port);
	if ((pid = fork()) == 0) {
		for (unsigned i = 0; i < 2; i++) {
			fd = accept(listener, NULL, NULL);
			if (write(fd, greeting, (size_t)n) != n ||
			    (then.len > 0 &&
				(read(fd, answer, sizeof(answer)) <= 0 || write(fd, then.p, then.len) == -1)))
				_exit(1);
		}
		sleep(5);
		_exit(0);
	}
	close(listener);
	return pid;
}

static void
a_server_that_falls_silent_is_not_waited_for(void **unused)
{
	struct mysql_place place = { .host = "127.0.0.1", .user = "remote", .connect_ms = 300 };
	pid_t greeter = impostor(&place.port, SPAN_NONE);
	struct err err;

	(void)unused;
	place.tls = MYSQL_TLS_REQUIRE;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t since = clock_ns();

		assert_null(mysql_session_open(&place, 1000, &err));
		assert_int_equal(err.code, ERR_DATABASE_UNAVAILABLE);
		assert_true(clock_ns() - since < 3 * CLOCK_SECOND);
		place.tls = MYSQL_TLS_DISABLE; /* the second time without a greeting */
	}
	kill(greeter, SIGKILL);
	waitpid(greeter, NULL, 0);
}

/* It asks for a method that gives the password to whatever server is there. */
static void
a_server_that_is_not_verified_gets_no_password(void **unused)
{
	static const char asks[] = "\x2c\0\0\x02\xfe"
				   "caching_sha2_password\0"
				   "01234567890123456789";
	struct mysql_place place = { .host = "127.0.0.1", .user = "remote", .password = "secret", .connect_ms = 5000 };
	pid_t asker = impostor(&place.port, span_of(asks, sizeof(asks)));
	struct err err;

	(void)unused;
	assert_null(mysql_session_open(&place, 1000, &err));
	assert_holds(err.message, "it wants the password");
	assert_holds(err.message, "sslmode=verify-ca and sslrootcert=FILE");
	kill(asker, SIGKILL);
	waitpid(asker, NULL, 0);
}

/* 127.1 is the server's address, and not a name in its certificate. */
static void
a_server_is_verified_as_far_as_it_is_said(void **unused)
{
	char certificate[4096 + 16];
	const char *system = "/etc/ssl/certs/ca-certificates.crt";
	const struct {
		const char *host;
		enum mysql_tls tls;
		const char *authorities;
		bool connects;
	} cases[] = {
		{ "127.1", MYSQL_TLS_DISABLE, system, true },
		{ "127.1", MYSQL_TLS_PREFER, system, true },
		{ "127.1", MYSQL_TLS_REQUIRE, system, true },
		{ "127.1", MYSQL_TLS_VERIFY_CA, certificate, true },
		{ "127.1", MYSQL_TLS_VERIFY_CA, system, false },
		{ "127.1", MYSQL_TLS_VERIFY, certificate, false },
		{ "127.0.0.1", MYSQL_TLS_VERIFY, certificate, true },
		{ "127.0.0.1", MYSQL_TLS_VERIFY, system, false },
	};
	struct err err;

	(void)unused;
	snprintf(certificate, sizeof(certificate), "%s/server.crt", getenv("MY_DIR"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct mysql_place place = { .host = cases[i].host, .port = (unsigned)number_in("port"),
			.user = "remote", .password = "secret", .database = "shop", .connect_ms = 5000,
			.tls = cases[i].tls, .authorities = cases[i].authorities };

		mysql_session_close(session);
		session = mysql_session_open(&place, 60000, &err);
		if ((session != NULL) != cases[i].connects)
			fail_msg("%zu: %s", i, session == NULL ? err.message : "connected");
	}
}

static int
set_up(void **unused)
{
	static const char *const statements[] = {
		"CREATE DATABASE shop", "CREATE DATABASE other", "CREATE TABLE shop.t (a INT)",
		"CREATE USER remote@'127.0.0.1' IDENTIFIED BY 'secret'", "GRANT SELECT ON shop.* TO remote@'127.0.0.1'",
		"CREATE TABLE shop.carrel_audit (a INT)", "INSERT INTO shop.t VALUES (1), (2)",
	};
	const char *dir = getenv("MY_DIR");
	MYSQL *m = mysql_init(NULL);

	(void)unused;
	if (dir == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/run/socket", dir);
	if (mysql_real_connect(m, NULL, "root", NULL, NULL, 0, path, 0) == NULL)
		return -1;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (mysql_query(m, statements[i]) != 0)
			return -1;
	mysql_close(m);
	return 0;
}

static int
tear_down(void **unused)
{
	(void)unused;
	mysql_session_close(session);
	mysql_library_end();
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_only_is_held_against_every_statement_that_writes),
		cmocka_unit_test(statements_are_ended),
		cmocka_unit_test(nothing_is_left_of_drawn_sequences),
		cmocka_unit_test(a_change_is_told),
		cmocka_unit_test(a_slow_server_is_waited_for),
		cmocka_unit_test(a_server_that_falls_silent_is_not_waited_for),
		cmocka_unit_test(a_server_that_is_not_verified_gets_no_password),
		cmocka_unit_test(a_server_is_verified_as_far_as_it_is_said),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

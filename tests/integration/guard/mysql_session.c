/*
 * mysql_session.c - what a session on a MariaDB server stops and keeps by itself, with the parser and the guard
 * switched off and an account that may do everything: statements that write are refused, statements that do not end
 * are ended, and whatever a statement leaves in the session is reported or gone.
 *
 *	CARREL_FUZZ_SECONDS	how long sequences of statements are drawn; half an hour in `make soak`
 *	CARREL_FUZZ_SEED	where to begin
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

#define SEQUENCES	250u
#define TIMEOUT_MS	3000u

static const struct audit_input inputs[] = {
#include "workers/sql/mysql/guard/attacks_mysql.def"
};

/*
 * What leaves something in a session, or tries to.  $n: a name, $v: a value, $d: a database, $s: a variable of the
 * session with a value, both of those that the server says it has.
 */
static const char *const silent[] = { /* the server reports nothing of most; resetting the connection ends them */
	"SET @$n = $v", "SELECT @$n := $v", "SELECT $v INTO @$n", "SELECT GET_LOCK('$n', 0)", "DO RELEASE_LOCK('$n')",
	"PREPARE $n FROM 'SELECT $v'", "PREPARE $n FROM 'SET @$n = $v'", "EXECUTE $n", "DEALLOCATE PREPARE $n",
	"CREATE TEMPORARY TABLE $n (a INT AUTO_INCREMENT PRIMARY KEY)", "INSERT INTO $n VALUES (NULL), (NULL)",
	"DROP TEMPORARY TABLE $n", "SELECT LAST_INSERT_ID($v)", "SELECT SQL_CALC_FOUND_ROWS * FROM shop.t LIMIT 1",
	"HANDLER shop.t OPEN AS $n", "HANDLER $n READ FIRST", "HANDLER $n CLOSE", "LOCK TABLES shop.t READ",
	"UNLOCK TABLES", "SELECT RAND($v)", "SELECT * FROM shop.t", "SELECT * FROM nothing", "SELECT 1 / 0",
	"SELECT shop.keeps($v)", "CALL shop.spoils($v)", "EXECUTE IMMEDIATE 'SET @$n = $v'", "DO 1", "SELECT 1",
	"BEGIN NOT ATOMIC DECLARE i INT DEFAULT $v; SET @$n = i; END", "GET DIAGNOSTICS @$n = NUMBER",
};
static const char *const told[] = { /* these it reports, unless it was told not to */
	"SET SESSION $s", "SET SESSION $s, $s", "SET STATEMENT $s FOR SELECT 1", "BEGIN NOT ATOMIC SET SESSION $s; END",
	"SET NAMES latin1", "SET NAMES utf8mb4 COLLATE utf8mb4_bin", "SET CHARACTER SET latin1", "USE $d",
	"SET SESSION TRANSACTION READ WRITE", "SET TRANSACTION READ WRITE", "SET ROLE NONE", "SET ROLE part",
	"SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED",
	"START TRANSACTION", "START TRANSACTION READ WRITE", "START TRANSACTION WITH CONSISTENT SNAPSHOT", "BEGIN",
	"COMMIT", "COMMIT AND CHAIN", "ROLLBACK", "SAVEPOINT $n", "XA START '$n'", "XA END '$n'", "XA PREPARE '$n'",
	"SET session_track_system_variables = ''", "SET session_track_state_change = 0", "SET session_track_schema = 0",
	"SET @@rand_seed1 = $v, @@rand_seed2 = 1", "SET timestamp = $v", "SET insert_id = $v",
	"SET last_insert_id = $v",
	"SET PASSWORD = ''", "FLUSH TABLES WITH READ LOCK", "FLUSH TABLES shop.t WITH READ LOCK", "BACKUP LOCK shop.t",
	"BACKUP STAGE START", "INSERT INTO shop.t VALUES ($v)", "CREATE TABLE shop.made_$n (a INT)",
	"DELETE FROM shop.t",
};

/* What of a session can be asked: all of its variables but the counters of its last statement. */
static const char state[] = "SELECT CONCAT_WS('|', DATABASE(), IFNULL(@a, '-'), IFNULL(@b, '-'), IFNULL(@c, '-'), "
    "IFNULL(CURRENT_ROLE(), '-'), USER(), LAST_INSERT_ID(), FOUND_ROWS(), ROW_COUNT(), @@in_transaction, @@insert_id, "
    "@@pseudo_thread_id = CONNECTION_ID(), @@rand_seed1 IN (5, 77), ABS(@@timestamp - UNIX_TIMESTAMP(SYSDATE())) < 10, "
    "IFNULL(IS_USED_LOCK('a') = CONNECTION_ID(), 0), IFNULL(IS_USED_LOCK('b') = CONNECTION_ID(), 0), "
    "IFNULL(IS_USED_LOCK('c') = CONNECTION_ID(), 0), "
    "(SELECT GROUP_CONCAT(variable_name, '=', variable_value ORDER BY variable_name) FROM "
    "information_schema.session_variables WHERE variable_name NOT IN ('TIMESTAMP', 'PSEUDO_THREAD_ID', "
    "'RAND_SEED1', 'RAND_SEED2', "
    "'WARNING_COUNT', 'ERROR_COUNT', 'INNODB_BUFFER_POOL_LOAD_AT_STARTUP')))";

/* What fails unless something was left. */
static const char *const absent[] = { "EXECUTE a", "EXECUTE b", "EXECUTE c", "HANDLER a READ FIRST",
	"HANDLER b READ FIRST", "HANDLER c READ FIRST", "SELECT * FROM a", "SELECT * FROM b", "SELECT * FROM c" };

static struct mysql_session *session;
static MYSQL *owner;		/* of the server: another session */
static MYSQL_RES *variables;	/* of a session: name, values or NULL, least number or NULL */
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

/* Run what does not end.  A busy server may take longer than MYSQL_KILL_MS to end it: then the session is lost. */
static void
is_ended(const char *sql, uint64_t ms, bool cancelled)
{
	int expected = cancelled ? ERR_QUERY_CANCELLED : ERR_QUERY_TIMEOUT, ended = ERR_DATABASE_UNAVAILABLE;
	struct err err;

	for (unsigned tries = 0; tries < 20 && ended == ERR_DATABASE_UNAVAILABLE; tries++) {
		uint64_t start = clock_ns(), until = start + 100 * CLOCK_MS;

		if (tries > 0)
			reopen();
		ended = run(sql, ms, cancelled ? &until : NULL, NULL, &err);
		assert_true(clock_ns() - start < 10 * CLOCK_SECOND);
	}
	if (ended != expected)
		fail_msg("%s: %s", sql, err.message);
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

	(void)unused;
	reopen();
	for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
		is_ended(endless[i], 200, false);
		is_ended(endless[i], 100000, true);
		assert_settled();
	}
}

/* One of the parts of a text; a comma is between them. */
static struct span
draw_part(uint64_t *seed, const char *text)
{
	const char *parts[64] = { text };
	size_t n = 1;

	while (n < 64 && (text = strchr(text, ',')) != NULL)
		parts[n++] = ++text;
	text = parts[test_random(seed) % n];
	return span_of(text, strcspn(text, ","));
}

/* "name = value": of what the server says of the variable, or something that some variable takes. */
static void
draw_setting(struct buf *out, uint64_t *seed)
{
	static const char *const texts[] = { "", "latin1", "utf8mb4_bin", "+05:00", "de_DE", "a" };
	uint64_t row = test_random(seed) % mysql_num_rows(variables);
	MYSQL_ROW v;

	mysql_data_seek(variables, row);
	v = mysql_fetch_row(variables);
	buf_printf(out, "%s = ", v[0]);
	if (v[1] != NULL) {
		struct span part = draw_part(seed, v[1]);

		buf_printf(out, "'%.*s'", SPAN_FMT(part));
	} else if (v[2] != NULL)
		buf_str(out, test_random(seed) % 3 == 0 ? "0" : test_random(seed) % 2 == 0 ? "1" : v[2]);
	else
		buf_printf(out, "'%s'", texts[test_random(seed) % (sizeof(texts) / sizeof(texts[0]))]);
}

static void
draw_statement(struct buf *out, uint64_t *seed, const char *form)
{
	buf_reset(out, 4096);
	for (; *form != '\0'; form++)
		if (*form != '$') {
			buf_byte(out, (uint8_t)*form);
			continue;
		} else if (*++form == 's')
			draw_setting(out, seed);
		else if (*form == 'n')
			buf_byte(out, (uint8_t)('a' + test_random(seed) % 3));
		else
			buf_str(out,
			    *form == 'v'                   ? (test_random(seed) % 2 == 0 ? "5" : "77") :
				test_random(seed) % 2 == 0 ? "other" :
							     "shop");
}

/* What another session would wait for, or what outlives the session. */
static void
assert_nothing_held(const char *sequence)
{
	static const char *const sql[] = { "LOCK TABLES shop.t WRITE", "UNLOCK TABLES", "XA RECOVER" };

	for (size_t i = 0; i < sizeof(sql) / sizeof(sql[0]); i++) {
		MYSQL_RES *result;

		if (mysql_query(owner, sql[i]) != 0)
			fail_msg("after %s: %s: %s", sequence, sql[i], mysql_error(owner));
		result = mysql_store_result(owner);
		if (result != NULL && mysql_num_rows(result) > 0)
			fail_msg("after %s: %s tells something", sequence, sql[i]);
		mysql_free_result(result);
	}
}

static void
assert_nothing_left(struct buf *before, const char *sequence)
{
	struct buf after = { 0 };
	size_t at = 0;
	struct err err;

	assert_nothing_held(sequence);
	read_state(&after);
	while (at < after.len && at < before->len && after.p[at] == before->p[at])
		at++;
	if (at < after.len || at < before->len)
		fail_msg("after %s: …%.99s, was …%.99s", sequence, buf_cstr(&after) + (at > 30 ? at - 30 : 0),
		    buf_cstr(before) + (at > 30 ? at - 30 : 0));
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		if (run(absent[i], TIMEOUT_MS, NULL, NULL, &err) == ERR_NONE)
			fail_msg("after %s: %s", sequence, absent[i]);
	assert_settled();
	buf_fini(&after);
}

static void
run_sequence(struct buf *sequence, uint64_t *seed)
{
	struct buf sql = { 0 };
	struct err err;

	buf_reset(sequence, 65536);
	for (uint64_t n = 1 + test_random(seed) % 5, quiet = test_random(seed) % 4; n > 0; n--) {
		uint64_t which = test_random(seed);

		draw_statement(&sql, seed,
		    quiet > 0 || which % 2 == 0 ? silent[which / 2 % (sizeof(silent) / sizeof(silent[0]))] :
						  told[which / 2 % (sizeof(told) / sizeof(told[0]))]);
		run(buf_cstr(&sql), TIMEOUT_MS, NULL, NULL, &err);
		buf_printf(sequence, "%s;%s ", buf_cstr(&sql), err.code == ERR_NONE ? "" : " (fails)");
	}
	buf_fini(&sql);
}

/* A session that is not as it was is given up: what it leaves ends with it. */
static void
nothing_is_left_of_drawn_sequences(void **unused)
{
	const char *seconds = getenv("CARREL_FUZZ_SECONDS"), *first = getenv("CARREL_FUZZ_SEED");
	uint64_t seed = first == NULL ? 41 : strtoull(first, NULL, 10), runs = 0, passed = 0;
	uint64_t until = clock_ns() + (seconds == NULL ? 0 : strtoull(seconds, NULL, 10)) * CLOCK_SECOND;
	struct buf before = { 0 }, sequence = { 0 };
	struct err err;

	(void)unused;
	reopen();
	assert_settled();
	read_state(&before);
	assert_settled();
	for (; runs < SEQUENCES || clock_ns() < until; runs++) {
		run_sequence(&sequence, &seed);
		if (mysql_session_settle(session, &err) == -1) {
			reopen();
			continue;
		}
		passed++;
		assert_nothing_left(&before, buf_cstr(&sequence));
	}
	assert_true(passed > runs / 4 && passed < runs);
	buf_fini(&before);
	buf_fini(&sequence);
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
	static const char *const changes[] = {
		"SET sql_mode = 'ANSI_QUOTES'", "SET SESSION TRANSACTION READ WRITE", "USE other",
		"SET NAMES latin1", "SET time_zone = '+05:00'", "SET ROLE part",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		assert_true(is_told(changes[i], NULL));
		assert_true(is_told(changes[i], "SELECT 1"));
		assert_true(is_told(changes[i], "DO 1"));
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
		"CREATE DATABASE shop",
		"CREATE DATABASE other",
		"CREATE TABLE shop.t (a INT)",
		"CREATE USER remote@'127.0.0.1' IDENTIFIED BY 'secret'",
		"GRANT SELECT ON shop.* TO remote@'127.0.0.1'",
		"CREATE TABLE shop.carrel_audit (a INT)",
		"INSERT INTO shop.t VALUES (1), (2)",
		"CREATE ROLE part",
		"CREATE FUNCTION shop.keeps(v INT) RETURNS INT BEGIN SET @a = v; RETURN GET_LOCK('b', 0); END",
		"CREATE PROCEDURE shop.spoils(v INT) BEGIN SET @c = v; CREATE TEMPORARY TABLE b (a INT); END",
		"SET lock_wait_timeout = 1",
	};
	const char *dir = getenv("MY_DIR");
	MYSQL *m = owner = mysql_init(NULL);

	(void)unused;
	if (dir == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/run/socket", dir);
	if (mysql_real_connect(m, NULL, "root", NULL, NULL, 0, path, 0) == NULL)
		return -1;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (mysql_query(m, statements[i]) != 0)
			return -1;
	if (mysql_query(m,
		"SELECT variable_name, IF(variable_type = 'BOOLEAN', 'OFF,ON', enum_value_list), numeric_min_value "
		"FROM information_schema.system_variables WHERE variable_scope LIKE 'SESSION%' AND read_only = 'NO' "
		"AND variable_name <> 'MAX_RELAY_LOG_SIZE' /* is the server's */ ORDER BY variable_name") != 0)
		return -1;
	return (variables = mysql_store_result(m)) == NULL ? -1 : 0;
}

static int
tear_down(void **unused)
{
	(void)unused;
	mysql_session_close(session);
	mysql_free_result(variables);
	mysql_close(owner);
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

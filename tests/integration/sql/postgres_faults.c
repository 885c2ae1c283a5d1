/* postgres_faults.c - carrel-sql-postgres when things go wrong: no connection, lost ones, cancels, hostile servers. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/integration/sql/postgres_worker.h"
#include "tests/integration/sql/sql_harness.h"

static const char busy_readers[] =
    "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND state <> 'idle'";
static const char readers[] = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader'";

static struct driver *
start(void)
{
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = url_of("reader", "secret", NULL) });
}

static void
expect_unable(const char *conninfo, const char *reason)
{
	struct driver *d = sql_start_unable(&(struct sql_setup){ .driver = "postgres", .conninfo = conninfo });

	assert_has(driver_reason(d), reason);
	assert_null(strstr(driver_reason(d), "topsecret"));
	assert_null(strstr(driver_log(d), "topsecret"));
	assert_int_equal(driver_exit_code(d), EXIT_CONNECTION);
	driver_free(d);
}

static void
a_connection_that_fails_says_why(void **state)
{
	char nobody[128];

	(void)state;
	expect_unable(url_of("reader", "topsecret", NULL), "password authentication failed for user \"reader\"");
	expect_unable(url_of("tlsonly", "secret", "sslmode=disable"), "pg_hba.conf");
	expect_unable(url_of("reader", "secret", "sslmode=verify-full"), "root certificate");
	expect_unable("postgres://reader:topsecret@127.0.0.1:1/postgres", "Connection refused");
	expect_unable("postgres://reader:topsecret@no.such.host.invalid/postgres", "could not translate host name");
	snprintf(nobody, sizeof(nobody), "host=127.0.0.1 port=%u user=reader password=secret dbname=gone",
	    server_port());
	expect_unable(nobody, "database \"gone\" does not exist");
	expect_unable(url_of("reader", "topsecret", "sslmode=disable&channel_binding=require"), "sslmode=verify-full");
	expect_unable("postgres://reader:topsecret%zz@127.0.0.1/", "cannot be read as postgres:");
	expect_unable(url_of("reader", "secret", "nonsense=topsecret"), "an unknown option \"nonsense\"");
	expect_unable("postgres://reader@127.0.0.1/postgres?read_only-true", "an unknown option \"read_only-true\"");
	expect_unable("mysql://reader:topsecret@127.0.0.1/shop",
	    "begins with mysql://, and its driver serves PostgreSQL");
	/* What may be a piece of a password is not said. */
	expect_unable("postgres://reader@127.0.0.1/postgres?password=a&topsecret", "cannot be read as postgres:");
}

/* Answer so many connections as a server that starts, the next as one that knows no such account; the child's pid. */
static pid_t
starting_server(int times, unsigned *port)
{
	static const char *const messages[] = { "the database system is starting up",
		"the database system is not yet accepting connections", "the database system is in recovery mode" };
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int door = socket(AF_INET, SOCK_STREAM, 0);
	pid_t pid;

	assert_int_equal(bind(door, (struct sockaddr *)&at, n), 0);
	assert_int_equal(getsockname(door, (struct sockaddr *)&at, &n), 0);
	assert_int_equal(listen(door, 8), 0);
	*port = ntohs(at.sin_port);
	for (int i = (pid = fork()) == 0 ? 0 : times + 1; i <= times; i++) {
		char said[4096], text[128], error[160];
		int c = accept(door, NULL, NULL);
		int len = snprintf(text, sizeof(text), "SFATAL%cC57P03%cM%s%c", 0, 0,
			      i < times ? messages[i % 3] : "no such account", 0) +
		    1;
		uint32_t length = htonl((uint32_t)len + 4);

		(void)!read(c, said, sizeof(said));
		error[0] = 'E';
		memcpy(error + 1, &length, 4);
		memcpy(error + 5, text, (size_t)len);
		(void)!write(c, error, (size_t)len + 5);
		close(c);
		if (i == times)
			_exit(0);
	}
	close(door);
	return pid;
}

static void
a_server_that_starts_is_waited_for(void **state)
{
	char conninfo[160];
	unsigned port;
	pid_t pid = starting_server(3, &port);
	int status;

	(void)state;
	snprintf(conninfo, sizeof(conninfo), "postgres://reader:topsecret@127.0.0.1:%u/x?sslmode=disable", port);
	expect_unable(conninfo, "no such account");
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* Not longer than it is allowed to take. */
	pid = starting_server(100, &port);
	snprintf(conninfo, sizeof(conninfo),
	    "postgres://reader:topsecret@127.0.0.1:%u/x?sslmode=disable&connect_timeout=1", port);
	expect_unable(conninfo, "the database system is");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

static void
tls_and_scram_work_confined(void **state)
{
	struct driver *d;
	char parameters[300];

	(void)state;
	d = sql_start(&(struct sql_setup){ .driver = "postgres",
	    .conninfo = url_of("tlsonly", "secret", "sslmode=require") });
	sql_expect(d, "SELECT 1", "[[1]]");
	assert_string_equal(super("SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
				  "WHERE usename = 'tlsonly'"),
	    "t");
	sql_expect(d, "SELECT count(*), sum(length(repeat('x', n))) FROM generate_series(1, 1000) n",
	    "[[1000,500500]]");
	sql_stop(d);
	snprintf(parameters, sizeof(parameters), "sslmode=verify-full&sslrootcert=%s/server.crt", getenv("PG_DIR"));
	d = sql_start(&(struct sql_setup){ .driver = "postgres",
	    .conninfo = url_of("reader", "secret", parameters) });
	sql_expect(d, "SELECT n, repeat('y', 500) FROM generate_series(1, 900) n", "\"rowCount\":900");
	sql_stop(d);
	d = sql_start(&(struct sql_setup){ .driver = "postgres",
	    .conninfo = url_of("tlsonly", "secret", "channel_binding=require") });
	sql_expect(d, "SELECT 1", "[[1]]");
	sql_stop(d);
	until_super(readers, "0");
}

static void
a_cancelled_query_ends_in_the_server_too(void **state)
{
	struct driver *d = start();
	const struct driver_answer *a;
	uint64_t id;

	(void)state;
	id = sql_begin(d, "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b", 0);
	until_super(busy_readers, "1");
	driver_cancel(d, id);
	a = driver_wait(d, id);
	assert_int_equal(a->kind, DRIVER_FAIL);
	assert_string_equal(a->code, "query_cancelled");
	assert_int_equal(driver_exit_code(d), EXIT_RECYCLE);
	until_super(readers, "0");
	driver_free(d);
}

static void
a_caller_that_leaves_ends_its_query(void **state)
{
	struct driver *d = start();

	(void)state;
	(void)sql_begin(d, "TABLE hidden.naps_long", 0);
	until_super(busy_readers, "1");
	driver_hang_up(d, 0);
	assert_int_equal(driver_exit_code(d), EXIT_RECYCLE);
	until_super(readers, "0");
	driver_free(d);
}

static void
time_runs_out_and_the_session_goes_on(void **state)
{
	struct driver *d = sql_start(&(struct sql_setup){ .driver = "postgres",
	    .conninfo = url_of("reader", "secret", NULL), .timeout_ms = 400 });
	const struct driver_answer *a;

	(void)state;
	a = sql_run(d, "SELECT pg_backend_pid()", 0);
	assert_int_equal(a->kind, DRIVER_RESULT);
	sql_expect_fail(d, "TABLE hidden.naps_long", "query_timeout", "too long");
	/* Until then rows may have come. */
	sql_expect_fail(d, "TABLE hidden.naps_often", "query_timeout", "too long");
	assert_has(sql_run(d, "SELECT pg_backend_pid()", 0)->result, a->rows);
	driver_set_budget(d, 200);
	sql_expect_fail(d, "TABLE hidden.naps_long", "query_timeout", "");
	driver_free(d);
	until_super(readers, "0");
}

static void
a_lock_is_not_waited_for_long(void **state)
{
	struct driver *d = sql_start(&(struct sql_setup){ .driver = "postgres",
	    .conninfo = url_of("reader", "secret", NULL), .timeout_ms = 2000 });
	PGconn *holder = PQconnectdb(socket_of("postgres"));

	(void)state;
	PQclear(PQexec(holder, "BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE"));
	assert_int_equal(sql_run(d, "SELECT * FROM orders", 0)->kind, DRIVER_FAIL);
	PQfinish(holder);
	sql_expect(d, "SELECT count(*) FROM orders", "[[100]]");
	sql_stop(d);
}

static void
an_administrators_cancel_is_told_apart(void **state)
{
	struct driver *d = start();
	const struct driver_answer *a;
	uint64_t id = sql_begin(d, "TABLE hidden.naps_long", 0);

	(void)state;
	until_super(busy_readers, "1");
	(void)super("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
	a = driver_wait(d, id);
	assert_string_equal(a->code, "database_error");
	assert_has(a->message, "cancelled in the database");
	sql_expect(d, "SELECT 1", "[[1]]");
	sql_stop(d);
}

static void
a_terminated_session_is_answered_and_replaced(void **state)
{
	struct driver *d = start();
	const struct driver_answer *a;
	uint64_t id = sql_begin(d, "TABLE hidden.naps_long", 0);

	(void)state;
	until_super(busy_readers, "1");
	(void)super("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
	a = driver_wait(d, id);
	assert_int_equal(a->kind, DRIVER_FAIL);
	assert_string_equal(a->code, "database_unavailable");
	assert_int_equal(driver_exit_code(d), EXIT_CONNECTION);
	driver_free(d);
}

static void
a_restarted_server_ends_idle_workers(void **state)
{
	struct driver *d = start();

	(void)state;
	sql_expect(d, "SELECT 1", "[[1]]");
	server_do("restart", "immediate");
	assert_int_equal(driver_exit_code(d), EXIT_CONNECTION);
	assert_has(driver_reason(d), "lost");
	driver_free(d);
	d = start();
	sql_expect(d, "SELECT 1", "[[1]]");
	sql_stop(d);
}

static void
a_worker_is_replaced_after_its_number_of_requests(void **state)
{
	struct driver *d = sql_start(&(struct sql_setup){ .driver = "postgres",
	    .conninfo = url_of("reader", "secret", NULL), .max_requests = 2 });

	(void)state;
	sql_expect(d, "SELECT 1", "[[1]]");
	sql_expect(d, "SELECT 2", "[[2]]");
	assert_int_equal(driver_exit_code(d), EXIT_RECYCLE);
	driver_free(d);
}

static void
a_row_beyond_memory_costs_one_worker(void **state)
{
#ifdef CARREL_SANITIZED
	(void)state;
	skip(); /* a sanitizer needs all the address space there is */
#else
	struct driver *d = sql_start(&(struct sql_setup){ .driver = "postgres",
	    .conninfo = url_of("reader", "secret", NULL), .memory_max = (uint64_t)150 << 20 });
	const struct driver_answer *a = sql_run(d, "TABLE hidden.larger", 0);

	(void)state;
	assert_int_equal(a->kind, DRIVER_FAIL);
	assert_string_equal(a->code, "result_too_large");
	assert_int_equal(driver_exit_code(d), EXIT_RECYCLE);
	driver_free(d);
#endif
}

int
postgres_run_fault_tests(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_connection_that_fails_says_why),
		cmocka_unit_test(a_server_that_starts_is_waited_for),
		cmocka_unit_test(tls_and_scram_work_confined),
		cmocka_unit_test(a_cancelled_query_ends_in_the_server_too),
		cmocka_unit_test(a_caller_that_leaves_ends_its_query),
		cmocka_unit_test(time_runs_out_and_the_session_goes_on),
		cmocka_unit_test(a_lock_is_not_waited_for_long),
		cmocka_unit_test(an_administrators_cancel_is_told_apart),
		cmocka_unit_test(a_terminated_session_is_answered_and_replaced),
		cmocka_unit_test(a_restarted_server_ends_idle_workers),
		cmocka_unit_test(a_worker_is_replaced_after_its_number_of_requests),
		cmocka_unit_test(a_row_beyond_memory_costs_one_worker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

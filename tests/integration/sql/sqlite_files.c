/* sqlite_files.c - carrel-sql-sqlite and what lies on the disk: WAL, journals, replaced and missing files. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/integration/sql/sql_harness.h"
#include "tests/integration/sql/sqlite_worker.h"

static const char wal_schema[] =
    "PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES (1);";

static struct driver *
start(const char *path)
{
	return sql_start(&(struct sql_setup){ .driver = "sqlite", .path = path });
}

static void
expect_unable(const char *path, const char *reason)
{
	struct driver *d = sql_start_unable(&(struct sql_setup){ .driver = "sqlite", .path = path });

	assert_has(driver_reason(d), reason);
	assert_has(driver_reason(d), path); /* which file it is about */
	assert_int_equal(driver_exit_code(d), EXIT_CONNECTION);
	driver_free(d);
}

/* A second path, besides in_directory()'s. */
static const char *
other_path(const char *name)
{
	static char other[256];

	snprintf(other, sizeof(other), "%s", in_directory(name));
	return other;
}

/* The call is left unanswered for a fresh worker. */
static void
expect_leave(struct driver *d, const char *sql)
{
	const struct driver_answer *a = sql_run(d, sql, 0);

	assert_int_equal(a->kind, DRIVER_LOST);
	assert_int_equal(driver_exit_code(d), EXIT_DATABASE_CHANGED);
	driver_free(d);
}

/* Run sql as an application that is killed before it can close anything. */
static void
crash_after(const char *path, const char *sql)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		(void)writer_open(path, sql);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static void
what_is_no_database_is_refused_with_the_reason(void **state)
{
	int fd;

	(void)state;
	new_directory();
	expect_unable(in_directory("none.db"), "does not exist");
	expect_unable(in_directory("no/such/dir.db"), "does not exist");
	expect_unable(in_directory(""), "not a file");
	fd = open(in_directory("text.db"), O_CREAT | O_WRONLY, 0644);
	assert_int_equal(write(fd, "this is some text, no database", 30), 30);
	close(fd);
	expect_unable(in_directory("text.db"), "not an SQLite 3 database");
	fd = open(in_directory("fifo"), O_RDONLY);
	assert_int_equal(fd, -1);
	assert_int_equal(mkfifo(in_directory("fifo"), 0644), 0);
	expect_unable(in_directory("fifo"), "not a file");
	remove_directory();
}

static void
an_empty_file_is_an_empty_database(void **state)
{
	struct driver *d;

	(void)state;
	new_directory();
	close(open(in_directory("empty.db"), O_CREAT | O_WRONLY, 0644));
	d = start(in_directory("empty.db"));
	sql_expect(d, "SELECT count(*) FROM sqlite_schema", "[[0]]");
	sql_stop(d);
	remove_directory();
}

static void
odd_names_and_links_are_followed(void **state)
{
	struct driver *d;

	(void)state;
	new_directory();
	change(in_directory("odd %3f?#name.db"), wal_schema);
	d = start(in_directory("odd %3f?#name.db"));
	sql_expect(d, "SELECT * FROM t", "[[1]]");
	sql_stop(d);
	assert_int_equal(mkdir(in_directory("links"), 0755), 0);
	assert_int_equal(symlink(in_directory("odd %3f?#name.db"), in_directory("links/db")), 0);
	d = start(in_directory("links/db"));
	sql_expect(d, "SELECT * FROM t", "[[1]]");
	sql_stop(d);
	remove_directory();
}

static void
a_wal_database_at_rest_is_read_until_somebody_writes(void **state)
{
	sqlite3 *writer;
	struct driver *d;

	(void)state;
	new_directory();
	change(in_directory("wal.db"), wal_schema);
	assert_int_equal(access(in_directory("wal.db-wal"), F_OK), -1);
	d = start(in_directory("wal.db"));
	sql_expect(d, "SELECT * FROM t", "[[1]]");
	sql_expect(d, "SELECT * FROM t", "[[1]]");
	/* A writer appears: what is in the file alone may be old. */
	writer = writer_open(in_directory("wal.db"), "INSERT INTO t VALUES (2)");
	assert_int_equal(access(in_directory("wal.db-wal"), F_OK), 0);
	expect_leave(d, "SELECT * FROM t");
	d = start(in_directory("wal.db"));
	sql_expect(d, "SELECT * FROM t", "[[1],[2]]");
	sqlite3_close(writer);
	sql_stop(d);
	remove_directory();
}

static void
a_write_during_the_read_drops_the_rows(void **state)
{
	struct driver *d;
	uint64_t id;

	(void)state;
	new_directory();
	change(in_directory("wal.db"), wal_schema);
	d = start(in_directory("wal.db"));
	/* Long enough to be written to; its rows were all read, and none may be shown. */
	driver_set_credit(d, false);
	id = sql_begin(d,
	    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 1000) "
	    "SELECT n, x, printf('%.*c', 2000, 'x') FROM c, t",
	    0);
	for (int i = 0; i < 10; i++)
		driver_pump(d, 20);
	assert_int_equal(driver_peek(d, id)->kind, DRIVER_OPEN);
	change(in_directory("wal.db"), "INSERT INTO t VALUES (2)");
	driver_credit(d, id, 1000);
	assert_int_equal(driver_wait(d, id)->kind, DRIVER_LOST);
	assert_int_equal(driver_exit_code(d), EXIT_DATABASE_CHANGED);
	driver_free(d);
	remove_directory();
}

static void
a_live_writer_is_followed(void **state)
{
	struct driver *d;
	sqlite3 *writer;
	char sql[64], row[64];

	(void)state;
	new_directory();
	writer = writer_open(in_directory("wal.db"), wal_schema);
	d = start(in_directory("wal.db"));
	for (int i = 2; i < 200; i++) {
		snprintf(sql, sizeof(sql), "UPDATE t SET x = %d", i);
		snprintf(row, sizeof(row), "[[%d]]", i);
		assert_int_equal(sqlite3_exec(writer, sql, NULL, NULL, NULL), SQLITE_OK);
		if (i % 50 == 0)
			sqlite3_wal_checkpoint_v2(writer, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
		sql_expect(d, "SELECT * FROM t", row);
	}
	sqlite3_close(writer);
	sql_stop(d);
	remove_directory();
}

static void
a_crashed_wal_writer_leaves_a_readable_database(void **state)
{
	struct driver *d;

	(void)state;
	new_directory();
	change(in_directory("wal.db"), wal_schema);
	crash_after(in_directory("wal.db"), "INSERT INTO t VALUES (2)");
	assert_int_equal(access(in_directory("wal.db-shm"), F_OK), 0);
	d = start(in_directory("wal.db"));
	sql_expect(d, "SELECT * FROM t", "[[1],[2]]");
	sql_stop(d);
	/* Without the index of the log nobody who may not write can read it. */
	assert_int_equal(unlink(in_directory("wal.db-shm")), 0);
	expect_unable(in_directory("wal.db"), "open it once with its application");
	remove_directory();
}

static void
a_hot_journal_is_explained(void **state)
{
	(void)state;
	new_directory();
	change(in_directory("hot.db"), "CREATE TABLE t(x); INSERT INTO t VALUES (1)");
	crash_after(in_directory("hot.db"),
	    "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; "
	    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 3000) "
	    "INSERT INTO t SELECT printf('%.*c', 500, 'x') FROM c; UPDATE t SET x = 2 WHERE rowid = 1");
	assert_int_equal(access(in_directory("hot.db-journal"), F_OK), 0);
	expect_unable(in_directory("hot.db"), "hot journal");
	remove_directory();
}

static void
a_replaced_file_is_noticed(void **state)
{
	struct driver *d;

	(void)state;
	new_directory();
	change(in_directory("a.db"), "CREATE TABLE t(x); INSERT INTO t VALUES ('old')");
	change(in_directory("b.db"), "CREATE TABLE t(x); INSERT INTO t VALUES ('new')");
	d = start(in_directory("a.db"));
	sql_expect(d, "SELECT * FROM t", "old");
	assert_int_equal(rename(in_directory("b.db"), in_directory("a.db")), 0);
	expect_leave(d, "SELECT * FROM t");
	d = start(in_directory("a.db"));
	sql_expect(d, "SELECT * FROM t", "new");
	assert_int_equal(unlink(in_directory("a.db")), 0);
	expect_leave(d, "SELECT * FROM t");
	remove_directory();
}

/* The answer, by a fresh worker if this one has to leave. */
static struct driver *
expect_by_somebody(struct driver *d, const char *path, const char *sql, const char *piece)
{
	const struct driver_answer *a = sql_run(d, sql, 0);

	if (a->kind == DRIVER_LOST) {
		assert_int_equal(driver_exit_code(d), EXIT_DATABASE_CHANGED);
		driver_free(d);
		d = sql_start_again(&(struct sql_setup){ .driver = "sqlite", .path = path });
		a = sql_run(d, sql, 0);
	}
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_has(a->result, piece);
	return d;
}

/* Files that were not there when the worker was confined are out of its reach. */
static void
a_switch_to_wal_is_survived(void **state)
{
	struct driver *d;
	sqlite3 *writer;

	(void)state;
	new_directory();
	change(in_directory("r.db"), "CREATE TABLE t(x); INSERT INTO t VALUES (1)");
	d = start(in_directory("r.db"));
	sql_expect(d, "SELECT * FROM t", "[[1]]");
	writer = writer_open(in_directory("r.db"), "PRAGMA journal_mode = WAL; INSERT INTO t VALUES (2)");
	expect_leave(d, "SELECT * FROM t");
	d = start(in_directory("r.db"));
	sql_expect(d, "SELECT * FROM t", "[[1],[2]]");
	sqlite3_close(writer);
	sql_stop(d);
	remove_directory();
}

static void
journals_that_stay_or_go_are_survived(void **state)
{
	static const char *const modes[] = { "PERSIST", "TRUNCATE", "DELETE", "MEMORY" };

	(void)state;
	for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
		char sql[64], row[32];
		struct driver *d;
		sqlite3 *writer;

		new_directory();
		change(in_directory("j.db"), "CREATE TABLE t(x); INSERT INTO t VALUES (0)");
		d = start(in_directory("j.db"));
		snprintf(sql, sizeof(sql), "PRAGMA journal_mode = %s", modes[m]);
		writer = writer_open(in_directory("j.db"), sql);
		for (int i = 1; i < 20; i++) {
			snprintf(sql, sizeof(sql), "UPDATE t SET x = %d", i);
			snprintf(row, sizeof(row), "[[%d]]", i);
			assert_int_equal(sqlite3_exec(writer, sql, NULL, NULL, NULL), SQLITE_OK);
			/* Only the first time: then the journal that stays is known. */
			if (i > 1)
				sql_expect(d, "SELECT * FROM t", row);
			else
				d = expect_by_somebody(d, in_directory("j.db"), "SELECT * FROM t", row);
		}
		sqlite3_close(writer);
		sql_stop(d);
		remove_directory();
	}
}

/* An application that opens, writes and closes again and again, and takes -wal and -shm away each time. */
static void
writers_that_come_and_go_are_survived(void **state)
{
	struct sql_setup setup = { .driver = "sqlite" };
	char row[32], path[256];
	int status, seen = 0;
	bool over = false;
	struct driver *d;
	pid_t pid;

	(void)state;
	new_directory();
	snprintf(path, sizeof(path), "%s", in_directory("w.db"));
	setup.path = path;
	change(path, wal_schema);
	if ((pid = fork()) == 0) {
		for (int i = 0; i < 200; i++) {
			change(path, "PRAGMA synchronous = OFF; INSERT INTO t VALUES (1)");
			usleep(2000);
		}
		_exit(0);
	}
	d = sql_start_again(&setup);
	while (!over) {
		const struct driver_answer *a;

		over = waitpid(pid, &status, WNOHANG) == pid;
		a = sql_run(d, "SELECT count(*) FROM t", 0);
		if (a->kind == DRIVER_LOST) {
			assert_int_equal(driver_exit_code(d), EXIT_DATABASE_CHANGED);
			driver_free(d);
			d = sql_start_again(&setup);
			continue;
		}
		/* Never an error, and never older than what was seen. */
		assert_int_equal(a->kind, DRIVER_RESULT);
		assert_non_null(strstr(a->result, "\"rows\":[["));
		status = atoi(strstr(a->result, "\"rows\":[[") + strlen("\"rows\":[["));
		assert_true(status >= seen);
		seen = status;
	}
	snprintf(row, sizeof(row), "[[%d]]", 201);
	d = expect_by_somebody(d, path, "SELECT count(*) FROM t", row);
	sql_stop(d);
	remove_directory();
}

static void
a_renamed_directory_is_noticed(void **state)
{
	struct driver *d;

	(void)state;
	new_directory();
	assert_int_equal(mkdir(in_directory("links"), 0755), 0);
	change(in_directory("links/db"), "CREATE TABLE t(x); INSERT INTO t VALUES (1)");
	d = start(in_directory("links/db"));
	sql_expect(d, "SELECT * FROM t", "[[1]]");
	assert_int_equal(rename(other_path("links"), in_directory("moved")), 0);
	expect_leave(d, "SELECT * FROM t");
	expect_unable(in_directory("links/db"), "does not exist");
	assert_int_equal(rename(other_path("moved"), in_directory("links")), 0);
	d = start(in_directory("links/db"));
	sql_expect(d, "SELECT * FROM t", "[[1]]");
	sql_stop(d);
	remove_directory();
}

static void
a_locked_database_is_busy_and_then_works(void **state)
{
	struct driver *d;
	sqlite3 *writer;

	(void)state;
	new_directory();
	change(in_directory("l.db"), "CREATE TABLE t(x); INSERT INTO t VALUES (1)");
	d = start(in_directory("l.db"));
	writer = writer_open(in_directory("l.db"), "BEGIN EXCLUSIVE; INSERT INTO t VALUES (2)");
	driver_set_budget(d, 300);
	sql_expect_fail(d, "SELECT * FROM t", "query_timeout", "");
	driver_set_budget(d, DRIVER_BUDGET_MS);
	sql_expect_fail(d, "SELECT * FROM t", "busy", "locked by a writer");
	assert_int_equal(sqlite3_exec(writer, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sql_expect(d, "SELECT * FROM t", "[[1],[2]]");
	sqlite3_close(writer);
	sql_stop(d);
	remove_directory();
}

/* Pages are read through a mapping: what is gone of the file costs this worker, and the next one says what is wrong. */
static void
a_file_cut_short_costs_a_worker(void **state)
{
	const struct driver_answer *a;
	struct driver *d;

	(void)state;
	new_directory();
	change(in_directory("cut.db"),
	    "CREATE TABLE t(x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
	    "n LIMIT 4000) INSERT INTO t SELECT hex(zeroblob(500)) FROM n");
	d = start(in_directory("cut.db"));
	sql_expect(d, "SELECT count(*) FROM t", "[[4000]]");
	assert_int_equal(truncate(in_directory("cut.db"), 40960), 0);
	a = sql_run(d, "SELECT count(x || 'y') FROM t", 0);
	assert_true(a->kind == DRIVER_LOST || a->kind == DRIVER_FAIL); /* DRIVER_FAIL: no mapping on this file system */
	if (a->kind == DRIVER_LOST)
		assert_int_not_equal(driver_exit_code(d), 0);
	driver_free(d);
	expect_unable(in_directory("cut.db"), "malformed");
	remove_directory();
}

static void
a_damaged_file_is_an_error_of_the_statement(void **state)
{
	struct driver *d;
	char junk[4096];
	int fd;

	(void)state;
	new_directory();
	change(in_directory("d.db"),
	    "CREATE TABLE a(x); INSERT INTO a VALUES (1); CREATE TABLE t(x);"
	    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 2000) "
	    "INSERT INTO t SELECT printf('%.*c', 500, 'x') FROM c");
	memset(junk, 0xA5, sizeof(junk));
	fd = open(in_directory("d.db"), O_WRONLY);
	for (off_t at = 2 * 4096; at < 40 * 4096; at += 4096)
		assert_int_equal(pwrite(fd, junk, sizeof(junk), at), (ssize_t)sizeof(junk));
	close(fd);
	d = start(in_directory("d.db"));
	sql_expect_fail(d, "SELECT count(x) FROM t", "database_error", "damaged");
	sql_expect(d, "SELECT * FROM a", "[[1]]");
	sql_stop(d);
	remove_directory();
}

int
sqlite_run_file_tests(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_database_is_refused_with_the_reason),
		cmocka_unit_test(an_empty_file_is_an_empty_database),
		cmocka_unit_test(odd_names_and_links_are_followed),
		cmocka_unit_test(a_wal_database_at_rest_is_read_until_somebody_writes),
		cmocka_unit_test(a_write_during_the_read_drops_the_rows),
		cmocka_unit_test(a_live_writer_is_followed),
		cmocka_unit_test(a_crashed_wal_writer_leaves_a_readable_database),
		cmocka_unit_test(a_hot_journal_is_explained),
		cmocka_unit_test(a_replaced_file_is_noticed),
		cmocka_unit_test(a_switch_to_wal_is_survived),
		cmocka_unit_test(journals_that_stay_or_go_are_survived),
		cmocka_unit_test(writers_that_come_and_go_are_survived),
		cmocka_unit_test(a_renamed_directory_is_noticed),
		cmocka_unit_test(a_locked_database_is_busy_and_then_works),
		cmocka_unit_test(a_file_cut_short_costs_a_worker),
		cmocka_unit_test(a_damaged_file_is_an_error_of_the_statement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// libs: carrel_sql_sqlite carrel_sql carrel_base
/*
 * test_sqlite_calls.c - system calls that are left out: a statement makes few, and sees the last commit and nothing
 * else, whatever a writer does.  Writers are processes of their own, since what is tested is in force for a process.
 */
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "tests/unit/harness.h"
#include "workers/sql/sqlite/sqlite_calls.h"

#define SUMS	"SELECT count(*) || ' ' || coalesce(sum(x), 0) || ' ' || coalesce(sum(length(pad)), 0) FROM l"
#define BALANCE	"SELECT (SELECT sum(x) FROM l) + (SELECT sum(x) FROM r)"
#define ROWS	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600) "
#define MODE	"PRAGMA journal_mode="
#define SPILL	"PRAGMA cache_size=2; BEGIN; UPDATE l SET x = x + 1, pad = pad || 'z';"

static char directory[] = "/tmp/carrel-calls-XXXXXX", path[64];
static struct sqlite_file file;

/* What a writer says after each act. */
struct said {
	char	sums[96];	/* of the last commit */
	bool	in_the_way;	/* the file is locked, or a crashed writer's journal has to be rolled back */
};

static struct {
	pid_t	pid;
	int	acts, said;	/* pipes */
} writer;

static void
run_sql(sqlite3 *db, const char *sql)
{
	char *why = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &why) == SQLITE_OK)
		return;
	fprintf(stderr, "%s: %s\n", sql, why);
	abort();
}

static sqlite3 *
open_writer(void)
{
	sqlite3 *db;

	if (sqlite3_open(path, &db) != SQLITE_OK)
		abort();
	sqlite3_busy_timeout(db, 8000);
	return db;
}

static sqlite3 *
open_reader(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	(void)sqlite3_exec(db, "PRAGMA mmap_size=100000000", NULL, NULL, NULL);
	return db;
}

/* False if the statement fails. */
static bool
one_value(sqlite3 *db, const char *sql, char out[96])
{
	sqlite3_stmt *stmt = NULL;
	bool ok = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW;

	if (ok)
		snprintf(out, 96, "%s", (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	return ok;
}

static void
crash_in_commit(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		run_sql(open_writer(), SPILL);
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
}

/* True if the file stays locked, or has to be rolled back. */
static bool
act(sqlite3 *db, char what)
{
	static const char *const acts[] = {
		"INSERT INTO l SELECT x, pad FROM l LIMIT 50",
		"UPDATE l SET x = x + 3 WHERE rowid % 5 = 1",
		"DELETE FROM l WHERE rowid % 3 = 1 AND rowid > 300",
		"VACUUM",
		MODE "TRUNCATE; UPDATE l SET x = x - 1 WHERE rowid = 1",
		MODE "PERSIST; UPDATE l SET x = x - 1 WHERE rowid = 2",
		MODE "DELETE",
		MODE "WAL; INSERT INTO l VALUES (5, 'wal')",
		"BEGIN IMMEDIATE; UPDATE l SET x = x + 1 WHERE rowid = 7",
		SPILL,
		"CREATE TABLE IF NOT EXISTS extra(a); INSERT INTO extra VALUES (zeroblob(20000))",
		"DROP TABLE IF EXISTS extra; PRAGMA incremental_vacuum; VACUUM",
	};
	size_t n = sizeof(acts) / sizeof(acts[0]), i = (unsigned char)what % (n + 1);

	if (i == n)
		crash_in_commit();
	else if (strncmp(acts[i], MODE, sizeof(MODE) - 1) != 0)
		run_sql(db, acts[i]);
	else if (sqlite3_busy_timeout(db, 0) == SQLITE_OK) { /* the mode stays WAL while somebody reads */
		(void)sqlite3_exec(db, acts[i], NULL, NULL, NULL);
		sqlite3_busy_timeout(db, 8000);
	}
	return i == n || (i < n && acts[i][0] == SPILL[0] && strcmp(acts[i], SPILL) == 0);
}

static void
write_as_told(int acts, int out)
{
	sqlite3 *db = open_writer();
	struct said said = { .in_the_way = false };
	char what;

	(void)one_value(db, SUMS, said.sums);
	while (read(acts, &what, 1) == 1) {
		if (!sqlite3_get_autocommit(db))
			run_sql(db, (what & 0x80) != 0 ? "COMMIT" : "ROLLBACK");
		if (!one_value(db, SUMS, said.sums))
			abort();
		said.in_the_way = act(db, what);
		if (!said.in_the_way && sqlite3_get_autocommit(db) && !one_value(db, SUMS, said.sums))
			abort();
		if (write(out, &said, sizeof(said)) != sizeof(said))
			abort();
	}
	_exit(0);
}

static struct said
tell(char what)
{
	struct said said;

	assert_int_equal(write(writer.acts, &what, 1), 1);
	assert_int_equal(read(writer.said, &said, sizeof(said)), sizeof(said));
	return said;
}

static int
set_up(void **state)
{
	int acts[2], said[2];
	sqlite3 *db;

	(void)state;
	if (mkdtemp(directory) == NULL || pipe(acts) == -1 || pipe(said) == -1)
		return -1;
	snprintf(path, sizeof(path), "%s/t.db", directory);
	db = open_writer();
	run_sql(db,
	    "CREATE TABLE l(x INTEGER, pad TEXT); CREATE TABLE r(x INTEGER, pad TEXT);" ROWS
	    "INSERT INTO l SELECT i, hex(zeroblob(i % 90)) FROM n; INSERT INTO r SELECT -x, pad FROM l");
	sqlite3_close(db);
	if ((writer.pid = fork()) == 0) {
		close(acts[1]);
		write_as_told(acts[0], said[1]);
	}
	close(acts[0]);
	close(said[1]);
	writer.acts = acts[1];
	writer.said = said[0];
	sqlite_file_init(&file, path);
	file.mappable = true; /* whatever holds the temporary directory */
	return sqlite_file_look(&file, &(struct err){ 0 });
}

static int
tear_down(void **state)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
	char name[96];
	int status;

	(void)state;
	close(writer.acts);
	(void)waitpid(writer.pid, &status, 0);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		(void)unlink(name);
	}
	sqlite_file_fini(&file);
	return rmdir(directory) != 0;
}

/* A hundred statements between two calls of getppid(). */
static void
read_traced(void)
{
	sqlite3_stmt *stmt;
	sqlite3 *db;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	sqlite_calls_install(&file);
	db = open_reader();
	(void)sqlite3_prepare_v2(db, "SELECT x FROM l WHERE rowid = 77", -1, &stmt, NULL);
	for (int i = 0; i < 110; i++) {
		if (i == 10)
			(void)getppid();
		(void)sqlite3_step(stmt);
		(void)sqlite3_reset(stmt);
	}
	(void)getppid();
	_exit(0);
}

static void
a_statement_makes_few_calls(void **state)
{
	unsigned locks = 0, stats = 0, reads = 0, marks = 0;
	struct __ptrace_syscall_info call;
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		read_traced();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	(void)ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	while (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) == 0 && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(call), &call) <= 0 ||
		    call.op != PTRACE_SYSCALL_INFO_ENTRY)
			continue;
		marks += call.entry.nr == SYS_getppid;
		if (marks != 1)
			continue;
		locks += call.entry.nr == SYS_fcntl;
		stats += call.entry.nr == SYS_newfstatat || call.entry.nr == SYS_fstat;
		reads += call.entry.nr == SYS_pread64 || call.entry.nr == SYS_read;
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(marks, 2);
	assert_int_equal(reads, 0);
	assert_int_equal(stats, 100);     /* the -journal, each time */
	assert_in_range(locks, 200, 300); /* taken and given up; PENDING is looked at now and then */
}

static void
a_statement_sees_the_last_commit(void **state)
{
	uint64_t random = 11;
	unsigned seen = 0, reopened = 0;
	sqlite3 *db;

	(void)state;
	sqlite_calls_install(&file);
	db = open_reader();
	for (int i = 0; i < 600; i++) {
		struct said said = tell((char)test_random(&random));
		char sums[96];

		if (test_random(&random) % 6 == 0) {
			sqlite3_close(db); /* lets the writer leave WAL mode */
			db = open_reader();
		}
		if (!one_value(db, SUMS, sums)) {
			if (said.in_the_way)
				continue;
			/* A -wal came or went. */
			sqlite3_close(db);
			db = open_reader();
			reopened++;
			assert_true(one_value(db, SUMS, sums));
		}
		assert_string_equal(sums, said.sums);
		seen++;
	}
	sqlite3_close(db);
	assert_true(seen > 400 && reopened < 60);
	(void)tell(6);
	(void)tell(6);
}

/* Twenty commits from a cache that spills.  The reader sees all of a commit or nothing. */
static void
write_freely(void)
{
	sqlite3 *db = open_writer();

	sqlite3_busy_timeout(db, 30000);
	for (int i = 0; i < 20; i++)
		run_sql(db, "PRAGMA cache_size=2; BEGIN; UPDATE l SET x = x + 1; UPDATE r SET x = x - 1; COMMIT");
	_exit(0);
}

static void
a_writer_is_let_in_and_read_whole(void **state)
{
	unsigned seen = 0;
	int status;
	sqlite3 *db;
	pid_t pid;

	(void)state;
	run_sql(db = open_writer(), "DELETE FROM r; INSERT INTO r SELECT -x, pad FROM l");
	sqlite3_close(db);
	if ((pid = fork()) == 0)
		write_freely();
	sqlite_calls_install(&file);
	db = open_reader();
	while (waitpid(pid, &status, WNOHANG) == 0) {
		char balance[96];

		if (!one_value(db, BALANCE, balance))
			continue;
		assert_string_equal(balance, "0");
		seen++;
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	sqlite3_close(db);
	assert_true(seen > 0);
}

/* A writer that waits for its readers holds this lock, and no new reader may begin. */
static pid_t
hold_pending(int *held, int *until)
{
	int here[2], there[2];
	char c;
	pid_t pid;

	assert_true(pipe(here) == 0 && pipe(there) == 0);
	if ((pid = fork()) == 0) {
		struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000000, .l_len = 1 };
		int fd = open(path, O_RDWR | O_CLOEXEC);

		close(there[1]);
		if (fcntl(fd, F_SETLKW, &lock) == -1 || write(here[1], "x", 1) != 1)
			abort();
		(void)read(there[0], &c, 1);
		_exit(0);
	}
	*held = here[0];
	*until = there[1];
	return pid;
}

static void
a_waiting_writer_is_seen_soon(void **state)
{
	uint64_t since;
	int held, until, status;
	char sums[96], c;
	sqlite3 *db;
	pid_t pid;

	(void)state;
	sqlite_calls_install(&file);
	db = open_reader();
	assert_true(one_value(db, SUMS, sums));
	pid = hold_pending(&held, &until);
	assert_int_equal(read(held, &c, 1), 1);
	since = clock_ns();
	while (one_value(db, SUMS, sums))
		assert_true(clock_ns() - since < 5 * CLOCK_SECOND);
	close(until);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(held);
	assert_true(one_value(db, SUMS, sums));
	sqlite3_close(db);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_statement_makes_few_calls),
		cmocka_unit_test(a_waiting_writer_is_seen_soon),
		cmocka_unit_test(a_writer_is_let_in_and_read_whole),
		cmocka_unit_test(a_statement_sees_the_last_commit),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

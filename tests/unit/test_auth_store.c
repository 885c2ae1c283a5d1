// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base PkgConfig::SQLITE
/* test_auth_store.c - the store's versions: what is made, copied, brought up to date and refused. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "policy/profile.h"
#include "workers/auth/store/sqlite/store_sqlite.h"
#include "workers/auth/store/store_token.h"

static char dir[64], path[80], copy[96];

static int
set_up(void **state)
{
	static const char *const suffixes[] = POLICY_STATE_SUFFIXES;

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/carrel-store-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/state.db", dir);
	snprintf(copy, sizeof(copy), "%s" POLICY_STATE_BEFORE, path);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char name[96];
		int fd;

		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		if ((fd = open(name, O_CREAT | O_RDWR, 0600)) < 0)
			return -1;
		close(fd);
	}
	return 0;
}

static int
tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void
must_open(void)
{
	struct err err;
	struct store *s = store_open(path, false, &err);

	if (s == NULL)
		fail_msg("%s", err.message);
	store_close(s);
}

/* One number from a store that nobody has open. */
static int
ask(const char *file, const char *sql)
{
	sqlite3_stmt *q = NULL;
	sqlite3 *db = NULL;
	int n = -1;

	if (sqlite3_open(file, &db) == SQLITE_OK && sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK &&
	    sqlite3_step(q) == SQLITE_ROW)
		n = sqlite3_column_int(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return n;
}

static void
does(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void
is_refused(const char *because)
{
	struct err err;

	assert_null(store_open(path, false, &err));
	if (strstr(err.message, because) == NULL)
		fail_msg("not \"%s\": %s", because, err.message);
}

static void
test_new(void **state)
{
	(void)state;
	must_open();
	assert_int_equal(ask(path, "SELECT count(*) FROM token"), 0);
	assert_int_equal(ask(path, "PRAGMA user_version"), store_nsteps);
	must_open();
}

/* Steps of a version to come, on a store with rows: they stay, and the copy is of before. */
static void
test_step(void **state)
{
	const char *const next[] = { "", "ALTER TABLE token ADD COLUMN more TEXT", "CREATE TABLE other(a)" };
	struct err err;
	struct store *s;

	(void)state;
	must_open();
	does("INSERT INTO setting VALUES('a', 'b'), ('c', 'd')");
	does("PRAGMA user_version = 1");
	assert_non_null(s = store_open_with(path, false, next, 3, &err));
	store_close(s);
	assert_int_equal(ask(path, "PRAGMA user_version"), 3);
	assert_int_equal(ask(path, "SELECT count(*) FROM setting"), 2);
	assert_int_equal(ask(path, "SELECT count(more) FROM token"), 0);
	assert_int_equal(ask(copy, "PRAGMA user_version"), 1);
	assert_int_equal(ask(copy, "SELECT count(*) FROM setting"), 2);
	assert_int_equal(ask(copy, "SELECT count(more) FROM token"), -1);
	/* And again: a copy of the version before, in place of the older one. */
	does("INSERT INTO setting VALUES('e', 'f')");
	does("PRAGMA user_version = 2");
	does("DROP TABLE other");
	assert_non_null(s = store_open_with(path, false, next, 3, &err));
	store_close(s);
	assert_int_equal(ask(copy, "PRAGMA user_version"), 2);
	assert_int_equal(ask(copy, "SELECT count(*) FROM setting"), 3);
}

/* A step that fails leaves the store as it was. */
static void
test_failed_step(void **state)
{
	const char *const next[] = { "", "CREATE TABLE other(a); ALTER TABLE nothing ADD COLUMN more TEXT" };
	struct err err;

	(void)state;
	must_open();
	does("PRAGMA user_version = 1");
	assert_null(store_open_with(path, false, next, 2, &err));
	assert_int_equal(ask(path, "PRAGMA user_version"), 1);
	assert_int_equal(ask(path, "SELECT count(*) FROM other"), -1);
	does("PRAGMA user_version = 1");
}

/* Several processes bring the same store up to date: one of them does, and all go on. */
static void
test_steps_at_once(void **state)
{
	const char *const next[] = { "", "CREATE TABLE other(a); INSERT INTO other VALUES(1)" };
	int status;

	(void)state;
	must_open();
	does("PRAGMA user_version = 1");
	for (int i = 0; i < 6; i++)
		if (fork() == 0) {
			struct err err;
			struct store *s = store_open_with(path, false, next, 2, &err);

			if (s == NULL)
				fprintf(stderr, "%s\n", err.message);
			store_close(s);
			_exit(s == NULL);
		}
	for (int i = 0; i < 6; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(ask(path, "SELECT count(*) FROM other"), 1);
	assert_int_equal(ask(path, "PRAGMA user_version"), 2);
}

#ifdef CARREL_FAULT_POINTS
static const char *const trial_steps[] = { "", "CREATE TABLE other(a)" };

/* A program reads its faults once: this is another one. */
static int
trial(const char *store)
{
	struct err err;
	struct store *s = store_open_with(store, false, trial_steps, 2, &err);

	store_close(s);
	return s == NULL;
}

/* Killed before the commit: the store is of the old version, whole, and the next one does it again. */
static void
test_killed_step(void **state)
{
	struct err err;
	struct store *s;
	int status;
	pid_t pid;

	(void)state;
	must_open();
	does("INSERT INTO setting VALUES('a', 'b')");
	does("PRAGMA user_version = 1");
	if ((pid = fork()) == 0) {
		setenv("CARREL_FAULTS", "auth.before_migration_commit=kill", 1);
		execl("/proc/self/exe", "trial", path, (char *)NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(ask(path, "PRAGMA user_version"), 1);
	assert_int_equal(ask(path, "SELECT count(*) FROM other"), -1);
	assert_int_equal(ask(path, "SELECT count(*) FROM setting"), 1);
	assert_int_equal(ask(copy, "SELECT count(*) FROM setting"), 1);
	assert_non_null(s = store_open_with(path, false, trial_steps, 2, &err));
	store_close(s);
	assert_int_equal(ask(path, "PRAGMA user_version"), 2);
}
#endif

static void
test_refused(void **state)
{
	char log[96];
	int fd;

	(void)state;
	must_open();
	does("PRAGMA user_version = 1000");
	is_refused("newer Carrel");
	does("PRAGMA application_id = 5");
	is_refused("another program");
	assert_int_equal(truncate(path, 3000), 0);
	is_refused("damaged");
	assert_int_equal(truncate(path, 0), 0);
	snprintf(log, sizeof(log), "%s-wal", path);
	assert_true((fd = open(log, O_WRONLY | O_CREAT, 0600)) >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	is_refused("its log is not");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(truncate(log, 0), 0);
	is_refused("cannot be written");
}

/* What would be written to a file without a name would be lost when it is closed. */
static void
test_moved(void **state)
{
	static const char *const suffixes[] = { "", "-wal", "-shm" };
	struct err err;
	struct store *s = store_open(path, false, &err);

	(void)state;
	assert_non_null(s);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char name[96], away[112];
		int fd;

		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		snprintf(away, sizeof(away), "%s.away", name);
		assert_int_equal(store_begin(s, &err), 0);
		assert_int_equal(store_commit(s, &err), 0);
		assert_int_equal(rename(name, away), 0);
		assert_int_equal(store_begin(s, &err), -1);
		assert_int_equal(err.code, ERR_SERVICE_UNAVAILABLE);
		assert_non_null(strstr(err.message, "put them back"));
		assert_true((fd = open(name, O_CREAT | O_RDWR, 0600)) >= 0);
		close(fd);
		assert_int_equal(store_begin(s, &err), -1);
		assert_int_equal(rename(away, name), 0);
	}
	assert_int_equal(store_begin(s, &err), 0);
	assert_int_equal(store_commit(s, &err), 0);
	store_close(s);
}

#define LEFT_BYTES	(256 << 10)	/* written by each that is killed */

/* Writers that are killed one after the other: the log has what the last one left, and no more. */
static void
test_killed_writers(void **state)
{
	char log[96];
	struct stat st;

	(void)state;
	must_open();
	snprintf(log, sizeof(log), "%s-wal", path);
	for (int i = 0; i < 8; i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			struct err err;
			struct store *s = store_open(path, false, &err);
			char *text = calloc(1, LEFT_BYTES + 1), name[16];

			snprintf(name, sizeof(name), "left.%d", i);
			memset(text, 'x', LEFT_BYTES);
			_exit(s == NULL || store_begin(s, &err) != 0 ||
			    store_set_setting(s, name, span_of(text, LEFT_BYTES), &err) != 0 ||
			    store_commit(s, &err) != 0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	assert_int_equal(stat(log, &st), 0);
	assert_in_range(st.st_size, 1, 3 * LEFT_BYTES);
	assert_int_equal(ask(path, "SELECT count(*) FROM setting WHERE key LIKE 'left.%'"), 8);
}

/* --- a file system that is full or read-only -------------------------------------------------- */

#define ROOM	(3 << 20)

static bool read_only;

static off_t
size_of(const char *suffix)
{
	char name[96];
	struct stat st;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	return stat(name, &st) == 0 ? st.st_size : 0;
}

/* SQLite's own writes, to a file system of ROOM bytes. */
static ssize_t
written(int fd, const void *p, size_t n, off_t at)
{
	off_t more;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -1;
	more = at + (off_t)n - st.st_size;
	errno = read_only ? EROFS : ENOSPC;
	if (read_only || (more > 0 && size_of("") + size_of("-wal") + more > ROOM))
		return -1;
	return pwrite(fd, p, n, at);
}

static void
bound_room(bool on)
{
	static const char *const names[] = { "pwrite", "pwrite64" };
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);

	assert_non_null(vfs);
	read_only = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)vfs->xSetSystemCall(vfs, names[i], on ? (sqlite3_syscall_ptr)(void (*)(void))written : NULL);
}

static int
bounded_tear_down(void **state)
{
	bound_room(false);
	return tear_down(state);
}

/* One transaction of a quarter of a megabyte; the same rows each time. */
static int
write_rows(struct store *s, unsigned turn, struct err *err)
{
	static char text[60000];
	char key[16];
	int result = store_begin(s, err);

	if (result != 0)
		return result;
	memset(text, 'a' + (int)(turn % 26), sizeof(text));
	for (unsigned i = 0; result == 0 && i < 4; i++) {
		snprintf(key, sizeof(key), "row-%u", i);
		result = store_set_setting(s, key, span_of(text, sizeof(text)), err);
	}
	if (result == 0)
		return store_commit(s, err);
	store_rollback(s);
	return result;
}

static void
assert_rows(struct store *s, unsigned turn)
{
	for (unsigned i = 0; i < 4; i++) {
		struct buf value = BUF_MAX(1 << 17);
		char key[16];
		struct err err;

		snprintf(key, sizeof(key), "row-%u", i);
		assert_int_equal(store_setting(s, key, &value, &err), 1);
		assert_int_equal(value.p[0], 'a' + (int)(turn % 26));
		buf_fini(&value);
	}
}

/* The log alone fills it: what follows the refusal finds room. */
static void
test_full_of_log(void **state)
{
	struct store *s;
	unsigned refused = 0;
	struct err err;

	(void)state;
	s = store_open(path, false, &err);
	assert_non_null(s);
	assert_int_equal(write_rows(s, 0, &err), 0);
	store_close(s);
	s = store_open(path, false, &err);
	assert_non_null(s);
	bound_room(true);
	for (unsigned i = 0; i < 60; i++)
		if (write_rows(s, i, &err) != 0) {
			refused++;
			assert_int_equal(err.code, ERR_SERVICE_UNAVAILABLE);
			assert_non_null(strstr(err.message, "its file system is full"));
			if (write_rows(s, i, &err) != 0)
				fail_msg("once full, always full: %s", err.message);
		} else
			assert_rows(s, i);
	assert_true(refused > 0);
	assert_true(size_of("") + size_of("-wal") <= ROOM);
	store_close(s);
}

/* What cannot be written is refused, said in a sentence, and not there; then all goes on, with the same store. */
static void
test_read_only(void **state)
{
	struct store *s;
	struct err err;

	(void)state;
	must_open();
	s = store_open(path, false, &err);
	assert_non_null(s);
	bound_room(true);
	assert_int_equal(write_rows(s, 1, &err), 0);
	for (unsigned i = 0; i < 5; i++) {
		read_only = true;
		assert_int_equal(write_rows(s, 2 + i, &err), -1);
		assert_int_equal(err.code, ERR_SERVICE_UNAVAILABLE);
		assert_non_null(strstr(err.message, "must not be read-only"));
		assert_rows(s, 1);
	}
	read_only = false;
	assert_int_equal(write_rows(s, 9, &err), 0);
	assert_rows(s, 9);
	store_close(s);
	bound_room(false);
	assert_int_equal(ask(path, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_new, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_step, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_failed_step, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_steps_at_once, set_up, tear_down),
#ifdef CARREL_FAULT_POINTS
		cmocka_unit_test_setup_teardown(test_killed_step, set_up, tear_down),
#endif
		cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_moved, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_killed_writers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_full_of_log, set_up, bounded_tear_down),
		cmocka_unit_test_setup_teardown(test_read_only, set_up, bounded_tear_down),
	};

#ifdef CARREL_FAULT_POINTS
	if (argc == 2 && strcmp(argv[0], "trial") == 0)
		return trial(argv[1]);
#endif
	(void)argc, (void)argv;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

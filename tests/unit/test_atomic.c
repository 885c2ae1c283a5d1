// libs: carrel_project carrel_base
/* test_atomic.c - writing as a whole or not at all, and never through a link. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "project/format/atomic.h"
#include "project/format/files.h"

static char place[64];
static int dir = -1;

static int
setup(void **state)
{
	(void)state;
	snprintf(place, sizeof(place), "/tmp/carrel-atomic-XXXXXX");
	if (mkdtemp(place) == NULL)
		return -1;
	dir = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return dir >= 0 ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	close(dir);
	return atomic_remove(AT_FDCWD, place, NULL);
}

static void
assert_content(const char *path, const char *content)
{
	struct buf b = { 0 };

	assert_int_equal(files_read(dir, path, 1 << 20, &b, NULL), FILES_OK);
	assert_string_equal(buf_cstr(&b), content);
	buf_fini(&b);
}

static bool
exists(const char *path)
{
	return faccessat(dir, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static void
replaces(void **state)
{
	struct stat first, second;
	struct err err;

	(void)state;
	assert_int_equal(atomic_replace(dir, "a", SPAN("one"), &err), 0);
	assert_content("a", "one");
	assert_int_equal(fstatat(dir, "a", &first, 0), 0);
	assert_int_equal(atomic_replace(dir, "a", SPAN("two"), &err), 0);
	assert_content("a", "two");
	assert_int_equal(fstatat(dir, "a", &second, 0), 0);
	assert_true(first.st_ino != second.st_ino); /* whoever reads the old one reads all of it */
	assert_int_equal(atomic_replace(dir, "a", SPAN(""), &err), 0);
	assert_content("a", "");
}

static void
stages(void **state)
{
	struct atomic_stage a, b;
	struct err err;

	(void)state;
	assert_int_equal(atomic_stage(dir, "a", SPAN("new"), &a, &err), 0);
	assert_int_equal(atomic_stage(dir, "b", SPAN("new"), &b, &err), 0);
	assert_false(exists("a"));
	assert_int_equal(atomic_commit(&a, &err), 0);
	atomic_abandon(&a);
	atomic_abandon(&b);
	assert_content("a", "new");
	assert_false(exists("b"));
	assert_int_equal(atomic_sweep(dir, &err), 0);
	assert_content("a", "new");
}

static void
replaces_a_link_not_its_target(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(atomic_write_new(dir, "target", SPAN("mine"), &err), 0);
	assert_int_equal(symlinkat("target", dir, "link"), 0);
	assert_int_equal(atomic_replace(dir, "link", SPAN("other"), &err), 0);
	assert_content("target", "mine");
	assert_content("link", "other");
	assert_int_equal(atomic_write_new(dir, "target", SPAN("x"), &err), -1);
	assert_content("target", "mine");
}

static void
opens_directories(void **state)
{
	struct err err;
	int fd;

	(void)state;
	fd = atomic_open_dir(dir, "a/b/c", &err);
	assert_true(fd >= 0);
	close(fd);
	assert_true(exists("a/b/c"));
	fd = atomic_open_dir(dir, "a/b", &err);
	assert_true(fd >= 0);
	close(fd);
	static const char *const bad[] = { "", "/", "a/", "a//b", ".", "..", "a/../b", "/tmp" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(atomic_open_dir(dir, bad[i], &err), -1);
	assert_int_equal(symlinkat("a", dir, "l"), 0);
	assert_int_equal(atomic_open_dir(dir, "l/b", &err), -1);
	assert_non_null(strstr(err.message, "symbolic link"));
	assert_int_equal(atomic_open_dir(dir, "l", &err), -1);
	assert_int_equal(atomic_write_new(dir, "file", SPAN("x"), &err), 0);
	assert_int_equal(atomic_open_dir(dir, "file/x", &err), -1);
}

static void
publishes(void **state)
{
	char temp[ATOMIC_NAME_MAX + 1], other[ATOMIC_NAME_MAX + 1];
	struct err err;
	int to = atomic_open_dir(dir, "to", &err), fd;

	(void)state;
	fd = atomic_temp_dir(dir, temp, &err);
	assert_true(fd >= 0);
	assert_memory_equal(temp, ATOMIC_PREFIX, strlen(ATOMIC_PREFIX));
	assert_int_equal(atomic_write_new(fd, "f", SPAN("x"), &err), 0);
	assert_int_equal(atomic_sync_tree(fd, &err), 0);
	assert_int_equal(atomic_publish(dir, temp, to, "done", &err), 0);
	close(fd);
	assert_content("to/done/f", "x");
	assert_false(exists(temp));

	/* Nothing that is there is replaced, not even an empty directory. */
	assert_int_equal(mkdirat(to, "empty", 0755), 0);
	fd = atomic_temp_dir(dir, other, &err);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(atomic_publish(dir, other, to, "empty", &err), -1);
	assert_true(exists(other));
	close(to);
}

static void
links(void **state)
{
	struct stat one, two;
	struct err err;
	int from = atomic_open_dir(dir, "from", &err), to = atomic_open_dir(dir, "to", &err);

	(void)state;
	assert_int_equal(atomic_write_new(from, "f", SPAN("x"), &err), 0);
	assert_int_equal(atomic_link(from, to, "f", SPAN("x"), &err), 0);
	assert_int_equal(fstatat(from, "f", &one, 0), 0);
	assert_int_equal(fstatat(to, "f", &two, 0), 0);
	assert_int_equal(one.st_ino, two.st_ino);
	assert_int_equal(atomic_link(from, to, "g", SPAN("copied"), &err), 0); /* nothing to link to */
	assert_content("to/g", "copied");
	close(from);
	close(to);
}

static void
removes_trees_and_only_those(void **state)
{
	struct err err;
	int fd;

	(void)state;
	assert_int_equal(atomic_remove(dir, "nothing", &err), 0);
	fd = atomic_open_dir(dir, "keep", &err);
	assert_int_equal(atomic_write_new(fd, "f", SPAN("x"), &err), 0);
	close(fd);
	fd = atomic_open_dir(dir, ATOMIC_PREFIX "1-1/deep/deeper", &err);
	assert_int_equal(atomic_write_new(fd, "f", SPAN("x"), &err), 0);
	assert_int_equal(symlinkat("../../../keep", fd, "out"), 0);
	close(fd);
	assert_int_equal(symlinkat("keep", dir, ATOMIC_PREFIX "2-1"), 0);
	assert_int_equal(atomic_write_new(dir, ATOMIC_PREFIX "3-1", SPAN("x"), &err), 0);
	assert_int_equal(atomic_write_new(dir, ".carrel", SPAN("x"), &err), 0);
	assert_int_equal(atomic_sweep(dir, &err), 0);
	assert_false(exists(ATOMIC_PREFIX "1-1"));
	assert_false(exists(ATOMIC_PREFIX "2-1"));
	assert_false(exists(ATOMIC_PREFIX "3-1"));
	assert_content("keep/f", "x");
	assert_true(exists(".carrel"));
}

static void
says_what_is_wrong(void **state)
{
	static const struct {
		int error;
		const char *says;
	} cases[] = {
		{ ENOSPC, "disk is full" },
		{ EDQUOT, "disk is full" },
		{ EACCES, "not writable" },
		{ EROFS, "read-only" },
		{ ELOOP, "symbolic link" },
		{ EIO, "Input/output error" },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(atomic_fail(&err, "raw-sources", cases[i].error), -1);
		assert_int_equal(err.code, ERR_SERVICE_UNAVAILABLE);
		assert_non_null(strstr(err.message, cases[i].says));
		assert_non_null(strstr(err.message, "raw-sources"));
	}
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(replaces), TEST(stages), TEST(replaces_a_link_not_its_target), TEST(opens_directories),
		TEST(publishes), TEST(links), TEST(removes_trees_and_only_those), TEST(says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

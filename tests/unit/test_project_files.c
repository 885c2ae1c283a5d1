// libs: carrel_project carrel_base
/* test_project_files.c - reading below a directory: what is found, what is refused. */
#include "tests/unit/harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "project/format/files.h"

static char root_path[] = "/tmp/carrel-files-XXXXXX";
static int root = -1;

static void
write_file(const char *path, const char *text)
{
	int fd = openat(root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static int
set_up(void **state)
{
	(void)state;
	if (mkdtemp(root_path) == NULL || (root = open(root_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return -1;
	mkdirat(root, "d", 0700);
	mkdirat(root, "d/e", 0700);
	write_file("d/e/file.txt", "hello");
	write_file("d/a.md", "a");
	write_file("d/.hidden", "h");
	write_file("d/\xff.md", "odd");
	assert_int_equal(symlinkat("/etc/passwd", root, "d/out"), 0);
	assert_int_equal(symlinkat("e", root, "d/link"), 0);
	mkfifoat(root, "d/pipe", 0600);
	return 0;
}

static int
tear_down(void **state)
{
	static const char *const all[] = {
		"d/e/file.txt", "d/a.md", "d/.hidden", "d/\xff.md", "d/out", "d/link", "d/pipe"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		unlinkat(root, all[i], 0);
	unlinkat(root, "d/e", AT_REMOVEDIR);
	unlinkat(root, "d", AT_REMOVEDIR);
	close(root);
	return rmdir(root_path);
}

static void
reads_what_lies_inside(void **state)
{
	struct files_stamp stamp, again;
	struct buf b = { 0 };
	bool is_dir = true;

	(void)state;
	buf_str(&b, "before ");
	assert_int_equal(files_read(root, "d/e/file.txt", 5, &b, &stamp), FILES_OK);
	assert_buf(&b, "before hello");
	assert_int_equal(stamp.size, 5);
	assert_int_equal(files_stat(root, "d/e/file.txt", &again, &is_dir), FILES_OK);
	assert_true(files_stamp_is(&stamp, &again));
	assert_false(is_dir);
	buf_fini(&b);
}

static void
refuses_the_rest(void **state)
{
	static const struct {
		const char *path;
		enum files_fault fault;
	} rows[] = {
		{ "", FILES_BAD_PATH },
		{ "/etc/passwd", FILES_BAD_PATH },
		{ "../x", FILES_BAD_PATH },
		{ "d/../d/a.md", FILES_BAD_PATH },
		{ "d//a.md", FILES_BAD_PATH },
		{ "d/a.md/", FILES_BAD_PATH },
		{ "./d/a.md", FILES_BAD_PATH },
		{ "d/none", FILES_MISSING },
		{ "x/a.md", FILES_MISSING },
		{ "d/out", FILES_LINK },
		{ "d/link/file.txt", FILES_LINK },
		{ "d/pipe", FILES_NOT_REGULAR },
		{ "d/e", FILES_NOT_REGULAR },
		{ "d/a.md/x", FILES_NOT_REGULAR },
	};
	struct buf b = { 0 };

	(void)state;
	buf_str(&b, "kept");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum files_fault fault = files_read(root, rows[i].path, 100, &b, NULL);

		if (fault != rows[i].fault)
			fail_msg("%s: %s", rows[i].path, files_fault_text(fault));
		assert_buf(&b, "kept");
	}
	assert_int_equal(files_read(root, "d/e/file.txt", 4, &b, NULL), FILES_TOO_LARGE);
	assert_buf(&b, "kept");
	assert_false(b.full);
	buf_fini(&b);
}

static void
a_directory_is_opened_without_links(void **state)
{
	int fd = -1;

	(void)state;
	assert_int_equal(files_open_dir(root, "d/e", &fd), FILES_OK);
	close(fd);
	assert_int_equal(files_open_dir(root, ".", &fd), FILES_OK);
	close(fd);
	assert_int_equal(files_open_dir(root, "d/link", &fd), FILES_LINK);
	assert_int_equal(files_open_dir(root, "d/a.md", &fd), FILES_NOT_REGULAR);
	assert_int_equal(files_open_dir(root, "none", &fd), FILES_MISSING);
}

static void
a_listing_is_sorted_and_leaves_out_what_is_not_ours(void **state)
{
	struct arena *a = arena_new(1 << 20), *small = arena_new(16);
	struct files_list list;
	int fd;

	(void)state;
	assert_int_equal(files_open_dir(root, "d", &fd), FILES_OK);
	for (int twice = 0; twice < 2; twice++) {
		assert_int_equal(files_list(fd, a, &list), FILES_OK);
		assert_int_equal(list.n, 4);
		assert_string_equal(list.entries[0].name, "a.md");
		assert_string_equal(list.entries[1].name, "e");
		assert_true(list.entries[1].is_dir);
		assert_string_equal(list.entries[2].name, "link");
		assert_true(list.entries[2].is_link && list.entries[3].is_link);
	}
	assert_int_equal(files_list(fd, small, &list), FILES_TOO_LARGE);
	close(fd);
	arena_free(a);
	arena_free(small);
}

static void
ids_are_flat(void **state)
{
	static const char *const good[] = { "a", "A9", "0", "warehouse_2", "x-y" };
	static const char *const bad[] = { "", "-a", "_a", ".a", "a.b", "a/b", "..", "a b", "\xc3\xa9" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(files_is_id(span_str(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(files_is_id(span_str(bad[i])));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_lies_inside),
		cmocka_unit_test(refuses_the_rest),
		cmocka_unit_test(a_directory_is_opened_without_links),
		cmocka_unit_test(a_listing_is_sorted_and_leaves_out_what_is_not_ours),
		cmocka_unit_test(ids_are_flat),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

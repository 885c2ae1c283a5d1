// libs: carrel_memory carrel_project carrel_base
/* test_memory_sources.c - the memory worker reads a source file again when it is another one, and only then. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/harness.h"

#include "project/format/atomic.h"
#include "workers/memory/ingest/sources.h"

#define LONG_AGO	1000	/* seconds since 1970 */

static char root[64];
static int dir;
static struct sources *sources;

static int
set_up(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/carrel-sources-XXXXXX");
	assert_non_null(mkdtemp(root));
	dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir >= 0);
	sources = sources_new();
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	sources_free(sources);
	close(dir);
	return atomic_remove(AT_FDCWD, root, NULL);
}

/* In place; at: seconds of its time, 0: now. */
static void
put(const char *path, const char *text, time_t at)
{
	struct timespec times[2] = { { .tv_sec = at }, { .tv_sec = at } };
	int fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	if (at != 0)
		assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static struct span
warehouse(void)
{
	return SPAN("warehouse");
}

/* The table of a source now; "": there is no such source. */
static const char *
table_of(const char *name)
{
	const struct source *s = source_set_get(sources_read(sources, warehouse(), dir), span_str(name));

	return s == NULL ? "" : s->table;
}

#define ONE	"name: s\ntable: one\n"
#define TWO	"name: s\ntable: two\n"

static void
what_has_not_changed_is_not_read_again(void **state)
{
	(void)state;
	put("a.yaml", ONE, LONG_AGO);
	assert_string_equal(table_of("s"), "one");
	/* As long, of the same time and in place: nobody but the reader could know. */
	put("a.yaml", TWO, LONG_AGO);
	assert_string_equal(table_of("s"), "one");
	put("a.yaml", TWO, LONG_AGO + 1);
	assert_string_equal(table_of("s"), "two");
	put("a.yaml", "name: s\ntable: three\n", LONG_AGO + 1);
	assert_string_equal(table_of("s"), "three");
	put(".new", "name: s\ntable: other\n", LONG_AGO + 1);
	assert_int_equal(renameat(dir, ".new", dir, "a.yaml"), 0);
	assert_string_equal(table_of("s"), "other");
}

static void
the_time_of_a_fresh_file_does_not_count(void **state)
{
	time_t at = time(NULL) + 60; /* in the present for as long as this runs */

	(void)state;
	put("a.yaml", ONE, at);
	assert_string_equal(table_of("s"), "one");
	put("a.yaml", TWO, at);
	assert_string_equal(table_of("s"), "two");
}

static void
files_come_go_and_move(void **state)
{
	(void)state;
	put("a.yaml", ONE, LONG_AGO);
	put("plain.yml", "table: p\n", LONG_AGO);
	assert_int_equal(mkdirat(dir, "below", 0700), 0);
	put("below/deep.yaml", "name: deep\ntable: d\n", LONG_AGO);
	assert_string_equal(table_of("deep"), "d");
	assert_string_equal(table_of("plain"), "p");
	assert_string_equal(sources_file(sources, warehouse(), SPAN("s")), "a.yaml");
	assert_string_equal(sources_file(sources, warehouse(), SPAN("plain")), "plain.yml");
	assert_string_equal(sources_file(sources, warehouse(), SPAN("deep")), "below/deep.yaml");
	assert_null(sources_file(sources, warehouse(), SPAN("nothing")));
	assert_int_equal(renameat(dir, "a.yaml", dir, "below/b.yaml"), 0);
	assert_int_equal(unlinkat(dir, "plain.yml", 0), 0);
	assert_string_equal(table_of("plain"), "");
	assert_string_equal(table_of("s"), "one");
	assert_string_equal(sources_file(sources, warehouse(), SPAN("s")), "below/b.yaml");
	/* Another connection has its own. */
	assert_null(source_set_get(sources_read(sources, SPAN("other"), -1), SPAN("s")));
	assert_string_equal(table_of("s"), "one");
}

static void
half_a_file_keeps_the_version_before_it(void **state)
{
	(void)state;
	put("a.yaml", ONE, LONG_AGO);
	assert_string_equal(table_of("s"), "one");
	put("a.yaml", "name: s\ntable: [tw", LONG_AGO + 1);
	assert_string_equal(table_of("s"), "one");
	put("a.yaml", TWO, LONG_AGO + 2);
	assert_string_equal(table_of("s"), "two");
}

static void
what_was_tried_out_is_forgotten(void **state)
{
	struct source_set *set;

	(void)state;
	put("a.yaml", ONE, LONG_AGO);
	set = sources_read(sources, warehouse(), dir);
	assert_int_equal(source_set_put(set, "a.yaml", SPAN(TWO), NULL), 0);
	assert_int_equal(source_set_put(set, "b.yaml", SPAN("name: t\ntable: t\n"), NULL), 0);
	sources_forget(sources, warehouse(), "a.yaml");
	sources_forget(sources, warehouse(), "b.yaml");
	assert_string_equal(table_of("s"), "one");
	assert_string_equal(table_of("t"), "");
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_has_not_changed_is_not_read_again),
		TEST(the_time_of_a_fresh_file_does_not_count),
		TEST(files_come_go_and_move),
		TEST(half_a_file_keeps_the_version_before_it),
		TEST(what_was_tried_out_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

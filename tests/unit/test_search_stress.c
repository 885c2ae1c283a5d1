// libs: carrel_search carrel_project carrel_base
/*
 * test_search_stress.c - the index follows the files through storms: a hundred
 * thousand events, torn files, and inotify's limits, which a stand-in for two
 * of the kernel's calls exhausts.
 */
#include "tests/unit/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "project/format/atomic.h"
#include "workers/search/library/follow_parts.h"

#define PAGES	150
#define EVENTS	100000

static char project[64];
static struct library *l;
static bool no_watches, no_instances;

int
inotify_init1(int flags)
{
	if (no_instances) {
		errno = EMFILE;
		return -1;
	}
	return (int)syscall(SYS_inotify_init1, flags);
}

int
inotify_add_watch(int fd, const char *path, uint32_t mask)
{
	if (no_watches) {
		errno = ENOSPC;
		return -1;
	}
	return (int)syscall(SYS_inotify_add_watch, fd, path, mask);
}

static const char *
path_of(const char *inside)
{
	static char paths[2][512];
	static unsigned turn;

	turn = !turn;
	snprintf(paths[turn], sizeof(paths[turn]), "%s/%s", project, inside);
	return paths[turn];
}

static void
write_file(const char *inside, const char *text)
{
	int fd = open(path_of(inside), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void
step(void)
{
	const struct follow_budget before_call = { .items = 50, .ns = 5000000 };

	assert_true(follow_step(l, &before_call));
}

static void
settle(void)
{
	do
		step();
	while (follow_is_busy(l));
}

static void
open_project(void)
{
	struct buf list = { 0 };
	struct mp_value connections;
	struct err err = { 0 };
	size_t at;

	assert_int_equal(json_read(SPAN("[{\"id\":\"w\",\"driver\":\"postgres\"}]"), &list, &at), JSON_OK);
	assert_true(mp_value(buf_view(&list), &connections));
	l = library_new(span_str(project), SPAN(""), SPAN("carrel"), &connections, NULL, &err);
	assert_non_null(l);
	assert_int_equal(follow_open(l, &err), 0);
	buf_fini(&list);
	settle();
}

static int
set_up(void **state)
{
	static const char *const dirs[] = {
		"wiki", "wiki/global", "semantic-layer", "semantic-layer/w", "raw-sources", "raw-sources/w"
	};

	(void)state;
	no_watches = no_instances = false;
	snprintf(project, sizeof(project), "/tmp/carrel-stress-XXXXXX");
	assert_non_null(mkdtemp(project));
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		mkdir(path_of(dirs[i]), 0700);
	write_file("wiki/global/canary.md", "one\n");
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	library_free(l);
	return atomic_remove(AT_FDCWD, project, NULL);
}

/* What the index holds of a page; "none" when it holds none. */
static const char *
body_of(const char *key)
{
	static struct buf b;
	const struct page *page = pages_find(&l->pages, span_str(key));

	b.len = 0;
	buf_span(&b, page == NULL ? SPAN("none") : page->good->body);
	return buf_cstr(&b);
}

static void
collect(void *arg, const char *path, const char *reason)
{
	buf_printf(arg, "%s: %s\n", path, reason);
}

/* What `carrel status` says is wrong. */
static bool
status_says(const char *part)
{
	struct buf mp = { 0 }, json = { 0 };
	struct mp_value v;
	bool says;

	library_report(l, &mp);
	assert_true(mp_value(buf_view(&mp), &v));
	json_write(&json, &v);
	says = strstr(buf_cstr(&json), part) != NULL;
	buf_fini(&mp);
	buf_fini(&json);
	return says;
}

/* --- storms ------------------------------------------------------------------------ */

/* What stands in a page's file: its version, 0 none; torn: its file is half written. */
struct state {
	unsigned	version, good;
	bool		torn;
};

static void
change(struct state *pages, uint64_t *seed, unsigned i)
{
	char name[64], other[64], text[80];
	unsigned k = (unsigned)(test_random(seed) % PAGES), m = (unsigned)(test_random(seed) % PAGES);

	snprintf(name, sizeof(name), "wiki/global/p%u.md", k);
	snprintf(other, sizeof(other), "wiki/global/p%u.md", m);
	switch (test_random(seed) % 8) {
	case 0:
		if (unlink(path_of(name)) == 0)
			pages[k] = (struct state){ 0 };
		break;
	case 1:
		if (k != m && pages[k].version > 0 && !pages[k].torn && rename(path_of(name), path_of(other)) == 0) {
			pages[m] = pages[k];
			pages[k] = (struct state){ 0 };
		}
		break;
	default:
		snprintf(text, sizeof(text), "version %u\n", i + 1);
		write_file(name, text);
		pages[k] = (struct state){ .version = i + 1, .good = i + 1 };
		break;
	}
}

static void
assert_all(const struct state *pages)
{
	char key[32], body[64];

	for (unsigned k = 0; k < PAGES; k++) {
		snprintf(key, sizeof(key), "p%u", k);
		snprintf(body, sizeof(body), pages[k].version == 0 ? "none" : "version %u", pages[k].version);
		assert_string_equal(body_of(key), body);
	}
}

/* More events than the kernel keeps, all at once, then some between steps. */
static void
a_hundred_thousand_events(void **state)
{
	static struct state pages[PAGES];
	uint64_t seed = 11;

	(void)state;
	memset(pages, 0, sizeof(pages));
	open_project();
	for (unsigned i = 0; i < EVENTS; i++)
		change(pages, &seed, i);
	settle();
	assert_all(pages);
	for (unsigned i = EVENTS; i < EVENTS + 3000; i++) {
		change(pages, &seed, i);
		if (i % 40 == 0) {
			write_file("wiki/global/canary.md", i % 80 == 0 ? "two\n" : "one\n");
			step();
			/* Fewer than fifty changes: all of it is there. */
			assert_string_equal(body_of("canary"), i % 80 == 0 ? "two" : "one");
			assert_all(pages);
		}
	}
	assert_false(status_says("noticed once a second"));
}

/* Whoever stops in the middle of a file leaves the version before it in force, by name in the status. */
static void
torn_files_in_a_storm(void **state)
{
	static const char *const torn[] = { "", "---\nsummary: half", "---\nsummary: [\n---\nx\n", "bad \xc3 text\n" };
	char name[64], text[64];

	(void)state;
	open_project();
	for (unsigned k = 0; k < 40; k++) {
		snprintf(name, sizeof(name), "wiki/global/t%u.md", k);
		snprintf(text, sizeof(text), "good %u\n", k);
		write_file(name, text);
	}
	settle();
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "wiki/global/t%u.md", i % 40);
		write_file(name, torn[i % 4]);
		if (i % 37 == 0)
			step();
	}
	settle();
	for (unsigned k = 0; k < 40; k++) {
		struct buf troubles = { 0 };

		snprintf(name, sizeof(name), "t%u", k);
		snprintf(text, sizeof(text), "good %u", k);
		assert_string_equal(body_of(name), text);
		snprintf(name, sizeof(name), "wiki/global/t%u.md: ", k);
		library_troubles(l, NULL, collect, &troubles);
		assert_non_null(strstr(buf_cstr(&troubles), name));
		buf_fini(&troubles);
	}
	assert_true(status_says("\"problemCount\":40"));
}

/* A directory with everything in it is moved away and another put in its place, again and again. */
static void
directories_change_places(void **state)
{
	(void)state;
	open_project();
	for (unsigned i = 0; i < 200; i++) {
		char text[64];

		assert_int_equal(rename(path_of("wiki/global"), path_of("wiki/old")), 0);
		mkdir(path_of("wiki/global"), 0700);
		snprintf(text, sizeof(text), "number %u\n", i);
		write_file("wiki/global/canary.md", text);
		assert_int_equal(atomic_remove(AT_FDCWD, path_of("wiki/old"), NULL), 0);
		if (i % 3 == 0)
			step();
	}
	settle();
	assert_string_equal(body_of("canary"), "number 199");
	write_file("wiki/global/canary.md", "last\n");
	step();
	assert_string_equal(body_of("canary"), "last");
}

/* --- limits -------------------------------------------------------------------------- */

static void
after_a_second(void)
{
	l->follow->checked_ns = 0;
	settle();
}

static void
after_a_minute(void)
{
	l->follow->swept_ns = 0;
	settle();
}

static void
without_watches_files_are_compared(void **state)
{
	(void)state;
	no_watches = true;
	open_project();
	assert_true(status_says("the limit of inotify watches is reached"));
	write_file("wiki/global/new.md", "beta\n");
	after_a_second();
	assert_string_equal(body_of("new"), "beta");
	write_file("wiki/global/new.md", "gamma\n");
	after_a_minute();
	assert_string_equal(body_of("new"), "gamma");
	assert_true(status_says("the limit of inotify watches is reached"));
	/* Others gave theirs back. */
	no_watches = false;
	after_a_minute();
	assert_false(status_says("inotify"));
	write_file("wiki/global/new.md", "delta\n");
	write_file("semantic-layer/w/s.yaml", "name: s\ntable: t\n");
	step();
	assert_string_equal(body_of("new"), "delta");
	assert_non_null(source_set_get(l->connections[0].models.set, SPAN("s")));
}

static void
without_inotify_files_are_compared(void **state)
{
	(void)state;
	no_instances = true;
	open_project();
	assert_true(status_says("the limit of inotify instances is reached"));
	write_file("wiki/global/new.md", "beta\n");
	after_a_second();
	assert_string_equal(body_of("new"), "beta");
	assert_int_equal(unlink(path_of("wiki/global/new.md")), 0);
	after_a_second();
	assert_string_equal(body_of("new"), "none");
}

/* Another file of the same size and time is another file. */
static void
a_file_is_known_by_more_than_its_time(void **state)
{
	struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };

	(void)state;
	no_watches = true;
	assert_int_equal(utimensat(AT_FDCWD, path_of("wiki/global/canary.md"), times, 0), 0);
	open_project();
	assert_string_equal(body_of("canary"), "one");
	write_file("wiki/global/.other", "two\n");
	assert_int_equal(utimensat(AT_FDCWD, path_of("wiki/global/.other"), times, 0), 0);
	assert_int_equal(rename(path_of("wiki/global/.other"), path_of("wiki/global/canary.md")), 0);
	after_a_minute();
	assert_string_equal(body_of("canary"), "two");
}

/* Its directory tells, which is looked at once a second. */
static void
a_page_that_is_replaced_unseen(void **state)
{
	struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };

	(void)state;
	no_watches = true;
	write_file("wiki/global/.other", "two\n");
	assert_int_equal(utimensat(AT_FDCWD, path_of("wiki/global"), times, 0), 0);
	open_project();
	assert_string_equal(body_of("canary"), "one");
	assert_int_equal(rename(path_of("wiki/global/.other"), path_of("wiki/global/canary.md")), 0);
	after_a_second();
	assert_string_equal(body_of("canary"), "two");
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_hundred_thousand_events),
		TEST(torn_files_in_a_storm),
		TEST(directories_change_places),
		TEST(without_watches_files_are_compared),
		TEST(without_inotify_files_are_compared),
		TEST(a_file_is_known_by_more_than_its_time),
		TEST(a_page_that_is_replaced_unseen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// libs: carrel_search carrel_project carrel_base
/*
 * test_search_sweep.c - without a single event from the kernel: what the
 * comparisons once a second and once a minute find.
 */
#include "tests/unit/harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json/json_read.h"
#include "project/format/atomic.h"
#include "workers/search/library/follow_parts.h"

#define LIVE	"raw-sources/w/live-database/2026-01-01-000000-a"

static char project[64];
static struct library *l;

static const char *
path_of(const char *inside)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", project, inside);
	return path;
}

static void
write_file(const char *inside, const char *text)
{
	int fd = open(path_of(inside), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* Work until nothing is left, the last look at the files being long ago. */
static bool
follow(bool second, bool minute)
{
	const struct follow_budget budget = { .items = 10, .ns = 1000000 };
	bool ours = true;

	if (second)
		l->follow->checked_ns = 0;
	if (minute)
		l->follow->swept_ns = 0;
	do
		ours = follow_step(l, &budget) && ours;
	while (follow_is_busy(l));
	return ours;
}

static int
set_up(void **state)
{
	static const char *const dirs[] = {
		"wiki", "wiki/global", "semantic-layer", "semantic-layer/w", "raw-sources", "raw-sources/w",
		"raw-sources/w/live-database", LIVE, LIVE "/tables"
	};
	struct buf list = { 0 };
	struct mp_value connections;
	struct err err = { 0 };
	size_t at;

	(void)state;
	snprintf(project, sizeof(project), "/tmp/carrel-sweep-XXXXXX");
	assert_non_null(mkdtemp(project));
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		mkdir(path_of(dirs[i]), 0700);
	write_file("wiki/global/a.md", "alpha\n");
	write_file("semantic-layer/w/s.yaml", "name: s\ntable: t1\n");
	write_file(LIVE "/tables/t.json", "{\"name\":\"t\",\"columns\":[{\"name\":\"one\"}]}");
	write_file(LIVE "/scan-report.json", "{}");
	assert_int_equal(json_read(SPAN("[{\"id\":\"w\",\"driver\":\"postgres\"}]"), &list, &at), JSON_OK);
	assert_true(mp_value(buf_view(&list), &connections));
	l = library_new(span_str(project), SPAN(""), SPAN("carrel"), &connections, NULL, &err);
	assert_non_null(l);
	assert_int_equal(follow_open(l, &err), 0);
	buf_fini(&list);
	follow(false, false);
	/* From here on the kernel says nothing. */
	close(l->follow->inotify);
	l->follow->inotify = -1;
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	library_free(l);
	return atomic_remove(AT_FDCWD, project, NULL);
}

static const char *
body_of(const char *key)
{
	static struct buf b;
	const struct page *page = pages_find(&l->pages, span_str(key));

	b.len = 0;
	if (page != NULL)
		buf_span(&b, page->good->body);
	return page == NULL ? "none" : buf_cstr(&b);
}

static const char *
table_of(const char *source)
{
	const struct source *s = source_set_get(l->connections[0].models.set, span_str(source));

	return s == NULL ? "none" : s->table;
}

static bool
has_column(const char *name)
{
	const struct schema *s = l->connections[0].scans.schema;

	return s != NULL && s->ncolumns == 1 && span_is_str(schema_span(s, s->columns[0].name), name);
}

static void
what_comes_and_goes_is_seen_within_a_second(void **state)
{
	(void)state;
	write_file("wiki/global/b.md", "beta\n");
	write_file("semantic-layer/w/t.yaml", "name: t\ntable: t2\n");
	assert_true(follow(false, false));
	assert_string_equal(body_of("b"), "none");
	assert_true(follow(true, false));
	assert_string_equal(body_of("b"), "beta");
	assert_string_equal(table_of("t"), "t2");
	assert_int_equal(unlink(path_of("wiki/global/a.md")), 0);
	assert_int_equal(unlink(path_of("semantic-layer/w/s.yaml")), 0);
	assert_true(follow(true, false));
	assert_string_equal(body_of("a"), "none");
	assert_string_equal(table_of("s"), "none");
	/* Another scan, and another profile. */
	write_file(LIVE "/scan-report.json", "{\"runId\":\"again\"}");
	assert_true(follow(true, false));
	assert_string_equal(l->connections[0].scans.schema->run_id, "again");
	mkdir(path_of(LIVE "/enrichment"), 0700);
	write_file(LIVE "/enrichment/relationship-profile.json", "{}");
	assert_null(l->connections[0].scans.dict);
	assert_true(follow(true, false));
	assert_non_null(l->connections[0].scans.dict);
}

static void
what_is_rewritten_in_place_is_seen_within_a_minute(void **state)
{
	(void)state;
	write_file("wiki/global/a.md", "gamma\n");
	write_file("semantic-layer/w/s.yaml", "name: s\ntable: t9\n");
	write_file(LIVE "/tables/t.json", "{\"name\":\"t\",\"columns\":[{\"name\":\"two\"}]}");
	assert_true(follow(true, false));
	assert_string_equal(body_of("a"), "alpha");
	assert_true(has_column("one"));
	assert_true(follow(false, true));
	assert_string_equal(body_of("a"), "gamma");
	assert_string_equal(table_of("s"), "t9");
	assert_true(has_column("two"));
}

static void
lost_events_have_all_files_compared(void **state)
{
	(void)state;
	write_file("wiki/global/a.md", "delta\n");
	write_file(LIVE "/tables/t.json", "{\"name\":\"t\",\"columns\":[{\"name\":\"six\"}]}");
	l->follow->overflow = true;
	assert_true(follow(false, false));
	assert_string_equal(body_of("a"), "delta");
	assert_true(has_column("six"));
}

static void
a_place_that_went_or_was_replaced_is_not_ours(void **state)
{
	char old[600];

	(void)state;
	assert_true(follow(true, true));
	snprintf(old, sizeof(old), "%s", path_of("old"));
	assert_int_equal(rename(path_of("semantic-layer"), old), 0);
	assert_false(follow(true, false));
	mkdir(path_of("semantic-layer"), 0700);
	assert_false(follow(true, false));
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_comes_and_goes_is_seen_within_a_second),
		TEST(what_is_rewritten_in_place_is_seen_within_a_minute),
		TEST(lost_events_have_all_files_compared),
		TEST(a_place_that_went_or_was_replaced_is_not_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// libs: carrel_test_support carrel_project carrel_ipc carrel_base
/* test_search_news.c - the worker says by itself which resources changed, once per change, and when too many did. */
#include "tests/unit/search_rig.h"

#include "base/system/clock.h"
#include "project/format/atomic.h"

#define LIVE	"raw-sources/w/live-database"
#define ONE	"[{\"id\":\"w\",\"driver\":\"postgres\",\"name\":\"w\",\"schemas\":[]}]"

static const char *wanted;

static bool
is_told(struct driver *d, void *arg)
{
	uint64_t digest;
	unsigned n;

	(void)arg;
	return strstr(driver_changes(d, &n, &digest), wanted) != NULL;
}

static bool
is_greeted(struct driver *d, void *arg)
{
	uint64_t digest;
	unsigned n;

	(void)arg;
	(void)driver_changes(d, &n, &digest);
	return n > 0;
}

/* Wait until a message holds line; returns all that was told, which is then forgotten. */
static const char *
told(const char *line)
{
	static char all[65536];
	uint64_t digest;
	unsigned n;

	wanted = line;
	if (!driver_until(driver, is_told, NULL))
		fail_msg("%s was not told, but\n%s", line, driver_changes(driver, &n, &digest));
	snprintf(all, sizeof(all), "%s", driver_changes(driver, &n, &digest));
	driver_forget_changes(driver);
	return all;
}

static uint64_t
greeting(void)
{
	uint64_t digest;
	unsigned n;

	assert_true(driver_until(driver, is_greeted, NULL));
	assert_string_equal(driver_changes(driver, &n, &digest), "0 []\n");
	assert_true(digest != 0);
	driver_forget_changes(driver);
	return digest;
}

static int
set_up(void **state)
{
	(void)state;
	rig_make_project();
	rig_mkdir("wiki/global");
	rig_mkdir("wiki/user/local");
	rig_mkdir("semantic-layer/w");
	rig_mkdir(LIVE);
	rig_write("wiki/global/one.md", "---\nsummary: the first\n---\nalpha beta\n");
	rig_write("semantic-layer/w/orders.yaml",
	    "name: orders\ntable: orders\nmeasures: [{name: total, expr: sum(a)}]\n");
	rig_start(rig_project, ONE);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	rig_stop();
	return atomic_remove(AT_FDCWD, rig_project, NULL);
}

static void
what_was_there_at_the_start_is_no_news(void **state)
{
	(void)state;
	greeting();
}

static void
pages_are_told_without_being_asked(void **state)
{
	uint64_t before = greeting(), after;
	unsigned n;

	(void)state;
	rig_write("wiki/global/one.md", "gamma\n");
	assert_lacks(told("0 [\"carrel://wiki/one\"]\n"), "everything");
	rig_write("wiki/global/two.md", "delta\n");
	told("2 [\"carrel://wiki/two\"]\n");
	(void)driver_changes(driver, &n, &after);
	assert_true(after != before);
	unlink(rig_path("wiki/global/two.md"));
	told("2 [\"carrel://wiki/two\"]\n");
}

/* A version that cannot be used leaves the one before it in place: nothing that can be read has changed. */
static void
half_a_page_is_no_news(void **state)
{
	(void)state;
	greeting();
	rig_write("wiki/global/one.md", "---\nsummary: [\n");
	rig_write("wiki/global/two.md", "delta\n");
	assert_lacks(told("2 [\"carrel://wiki/two\"]\n"), "wiki/one");
}

/* The user's own page stands before the global one, whose changes nobody can see then. */
static void
a_hidden_page_is_no_news(void **state)
{
	(void)state;
	greeting();
	rig_write("wiki/user/local/one.md", "my own\n");
	told("0 [\"carrel://wiki/one\"]\n");
	rig_write("wiki/global/one.md", "gamma\n");
	rig_write("wiki/global/two.md", "delta\n");
	assert_lacks(told("\"carrel://wiki/two\""), "wiki/one");
	unlink(rig_path("wiki/user/local/one.md"));
	told("0 [\"carrel://wiki/one\"]\n");
}

static void
sources_are_told(void **state)
{
	const char *all;

	(void)state;
	greeting();
	rig_write("semantic-layer/w/orders.yaml", "name: orders\ntable: orders_2\n");
	all = told("0 [\"carrel://semantic-layer/w/orders\",\"carrel://ontologies/");
	assert_holds(all, "/datasets/orders\"");
	assert_holds(all, "\"carrel://ontologies\"]");
	rig_write("semantic-layer/w/more.yaml", "name: größe\ntable: t\n");
	told("2 [\"carrel://semantic-layer/w/gr%C3%B6%C3%9Fe\",\"carrel://ontologies/");
	rig_write("semantic-layer/w/more.yaml", "name: other\ntable: t\n");
	told("carrel://semantic-layer/w/other");
}

static void
a_scan_is_told_table_by_table(void **state)
{
	const char *all;

	(void)state;
	greeting();
	rig_mkdir(LIVE "/2026-01-01-000000-local-a/tables");
	rig_write(LIVE "/2026-01-01-000000-local-a/tables/a.json",
	    "{\"catalog\":null,\"db\":\"public\",\"name\":\"sales\",\"kind\":\"table\",\"columns\":[]}");
	rig_write(LIVE "/2026-01-01-000000-local-a/scan-report.json",
	    "{\"connectionId\":\"w\",\"driver\":\"postgres\",\"syncId\":\"2026-01-01-000000-local-a\",\"mode\":"
	    "\"structural\"}");
	all = told("carrel://schema/w/public.sales");
	assert_holds(all, "2 [");
}

static uint64_t
greeting_after_restart(void)
{
	rig_stop();
	rig_start(rig_project, ONE);
	return greeting();
}

/* By its digest a front knows whether the worker that took another's place has read the same. */
static void
another_worker_has_the_same_digest_over_the_same_files(void **state)
{
	uint64_t digest = greeting(), last;

	(void)state;
	assert_true(greeting_after_restart() == digest);
	rig_write("wiki/global/one.md", "other text\n");
	assert_true((last = greeting_after_restart()) != digest);
	rig_write("semantic-layer/w/orders.yaml", "name: orders\ntable: other\n");
	assert_true((digest = greeting_after_restart()) != last);
	assert_int_equal(rename(rig_path("semantic-layer/w/orders.yaml"), rig_path("semantic-layer/w/renamed.yaml")),
	    0);
	assert_true((last = greeting_after_restart()) != digest);
	unlink(rig_path("wiki/global/one.md"));
	assert_true(greeting_after_restart() != last);
}

#define MANY	600

static bool
are_all_told(struct driver *d, void *arg)
{
	bool told[MANY] = { false };
	uint64_t digest;
	unsigned n, named = 0;
	const char *at = driver_changes(d, &n, &digest);

	(void)arg;
	if (strstr(at, "2 everything []") != NULL)
		return true;
	/* One that was seen before it was whole is named twice. */
	while ((at = strstr(at, "wiki/page-")) != NULL) {
		unsigned long page = strtoul(at += strlen("wiki/page-"), NULL, 10);

		named += page < MANY && !told[page];
		if (page < MANY)
			told[page] = true;
	}
	return named == MANY;
}

/* Hundreds of files at once: ten messages a second at most, and what is not named is covered by "everything". */
static void
many_changes_are_few_messages(void **state)
{
	uint64_t digest, begun = clock_ns();
	char name[64];
	unsigned n;

	(void)state;
	greeting();
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "wiki/global/page-%d.md", i);
		rig_write(name, "text\n");
	}
	if (!driver_until(driver, are_all_told, NULL))
		fail_msg("%s", driver_changes(driver, &n, &digest));
	(void)driver_changes(driver, &n, &digest);
	assert_true(n <= (clock_ns() - begun) / (100 * CLOCK_MS) + 2);
}

int
main(void)
{
#define PROJECT(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		PROJECT(what_was_there_at_the_start_is_no_news),
		PROJECT(pages_are_told_without_being_asked),
		PROJECT(half_a_page_is_no_news),
		PROJECT(a_hidden_page_is_no_news),
		PROJECT(sources_are_told),
		PROJECT(a_scan_is_told_table_by_table),
		PROJECT(another_worker_has_the_same_digest_over_the_same_files),
		PROJECT(many_changes_are_few_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// libs: carrel_test_support carrel_project carrel_ipc carrel_base
/* test_search_live.c - entity_details says whether the database is still as scanned, and asks it seldom. */
#include <time.h>

#include "project/format/atomic.h"
#include "tests/unit/search_rig.h"

#define LIVE	"raw-sources/w/live-database/"
#define CONN	"[{\"id\":\"w\",\"driver\":\"postgres\",\"name\":\"w\",\"schemas\":[]}]"
#define ASK	"{\"connectionId\":\"w\",\"entities\":[{\"table\":\"public.t\"}]}"

static struct {
	unsigned	 asked;
	uint64_t	 id;
	const char	*answer;	/* NULL: none; "": it fails */
} database;

static void
on_subcall(struct driver *d, void *arg, uint64_t id, const char *tool, const char *connection, const char *args)
{
	char head[128];

	(void)arg, (void)args;
	assert_string_equal(tool, "fingerprint");
	assert_string_equal(connection, "w");
	database.asked++;
	database.id = id;
	if (database.answer == NULL)
		return;
	if (database.answer[0] == '\0') {
		driver_sub_fail(d, id, ERR_DATABASE_UNAVAILABLE, "gone");
		return;
	}
	snprintf(head, sizeof(head), "{\"fingerprint\":\"%s\"}", database.answer);
	driver_sub_result(d, id, head);
}

static void
write_scan(const char *sync, const char *fingerprint)
{
	char path[256], text[512];

	snprintf(path, sizeof(path), LIVE "%s/tables", sync);
	rig_mkdir(path);
	snprintf(path, sizeof(path), LIVE "%s/tables/t.json", sync);
	rig_write(path,
	    "{\"catalog\":null,\"db\":\"public\",\"name\":\"t\",\"kind\":\"table\",\"columns\":[{\"name\":\"a\"}]}");
	snprintf(path, sizeof(path), LIVE "%s/connection.json", sync);
	snprintf(text, sizeof(text),
	    "{\"connectionId\":\"w\",\"driver\":\"postgres\",\"extractedAt\":\"2026-01-01T00:00:00.000Z\","
	    "\"metadata\":{%s%s%s}}",
	    fingerprint != NULL ? "\"schema_fingerprint\":\"" : "", fingerprint != NULL ? fingerprint : "",
	    fingerprint != NULL ? "\"" : "");
	rig_write(path, text);
	snprintf(path, sizeof(path), LIVE "%s/scan-report.json", sync);
	snprintf(text, sizeof(text), "{\"connectionId\":\"w\",\"driver\":\"postgres\",\"syncId\":\"%s\"}", sync);
	rig_write(path, text);
}

static int
setup(void **state)
{
	(void)state;
	memset(&database, 0, sizeof(database));
	rig_make_project();
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rig_stop();
	return atomic_remove(AT_FDCWD, rig_project, NULL);
}

static void
begin(const char *fingerprint, const char *answer)
{
	write_scan("2026-01-01-000000-local-a", fingerprint);
	rig_start(rig_project, CONN);
	driver_state(driver, "w", 1, "");
	driver_set_subcall(driver, on_subcall, NULL);
	database.answer = answer;
}

static void
the_same_structure_is_not_stale(void **state)
{
	(void)state;
	begin("1-aa", "1-aa");
	for (int i = 0; i < 5; i++)
		assert_holds(rig_call("entity_details", ASK), "\"stale\":false");
	assert_int_equal(database.asked, 1);
}

static void
another_structure_is_stale(void **state)
{
	(void)state;
	begin("1-aa", "1-ab");
	assert_holds(rig_call("entity_details", ASK), "\"stale\":true");
	assert_holds(rig_call("entity_details", ASK), "\"stale\":true");
	assert_int_equal(database.asked, 1);
}

static bool
is_told(struct driver *d, void *arg)
{
	uint64_t digest;
	unsigned n;

	return strstr(driver_changes(d, &n, &digest), arg) != NULL;
}

/* Whoever follows the table as a resource hears of it. */
static void
that_it_is_stale_is_told(void **state)
{
	char line[] = "0 [\"carrel://schema/w/public.t\"]\n";

	(void)state;
	begin("1-aa", "1-ab");
	assert_holds(rig_call("entity_details", ASK), "\"stale\":true");
	assert_true(driver_until(driver, is_told, line));
	assert_holds(rig_call("resource_read", "{\"uri\":\"carrel://schema/w/public.t\"}"), "\\\"stale\\\":true");
}

/* After a new scan what was said before says nothing. */
static void
a_new_scan_is_compared_at_once(void **state)
{
	(void)state;
	begin("1-aa", "1-bb");
	assert_holds(rig_call("entity_details", ASK), "\"stale\":true");
	write_scan("2026-01-02-000000-local-b", "1-bb");
	for (int i = 0; i < 100 && strstr(rig_call("entity_details", ASK), "local-b") == NULL; i++)
		nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
	assert_holds(rig_call("entity_details", ASK), "\"stale\":false");
	assert_int_equal(database.asked, 2);
}

static void
what_cannot_be_compared_is_not_known(void **state)
{
	static const struct {
		const char *scanned, *answer;
		unsigned asked;
	} cases[] = {
		{ NULL, "1-aa", 0 },   /* ktx's own scan */
		{ "2-aa", "1-aa", 1 }, /* made by another version */
		{ "1-aa", "", 1 },     /* the database is gone: asked again in a minute, not before */
		{ "1-aa", "much too long to be a fingerprint, so it is none whatever it says", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (i > 0) {
			teardown(state);
			setup(state);
		}
		begin(cases[i].scanned, cases[i].answer);
		assert_holds(rig_call("entity_details", ASK), "\"stale\":null");
		assert_holds(rig_call("entity_details", ASK), "\"stale\":null");
		assert_int_equal(database.asked, cases[i].asked);
	}
}

static void
a_connection_that_is_not_ready_is_not_asked(void **state)
{
	(void)state;
	begin("1-aa", "1-bb");
	driver_state(driver, "w", 3, "the server is away");
	assert_holds(rig_call("entity_details", ASK), "\"stale\":null");
	assert_int_equal(database.asked, 0);
	driver_state(driver, "w", 1, "");
	assert_holds(rig_call("entity_details", ASK), "\"stale\":true");
}

/* A slow database keeps one call waiting, for a moment, and no other one. */
static void
a_slow_database_keeps_nobody_long(void **state)
{
	uint64_t id;

	(void)state;
	begin("1-aa", NULL);
	id = driver_start(driver, "entity_details", "", ASK);
	while (database.asked == 0)
		driver_pump(driver, 100);
	assert_holds(rig_call("entity_details", ASK), "\"stale\":null");
	assert_holds(rig_call("connection_list", "{}"), "\"connections\"");
	assert_int_equal(driver_peek(driver, id)->kind, DRIVER_OPEN);
	assert_int_equal(driver_wait(driver, id)->kind, DRIVER_RESULT);
	assert_holds(driver_wait(driver, id)->result, "\"stale\":null");
	assert_int_equal(database.asked, 1);
	driver_sub_fail(driver, database.id, ERR_QUERY_CANCELLED, "cancelled");
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_same_structure_is_not_stale), TEST(another_structure_is_stale), TEST(that_it_is_stale_is_told),
		TEST(a_new_scan_is_compared_at_once),
		TEST(what_cannot_be_compared_is_not_known), TEST(a_connection_that_is_not_ready_is_not_asked),
		TEST(a_slow_database_keeps_nobody_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

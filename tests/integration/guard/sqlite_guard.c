/* sqlite_guard.c - everything honest passes on SQLite, everything hostile is refused, and the file stays as it is. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "tests/integration/guard/guard_statements.h"
#include "tests/integration/sql/sql_harness.h"

static char directory[] = "/tmp/carrel-guard-XXXXXX";
static char path[64];

static void
build(const char *sql, void *arg)
{
	char *why = NULL;

	if (sqlite3_exec(arg, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%.200s: %s", sql, why);
}

static int
set_up(void **state)
{
	sqlite3 *db;

	(void)state;
	if (mkdtemp(directory) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/guard.db", directory);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		return -1;
	assert_true(statements_each("", "schema.sqlite", build, db) > 5);
	return sqlite3_close(db) == SQLITE_OK ? 0 : -1;
}

static int
tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(directory);
}

static void
read_whole(struct buf *out)
{
	FILE *f = fopen(path, "r");
	char part[4096];
	size_t n;

	assert_non_null(f);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_append(out, part, n);
	fclose(f);
}

struct tally {
	struct driver	*d;
	unsigned	 wrong;
};

static void
expect_allowed(const char *sql, void *arg)
{
	struct tally *t = arg;
	const struct driver_answer *a = sql_run(t->d, sql, 100);

	if (a->kind == DRIVER_RESULT)
		return;
	print_error("refused: %.400s\n  %s: %s\n", sql, a->code, a->message);
	t->wrong++;
}

static void
expect_refused(const char *sql, void *arg)
{
	struct tally *t = arg;
	const struct driver_answer *a = sql_run(t->d, sql, 100);

	if (a->kind == DRIVER_FAIL && strcmp(a->code, "internal_error") != 0)
		return;
	print_error("let through: %.400s\n  %s\n", sql, a->kind == DRIVER_FAIL ? a->message : a->result);
	t->wrong++;
}

static void
run_all(const char *folder, void (*expect)(const char *, void *), size_t at_least)
{
	struct tally t = { .d =
			       sql_start(&(struct sql_setup){ .driver = "sqlite", .path = path, .timeout_ms = 1500 }) };
	struct buf before = { 0 }, after = { 0 };
	size_t n;

	read_whole(&before);
	n = statements_each(folder, "sqlite", expect, &t);
	assert_true(n >= at_least);
	sql_expect(t.d, "SELECT count(*) FROM orders", "[[60]]");
	sql_stop(t.d);
	read_whole(&after);
	assert_true(span_is(buf_view(&before), buf_view(&after)));
	buf_fini(&before);
	buf_fini(&after);
	if (t.wrong > 0)
		fail_msg("%u of %zu statements", t.wrong, n);
}

static void
honest_analytics_pass(void **state)
{
	(void)state;
	run_all("honest", expect_allowed, 500);
}

static void
hostile_statements_are_refused(void **state)
{
	(void)state;
	run_all("hostile", expect_refused, 60);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(honest_analytics_pass),
		cmocka_unit_test(hostile_statements_are_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

/*
 * postgres_alone.c - carrel-sql-postgres: statements that can leave nothing in
 * the session run without a transaction around them and a proof behind them;
 * all others do not.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/integration/sql/postgres_worker.h"
#include "tests/integration/sql/sql_harness.h"

static struct driver *
start(void)
{
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = url_of("reader", "secret", NULL) });
}

static const char leftovers[] =
    "CREATE VIEW leftovers AS SELECT nullif(current_setting('my.note', true), '') AS note; GRANT SELECT ON leftovers TO PUBLIC";

/*
 * Whoever declares a function STABLE that sets a setting has it run by every
 * statement here, none of which names it as a function of the server's own.
 */
static const char leaks[] =
    "CREATE FUNCTION leak(x int) RETURNS int LANGUAGE plpgsql STABLE AS"
    "  $$ BEGIN PERFORM set_config('my.note', 'left', false); RETURN x; END $$;"
    "CREATE FUNCTION leak_text(x text) RETURNS text LANGUAGE sql STABLE AS"
    "  $$ SELECT x || left(set_config('my.note', 'left', false), 0) $$;"
    "CREATE FUNCTION leaks(x int, y int) RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT leak(x) = y $$;"
    "CREATE TABLE quiet AS SELECT 1 AS id, 'a'::text AS name;"
    "CREATE VIEW loud AS SELECT leak(id) AS id FROM quiet;"
    "CREATE VIEW louder AS SELECT id FROM loud;"
    "CREATE TABLE guarded AS SELECT 1 AS id; ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;"
    "CREATE POLICY p ON guarded TO PUBLIC USING (leak(id) = 1); GRANT SELECT ON guarded, quiet, loud, louder TO PUBLIC;"
    "CREATE DOMAIN checked AS int CHECK (leak(VALUE) > 0)";

static const char *const leaking[] = {
	"SELECT leak(1)", "SELECT public.leak(1)", "SELECT * FROM leak(1)", "TABLE loud", "SELECT * FROM louder",
	"SELECT id FROM guarded", "SELECT 1::checked", "WITH loud AS (SELECT 1) SELECT (SELECT max(id) FROM public.loud) FROM loud",
	"SELECT * FROM (WITH loud AS (SELECT 1 AS id) TABLE loud) x, loud", "SELECT q.leak FROM (VALUES (1)) q(x)",
	"SELECT x.leak FROM generate_series(1, 2) x", "SELECT (name).leak_text FROM quiet", "EXPLAIN SELECT leak(1)",
	"SELECT count(*) FROM quiet WHERE leak(id) = 1", "SELECT id FROM quiet ORDER BY leak(id)",
};

static void
expect_clean(struct driver *d, const char *clean, const char *after)
{
	const struct driver_answer *a = sql_run(d, "TABLE leftovers", 0);

	if (a->kind != DRIVER_RESULT || strcmp(a->rows, clean) != 0)
		fail_msg("%s leaves\n%s, not\n%s", after, a->kind == DRIVER_RESULT ? a->rows : a->message, clean);
}

static void
what_runs_alone_can_leave_nothing(void **state)
{
	struct driver *d;
	char clean[2048];

	(void)state;
	(void)super(leftovers);
	(void)super(leaks);
	d = start();
	/* The function is meant to leave something: without that this test could not fail. */
	sql_expect(d, "SELECT leak(7)", "[[7]]");
	snprintf(clean, sizeof(clean), "%s", sql_run(d, "TABLE leftovers", 0)->rows);
	for (size_t i = 0; i < sizeof(leaking) / sizeof(leaking[0]); i++) {
		(void)sql_run(d, leaking[i], 0);
		expect_clean(d, clean, leaking[i]);
	}
	sql_stop(d);
	/* From here on an operator may be anybody's. */
	(void)super("CREATE OPERATOR <<<>>> (LEFTARG = int, RIGHTARG = int, FUNCTION = leaks)");
	d = start();
	sql_expect(d, "SELECT 1", "[[1]]");
	sql_expect(d, "SELECT id <<<>>> 1 FROM quiet", "[[true]]");
	expect_clean(d, clean, "an operator");
	sql_stop(d);
	(void)super("DROP OPERATOR <<<>>> (int, int)");
	(void)super("DROP VIEW louder, loud; DROP TABLE quiet, guarded; DROP DOMAIN checked;"
		    " DROP FUNCTION leaks(int, int), leak_text(text), leak(int)");
	(void)super("DROP VIEW leftovers");
}

/* Nothing is begun and rolled back around a statement that can leave nothing. */
static void
what_can_leave_nothing_runs_alone(void **state)
{
	static const char rollbacks[] = "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()";
	struct driver *d = start();
	char text[160];
	long before;

	(void)state;
	sql_expect(d, "SELECT 1", "[[1]]"); /* the first one is followed by the proof */
	before = atol(super(rollbacks));
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text),
		    "WITH c AS (SELECT id, length(name) AS n FROM customers WHERE id > %d)"
		    " SELECT count(*), sum(n)::numeric FROM c",
		    i);
		assert_int_equal(sql_run(d, text, 0)->kind, DRIVER_RESULT);
	}
	sql_stop(d);
	/* What a session did is counted when it has ended. */
	until_super("SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader'", "0");
	assert_true(atol(super(rollbacks)) - before < 30);
}

/* How many statements the session has prepared; itself it is none that can leave nothing. */
static const char prepared[] =
    "CREATE VIEW prepared AS SELECT count(*) AS n FROM pg_prepared_statements; GRANT SELECT ON prepared TO PUBLIC;"
    "CREATE TABLE kept AS SELECT 1 AS id, 'a'::text AS name; GRANT SELECT ON kept TO PUBLIC";

static void
run_times(struct driver *d, int times, const char *sql, const char *rows)
{
	for (int i = 0; i < times; i++)
		sql_expect(d, sql, rows);
}

/* What comes again is prepared once, and what proves the session finds none. */
static void
what_comes_again_is_kept(void **state)
{
	struct driver *d;

	(void)state;
	(void)super(prepared);
	d = start();
	sql_expect(d, "SELECT 1", "[[1]]"); /* the first one is followed by the proof */
	run_times(d, 1, "SELECT name FROM kept", "[[\"a\"]]");
	sql_expect(d, "TABLE prepared", "[[0]]");
	run_times(d, 3, "SELECT name FROM kept", "[[\"a\"]]");
	run_times(d, 3, "SELECT id FROM kept", "[[1]]");
	sql_expect(d, "TABLE prepared", "[[2]]");
	sql_expect(d, "TABLE prepared", "[[0]]");
	run_times(d, 3, "SELECT name FROM kept", "[[\"a\"]]");
	sql_expect(d, "TABLE prepared", "[[1]]");
	sql_stop(d);
}

/* A kept statement means what its text means now. */
static void
what_is_kept_follows_the_catalogue(void **state)
{
	static const char all[] = "SELECT * FROM kept", cut[] = "SELECT 10 / (id - 1) FROM kept";
	struct driver *d = start();

	(void)state;
	sql_expect(d, "SELECT 1", "[[1]]");
	run_times(d, 3, all, "[[1,\"a\"]]");
	(void)super("ALTER TABLE kept ADD COLUMN more int DEFAULT 7");
	run_times(d, 3, all, "[[1,\"a\",7]]");
	(void)super("ALTER TABLE kept ALTER COLUMN more TYPE text");
	run_times(d, 3, all, "[[1,\"a\",\"7\"]]");
	(void)super("ALTER TABLE kept DROP COLUMN more; UPDATE kept SET name = 'b'");
	run_times(d, 3, all, "[[1,\"b\"]]");
	(void)super("REVOKE SELECT ON kept FROM PUBLIC");
	assert_int_equal(sql_run(d, all, 0)->kind, DRIVER_FAIL);
	assert_int_equal(sql_run(d, all, 0)->kind, DRIVER_FAIL);
	(void)super("GRANT SELECT ON kept TO PUBLIC");
	run_times(d, 2, all, "[[1,\"b\"]]");
	for (int i = 0; i < 4; i++) /* it fails when it runs, kept or not */
		assert_non_null(strstr(sql_run(d, cut, 0)->message, "division by zero"));
	(void)super("UPDATE kept SET id = 3");
	run_times(d, 2, cut, "[[5]]");
	(void)super("ALTER TABLE kept RENAME TO was_kept");
	for (int i = 0; i < 4; i++)
		assert_int_equal(sql_run(d, all, 0)->kind, DRIVER_FAIL);
	(void)super("CREATE TABLE kept AS SELECT 'x'::text AS only; GRANT SELECT ON kept TO PUBLIC");
	run_times(d, 3, all, "[[\"x\"]]");
	(void)super("DROP TABLE kept, was_kept; CREATE TABLE kept AS SELECT 1 AS id; GRANT SELECT ON kept TO PUBLIC");
	sql_stop(d);
}

/* What a kept statement runs into after its first rows is its own failure, with the same code as a changed plan. */
static void
what_fails_after_rows_is_not_sent_again(void **state)
{
	static const char sql[] = "SELECT id, repeat('x', 4000), date_trunc(unit, t) FROM late";
	struct driver *d;

	(void)state;
	(void)super("CREATE TABLE late AS SELECT g AS id, 'day'::text AS unit, timestamp '2020-01-01' AS t"
		    " FROM generate_series(1, 600) g; GRANT SELECT ON late TO PUBLIC");
	d = sql_start(&(struct sql_setup){
	    .driver = "postgres", .conninfo = url_of("reader", "secret", NULL), .result_bytes = 3600000 });
	sql_expect(d, "SELECT 1", "[[1]]");
	for (int i = 0; i < 3; i++)
		assert_int_equal(sql_run(d, sql, 1000)->kind, DRIVER_RESULT);
	(void)super("INSERT INTO late VALUES (601, 'timezone', timestamp '2020-01-01')");
	for (int i = 0; i < 3; i++) /* with the rows of two runs it would be cut before the failure, and no failure */
		assert_int_equal(sql_run(d, sql, 1000)->kind, DRIVER_FAIL);
	sql_stop(d);
	(void)super("DROP TABLE late");
}

/* More statements than are kept: each has its own answer, and the server keeps a bounded number. */
static void
many_that_come_again_are_bounded(void **state)
{
	struct driver *d = start();
	char text[80], rows[32];

	(void)state;
	sql_expect(d, "SELECT 1", "[[1]]");
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 200; i++) {
			snprintf(text, sizeof(text), "SELECT id + %d FROM kept", i);
			snprintf(rows, sizeof(rows), "[[%d]]", i + 1);
			run_times(d, 2, text, rows);
		}
	assert_true(atoi(sql_run(d, "TABLE prepared", 0)->rows + 2) <= 64);
	sql_stop(d);
	(void)super("DROP TABLE kept; DROP VIEW prepared");
}

int
postgres_run_alone_tests(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_runs_alone_can_leave_nothing),
		cmocka_unit_test(what_can_leave_nothing_runs_alone),
		cmocka_unit_test(what_comes_again_is_kept),
		cmocka_unit_test(what_is_kept_follows_the_catalogue),
		cmocka_unit_test(what_fails_after_rows_is_not_sent_again),
		cmocka_unit_test(many_that_come_again_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

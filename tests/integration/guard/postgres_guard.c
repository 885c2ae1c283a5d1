/*
 * postgres_guard.c - the guard on a real server: everything honest passes,
 * everything hostile is refused, for a superuser and for a reader alike, and
 * the database is afterwards what it was, to the byte of its dump.
 */
#include <stdio.h>
#include <unistd.h>

#include "tests/integration/guard/guard_statements.h"
#include "tests/integration/guard/pg_rig.h"

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

/* Refused by us, before the server could have an opinion. */
static void
expect_refused(const char *sql, void *arg)
{
	struct tally *t = arg;
	const struct driver_answer *a = sql_run(t->d, sql, 100);

	if (a->kind == DRIVER_FAIL &&
	    (strcmp(a->code, "forbidden_sql") == 0 || strcmp(a->code, "invalid_sql") == 0 ||
		strcmp(a->code, "sql_too_long") == 0) &&
	    strstr(a->details == NULL ? "" : a->details, "sqlstate") == NULL)
		return;
	print_error("let through: %.400s\n  %s\n", sql, a->kind == DRIVER_FAIL ? a->message : a->result);
	t->wrong++;
}

static void
run_all(const char *folder, void (*expect)(const char *, void *), size_t at_least)
{
	pg_rig_dump("before");
	for (size_t i = 0; i < PG_RIG_ROLES; i++) {
		struct tally t = { .d = pg_rig_start_as(pg_rig_roles[i]) };
		size_t n = statements_each(folder, "postgres", expect, &t);

		assert_true(n >= at_least);
		pg_rig_assert_no_residue();
		sql_expect(t.d, "SHOW transaction_read_only", "[[\"on\"]]");
		sql_expect(t.d, "SHOW TimeZone", "[[\"UTC\"]]");
		sql_stop(t.d);
		if (t.wrong > 0)
			fail_msg("%u of %zu statements as %s", t.wrong, n, pg_rig_roles[i]);
	}
	pg_rig_dump("after");
	pg_rig_assert_same("before", "after");
}

static void
honest_analytics_pass(void **state)
{
	(void)state;
	run_all("honest", expect_allowed, 1000);
}

static void
hostile_statements_are_refused(void **state)
{
	(void)state;
	run_all("hostile", expect_refused, 120);
}

/* Until the worker's view of the catalogue is so old that it compares, five seconds at most. */
static void
expect_fail_soon(struct driver *d, const char *sql, const char *code, const char *piece)
{
	for (int tries = 0; tries < 100 && sql_run(d, sql, 100)->kind != DRIVER_FAIL; tries++)
		usleep(100000);
	sql_expect_fail(d, sql, code, piece);
}

/* Until the worker asks after a name it did not know, which it does not do twice within half a second. */
static void
expect_soon(struct driver *d, const char *sql, const char *rows)
{
	for (int tries = 0; tries < 50 && sql_run(d, sql, 100)->kind == DRIVER_FAIL; tries++)
		usleep(50000);
	sql_expect(d, sql, rows);
}

static void
a_changed_catalogue_is_noticed(void **state)
{
	struct driver *d = pg_rig_start_as("researcher");

	(void)state;
	/* New: seen at once, because nobody knew the name. */
	pg_rig_super("CREATE FUNCTION newcomer() RETURNS INT LANGUAGE sql IMMUTABLE AS 'SELECT 7'");
	expect_soon(d, "SELECT newcomer()", "[[7]]");
	/* Made volatile: seen when the catalogue is next compared, whatever was allowed before. */
	pg_rig_super("ALTER FUNCTION newcomer() VOLATILE");
	expect_fail_soon(d, "SELECT newcomer()", "forbidden_sql", "VOLATILE");
	pg_rig_super("DROP FUNCTION newcomer()");
	sql_stop(d);
}

/* Also when it is replaced by another of the same name, and not when it is only called more often. */
static void
a_replaced_function_is_noticed(void **state)
{
	struct driver *d = pg_rig_start_as("researcher");

	(void)state;
	pg_rig_super("CREATE FUNCTION turncoat() RETURNS INT LANGUAGE sql STABLE AS 'SELECT 1'");
	expect_soon(d, "SELECT turncoat()", "[[1]]");
	pg_rig_super(
	    "CREATE OR REPLACE FUNCTION turncoat() RETURNS INT LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN 2; END'");
	expect_fail_soon(d, "SELECT turncoat()", "forbidden_sql", "VOLATILE");
	pg_rig_super("DROP FUNCTION turncoat()");
	sql_stop(d);
}

static void
the_configuration_may_trust_functions(void **state)
{
	struct driver *d = sql_start(&(struct sql_setup){ .driver = "postgres",
	    .conninfo = pg_rig_conninfo("postgres"),
	    .functions = "[\"public.status\",\"public.purge_old\",\"public.purge_proc\",\"public.dblink\",\"public.nowhere\"]" });

	(void)state;
	assert_has(driver_log(d), "public.status may be called because functions names it: it is VOLATILE");
	assert_has(driver_log(d), "public.nowhere is named in functions but does not exist");
	assert_has(driver_log(d), "public.dblink is named in functions but stays refused");
	sql_expect(d, "SELECT status(1)", "[[\"x\"]]");
	sql_expect(d, "SELECT c.status FROM (SELECT 1 AS status) c, generate_series(1, 1) g", "[[1]]");
	/* It may be called, and the transaction is still read-only. */
	sql_expect_fail(d, "SELECT purge_old()", "forbidden_sql", "only reads");
	sql_expect_fail(d, "SELECT purge_number(1)", "forbidden_sql", "VOLATILE");
	sql_expect_fail(d, "SELECT dblink('x', 'SELECT 1')", "forbidden_sql", "other servers");
	sql_stop(d);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(honest_analytics_pass),
		cmocka_unit_test(hostile_statements_are_refused),
		cmocka_unit_test(a_changed_catalogue_is_noticed),
		cmocka_unit_test(a_replaced_function_is_noticed),
		cmocka_unit_test(the_configuration_may_trust_functions),
	};

	return cmocka_run_group_tests(tests, pg_rig_set_up, NULL);
}

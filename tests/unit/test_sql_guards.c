// libs: carrel_sql_postgres carrel_base
/* test_sql_guards.c - what PostgreSQL is never sent, and what may pass. */
#include "tests/unit/harness.h"

#include "workers/sql/postgres/postgres_guard.h"

static void
expect(const char *sql, enum err_code code)
{
	struct pg_statement st;
	struct err err = { .code = ERR_NONE };
	int rc = postgres_guard_check(span_str(sql), false, &st, &err);

	if (rc != (code == ERR_NONE ? 0 : -1) || err.code != code)
		fail_msg("%s: %d %s", sql, rc, err.message);
}

static void
queries_pass_and_know_their_kind(void **state)
{
	struct pg_statement st;
	struct err err;

	(void)state;
	assert_int_equal(postgres_guard_check(SPAN(" /*ü*/ select 1 ; "), false, &st, &err), 0);
	assert_int_equal(st.kind, STATEMENT_QUERY);
	assert_memory_equal(st.text.p, "select 1 ", st.text.len);
	assert_int_equal(st.before, 7);
	assert_int_equal(postgres_guard_check(SPAN("EXPLAIN (COSTS off) (VALUES (1))"), false, &st, &err), 0);
	assert_int_equal(st.kind, STATEMENT_EXPLAIN);
	assert_memory_equal(st.inner.p, " (VALUES (1))", st.inner.len);
	assert_int_equal(postgres_guard_check(SPAN("show TimeZone"), false, &st, &err), 0);
	assert_int_equal(st.kind, STATEMENT_SHOW);
}

static void
the_first_word_decides(void **state)
{
	static const char *const forbidden[] = {
		"insert into x values (1)", "Explain (costs off, analyze) select 1", "EXPLAIN ANALYZE VERBOSE SELECT 1",
		"explain execute x", "begin", "checkpoint", "grant select on x to y", "show data_directory",
		"(delete from x)", "notify x", "analyze", "import foreign schema x from server y into z",
	};
	static const char *const invalid[] = {
		"",
		";",
		"--x",
		"1",
		"'select'",
		"\"select\" 1",
		"(",
		"explain",
		"explain (costs",
		"show time zone x",
		"select 'x",
		"select /* x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++)
		expect(forbidden[i], ERR_FORBIDDEN_SQL);
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
		expect(invalid[i], ERR_INVALID_SQL);
	expect("select 1; select 2", ERR_FORBIDDEN_SQL);
	expect("values (1)", ERR_NONE);
	expect("table x", ERR_NONE);
	expect("with x as (select 1) table x", ERR_NONE);
	expect("((select 1) union (select 2))", ERR_NONE);
	expect("explain verbose select 1", ERR_NONE);
	expect("show time zone", ERR_NONE);
}

static void
the_culprit_is_named(void **state)
{
	(void)state;
	assert_string_equal(postgres_guard_culprit(SPAN("select 1 into x")), "SELECT INTO");
	assert_string_equal(postgres_guard_culprit(SPAN("with a as (delete from b) select 1")), "DELETE");
	assert_string_equal(postgres_guard_culprit(SPAN("with a as (select 1) update x set y = 1")), "UPDATE");
	assert_non_null(postgres_guard_culprit(SPAN("select 1 from x for no key update")));
	assert_null(postgres_guard_culprit(SPAN("select 'into', \"for\", update from x -- for update")));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries_pass_and_know_their_kind),
		cmocka_unit_test(the_first_word_decides),
		cmocka_unit_test(the_culprit_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

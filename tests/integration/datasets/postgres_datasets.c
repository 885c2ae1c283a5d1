/* postgres_datasets.c - statements over datasets on a real server, through the worker as it is shipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/datasets/datasets_cases.h"
#include "tests/integration/guard/pg_rig.h"

static int
set_up(void **state)
{
	char text[4096];

	(void)state;
	if (pg_rig_open() != 0)
		return -1;
	snprintf(text, sizeof(text),
	    "'%s/tests/support/pg.sh' psql '%s' -f '%s/tests/integration/datasets/schema.postgres.sql' >/dev/null",
	    SOURCE_DIR, pg_rig_directory(), SOURCE_DIR);
	return system(text);
}

static struct driver *
start(const char *columns, const char *role)
{
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = pg_rig_conninfo(role),
		.columns = columns });
}

static void
only_datasets_can_be_read(void **state)
{
	static const char *const roles[] = { "postgres", "reader" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct driver *d = start(NULL, roles[i]);

		assert_true(datasets_run_cases(d, "public", "honest.cases") > 40);
		assert_true(datasets_run_cases(d, "public", "postgres.cases") > 200);
		/* And nothing of a statement stays for others. */
		sql_expect(d, "SHOW search_path", "public");
		sql_expect(d, "SELECT name FROM people WHERE id = 1", "[[\"Ada\"]]");
		sql_stop(d);
	}
	pg_rig_assert_no_residue();
}

static void
under_a_column_policy_too(void **state)
{
	struct driver *d = start("[{\"action\":\"hide\",\"pattern\":\"people.ssn\",\"scopes\":0},"
				 "{\"action\":\"mask\",\"pattern\":\"people.email\",\"scopes\":0},"
				 "{\"action\":\"hide\",\"pattern\":\"vault.pin\",\"scopes\":0}]",
	    "postgres");

	(void)state;
	assert_true(datasets_run_cases(d, "public", "postgres.cases") > 200);
	datasets_expect(d, "public", "SELECT * FROM @a WHERE id = 1", NULL,
	    "\"columns\":[\"id\",\"name\",\"city\",\"email\"]");
	datasets_expect(d, "public", "SELECT ssn FROM @a", "invalid_sql", NULL);
	datasets_expect(d, "public", "SELECT email FROM \"@A\" WHERE id = 1", NULL, "***");
	datasets_expect(d, "public", "SELECT name FROM @a WHERE email = 'a@x'", "forbidden_sql", NULL);
	datasets_expect(d, "public", "SELECT p FROM @a p WHERE id = 1", NULL, "***");
	datasets_expect(d, "public", "SELECT to_jsonb(p)->>'ssn' FROM @a p WHERE id = 1", NULL, "[[null]]");
	datasets_expect(d, "public", "SELECT name FROM @v", NULL, "[[\"Ada\"]]");
	sql_stop(d);
}

static void
drawn_statements_bring_nothing_out(void **state)
{
	const char *number = getenv("CARREL_DRAWN");
	struct driver *d = start(NULL, "postgres");

	(void)state;
	datasets_run_drawn(d, "public", "postgres.cases", number == NULL ? 500 : strtoull(number, NULL, 10));
	sql_stop(d);
}

static void
its_limits_hold(void **state)
{
	struct driver *d = start(NULL, "postgres");
	const struct driver_answer *a;

	(void)state;
	a = datasets_ask(d, "public", "SELECT * FROM @b", 2, 10000, 64 << 20);
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_has(a->result, "\"row_count\":2,\"truncated\":true");
	a = datasets_ask(d, "public", "SELECT * FROM @b LIMIT 3", 2, 10000, 64 << 20);
	assert_has(a->result, "\"row_count\":2,\"truncated\":true");
	a = datasets_ask(d, "public", "SELECT * FROM @b LIMIT 2", 2, 10000, 64 << 20);
	assert_has(a->result, "\"row_count\":2,\"truncated\":false");
	a = datasets_ask(d, "public",
	    "SELECT count(*) FROM generate_series(1, 900000) a, generate_series(1, 900000) b WHERE a % 7 = b % 11", 2,
	    1000, 64 << 20);
	assert_string_equal(a->code, "query_timeout");
	assert_has(a->message, "connectivity.sql_timeout_s");
	sql_stop(d);
	/* The row a caller may not have is the one behind the limit. */
	d = start(NULL, "postgres");
	a = datasets_ask(d, "public", "SELECT 1/(3 - id) FROM @b ORDER BY id", 2, 10000, 64 << 20);
	assert_string_equal(a->code, "database_error");
	sql_stop(d);
}

/* A position in an error is one of the caller's text. */
static void
errors_are_about_what_was_sent(void **state)
{
	struct driver *d = start(NULL, "postgres");
	const struct driver_answer *a;

	(void)state;
	a = datasets_ask(d, "public", "SELECT 'ä', nme FROM @a", 2, 10000, 64 << 20);
	assert_string_equal(a->code, "invalid_sql");
	assert_has(a->details, "\"position\":13");
	assert_has(a->message, "carrel_get_schema");
	a = datasets_ask(d, "public", "SELECT 'ä' FROM vault", 2, 10000, 64 << 20);
	assert_has(a->details, "\"position\":17");
	pg_rig_super("ALTER TABLE orders RENAME TO orders_before");
	a = datasets_ask(d, "public", "SELECT * FROM @b", 2, 10000, 64 << 20);
	assert_string_equal(a->code, "database_error");
	assert_has(a->message, "carrel dataset show");
	assert_null(strstr(a->message, "orders"));
	pg_rig_super("ALTER TABLE orders_before RENAME TO orders");
	sql_stop(d);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_datasets_can_be_read),
		cmocka_unit_test(under_a_column_policy_too),
		cmocka_unit_test(drawn_statements_bring_nothing_out),
		cmocka_unit_test(its_limits_hold),
		cmocka_unit_test(errors_are_about_what_was_sent),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}

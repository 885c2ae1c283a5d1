// libs: carrel_guard_pg carrel_policy carrel_base
/* test_guard_plain.c - which statements can leave nothing behind, by names alone. */
#include <pg_query.h>

#include "workers/sql/postgres/guard/guard_pg.h"
#include "workers/sql/postgres/guard/guard_plain.h"
#include "tests/unit/harness.h"

static struct guard_catalogue *catalogue;
static struct guard_plain *plain;
static struct guard_pg *guard;

static void
add_function(const char *schema, const char *name, unsigned properties)
{
	guard_catalogue_add_function(catalogue, span_str(schema), span_str(name), SPAN(""), properties, 1, 1);
}

static int
set_up(void **state)
{
	static const char *const servers[] = { "count", "sum", "lower", "name", "extract" };

	(void)state;
	catalogue = guard_catalogue_new();
	guard_catalogue_add_path(catalogue, SPAN("pg_catalog"));
	guard_catalogue_add_path(catalogue, SPAN("public"));
	for (size_t i = 0; i < sizeof(servers) / sizeof(servers[0]); i++)
		add_function("pg_catalog", servers[i], GUARD_FN_SYSTEM | GUARD_FN_ONE_ARGUMENT);
	add_function("public", "sum", 0);
	add_function("public", "of_mine", GUARD_FN_ONE_ARGUMENT);
	guard_catalogue_seal(catalogue);
	plain = guard_plain_new();
	guard_plain_add_relation(plain, SPAN("public"), SPAN("orders"), true, true);
	guard_plain_add_relation(plain, SPAN("public"), SPAN("totals"), true, false);
	guard_plain_add_relation(plain, SPAN("sales"), SPAN("orders"), false, false);
	guard_plain_add_relation(plain, SPAN("sales"), SPAN("leads"), false, true);
	guard_plain_add_relation(plain, SPAN("public"),
	    SPAN("gr\xC3\xB6\xC3\x9F"
		 "e"),
	    true, true);
	guard_plain_add_type(plain, SPAN("text"));
	guard_plain_add_type(plain, SPAN("date"));
	guard_plain_seal(plain);
	guard = guard_pg_new();
	guard_pg_use_plain(guard, plain);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	guard_pg_free(guard);
	guard_plain_free(plain);
	guard_catalogue_free(catalogue);
	return 0;
}

static bool
is_plain(const char *sql)
{
	struct guard_finding found;
	struct err err;

	if (guard_pg_check(guard, catalogue, span_str(sql), 0, &found, &err) == -1)
		fail_msg("%s: %s", sql, err.message);
	return found.plain;
}

static void
only_tables_types_and_functions_that_are_known(void **state)
{
	static const struct {
		const char *sql;
		bool plain;
	} cases[] = {
		{ "SELECT 1", true },
		{ "SELECT * FROM orders WHERE id = 1", true },
		{ "TABLE public.orders", true },
		{ "SELECT count(*), lower('A') FROM orders o JOIN sales.leads l USING (id)", true },
		{ "SELECT x::text, '2024-01-01'::date, 1::int, y::pg_catalog.uuid FROM orders", true },
		{ "SELECT extract(year FROM at), o.id, (o).id FROM orders o", true },
		{ "WITH c AS (SELECT 1 AS a) SELECT o.name FROM c o", true },
		{ "EXPLAIN SELECT * FROM orders", true },
		{ "SHOW server_version", true },
		{ "SELECT * FROM totals", false },
		{ "SELECT 1 FROM orders WHERE id IN (SELECT id FROM totals)", false },
		{ "SELECT * FROM sales.orders", false },
		{ "SELECT * FROM leads", false },
		{ "SELECT * FROM unheard", false },
		{ "SELECT * FROM pg_catalog.pg_class", false },
		{ "SELECT * FROM other.public.orders", false },
		{ "WITH totals AS (SELECT 1 AS a) SELECT * FROM totals", false },
		{ "SELECT * FROM \"gr\xC3\xB6\xC3\x9F"
		  "e\"",
		    false },
		{ "SELECT sum(id) FROM orders", false },
		{ "SELECT pg_catalog.sum(id) FROM orders", true },
		{ "SELECT of_mine(id) FROM orders", false },
		{ "SELECT o.of_mine FROM orders o", false },
		{ "SELECT (o).of_mine FROM orders o", false },
		{ "EXPLAIN SELECT * FROM totals", false },
		{ "SELECT x::mood FROM orders", false },
		{ "SELECT x::public.text FROM orders", false },
		{ "SELECT CAST(x AS mood[]) FROM orders", false },
		{ "SELECT x::text[] FROM orders", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (is_plain(cases[i].sql) != cases[i].plain)
			fail_msg("%s is %splain", cases[i].sql, cases[i].plain ? "not " : "");
}

static void
what_a_user_has_made_unnamed_makes_nothing_plain(void **state)
{
	(void)state;
	assert_true(is_plain("SELECT 1"));
	guard_plain_spoil(plain);
	assert_false(is_plain("SELECT 1"));
	guard_pg_use_plain(guard, NULL);
	assert_false(is_plain("SELECT 1"));
}

static int
end_parser(void **state)
{
	(void)state;
	pg_query_exit();
	return 0;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_tables_types_and_functions_that_are_known, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_a_user_has_made_unnamed_makes_nothing_plain, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, end_parser);
}

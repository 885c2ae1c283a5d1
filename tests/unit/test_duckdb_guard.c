// libs: carrel_sql_duckdb carrel_sql carrel_base
/*
 * test_duckdb_guard.c - what the guard lets pass, on trees of the library's own parser; without the library only what
 * needs no parser.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/duckdb_rig.h"
#include "workers/sql/duckdb/duckdb_guard.h"
#include "workers/sql/duckdb/duckdb_tree.h"

/* 0, or the error's code; *at: its place. */
static int
judge_by(struct duckdb_guard g, const char *sql, size_t *at, struct err *err)
{
	struct duckdb_names names = { .database = mem_text(SPAN("shop")) };
	int rc;

	g.names = &names;
	duckdb_names_add(&names, SPAN("main"), SPAN("Orders"));
	duckdb_names_add(&names, SPAN("other"), SPAN("t"));
	duckdb_names_add_macro(&names, SPAN("abs"));
	rc = duckdb_guard_judge(&g, arena, tree_of(span_str(sql)), span_str(sql), at, err);
	duckdb_names_fini(&names);
	return rc == 0 ? 0 : (int)err->code;
}

static int
judge(const char *sql, bool published, size_t *at, struct err *err)
{
	return judge_by((struct duckdb_guard){ .published = published }, sql, at, err);
}

static void
test_resolves_relations(void **state)
{
	static const struct {
		const char *sql;
		int code;
	} cases[] = {
		{ "SELECT * FROM orders", 0 },
		{ "FROM ORDERS", 0 },
		{ "SELECT * FROM main.orders, other.t, shop.orders, shop.other.t, shop.main.Orders", 0 },
		{ "SELECT * FROM t", ERR_INVALID_SQL },
		{ "SELECT * FROM else_.main.orders", ERR_INVALID_SQL },
		{ "WITH a AS (SELECT 1), b AS (FROM a) SELECT * FROM b, A", 0 },
		{ "WITH b AS (FROM a), a AS (SELECT 1) SELECT * FROM b", ERR_INVALID_SQL },
		{ "SELECT * FROM (WITH a AS (SELECT 1) FROM a), a", ERR_INVALID_SQL },
		{ "SELECT * FROM (WITH \"/etc/x.csv\" AS (SELECT 1) SELECT 1) q, \"/etc/x.csv\"", ERR_FORBIDDEN_SQL },
		{ "WITH a AS (SELECT 1) SELECT (WITH b AS (FROM a) SELECT 2 FROM b) FROM orders ORDER BY (FROM a)", 0 },
		{ "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9) FROM r", 0 },
		{ "WITH RECURSIVE r(n) AS (FROM r UNION ALL SELECT 1) FROM r", ERR_INVALID_SQL },
		{ "WITH RECURSIVE r(n) AS (WITH q AS (FROM read_text('x')) FROM q UNION ALL SELECT 1 FROM r) FROM r",
		    ERR_FORBIDDEN_SQL },
		{ "WITH a AS MATERIALIZED (SELECT 1), b AS MATERIALIZED (FROM a) FROM b, a", 0 },
		{ "FROM main.a, (WITH a AS (SELECT 1) FROM a)", ERR_INVALID_SQL },
		{ "SELECT * FROM orders AT (VERSION => 1)", ERR_FORBIDDEN_SQL },
		{ "SELECT * FROM 'orders.parquet'", ERR_FORBIDDEN_SQL },
		{ "SELECT * FROM information_schema.tables, duckdb_tables", 0 },
		{ "SELECT * FROM information_schema.duckdb_tables", ERR_INVALID_SQL },
		{ "SELECT * FROM duckdb_databases", ERR_INVALID_SQL },
		{ "SELECT * FROM system.main.duckdb_tables", ERR_INVALID_SQL },
		{ "DESCRIBE orders", 0 },
		{ "DESCRIBE SELECT * FROM read_text('x')", ERR_FORBIDDEN_SQL },
		{ "SHOW DATABASES", ERR_FORBIDDEN_SQL },
	};
	struct err err;
	size_t at;

	(void)state;
	if (parser == NULL)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (judge(cases[i].sql, false, &at, &err) != cases[i].code)
			fail_msg("%s: %s", cases[i].sql, cases[i].code == 0 ? err.message : "another outcome");
}

static void
test_names_the_place(void **state)
{
	struct err err;
	size_t at;

	(void)state;
	if (parser == NULL)
		skip();
	assert_int_equal(judge("SELECT 1, read_text('x') FROM orders", false, &at, &err), ERR_FORBIDDEN_SQL);
	assert_int_equal(at, 10);
	assert_holds(err.message, "read_text()");
	assert_int_equal(judge("SELECT 1 FROM orders, gone", false, &at, &err), ERR_INVALID_SQL);
	assert_int_equal(at, 22);
	assert_int_equal(judge("SELECT FROM WHERE", false, &at, &err), ERR_INVALID_SQL);
	assert_true(at < 17);
	assert_int_equal(judge(" /* x */ DROP TABLE orders", false, &at, &err), ERR_FORBIDDEN_SQL);
	assert_int_equal(at, 9);
	assert_holds(err.message, "DROP is not allowed");
}

/* A function of the database's own takes the place of one that is on the list. */
static void
test_refuses_macros(void **state)
{
	struct err err;
	size_t at;

	(void)state;
	if (parser == NULL)
		skip();
	assert_int_equal(judge("SELECT abs(-1) FROM orders", false, &at, &err), ERR_FORBIDDEN_SQL);
	assert_holds(err.message, "macro");
	assert_int_equal(judge("SELECT other.sum(1), sum(1) FROM orders", false, &at, &err), ERR_FORBIDDEN_SQL);
	assert_int_equal(judge("SELECT abs(-1) FROM orders", true, &at, &err), ERR_FORBIDDEN_SQL);
}

/* What the catalogue and types say of a protected column's values: defaults, labels of an ENUM, checks, definitions. */
static void
test_tells_no_values_under_a_policy(void **state)
{
	static const char *const refused[] = {
		"FROM duckdb_columns",
		"FROM main.DUCKDB_TABLES",
		"FROM duckdb_constraints",
		"FROM duckdb_indexes",
		"FROM duckdb_types",
		"FROM information_schema.columns",
		"FROM information_schema.constraint_column_usage",
		"SELECT enum_range(NULL::carrel_file.main.plan)",
		"SELECT NULL::carrel_file.plan[]",
		"SELECT TRY_CAST(1 AS STRUCT(a carrel_file.plan))",
		"SELECT enum_range(json_transform('null', '\"carrel_file.plan\"'))",
		"SELECT FROM_JSON(a, b) FROM orders",
	};
	static const char *const allowed[] = {
		"FROM duckdb_schemas",
		"FROM information_schema.tables",
		"DESCRIBE orders",
		"SHOW TABLES",
		"SUMMARIZE orders",
		"SELECT 'a'::ENUM ('a', 'b'), 1::DECIMAL(3, 1)",
		"WITH duckdb_columns AS (SELECT 1) FROM duckdb_columns",
	};
	const struct duckdb_guard policed = { .policed = true };
	struct err err;
	size_t at;

	(void)state;
	if (parser == NULL)
		skip();
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_int_equal(judge_by(policed, refused[i], &at, &err), ERR_FORBIDDEN_SQL);
		assert_int_equal(judge(refused[i], false, &at, &err), 0);
	}
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if (judge_by(policed, allowed[i], &at, &err) != 0)
			fail_msg("%s: %s", allowed[i], err.message);
}

/* A view finds what is in its own schema without naming it. */
static void
test_views_have_a_home(void **state)
{
	const struct duckdb_guard of_view = { .home = SPAN("other"), .policed = true };
	struct err err;
	size_t at;

	(void)state;
	if (parser == NULL)
		skip();
	assert_int_equal(judge_by(of_view, "FROM t, orders", &at, &err), 0);
	assert_int_equal(judge_by(of_view, "FROM main.t", &at, &err), ERR_INVALID_SQL);
	assert_int_equal(judge_by(of_view, "FROM duckdb_columns()", &at, &err), ERR_FORBIDDEN_SQL);
	assert_int_equal(judge_by(of_view, "FROM pg_enum", &at, &err), ERR_INVALID_SQL);
}

static void
test_shows_datasets_alone(void **state)
{
	static const char *const refused[] = { "FROM main.orders", "FROM shop.orders", "FROM duckdb_tables",
		"FROM information_schema.tables", "SELECT version()", "SELECT current_user",
		"SELECT current_database()",
		"DESCRIBE orders", "SHOW TABLES", "FROM other.t", "FROM 'x.csv'" };
	struct err err;
	size_t at;

	(void)state;
	if (parser == NULL)
		skip();
	assert_int_equal(judge("SELECT o.* FROM orders o JOIN (SELECT 1) USING (a)", true, &at, &err), 0);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (judge(refused[i], true, &at, &err) == 0)
			fail_msg("%s is allowed on datasets", refused[i]);
}

/* The library ends with its own limit, which no caller may change. */
static void
test_bounds_nesting(void **state)
{
	static const char *const around[][3] = { { "(", "1", ")" }, { "[", "1", "]" }, { "{'a': ", "1", "}" },
		{ "abs(", "1", ")" }, { "CAST(", "1", " AS INT)" }, { "(SELECT ", "1", ")" }, { "NOT ", "true", "" },
		{ "", "1", "::INT" }, { "", "NULL::INT", "[]" }, { "CASE WHEN true THEN ", "1", " END" },
		{ "1 + ", "1", "" } };
	struct buf sql = { 0 };
	struct err err;
	size_t at;

	(void)state;
	if (parser == NULL)
		skip();
	for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
		buf_reset(&sql, 1 << 20);
		buf_str(&sql, "SELECT ");
		for (unsigned n = 0; n < 6000; n++)
			buf_str(&sql, around[i][0]);
		buf_str(&sql, around[i][1]);
		for (unsigned n = 0; n < 6000; n++)
			buf_str(&sql, around[i][2]);
		if (judge(buf_cstr(&sql), false, &at, &err) != 0 && strstr(err.message, "SET ") != NULL)
			fail_msg("%s: %s", around[i][0], err.message);
	}
	buf_fini(&sql);
	assert_int_equal(judge("SELECT 1e400, -1e999", false, &at, &err), 0);
}

static void
test_counts_set_operations(void **state)
{
	struct buf sql = { 0 };
	struct err err;
	size_t at;

	(void)state;
	if (parser == NULL)
		skip();
	buf_str(&sql, "SELECT 1");
	for (unsigned i = 0; i < 400; i++)
		buf_str(&sql, " UNION ALL SELECT 1");
	assert_int_equal(judge(buf_cstr(&sql), false, &at, &err), 0);
	for (unsigned i = 0; i < 200; i++)
		buf_str(&sql, " UNION ALL SELECT 1");
	assert_int_equal(judge(buf_cstr(&sql), false, &at, &err), ERR_FORBIDDEN_SQL);
	buf_fini(&sql);
}

/* Each level is looked at once: twice at each of 30 levels would take minutes. */
static void
test_nested_with_queries_cost_no_more(void **state)
{
	struct buf sql = { 0 };
	struct err err;
	size_t at;

	(void)state;
	if (parser == NULL)
		skip();
	for (unsigned i = 0; i < 30; i++)
		buf_printf(&sql, "WITH RECURSIVE a%u AS (", i);
	buf_str(&sql, "SELECT 1");
	for (unsigned i = 30; i-- > 0;)
		buf_printf(&sql, " UNION ALL SELECT 1) SELECT 1 FROM a%u", i);
	assert_int_equal(judge(buf_cstr(&sql), false, &at, &err), 0);
	buf_fini(&sql);
}

static void
test_reads_trees_or_refuses(void **state)
{
	static const char *const bad[] = { "", "{", "{\"a\":", "{\"a\":1,}", "[1", "{\"error\":false}",
		"{\"statements\":[]}",
		"{\"statements\":[{},{}]}", "{\"statements\":[{\"class\":\"NEW\"}]}",
		"{\"statements\":[{\"type\":\"NEW\"}]}",
		"{\"statements\":[{\"class\":1}]}", "{\"statements\":[{\"cte_map\":{\"map\":[1]},\"type\":\"X\"}]} x" };
	struct duckdb_names names = { .database = NULL };
	struct duckdb_guard g = { .names = &names };
	struct buf deep = { 0 };
	struct err err;
	size_t at;

	(void)state;
	names.database = mem_text(SPAN("x"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (duckdb_guard_judge(&g, arena, span_str(bad[i]), SPAN("SELECT 1"), &at, &err) == 0)
			fail_msg("%s is taken", bad[i]);
	for (unsigned i = 0; i <= DUCKDB_TREE_DEPTH_MAX; i++)
		buf_byte(&deep, '[');
	assert_null(duckdb_tree_read(arena, buf_view(&deep), &err));
	assert_int_equal(err.code, ERR_FORBIDDEN_SQL);
	buf_fini(&deep);
	duckdb_names_fini(&names);
}

static void
test_finds_what_is_explained(void **state)
{
	static const char *const refused[] = { "EXPLAIN /* */ ANALYZE SELECT 1", "EXPLAIN analyse SELECT 1",
		"EXPLAIN (ANALYZE) SELECT 1", "EXPLAIN (ANALYZE false) SELECT 1", "EXPLAIN (FORMAT json, ANALYZE) SELECT 1",
		"EXPLAIN (FORMAT) SELECT 1", "EXPLAIN (FORMAT query_tree) SELECT 1", "EXPLAIN (FORMAT json" };
	struct span body;
	struct err err;
	bool explained;

	(void)state;
	assert_int_equal(duckdb_guard_body(SPAN("SELECT 1"), &body, &explained, &err), 0);
	assert_false(explained);
	assert_int_equal(duckdb_guard_body(SPAN(" -- x\n explain SELECT 1"), &body, &explained, &err), 0);
	assert_true(explained && span_is_str(body, " SELECT 1"));
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (duckdb_guard_body(span_str(refused[i]), &body, &explained, &err) == 0)
			fail_msg("%s is allowed", refused[i]);
	assert_int_equal(duckdb_guard_body(SPAN("EXPLAIN (format /* x */ JSON ) SELECT 1"), &body, &explained, &err),
	    0);
	assert_true(explained && span_is_str(body, " SELECT 1"));
	assert_int_equal(duckdb_guard_body(SPAN("EXPLAIN (SELECT 1)"), &body, &explained, &err), 0);
	assert_true(explained && span_is_str(body, " (SELECT 1)"));
}

static void
test_functions_are_sorted(void **state)
{
	static const char *const known[] = { "!__postfix", "SUM", "Abs", "~~~", "||", "json_extract", "yearweek",
		"zzz" };

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(known) / sizeof(known[0]); i++)
		if (!duckdb_guard_allows_function(span_str(known[i])))
			fail_msg("%s is not allowed", known[i]);
	assert_false(duckdb_guard_allows_function(SPAN("zzz")));
	assert_false(duckdb_guard_allows_function(SPAN("read_csv")));
	assert_false(duckdb_guard_allows_function(SPAN("")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resolves_relations),
		cmocka_unit_test(test_names_the_place),
		cmocka_unit_test(test_refuses_macros),
		cmocka_unit_test(test_tells_no_values_under_a_policy),
		cmocka_unit_test(test_views_have_a_home),
		cmocka_unit_test(test_shows_datasets_alone),
		cmocka_unit_test(test_bounds_nesting),
		cmocka_unit_test(test_counts_set_operations),
		cmocka_unit_test(test_nested_with_queries_cost_no_more),
		cmocka_unit_test(test_reads_trees_or_refuses),
		cmocka_unit_test(test_finds_what_is_explained),
		cmocka_unit_test(test_functions_are_sorted),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

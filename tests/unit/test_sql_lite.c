// libs: carrel_sql_sqlite carrel_base
/* test_sql_lite.c - SQLite's allow-lists and what declared types mean. */
#include "tests/unit/harness.h"

#include "workers/sql/sqlite/sqlite_types.h"

static void
functions_that_compute_are_allowed(void **state)
{
	static const char *const yes[] = { "abs", "COUNT", "->", "->>", "json_extract", "strftime", "zeroblob",
		"upper" };
	static const char *const no[] = { "load_extension", "fts3_tokenizer", "FTS3_TOKENIZER", "sqlite_log", "fts5",
		"optimize", "rtreecheck", "writefile", "edit", "", "sqlite_rename_column" };

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		assert_true(sqlite_guard_allows_function(yes[i]));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		assert_false(sqlite_guard_allows_function(no[i]));
	assert_true(sqlite_guard_allows_module(SPAN("FTS5")));
	assert_true(sqlite_guard_allows_module(SPAN("rtree")));
	assert_false(sqlite_guard_allows_module(SPAN("dbstat")));
	assert_false(sqlite_guard_allows_module(SPAN("fts5 but a very long name that fits nowhere")));
}

static void
types_mean_what_they_say(void **state)
{
	static const char *const cases[][2] = {
		{ "INTEGER", "number" }, { "int", "number" }, { "BIGINT", "number" }, { "UNSIGNED BIG INT", "number" },
		{ "INT8", "number" }, { "DECIMAL(10,2)", "number" }, { "numeric(10, 2)", "number" }, { "REAL", "number" },
		{ "DOUBLE PRECISION", "number" }, { "FLOAT", "number" }, { "MONEY", "number" },
		{ "DATE", "time" }, { "DATETIME", "time" }, { "timestamp", "time" }, { "TIMESTAMP WITH TIME ZONE", "time" },
		{ "TIME", "time" }, { "BOOLEAN", "boolean" }, { "bool", "boolean" },
		{ "TEXT", "string" }, { "VARCHAR(80)", "string" }, { "CHARACTER VARYING(20)", "string" }, { "BLOB", "string" },
		{ "", "string" }, { "INTERVAL", "string" }, { "POINT", "string" }, { "integer[]", "string" },
		{ "UPDATED", "string" }, { "CANDIDATE", "string" }, { "VARCHAR(INT)", "string" }, { "JSON", "string" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(sqlite_dimension(cases[i][0]), cases[i][1]) != 0)
			fail_msg("%s is %s", cases[i][0], sqlite_dimension(cases[i][0]));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_that_compute_are_allowed),
		cmocka_unit_test(types_mean_what_they_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

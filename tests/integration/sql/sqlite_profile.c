/* sqlite_profile.c - the tool `profile` on an SQLite file: what fails alone, what is bounded, what stops it. */
#include <stdio.h>

#include "tests/integration/sql/sql_harness.h"
#include "tests/integration/sql/sqlite_worker.h"

static const char schema[] =
    "CREATE TABLE t(a TEXT COLLATE NOCASE, b INT, \"c \"\"d\" TEXT);"
    "INSERT INTO t VALUES ('x', 1, 'one'), ('X', 1, NULL), ('y', NULL, 'two'), ('y', 2, ''), ('y', 3, 'one');"
    "CREATE VIEW slow AS SELECT a AS fast, (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
    " SELECT count(*) FROM c) AS slow, b AS after FROM t;"
    "CREATE TABLE many(v TEXT);"
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3000)"
    " INSERT INTO many SELECT printf('value %d', n) FROM c;";

static struct driver *
start(void)
{
	new_directory();
	change(in_directory("t.db"), schema);
	return sql_start(&(struct sql_setup){ .driver = "sqlite", .path = in_directory("t.db") });
}

static void
end(struct driver *d)
{
	sql_stop(d);
	remove_directory();
}

#define COLUMN(name)	"{\"name\":\"" name "\",\"nativeType\":\"T\"}"

static const char *
arguments(const char *table, const char *columns, unsigned rows, unsigned values, unsigned timeout_ms)
{
	static char out[65536];

	snprintf(out, sizeof(out),
	    "{\"catalog\":null,\"db\":null,\"name\":\"%s\",\"columns\":[%s],\"sampleRows\":%u,"
	    "\"valuesPerColumn\":%u,\"timeoutMs\":%u}",
	    table, columns, rows, values, timeout_ms);
	return out;
}

static void
a_column_is_counted(void **state)
{
	struct driver *d = start();
	const struct driver_answer *a = driver_call(d, "profile", "db",
	    arguments("t", COLUMN("a") "," COLUMN("b") "," COLUMN("c \\\"d"), 100, 10, 5000));

	(void)state;
	assert_int_equal(a->kind, DRIVER_RESULT);
	/* Told apart by their bytes, the most frequent first, whatever the column's collation. */
	assert_has(a->result,
	    "{\"column\":\"a\",\"nativeType\":\"T\",\"normalizedType\":null,\"rowCount\":5,\"nullCount\":0,"
	    "\"distinctCount\":3,\"uniquenessRatio\":0.6,\"nullRate\":0,\"sampleValues\":[\"y\",\"X\",\"x\"],"
	    "\"minTextLength\":1,\"maxTextLength\":1}");
	assert_has(a->result,
	    "\"nullCount\":1,\"distinctCount\":3,\"uniquenessRatio\":0.6,\"nullRate\":0.2,"
	    "\"sampleValues\":[\"1\",\"2\",\"3\"]");
	/* An empty text is one of the distinct ones and nothing to look for. */
	assert_has(a->result,
	    "\"distinctCount\":3,\"uniquenessRatio\":0.6,\"nullRate\":0.2,\"sampleValues\":[\"one\",\"two\"],"
	    "\"minTextLength\":0,\"maxTextLength\":3}");
	assert_has(a->result, "\"sampledRows\":5,\"failures\":[]");
	end(d);
}

static void
the_sample_is_bounded(void **state)
{
	struct driver *d = start();
	const struct driver_answer *a;

	(void)state;
	a = driver_call(d, "profile", "db", arguments("many", COLUMN("v"), 1000, 200, 5000));
	assert_has(a->result, "\"rowCount\":1000,\"nullCount\":0,\"distinctCount\":1000");
	assert_has(a->result, "\"sampleValues\":[\"value 1\",\"value 10\",\"value 100\",\"value 1000\",\"value 101\"]");
	a = driver_call(d, "profile", "db", arguments("many", COLUMN("v"), 3, 2, 5000));
	assert_has(a->result, "\"rowCount\":3");
	assert_has(a->result, "\"sampleValues\":[\"value 1\",\"value 2\"]");
	a = driver_call(d, "profile", "db", arguments("many", COLUMN("v"), 0, 2, 5000));
	assert_has(a->result,
	    "\"rowCount\":0,\"nullCount\":0,\"distinctCount\":0,\"uniquenessRatio\":0,\"nullRate\":0");
	a = driver_call(d, "profile", "db",
	    arguments("many", "{\"name\":\"v\",\"nativeType\":null,\"values\":0}", 3, 200, 5000));
	assert_has(a->result, "\"distinctCount\":3,\"uniquenessRatio\":1,\"nullRate\":0,\"sampleValues\":[]");
	end(d);
}

static void
a_failing_column_fails_alone(void **state)
{
	struct driver *d = start();
	const struct driver_answer *a;

	(void)state;
	a = driver_call(d, "profile", "db",
	    arguments("t", COLUMN("a") "," COLUMN("ghost") "," COLUMN("b"), 9, 9, 5000));
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_has(a->result, "\"column\":\"a\"");
	assert_has(a->result, "\"column\":\"b\"");
	assert_has(a->result, "\"failures\":[{\"column\":\"ghost\",\"message\":\"no such column: ghost");
	a = driver_call(d, "profile", "db", arguments("t'; DROP TABLE t; --", COLUMN("a"), 9, 9, 5000));
	assert_int_equal(a->kind, DRIVER_FAIL);
	assert_has(a->message, "no such table");
	sql_expect(d, "SELECT count(*) FROM t", "[[5]]");
	end(d);
}

static void
a_slow_column_ends_its_table(void **state)
{
	struct driver *d = start();
	const struct driver_answer *a;
	uint64_t id;

	(void)state;
	a = driver_call(d, "profile", "db",
	    arguments("slow", COLUMN("fast") "," COLUMN("slow") "," COLUMN("after"), 9, 9, 300));
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_has(a->result, "\"column\":\"fast\",\"nativeType\"");
	assert_has(a->result, "\"failures\":[{\"column\":\"slow\",\"message\":\"the query took too long");
	assert_has(a->result,
	    "{\"column\":\"after\",\"message\":\"it is left out with all columns behind it, 1 in all");
	a = driver_call(d, "profile", "db", arguments("slow", COLUMN("slow"), 9, 9, 300));
	assert_string_equal(a->code, "query_timeout");
	id = driver_start(d, "profile", "db", arguments("slow", COLUMN("slow"), 9, 9, 600000));
	driver_cancel(d, id);
	assert_string_equal(driver_wait(d, id)->code, "query_cancelled");
	sql_expect(d, "SELECT count(*) FROM t", "[[5]]");
	end(d);
}

/* However fast each of them is. */
static void
many_columns_end_with_their_time(void **state)
{
	static const char column[] = COLUMN("a") ",";
	struct driver *d = start();
	const struct driver_answer *a;
	char columns[1500 * sizeof(column)] = "";
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < 1500; i++)
		n += (size_t)snprintf(columns + n, sizeof(columns) - n, "%s", column);
	columns[n - 1] = '\0';
	a = driver_call(d, "profile", "db", arguments("t", columns, 9, 9, 1));
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_has(a->result, " in all, because the table takes too long");
	end(d);
}

int
sqlite_run_profile_tests(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_column_is_counted),
		cmocka_unit_test(the_sample_is_bounded),
		cmocka_unit_test(a_failing_column_fails_alone),
		cmocka_unit_test(a_slow_column_ends_its_table),
		cmocka_unit_test(many_columns_end_with_their_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

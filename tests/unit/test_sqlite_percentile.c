// libs: carrel_sql_sqlite
/* test_sqlite_percentile.c - median and percentile_cont: interpolation, NULLs, groups, what is refused, no leak. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/harness.h"
#include "workers/sql/sqlite/sqlite_percentile.h"

static sqlite3 *db;

static int
open_db(void **state)
{
	(void)state;
	return sqlite3_open(":memory:", &db) == SQLITE_OK && sqlite_percentile_install(db) == SQLITE_OK ? 0 : -1;
}

static int
close_db(void **state)
{
	(void)state;
	return sqlite3_close(db) == SQLITE_OK ? 0 : -1;
}

/* The cells of the first column, a comma between them; then the error, where there is one. */
static void
says(const char *values, const char *select, const char *expected)
{
	char sql[512], got[512] = "";
	sqlite3_stmt *stmt;
	size_t n = 0;
	int rc;

	snprintf(sql, sizeof(sql), "WITH t(x, k) AS (VALUES %s) %s", values, select);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s", n > 0 ? "," : "",
		    sqlite3_column_type(stmt, 0) == SQLITE_NULL ? "NULL" : (const char *)sqlite3_column_text(stmt, 0));
	if (rc != SQLITE_DONE)
		snprintf(got + n, sizeof(got) - n, "error: %s", sqlite3_errmsg(db));
	sqlite3_finalize(stmt);
	if (strstr(got, expected) == NULL || (rc == SQLITE_DONE && strcmp(got, expected) != 0))
		fail_msg("%s: %s: %s, expected %s", values, select, got, expected);
}

static void
percentiles_are_interpolated(void **state)
{
	(void)state;
	says("(10,1),(20,1),(40,1)", "SELECT median(x) FROM t", "20.0");
	says("(10,1),(20,1)", "SELECT median(x) FROM t", "15.0");
	says("(7,1)", "SELECT percentile_cont(x, 0.9) FROM t", "7.0");
	says("(40,1),(10,1),(30,1),(20,1)", "SELECT percentile_cont(x, 0.25) FROM t", "17.5");
	says("(40,1),(10,1),(30,1),(20,1)", "SELECT percentile_cont(x, 0) FROM t", "10.0");
	says("(40,1),(10,1),(30,1),(20,1)", "SELECT percentile_cont(x, 1) FROM t", "40.0");
	says("(1.5,1),('2.5',1),(-3,1)", "SELECT median(x) FROM t", "1.5");
	says("(9,'a'),(1,'b'),(NULL,'a'),(11,'a'),(NULL,'c')", "SELECT median(x) FROM t GROUP BY k ORDER BY k",
	    "10.0,1.0,NULL");
	says("(1,1),(1,1),(4,1)", "SELECT median(DISTINCT x) FROM t", "2.5");
	says("(1,1),(2,1),(30,1)", "SELECT median(x) FILTER (WHERE x < 10) FROM t", "1.5");
	says("(1,1)", "SELECT median(x) FROM t WHERE x > 5", "NULL");
	says("(1,1),(2,1),(9e999,1)", "SELECT median(x) FROM t", "2.0");
	says("(-9e999,1),(1,1)", "SELECT percentile_cont(x, 0) FROM t", "-Inf");
	says("(9e999,1),(9e999,1)", "SELECT median(x) FROM t", "Inf");
}

static void
many_values_keep_their_order(void **state)
{
	(void)state;
	says("(1,1)",
	    ", n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10007) "
	    "SELECT median((i * 7919) % 10007) FROM n",
	    "5003.0");
}

static void
what_is_no_number_is_refused(void **state)
{
	(void)state;
	says("(1,1),('abc',1),(2,1)", "SELECT median(x) FROM t", "error: a percentile is of numbers");
	says("(x'00',1)", "SELECT median(x) FROM t", "error: a percentile is of numbers");
	says("(1,1)", "SELECT percentile_cont(x, 1.5) FROM t", "error: percentile_cont(x, p) takes one p");
	says("(1,1)", "SELECT percentile_cont(x, NULL) FROM t", "error: percentile_cont(x, p) takes one p");
	says("(1,1)", "SELECT percentile_cont(x, 'a') FROM t", "error: percentile_cont(x, p) takes one p");
	says("(1,0.1),(2,0.2)", "SELECT percentile_cont(x, k) FROM t", "error: percentile_cont(x, p) takes one p");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_are_interpolated),
		cmocka_unit_test(many_values_keep_their_order),
		cmocka_unit_test(what_is_no_number_is_refused),
	};

	return cmocka_run_group_tests(tests, open_db, close_db);
}

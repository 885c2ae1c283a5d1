// libs: carrel_sql_sqlite
/*
 * The functions that replace SQLite's own: the same answers for whatever
 * arguments, and no call that computes for long.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/unit/harness.h"
#include "workers/sql/sqlite/sqlite_bounds.h"

#define LONGEST	(16 << 20)

static sqlite3 *ours, *plain;
static struct sqlite_bounds *bounds;

static int
open_both(void **state)
{
	(void)state;
	if (sqlite3_open(":memory:", &ours) != SQLITE_OK || sqlite3_open(":memory:", &plain) != SQLITE_OK)
		return -1;
	sqlite3_limit(ours, SQLITE_LIMIT_LENGTH, LONGEST);
	bounds = sqlite_bounds_install(ours, LONGEST);
	return bounds == NULL ? -1 : 0;
}

static int
close_both(void **state)
{
	(void)state;
	sqlite3_close(ours);
	sqlite3_close(plain);
	sqlite_bounds_free(bounds);
	return 0;
}

/* Type and bytes of the one cell, or the error. */
static void
ask(sqlite3 *db, const char *sql, char *out, size_t cap)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		snprintf(out, cap, "%d:%s", sqlite3_column_type(stmt, 0), sqlite3_column_text(stmt, 0));
	else
		snprintf(out, cap, "error: %s", sqlite3_errmsg(db));
	sqlite3_finalize(stmt);
}

static const char *const values[] = {
	"NULL", "''", "'a'", "'abc'", "'äöü'", "x'C3A4'", "x'80'", "CAST(x'80' AS TEXT)",
	"CAST(x'8080C3A4' AS TEXT)", "1", "1.5", "'aaa'", "x'00'", "'日本語'", "'本'", "'b'", "x''", "'ab%5.2fc'",
	"'%s|%d'", "x'0102'", "x'02'",
};

#define NVALUES	(sizeof(values) / sizeof(values[0]))

static void
compare(const char *sql)
{
	char a[1024], b[1024];

	ask(ours, sql, a, sizeof(a));
	ask(plain, sql, b, sizeof(b));
	if (strcmp(a, b) != 0)
		fail_msg("%s: %s, SQLite says %s", sql, a, b);
}

static void
answers_are_those_of_sqlite(void **state)
{
	static const char *const two[] = { "instr", "trim", "ltrim", "rtrim", "printf", "format" };
	char sql[256];

	(void)state;
	for (size_t i = 0; i < NVALUES; i++)
		for (size_t k = 0; k < NVALUES; k++) {
			for (size_t f = 0; f < sizeof(two) / sizeof(two[0]); f++) {
				snprintf(sql, sizeof(sql), "SELECT %s(%s, %s)", two[f], values[i], values[k]);
				compare(sql);
			}
			for (size_t m = 0; m < NVALUES; m++) {
				snprintf(sql, sizeof(sql), "SELECT hex(replace(%s, %s, %s))", values[i], values[k],
				    values[m]);
				compare(sql);
				snprintf(sql, sizeof(sql), "SELECT typeof(replace(%s, %s, %s))", values[i], values[k],
				    values[m]);
				compare(sql);
			}
		}
	compare("SELECT printf()");
	compare("SELECT printf('%d%%', 5)");
	compare("SELECT printf('%-*s|%0*d|%.*f|%,lld|%+d|%!g|%c', 8, 'x', 5, 42, 2, 1.005, 1234567, 3, 0.1, 'yz')");
	compare("SELECT printf('%s %s %s %s %s %s %s %s %s %s', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)");
	compare("SELECT json_patch('{\"a\":1}', '{\"a\":null,\"b\":[1]}')");
	compare("SELECT json_array(json_patch('{}', '{\"a\":1}'))");
	compare("SELECT json_patch('{', '{}')");
}

static void
no_call_computes_for_long(void **state)
{
	static const struct {
		const char *sql, *says;
	} bombs[] = {
		{ "SELECT printf('%.*c', 2000000000, 'x')", SQLITE_BOUNDS_SAYS },
		{ "SELECT printf('%*.*d', 5, 900000000, 1)", SQLITE_BOUNDS_SAYS },
		{ "SELECT printf(replace(hex(zeroblob(100000)), '00', '%.15000000c'), 'x')", SQLITE_BOUNDS_SAYS },
		{ "SELECT printf('%d %s %.900000000c', 1, 'a', 'x')", SQLITE_BOUNDS_SAYS },
		{ "SELECT printf('%%%s%.*c', 'a', -900000000, 'x')", SQLITE_BOUNDS_SAYS },
		{ "SELECT format('%99999999999999999999d', 1)", SQLITE_BOUNDS_SAYS },
		{ "SELECT trim(replace(hex(zeroblob(200000)), '0', 'b'), hex(zeroblob(200000)) || 'b')",
		    SQLITE_BOUNDS_SAYS },
		{ "SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1')", "1:0" },
		{ "SELECT instr(zeroblob(8000000), CAST(zeroblob(4000000) || x'01' AS BLOB))", "1:0" },
		{ "SELECT instr(CAST(zeroblob(4000000) AS TEXT), CAST(zeroblob(2000000) AS TEXT) || 'x')", "1:0" },
		{ "SELECT length(replace(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1', 'x'))", "1:8000000" },
		{ "SELECT replace(hex(zeroblob(4000000)), '0', hex(zeroblob(4000)))", "too big" },
		{ "SELECT json_patch('{' || replace(hex(zeroblob(100000)), '00', '\"k\":1,') || '\"z\":1}', "
		  "'{' || replace(hex(zeroblob(100000)), '00', '\"j\":1,') || '\"z\":1}')",
		    SQLITE_BOUNDS_SAYS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bombs) / sizeof(bombs[0]); i++) {
		char answer[256];
		clock_t since = clock();

		ask(ours, bombs[i].sql, answer, sizeof(answer));
		if (strstr(answer, bombs[i].says) == NULL)
			fail_msg("%s: %s", bombs[i].sql, answer);
		assert_true(clock() - since < 5 * CLOCKS_PER_SEC);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_those_of_sqlite),
		cmocka_unit_test(no_call_computes_for_long),
	};

	return cmocka_run_group_tests(tests, open_both, close_both);
}

// libs: carrel_sql_sqlite carrel_sql carrel_base
/* test_sqlite_temp.c - temporary files in memory: they are files, sorts use them, and nothing of them stays. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/harness.h"
#include "workers/sql/sqlite/sqlite_temp.h"

#define OPEN_TEMPORARY	(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_DELETEONCLOSE)

static int
set_up(void **state)
{
	(void)state;
	return sqlite3_initialize() != SQLITE_OK || sqlite_temp_install() != SQLITE_OK;
}

static sqlite3_file *
open_temporary(void)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	sqlite3_file *f = calloc(1, (size_t)vfs->szOsFile);
	int flags = 0;

	assert_string_equal(vfs->zName, "carrel");
	assert_int_equal(vfs->xOpen(vfs, NULL, f, OPEN_TEMPORARY | SQLITE_OPEN_TRANSIENT_DB, &flags), SQLITE_OK);
	assert_true(flags & SQLITE_OPEN_TRANSIENT_DB);
	return f;
}

static void
close_temporary(sqlite3_file *f)
{
	assert_int_equal(f->pMethods->xClose(f), SQLITE_OK);
	free(f);
}

/* Random writes, truncations and reads give what an array would. */
static void
a_file_is_as_an_array(void **state)
{
	enum { MOST = 3 << 20 };
	sqlite3_int64 before = sqlite3_memory_used(), size = 0, said;
	uint8_t *model = calloc(1, MOST), *bytes = malloc(1 << 20);
	sqlite3_file *f = open_temporary();

	(void)state;
	srand(7);
	for (int i = 0; i < 3000; i++) {
		int n = rand() % (i % 50 == 0 ? 600000 : 5000) + 1;
		sqlite3_int64 at = rand() % (MOST - n);

		if (rand() % 40 == 0) {
			assert_int_equal(f->pMethods->xTruncate(f, at), SQLITE_OK);
			if (at < size) {
				memset(model + at, 0, (size_t)(MOST - at));
				size = at;
			}
		} else if (rand() % 2 == 0) {
			for (int k = 0; k < n; k++)
				bytes[k] = (uint8_t)rand();
			assert_int_equal(f->pMethods->xWrite(f, bytes, n, at), SQLITE_OK);
			memcpy(model + at, bytes, (size_t)n);
			size = at + n > size ? at + n : size;
		} else {
			int rc = f->pMethods->xRead(f, bytes, n, at);

			assert_int_equal(rc, at + n <= size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ);
			assert_memory_equal(bytes, model + at, (size_t)n);
		}
		assert_int_equal(f->pMethods->xFileSize(f, &said), SQLITE_OK);
		assert_int_equal(said, size);
	}
	close_temporary(f);
	assert_int_equal(sqlite3_memory_used(), before);
	free(model);
	free(bytes);
}

static int
take_number(void *arg, int n, char **values, char **names)
{
	(void)n, (void)names;
	snprintf(arg, 64, "%s", values[0]);
	return 0;
}

static void
expect(sqlite3 *db, const char *sql, const char *answer)
{
	char got[64] = "";
	char *why = NULL;

	if (sqlite3_exec(db, sql, take_number, got, &why) != SQLITE_OK || strcmp(got, answer) != 0)
		fail_msg("%s: %s, not %s: %s", sql, got, answer, why == NULL ? "" : why);
}

#define ROWS	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)," \
    " t(k, v) AS MATERIALIZED (SELECT printf('%08d', i * 7919 % 200003), i FROM n) "

/* More than fits into the caches: many packed runs that are merged, and trees whose pages leave the cache. */
static void
what_does_not_fit_the_cache_is_right(void **state)
{
	sqlite3_int64 before = sqlite3_memory_used();
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	expect(db, "PRAGMA temp_store=FILE", "");
	expect(db, "PRAGMA cache_size=-64", "");
	expect(db, ROWS "SELECT count(*) FROM (SELECT k, lag(k) OVER (ORDER BY k) AS p FROM t) WHERE p >= k", "0");
	expect(db, ROWS "SELECT count(*) FROM (SELECT DISTINCT k FROM t)", "100000");
	expect(db, ROWS "SELECT sum(n) FROM (SELECT k, count(*) AS n FROM t GROUP BY substr(k, 5))", "100000");
	expect(db, ROWS "SELECT count(*) FROM (SELECT k FROM t EXCEPT SELECT k FROM t WHERE v % 2)", "50000");
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(sqlite3_memory_used(), before);
}

/* Where memory ends the statement ends, and the next one finds it free. */
static void
no_memory_is_an_error_of_the_statement(void **state)
{
	sqlite3_int64 limit = sqlite3_memory_used() + (2 << 20);
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	expect(db, "PRAGMA temp_store=FILE", "");
	expect(db, "PRAGMA cache_size=-64", "");
	(void)sqlite3_hard_heap_limit64(limit);
	assert_int_equal(sqlite3_exec(db, ROWS "SELECT count(*) FROM (SELECT k, v FROM t ORDER BY k LIMIT -1 OFFSET 1)",
			     NULL, NULL, NULL),
	    SQLITE_NOMEM);
	expect(db, "SELECT count(*) FROM (SELECT 1 ORDER BY 1)", "1");
	(void)sqlite3_hard_heap_limit64(0);
	expect(db, ROWS "SELECT count(*) FROM (SELECT DISTINCT k FROM t)", "100000");
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_as_an_array),
		cmocka_unit_test(what_does_not_fit_the_cache_is_right),
		cmocka_unit_test(no_memory_is_an_error_of_the_statement),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}

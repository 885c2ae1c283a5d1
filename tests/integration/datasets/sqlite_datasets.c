/* sqlite_datasets.c - statements over datasets on an SQLite file, through the worker as it is shipped. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/integration/datasets/datasets_cases.h"

static char directory[64], path[96];

static const char schema[] =
    "CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT, city TEXT, ssn TEXT DEFAULT 'CANARY', email TEXT);"
    "CREATE INDEX people_name ON people(name);"
    "CREATE TABLE orders(id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES people, amount INTEGER);"
    "CREATE TABLE vault(id INTEGER PRIMARY KEY AUTOINCREMENT, person_id INTEGER, grade INTEGER, pin TEXT, name TEXT);"
    "CREATE INDEX vault_pin ON vault(pin);"
    "CREATE VIEW tall AS WITH k AS (SELECT * FROM vault WHERE grade > 1) SELECT p.id, p.name FROM k JOIN people p"
    " ON p.id = k.person_id;"
    "CREATE VIEW vault_view AS SELECT pin FROM vault;"
    "INSERT INTO people(id, name, city, ssn, email) VALUES (1, 'Ada', 'Oslo', '1', 'a@x'),"
    " (2, 'Bob', 'Rome', '2', 'b@x'),"
    " (3, 'Cyd', 'Rome', '3', 'c@x');"
    "INSERT INTO orders VALUES (1, 1, 10), (2, 1, 15), (3, 1, 5), (4, 2, 20);"
    "INSERT INTO vault(person_id, grade, pin, name) VALUES (1, 2, 'CANARY1', 'CANARY'), (2, 1, 'CANARY2', 'CANARY');"
    "ANALYZE;";

static int
set_up(void **state)
{
	sqlite3 *db;

	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/carrel-datasets-XXXXXX");
	if (mkdtemp(directory) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/shop.db", directory);
	if (sqlite3_open(path, &db) != SQLITE_OK || sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK)
		return -1;
	return sqlite3_close(db);
}

static int
tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(directory);
}

static struct driver *
start(const char *columns)
{
	return sql_start(&(struct sql_setup){ .driver = "sqlite", .path = path, .columns = columns });
}

static void
only_datasets_can_be_read(void **state)
{
	struct driver *d = start(NULL);

	(void)state;
	assert_true(datasets_run_cases(d, "main", "honest.cases") > 40);
	assert_true(datasets_run_cases(d, "main", "sqlite.cases") > 120);
	/* And nothing of a statement stays for others. */
	sql_expect(d, "SELECT count(*) FROM sqlite_temp_schema", "[[0]]");
	sql_expect(d, "SELECT name FROM people WHERE id = 1", "[[\"Ada\"]]");
	sql_expect_fail(d, "SELECT * FROM dataset_1a1a1a1a_1a1a_4a1a_8a1a_1a1a1a1a1a1a", "invalid_sql",
	    "no such table");
	sql_stop(d);
}

static void
under_a_column_policy_too(void **state)
{
	struct driver *d = start("[{\"action\":\"hide\",\"pattern\":\"people.ssn\",\"scopes\":0},"
				 "{\"action\":\"mask\",\"pattern\":\"people.email\",\"scopes\":0},"
				 "{\"action\":\"hash\",\"pattern\":\"people.city\",\"scopes\":0},"
				 "{\"action\":\"hide\",\"pattern\":\"vault.pin\",\"scopes\":0}]");

	(void)state;
	assert_true(datasets_run_cases(d, "main", "sqlite.cases") > 120);
	datasets_expect(d, "main", "SELECT * FROM @a WHERE id = 1", NULL,
	    "\"columns\":[\"id\",\"name\",\"city\",\"email\"]");
	datasets_expect(d, "main", "SELECT ssn FROM @a", "invalid_sql", NULL);
	datasets_expect(d, "main", "SELECT email FROM @a WHERE id = 1", NULL, "***");
	datasets_expect(d, "main", "SELECT name FROM @a WHERE email = 'a@x'", "forbidden_sql", NULL);
	datasets_expect(d, "main", "SELECT name FROM @a WHERE city = 'Oslo'", NULL, "\"row_count\":0");
	datasets_expect(d, "main", "SELECT count(*) FROM @a GROUP BY city ORDER BY 1", NULL, "[[1],[2]]");
	datasets_expect(d, "main", "SELECT name FROM @v", NULL, "[[\"Ada\"]]");
	sql_stop(d);
}

static void
drawn_statements_bring_nothing_out(void **state)
{
	const char *number = getenv("CARREL_DRAWN");
	struct driver *d = start(NULL);

	(void)state;
	datasets_run_drawn(d, "main", "sqlite.cases", number == NULL ? 500 : strtoull(number, NULL, 10));
	sql_stop(d);
}

static void
its_limits_hold(void **state)
{
	static const char long_one[] =
	    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
	static const char large[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) "
				    "SELECT length(group_concat(hex(zeroblob(i + 10000)))) FROM n";
	struct driver *d = start(NULL);
	const struct driver_answer *a;

	(void)state;
	a = datasets_ask(d, "main", "SELECT * FROM @b", 2, 10000, 64 << 20);
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_has(a->result, "\"row_count\":2,\"truncated\":true");
	a = datasets_ask(d, "main", "SELECT * FROM @b LIMIT 3", 2, 10000, 64 << 20);
	assert_has(a->result, "\"row_count\":2,\"truncated\":true");
	a = datasets_ask(d, "main", "SELECT * FROM @b LIMIT 2", 2, 10000, 64 << 20);
	assert_has(a->result, "\"row_count\":2,\"truncated\":false");
	a = datasets_ask(d, "main", long_one, 2, 300, 64 << 20);
	assert_string_equal(a->code, "query_timeout");
	assert_has(a->message, "connectivity.sql_timeout_s");
	/* The time that a call waited for its worker counts. */
	a = driver_call(d, "dataset_execution", "",
	    "{\"sql\":\"SELECT "
	    "1\",\"datasets\":[],\"max_rows\":1,\"ms\":300,\"until\":1,\"memory\":67108864,\"threads\":1}");
	assert_string_equal(a->code, "query_timeout");
	a = datasets_ask(d, "main", large, 2, 10000, 1 << 20);
	assert_string_equal(a->code, "database_error");
	assert_has(a->message, "memory");
	a = datasets_ask(d, "main", large, 2, 10000, 64 << 20);
	assert_int_equal(a->kind, DRIVER_RESULT);
	sql_stop(d);
}

static void
a_governed_connection_takes_none(void **state)
{
	struct driver *d = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = path, .semantic_only = true });

	(void)state;
	datasets_expect(d, "main", "SELECT name FROM @a", "forbidden_sql", NULL);
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
		cmocka_unit_test(a_governed_connection_takes_none),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

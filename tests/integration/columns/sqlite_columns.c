/*
 * sqlite_columns.c - the column policy on an SQLite file, through the worker
 * as it is shipped.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "tests/integration/columns/columns_cases.h"

static const char policy[] =
    "[{\"action\":\"hide\",\"pattern\":\"customers.ssn\",\"scopes\":0},"
    "{\"action\":\"mask\",\"pattern\":\"customers.email\",\"scopes\":0},"
    "{\"action\":\"hash\",\"pattern\":\"customers.phone\",\"scopes\":0},"
    "{\"action\":\"hash\",\"pattern\":\"leads.phone\",\"scopes\":0},"
    "{\"action\":\"hide\",\"pattern\":\"*.password_hash\",\"scopes\":0},"
    "{\"action\":\"hide\",\"pattern\":\"pins.pin\",\"scopes\":0},"
    "{\"action\":\"mask\",\"pattern\":\"docs.body\",\"scopes\":0},"
    "{\"action\":\"mask\",\"pattern\":\"main.*.secret*\",\"scopes\":0}]";

static const char edges_policy[] =
    "[{\"action\":\"hide\",\"pattern\":\"*.ssn\",\"scopes\":0},{\"action\":\"hide\",\"pattern\":\"*.pin\",\"scopes\":0},"
    "{\"action\":\"mask\",\"pattern\":\"*.note\",\"scopes\":0},{\"action\":\"hash\",\"pattern\":\"people.phone\",\"scopes\":0},"
    "{\"action\":\"hide\",\"pattern\":\"people.\\\"o\\\"\\\"dd\\\"\",\"scopes\":0},"
    "{\"action\":\"hide\",\"pattern\":\"\\\"se\\\"\\\"cret\\\"\",\"scopes\":0},"
    "{\"action\":\"hide\",\"pattern\":\"hidden_places.lat*\",\"scopes\":0}]";

static char dir[] = "/tmp/carrel-columns-XXXXXX", path[64];

static void
fill(const char *file, const char *schema)
{
	struct buf sql = { 0 };
	char name[4096], part[4096], *why = NULL;
	sqlite3 *db;
	FILE *f;
	size_t n;

	snprintf(name, sizeof(name), "%s/tests/integration/columns/%s", SOURCE_DIR, schema);
	if ((f = fopen(name, "r")) == NULL || sqlite3_open(file, &db) != SQLITE_OK)
		fail_msg("%s", name);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_append(&sql, part, n);
	fclose(f);
	if (sqlite3_exec(db, buf_cstr(&sql), NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s", why);
	sqlite3_close(db);
	buf_fini(&sql);
}

static int
set_up(void **state)
{
	(void)state;
	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/db", dir);
	fill(path, "schema.sqlite.sql");
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static struct driver *
start(const char *columns)
{
	return sql_start(&(struct sql_setup){ .driver = "sqlite", .path = path, .columns = columns, .schemas = "[]" });
}

static void
nothing_protected_comes_out(void **state)
{
	struct driver *d = start(policy);

	(void)state;
	assert_true(columns_run_cases(d, "sqlite.cases") >= 80);
	sql_stop(d);
}

/* What a scan would keep of one column, and how it compares with an open one. */
static void
scan_column(struct driver *d, const char *table, const char *column)
{
	char arguments[512];
	const struct driver_answer *a;

	snprintf(arguments, sizeof(arguments),
	    "{\"name\":\"%s\",\"columns\":[{\"name\":\"%s\",\"nativeType\":\"TEXT\"}],"
	    "\"sampleRows\":100,\"valuesPerColumn\":100,\"timeoutMs\":10000}",
	    table, column);
	a = driver_call(d, "profile", "db", arguments);
	columns_assert_clean(d, table, a);
	if (a->kind == DRIVER_RESULT)
		assert_null(strstr(a->result, "\"column\""));
	snprintf(arguments, sizeof(arguments),
	    "{\"child\":{\"name\":\"plain\",\"columns\":[\"body\"]},"
	    "\"parent\":{\"name\":\"%s\",\"columns\":[\"%s\"]},\"sampleRows\":10,\"timeoutMs\":9000}",
	    table, column);
	assert_int_equal(driver_call(d, "relate", "db", arguments)->kind, DRIVER_FAIL);
}

static void
scan_the_edges(struct driver *d)
{
	static const char *const protected[][2] = {
		{ "words4", "term" }, { "words4", "documents" }, { "words5", "term" }, { "words5", "cnt" }, { "words5i", "term" },
		{ "words_found", "term" }, { "found", "body" }, { "found4", "body" }, { "found_short", "body" },
		{ "found_filtered", "body" }, { "over_shadow", "c1" }, { "by_secret", "x" }, { "own_words", "term" },
		{ "notes4", "note" }, { "people", "odd_length" }, { "t.a[b]`c", "y" }, { "keyed", "pin" }, { "shadow_view", "body" },
	};
	const struct driver_answer *a = driver_call(d, "introspect", "db", "{}");

	columns_assert_clean(d, "introspect", a);
	assert_has(a->result,
	    "\"name\":\"words4\",\"kind\":\"table\",\"comment\":null,\"estimatedRows\":null,\"columns\":[]");
	assert_has(a->result,
	    "\"name\":\"found_filtered\",\"kind\":\"table\",\"comment\":null,\"estimatedRows\":null,"
	    "\"columns\":[]");
	assert_has(a->result, "\"name\":\"open_words5\",\"kind\":\"table\",\"comment\":null,\"estimatedRows\":5");
	assert_null(strstr(a->result, "\"ssn\""));
	for (size_t i = 0; i < sizeof(protected) / sizeof(protected[0]); i++)
		scan_column(d, protected[i][0], protected[i][1]);
}

static void
nothing_comes_out_at_the_edges(void **state)
{
	struct driver *d;
	char file[64];

	(void)state;
	snprintf(file, sizeof(file), "%s/edges", dir);
	fill(file, "schema.sqlite_edges.sql");
	d = sql_start(&(struct sql_setup){
	    .driver = "sqlite", .path = file, .columns = edges_policy, .schemas = "[]" });
	assert_true(columns_run_cases(d, "sqlite_edges.cases") >= 120);
	scan_the_edges(d);
	sql_stop(d);
	unlink(file);
}

static void
differ(const char *file, const char *sql)
{
	sqlite3 *db;
	char *why = NULL;

	if (sqlite3_open(file, &db) != SQLITE_OK || sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s", why);
	sqlite3_close(db);
}

static void
answers_do_not_depend_on_protected_values(void **state)
{
	struct driver *one, *other;
	char second[64];

	(void)state;
	snprintf(second, sizeof(second), "%s/other", dir);
	fill(second, "schema.sqlite.sql");
	differ(second,
	    "UPDATE customers SET ssn = 'CANARY of another kind ' || (id * 7919 % 31),"
	    " email = CASE WHEN email IS NOT NULL THEN 'CANARY ' || (97 - id) || ' elsewhere' END");
	one = start(policy);
	other =
	    sql_start(&(struct sql_setup){ .driver = "sqlite", .path = second, .columns = policy, .schemas = "[]" });
	columns_compare(one, other, false);
	sql_stop(one);
	sql_stop(other);
	unlink(second);
}

static void
rules_bind_by_scope(void **state)
{
	struct driver *d = start("[{\"action\":\"hide\",\"pattern\":\"customers.name\",\"scopes\":4},"
				 "{\"action\":\"mask\",\"pattern\":\"name\",\"scopes\":1},{\"action\":\"mask\","
				 "\"pattern\":\"nothing\",\"scopes\":0}]");

	(void)state;
	driver_set_scopes(d, POLICY_SCOPE_RESEARCH_QUERY | POLICY_SCOPE_LOCAL);
	sql_expect(d, "SELECT name FROM customers WHERE id = 1", "Name 1");
	driver_set_scopes(d, POLICY_SCOPE_RESEARCH_QUERY | POLICY_SCOPE_RESEARCH_READ);
	sql_expect(d, "SELECT name FROM customers WHERE id = 1", "***");
	sql_expect(d, "SELECT name FROM plain_view WHERE id = 1", "***");
	driver_set_scopes(d, POLICY_SCOPES_RESEARCH);
	sql_expect_fail(d, "SELECT name FROM customers WHERE id = 1", "forbidden_sql", "hidden");
	driver_set_scopes(d, POLICY_SCOPE_RESEARCH_QUERY | POLICY_SCOPE_LOCAL);
	/* A scan is for all. */
	assert_null(strstr(driver_call(d, "introspect", "db", "{}")->result, "\"name\":\"name\""));
	sql_expect(d, "SELECT name FROM plain_view WHERE id = 1", "Name 1");
	assert_has(driver_call(d, "connection_test", "db", "{}")->result, "\"matchNothing\":[\"nothing\"]");
	sql_stop(d);
}

/* A column or a view that appears while the worker runs is protected from its first moment. */
static void
a_changed_schema_is_noticed(void **state)
{
	struct driver *d = start(policy);

	(void)state;
	sql_expect(d, "SELECT count(*) FROM customers", "[[21]]");
	differ(path,
	    "CREATE TABLE late(id INT, password_hash TEXT); INSERT INTO late VALUES (7, 'CANARY');"
	    "CREATE VIEW late_view AS SELECT * FROM customers; CREATE VIEW later AS SELECT * FROM late");
	sql_expect(d, "SELECT * FROM late", "\"rows\":[[7]]");
	sql_expect(d, "SELECT * FROM later", "\"rows\":[[7]]");
	sql_expect(d, "SELECT email FROM late_view WHERE id = 1", "***");
	sql_expect_fail(d, "SELECT password_hash FROM later", "forbidden_sql", "hidden");
	sql_stop(d);
}

static void
scans_measure_nothing_protected(void **state)
{
	struct driver *d = start(policy);
	const struct driver_answer *a;

	(void)state;
	a = driver_call(d, "profile", "db",
	    "{\"name\":\"customers\",\"columns\":[{\"name\":\"name\",\"nativeType\":\"TEXT\"},"
	    "{\"name\":\"email\",\"nativeType\":\"TEXT\"},{\"name\":\"ssn\",\"nativeType\":\"TEXT\"},{\"name\":"
	    "\"tail2\","
	    "\"nativeType\":\"TEXT\"}],\"sampleRows\":100,\"valuesPerColumn\":100,\"timeoutMs\":10000}");
	columns_assert_clean(d, "profile", a);
	assert_has(a->result, "\"column\":\"name\"");
	assert_null(strstr(a->result, "\"column\":\"email\""));
	assert_null(strstr(a->result, "\"column\":\"tail2\""));
	a = driver_call(d, "introspect", "db", "{}");
	columns_assert_clean(d, "introspect", a);
	assert_has(a->result, "\"email\"");
	assert_null(strstr(a->result, "\"ssn\""));
	assert_null(strstr(a->result, "\"password_hash\""));
	a = driver_call(d, "relate", "db",
	    "{\"child\":{\"name\":\"leads\",\"columns\":[\"source\"]},"
	    "\"parent\":{\"name\":\"customers\",\"columns\":[\"email\"]},\"sampleRows\":10,\"timeoutMs\":9000}");
	assert_int_equal(a->kind, DRIVER_FAIL);
	sql_stop(d);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_protected_comes_out),
		cmocka_unit_test(nothing_comes_out_at_the_edges),
		cmocka_unit_test(answers_do_not_depend_on_protected_values),
		cmocka_unit_test(rules_bind_by_scope),
		cmocka_unit_test(scans_measure_nothing_protected),
		cmocka_unit_test(a_changed_schema_is_noticed),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* postgres_profile.c - the tool `profile` on PostgreSQL: what fails alone, what stops it, and the session after it. */
#include <stdio.h>

#include "tests/integration/sql/postgres_worker.h"
#include "tests/integration/sql/sql_harness.h"

static const char seed[] =
    "CREATE SCHEMA \"pro.file\"; GRANT USAGE ON SCHEMA \"pro.file\" TO reader; SET search_path = \"pro.file\";"
    "CREATE TABLE \"t'\"\"\\\"(id int, \"Größe\" text, doc json);"
    "INSERT INTO \"t'\"\"\\\" VALUES (1, 'klein', '{}'), (2, 'klein', '{}'), (3, NULL, '[]');"
    "CREATE VIEW odd AS SELECT id, 1 / (id - id) AS broken, \"Größe\" AS size FROM \"t'\"\"\\\";"
    "CREATE VIEW slow AS SELECT id, (SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b) AS slow, \"Größe\" AS size FROM \"t'\"\"\\\";"
    "GRANT SELECT ON ALL TABLES IN SCHEMA \"pro.file\" TO reader;"
    "CREATE TABLE secret(a text); INSERT INTO secret VALUES ('x')";

#define COLUMN(name)	"{\"name\":\"" name "\",\"nativeType\":\"T\"}"

static const char *
arguments(const char *table, const char *columns, unsigned timeout_ms)
{
	static char out[1024];

	snprintf(out, sizeof(out),
	    "{\"catalog\":null,\"db\":\"pro.file\",\"name\":\"%s\",\"columns\":[%s],\"sampleRows\":100,"
	    "\"valuesPerColumn\":10,\"timeoutMs\":%u}",
	    table, columns, timeout_ms);
	return out;
}

static struct driver *
start(void)
{
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = url_of("reader", "secret", NULL) });
}

static void
names_are_quoted(void **state)
{
	struct driver *d = start();
	const struct driver_answer *a =
	    driver_call(d, "profile", "db", arguments("t'\\\"\\\\", COLUMN("Größe") "," COLUMN("doc"), 10000));

	(void)state;
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_has(a->result,
	    "{\"column\":\"Größe\",\"nativeType\":\"T\",\"normalizedType\":null,\"rowCount\":3,\"nullCount\":1,"
	    "\"distinctCount\":1,\"uniquenessRatio\":0.3333333333333333,\"nullRate\":0.3333333333333333,"
	    "\"sampleValues\":[\"klein\"],\"minTextLength\":5,\"maxTextLength\":5}");
	assert_has(a->result, "\"sampleValues\":[\"{}\",\"[]\"]");
	assert_has(a->result, "\"sampledRows\":3,\"failures\":[]");
	sql_stop(d);
}

static void
a_failing_column_fails_alone(void **state)
{
	struct driver *d = start();
	const struct driver_answer *a;

	(void)state;
	a = driver_call(d, "profile", "db",
	    arguments("odd", COLUMN("id") "," COLUMN("broken") "," COLUMN("size"), 10000));
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_has(a->result, "\"column\":\"id\"");
	assert_has(a->result, "\"column\":\"size\"");
	assert_has(a->result, "\"failures\":[{\"column\":\"broken\",\"message\":\"division by zero");
	a = driver_call(d, "profile", "db", arguments("secret", COLUMN("a"), 10000));
	assert_int_equal(a->kind, DRIVER_FAIL);
	assert_has(a->message, "permission denied");
	sql_expect(d, "SELECT 1", "[[1]]");
	sql_stop(d);
}

static void
a_slow_column_ends_its_table(void **state)
{
	struct driver *d = start();
	const struct driver_answer *a;

	(void)state;
	a = driver_call(d, "profile", "db",
	    arguments("slow", COLUMN("id") "," COLUMN("slow") "," COLUMN("size"), 3000));
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_has(a->result, "\"column\":\"id\",\"nativeType\"");
	assert_has(a->result, "\"failures\":[{\"column\":\"slow\"");
	assert_has(a->result, "it is left out with all columns behind it, 1 in all");
	sql_expect(d, "SELECT 1", "[[1]]");
	sql_stop(d);
}

int
postgres_run_profile_tests(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_quoted),
		cmocka_unit_test(a_failing_column_fails_alone),
		cmocka_unit_test(a_slow_column_ends_its_table),
	};

	(void)super(seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

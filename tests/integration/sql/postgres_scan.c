/* postgres_scan.c - the tools `relate` and `fingerprint` on PostgreSQL, and what tells that rows have changed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "tests/integration/sql/postgres_worker.h"
#include "tests/integration/sql/sql_harness.h"

static const char seed[] =
    "CREATE SCHEMA \"re.late\"; GRANT USAGE ON SCHEMA \"re.late\" TO reader; SET search_path = \"re.late\";"
    "CREATE TABLE \"p\"\"arent\"(id bigint, code text, \"the line\" int);"
    "INSERT INTO \"p\"\"arent\" VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', 2), (3, 'd', 3), (NULL, 'e', 4);"
    "CREATE TABLE child(pid int, pcode varchar(10), pline int, doc json);"
    "INSERT INTO child VALUES (1, 'a', 1), (1, 'a', 9), (2, 'x', 1), (9, 'b', 1), (NULL, 'c', 2), (3, NULL, 2);"
    "CREATE TABLE base(a int); CREATE TABLE heir() INHERITS (base); CREATE VIEW v AS SELECT 1 AS one;"
    "CREATE TABLE rls(a int); ALTER TABLE rls ENABLE ROW LEVEL SECURITY;"
    "CREATE TABLE parted(a int) PARTITION BY LIST (a); CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);"
    "CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2);"
    "GRANT SELECT ON ALL TABLES IN SCHEMA \"re.late\" TO reader;"
    "CREATE TABLE closed(id int)";

static struct driver *
start(void)
{
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = url_of("reader", "secret", NULL),
	    .schemas = "[\"re.late\"]" });
}

static const struct driver_answer *
relate(struct driver *d, const char *child, const char *parent, const char *table)
{
	char args[1024];

	snprintf(args, sizeof(args),
	    "{\"child\":{\"db\":\"re.late\",\"name\":\"child\",\"columns\":[%s]},\"parent\":{"
	    "\"db\":\"re.late\",\"name\":\"%s\",\"columns\":[%s]},\"sampleRows\":100,\"timeoutMs\":5000}",
	    child, table, parent);
	return driver_call(d, "relate", "db", args);
}

static void
values_are_looked_for(void **state)
{
	struct driver *d = start();

	(void)state;
	assert_string_equal(relate(d, "\"pid\"", "\"id\"", "p\\\"arent")->result,
	    "{\"childRows\":6,\"childFilled\":5,"
	    "\"childDistinct\":4,\"foundRows\":4,\"foundDistinct\":3,\"parentRows\":5,\"parentFilled\":4,"
	    "\"parentDistinct\":3}");
	assert_string_equal(relate(d, "\"pcode\",\"pline\"", "\"code\",\"the line\"", "p\\\"arent")->result,
	    "{\"childRows\":6,"
	    "\"childFilled\":5,\"childDistinct\":5,\"foundRows\":3,\"foundDistinct\":3,\"parentRows\":5,"
	    "\"parentFilled\":5,"
	    "\"parentDistinct\":5}");
	/* What cannot be compared, or may not be read, is an error and no end. */
	assert_int_equal(relate(d, "\"doc\"", "\"id\"", "p\\\"arent")->kind, DRIVER_FAIL);
	assert_has(relate(d, "\"pid\"", "\"id\"", "closed")->message, "permission denied");
	sql_expect(d, "SELECT 1", "[[1]]");
	sql_stop(d);
}

static char *
fingerprint(struct driver *d)
{
	const struct driver_answer *a = driver_call(d, "fingerprint", "db", "{}");

	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_has(a->result, "{\"fingerprint\":\"4-");
	return strdup(a->result);
}

static void
the_structure_has_a_fingerprint(void **state)
{
	static const char *const same[] = {
		"INSERT INTO \"re.late\".child VALUES (7)", "ANALYZE \"re.late\".child",
		"CREATE TABLE elsewhere(a int)", "CREATE TYPE \"re.late\".unused AS ENUM ('a')",
		"CREATE TABLE \"re.late\".parted_3 PARTITION OF \"re.late\".parted FOR VALUES IN (3)",
	};
	static const char *const changes[] = {
		"ALTER TABLE \"re.late\".child ADD COLUMN more text", "ALTER TABLE \"re.late\".child ALTER COLUMN more TYPE varchar(9)",
		"ALTER TABLE \"re.late\".child ALTER COLUMN more SET NOT NULL", "ALTER TABLE \"re.late\".child RENAME COLUMN more TO less",
		"ALTER TABLE \"re.late\".child DROP COLUMN less", "ALTER TABLE \"re.late\".\"p\"\"arent\" ADD PRIMARY KEY (code)",
		"ALTER TABLE \"re.late\".child ADD FOREIGN KEY (pcode) REFERENCES \"re.late\".\"p\"\"arent\" NOT VALID",
		"CREATE INDEX late ON \"re.late\".child (pid)", "DROP INDEX \"re.late\".late",
		"CREATE INDEX late ON \"re.late\".child (pid) WHERE pid > 1",
		"ALTER TABLE \"re.late\".child ADD COLUMN kind \"re.late\".unused", "ALTER TYPE \"re.late\".unused ADD VALUE 'b'",
		"ALTER TYPE \"re.late\".unused RENAME VALUE 'a' TO 'c'",
		"CREATE OR REPLACE VIEW \"re.late\".v AS SELECT 2 AS one",
		"DROP VIEW \"re.late\".v", "CREATE TABLE \"re.late\".another()", "ALTER TABLE \"re.late\".another RENAME TO renamed",
	};
	struct driver *d = start();
	char *before = fingerprint(d), *after;

	(void)state;
	(void)super("DELETE FROM \"re.late\".child WHERE pcode = 'x'");
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		(void)super(same[i]);
		after = fingerprint(d);
		if (strcmp(before, after) != 0)
			fail_msg("%s: %s became %s", same[i], before, after);
		free(after);
	}
	(void)super(
	    "UPDATE \"re.late\".child SET pcode = NULL; DELETE FROM \"re.late\".\"p\"\"arent\" WHERE code IS NULL");
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		if (i == 2)
			(void)super("UPDATE \"re.late\".child SET more = 'x'");
		(void)super(changes[i]);
		after = fingerprint(d);
		if (strcmp(before, after) == 0)
			fail_msg("%s: no difference", changes[i]);
		free(before);
		before = after;
	}
	assert_has(driver_call(d, "introspect", "db", "{}")->result, "\"schema_fingerprint\":\"4-");
	free(before);
	sql_stop(d);
}

/* The dataVersion of one table; "" for null. */
static void
read_version(struct driver *d, const char *table, char out[200])
{
	static const char key[] = "\"dataVersion\":";
	char name[100];
	const char *at;

	snprintf(name, sizeof(name), "\"name\":\"%s\",\"kind\"", table);
	at = strstr(driver_call(d, "introspect", "db", "{}")->result, name);
	assert_non_null(at);
	at = strstr(at, key) + strlen(key);
	snprintf(out, 200, "%.*s", at[0] == '"' ? (int)(strchr(at + 1, '"') - at) + 1 : 0, at);
}

/* A session tells its counts at its end, which comes a moment after its client's. */
static void
settle(struct driver *d, const char *table, char version[200])
{
	until_super(
	    "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND usename = 'postgres'",
	    "1");
	read_version(d, table, version);
	assert_true(version[0] == '"');
}

static void
writes_change_the_version(void **state)
{
	static const struct {
		const char *table, *change;
	} cases[] = {
		{ "child", "INSERT INTO \"re.late\".child VALUES (8)" },
		{ "child", "UPDATE \"re.late\".child SET pid = pid" },
		{ "child", "DELETE FROM \"re.late\".child" },
		{ "child", "TRUNCATE \"re.late\".child" },
		{ "parted", "INSERT INTO \"re.late\".parted VALUES (2)" },
	};
	struct driver *d = start();
	char before[200], after[200];
	uint64_t until;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		settle(d, cases[i].table, before);
		(void)super(cases[i].change);
		until = clock_ns() + 20 * CLOCK_SECOND;
		do
			read_version(d, cases[i].table, after);
		while (strcmp(before, after) == 0 && clock_ns() < until);
		if (strcmp(before, after) == 0)
			fail_msg("%s: no difference", cases[i].change);
	}
	/* What hangs on more than the table has none. */
	read_version(d, "base", after);
	assert_string_equal(after, "");
	read_version(d, "rls", after);
	assert_string_equal(after, "");
	read_version(d, "heir", after);
	assert_true(after[0] == '"');
	sql_stop(d);
}

int
postgres_run_scan_tests(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_looked_for),
		cmocka_unit_test(the_structure_has_a_fingerprint),
		cmocka_unit_test(writes_change_the_version),
	};

	(void)super(seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

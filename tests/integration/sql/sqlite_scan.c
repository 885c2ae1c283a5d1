/* sqlite_scan.c - the tools `relate` and `fingerprint` on an SQLite file, and what tells that rows have changed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utime.h>

#include "tests/integration/sql/sql_harness.h"
#include "tests/integration/sql/sqlite_worker.h"

static const char schema[] =
    "CREATE TABLE \"p\"\"arent\"(id INT, code TEXT, \"the line\" INT);"
    "INSERT INTO \"p\"\"arent\" VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', 2), (3, 'd', 3), (NULL, 'e', 4);"
    "CREATE TABLE child(pid INT, pcode TEXT, pline INT);"
    "INSERT INTO child VALUES (1, 'a', 1), (1, 'a', 9), (2, 'x', 1), (9, 'b', 1), (NULL, 'c', 2), (3, NULL, 2);";

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

static const struct driver_answer *
relate(struct driver *d, const char *child, const char *parent, unsigned rows)
{
	char args[1024];

	snprintf(args, sizeof(args),
	    "{\"child\":{\"name\":\"child\",\"columns\":[%s]},\"parent\":{\"name\":\"p\\\"arent\","
	    "\"columns\":[%s]},\"sampleRows\":%u,\"timeoutMs\":5000}",
	    child, parent, rows);
	return driver_call(d, "relate", "db", args);
}

static void
values_are_looked_for(void **state)
{
	struct driver *d = start();

	(void)state;
	assert_string_equal(relate(d, "\"pid\"", "\"id\"", 100)->result,
	    "{\"childRows\":6,\"childFilled\":5,"
	    "\"childDistinct\":4,\"foundRows\":4,\"foundDistinct\":3,\"parentRows\":5,\"parentFilled\":4,"
	    "\"parentDistinct\":3}");
	/* A key of two columns counts where both are there. */
	assert_string_equal(relate(d, "\"pcode\",\"pline\"", "\"code\",\"the line\"", 100)->result,
	    "{\"childRows\":6,"
	    "\"childFilled\":5,\"childDistinct\":5,\"foundRows\":3,\"foundDistinct\":3,\"parentRows\":5,"
	    "\"parentFilled\":5,"
	    "\"parentDistinct\":5}");
	/* The samples are bounded; what is found may be anywhere. */
	assert_has(relate(d, "\"pid\"", "\"id\"", 2)->result,
	    "\"childRows\":2,\"childFilled\":2,\"childDistinct\":1,"
	    "\"foundRows\":2,\"foundDistinct\":1,\"parentRows\":2");
	assert_has(relate(d, "\"pid\"", "\"id\"", 0)->result,
	    "\"childRows\":0,\"childFilled\":0,\"childDistinct\":0,"
	    "\"foundRows\":0,\"foundDistinct\":0");
	assert_string_equal(relate(d, "\"pid\",\"pline\"", "\"id\"", 9)->code, "invalid_arguments");
	assert_string_equal(relate(d, "\"gone\"", "\"id\"", 9)->code, "invalid_sql");
	end(d);
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
	struct driver *d = start();
	char *before = fingerprint(d), *after;

	(void)state;
	change(in_directory("t.db"), "INSERT INTO child VALUES (5, 'z', 5); ANALYZE");
	after = fingerprint(d);
	assert_string_equal(before, after); /* rows are none of it */
	free(after);
	change(in_directory("t.db"), "CREATE INDEX i ON child(pid)");
	after = fingerprint(d);
	assert_string_not_equal(before, after);
	free(after);
	assert_has(driver_call(d, "introspect", "db", "{}")->result, "\"schema_fingerprint\":\"4-");
	change(in_directory("t.db"), "ALTER TABLE child ADD COLUMN more TEXT");
	after = fingerprint(d);
	assert_string_not_equal(before, after);
	free(after);
	change(in_directory("t.db"), "CREATE VIEW v AS SELECT 1 AS one");
	after = fingerprint(d);
	assert_string_not_equal(before, after);
	free(after);
	free(before);
	end(d);
}

/* The dataVersion of every table, the same for all of a file; "" for null. */
static void
read_version(struct driver *d, char out[200])
{
	static const char key[] = "\"dataVersion\":";
	const char *at = strstr(driver_call(d, "introspect", "db", "{}")->result, key);

	assert_non_null(at);
	at += strlen(key);
	snprintf(out, 200, "%.*s", at[0] == '"' ? (int)(strchr(at + 1, '"') - at) + 1 : 0, at);
}

static void
a_write_changes_the_version(void **state)
{
	struct driver *d = start();
	char before[200], after[200];

	(void)state;
	read_version(d, before);
	assert_true(before[0] == '"');
	read_version(d, after);
	assert_string_equal(before, after);
	change(in_directory("t.db"), "UPDATE child SET pid = pid + 1");
	read_version(d, after);
	assert_string_not_equal(before, after);
	end(d);
}

/* A -wal that may be written to at this moment tells nothing. */
static void
a_busy_wal_has_no_version(void **state)
{
	struct driver *d;
	sqlite3 *writer;
	char version[200];

	(void)state;
	new_directory();
	writer =
	    writer_open(in_directory("t.db"), "PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1)");
	d = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = in_directory("t.db") });
	read_version(d, version);
	assert_string_equal(version, "");
	assert_int_equal(utime(in_directory("t.db-wal"),
			     &(struct utimbuf){ .actime = 1000000000, .modtime = 1000000000 }),
	    0);
	read_version(d, version);
	assert_true(version[0] == '"');
	sql_stop(d);
	sqlite3_close(writer);
	remove_directory();
}

int
sqlite_run_scan_tests(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_looked_for),
		cmocka_unit_test(the_structure_has_a_fingerprint),
		cmocka_unit_test(a_write_changes_the_version),
		cmocka_unit_test(a_busy_wal_has_no_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

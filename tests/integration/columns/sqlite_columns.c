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

static char dir[] = "/tmp/carrel-columns-XXXXXX", path[64];

static void
fill(const char *file)
{
	struct buf sql = { 0 };
	char name[4096], part[4096], *why = NULL;
	sqlite3 *db;
	FILE *f;
	size_t n;

	snprintf(name, sizeof(name), "%s/tests/integration/columns/schema.sqlite.sql", SOURCE_DIR);
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
	fill(path);
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

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_protected_comes_out),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

/*
 * postgres_columns.c - the column policy on a real server, through the worker
 * as it is shipped: no statement, however it is put, brings a protected value
 * out, and none that leaves them alone is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/columns/columns_cases.h"
#include "tests/integration/guard/pg_rig.h"

/* 1 << 0: research:read. */
static const char policy[] =
    "[{\"action\":\"hide\",\"pattern\":\"customers.ssn\",\"scopes\":0},"
    "{\"action\":\"mask\",\"pattern\":\"customers.email\",\"scopes\":0},"
    "{\"action\":\"hash\",\"pattern\":\"customers.phone\",\"scopes\":0},"
    "{\"action\":\"hash\",\"pattern\":\"leads.phone\",\"scopes\":0},"
    "{\"action\":\"hide\",\"pattern\":\"*.password_hash\",\"scopes\":0},"
    "{\"action\":\"hide\",\"pattern\":\"public.people.ssn\",\"scopes\":0},"
    "{\"action\":\"hide\",\"pattern\":\"derived.p*n\",\"scopes\":0},"
    "{\"action\":\"mask\",\"pattern\":\"salaries.salary\",\"scopes\":0},"
    "{\"action\":\"mask\",\"pattern\":\"salaries.born\",\"scopes\":0},"
    "{\"action\":\"mask\",\"pattern\":\"salaries.account\",\"scopes\":0},"
    "{\"action\":\"mask\",\"pattern\":\"salaries.doc\",\"scopes\":0},"
    "{\"action\":\"mask\",\"pattern\":\"salaries.flags\",\"scopes\":0},"
    "{\"action\":\"mask\",\"pattern\":\"\\\"Odd Schema\\\".*.\\\"secret col\\\"\",\"scopes\":0}]";

static int
set_up(void **state)
{
	char text[4096];

	(void)state;
	if (pg_rig_open() != 0)
		return -1;
	snprintf(text, sizeof(text), "%s/tests/support/pg.sh psql '%s' -f "
	    "%s/tests/integration/columns/schema.postgres.sql >/dev/null", SOURCE_DIR, pg_rig_directory(), SOURCE_DIR);
	return system(text);
}

static struct driver *
start(const char *columns)
{
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = pg_rig_conninfo("postgres"),
		.columns = columns, .schemas = "[\"public\"]" });
}

static void
nothing_protected_comes_out(void **state)
{
	struct driver *d = start(policy);

	(void)state;
	assert_true(columns_run_cases(d, "postgres.cases") >= 200);
	sql_stop(d);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_protected_comes_out),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}

/* postgres_datasets.c - statements over datasets on a real server, through the worker as it is shipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/datasets/datasets_cases.h"
#include "tests/integration/guard/pg_rig.h"

static int
set_up(void **state)
{
	char text[4096];

	(void)state;
	if (pg_rig_open() != 0)
		return -1;
	snprintf(text, sizeof(text),
	    "'%s/tests/support/pg.sh' psql '%s' -f '%s/tests/integration/datasets/schema.postgres.sql' >/dev/null",
	    SOURCE_DIR, pg_rig_directory(), SOURCE_DIR);
	return system(text);
}

static struct driver *
start(const char *columns, const char *role)
{
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = pg_rig_conninfo(role),
		.columns = columns });
}

static void
only_datasets_can_be_read(void **state)
{
	static const char *const roles[] = { "postgres", "reader" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct driver *d = start(NULL, roles[i]);

		assert_true(datasets_run_cases(d, "public", "honest.cases") > 40);
		assert_true(datasets_run_cases(d, "public", "postgres.cases") > 200);
		/* And nothing of a statement stays for others. */
		sql_expect(d, "SHOW search_path", "public");
		sql_expect(d, "SELECT name FROM people WHERE id = 1", "[[\"Ada\"]]");
		sql_stop(d);
	}
	pg_rig_assert_no_residue();
}

static void
under_a_column_policy_too(void **state)
{
	struct driver *d = start("[{\"action\":\"hide\",\"pattern\":\"people.ssn\",\"scopes\":0},"
				 "{\"action\":\"mask\",\"pattern\":\"people.email\",\"scopes\":0},"
				 "{\"action\":\"hide\",\"pattern\":\"vault.pin\",\"scopes\":0}]",
	    "postgres");

	(void)state;
	assert_true(datasets_run_cases(d, "public", "postgres.cases") > 200);
	datasets_expect(d, "public", "SELECT * FROM @a WHERE id = 1", NULL,
	    "\"columns\":[\"id\",\"name\",\"city\",\"email\"]");
	datasets_expect(d, "public", "SELECT ssn FROM @a", "invalid_sql", NULL);
	datasets_expect(d, "public", "SELECT email FROM \"@A\" WHERE id = 1", NULL, "***");
	datasets_expect(d, "public", "SELECT name FROM @a WHERE email = 'a@x'", "forbidden_sql", NULL);
	datasets_expect(d, "public", "SELECT p FROM @a p WHERE id = 1", NULL, "***");
	datasets_expect(d, "public", "SELECT to_jsonb(p)->>'ssn' FROM @a p WHERE id = 1", NULL, "[[null]]");
	datasets_expect(d, "public", "SELECT name FROM @v", NULL, "[[\"Ada\"]]");
	sql_stop(d);
}

static void
drawn_statements_bring_nothing_out(void **state)
{
	const char *number = getenv("CARREL_DRAWN");
	struct driver *d = start(NULL, "postgres");

	(void)state;
	datasets_run_drawn(d, "public", "postgres.cases", number == NULL ? 500 : strtoull(number, NULL, 10));
	sql_stop(d);
}

static bool
is_clock(const char *sql)
{
	static const char *const clocks[] = { "now", "transaction_timestamp", "statement_timestamp", "clock_timestamp",
		"timeofday", "random", "gen_random_uuid" };
	const char *name = sql + sizeof("SELECT ") - 1;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (strncmp(name, clocks[i], strlen(clocks[i])) == 0 && name[strlen(clocks[i])] == '(')
			return true;
	return false;
}

/* The rows of an answer, as JSON; the caller's to free. */
static char *
rows_said(const struct driver_answer *a)
{
	const char *rows = a->kind == DRIVER_RESULT ? strstr(a->result, "\"rows\":") : NULL;

	return rows == NULL ? strdup(a->message) : strndup(rows, (size_t)(strstr(rows, ",\"row_count\"") - rows));
}

/* A call of each function of the server, a line each; the caller's to free. */
static char *
all_calls(void)
{
	static char text[8192];
	char path[4096], *all;
	PGconn *conn = pg_rig_connect();
	PGresult *res;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/integration/datasets/functions.postgres.sql", SOURCE_DIR);
	assert_non_null(f = fopen(path, "r"));
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	res = PQexec(conn, text);
	if (PQresultStatus(res) != PGRES_TUPLES_OK)
		fail_msg("%s", PQerrorMessage(conn));
	all = strdup(PQgetvalue(res, 0, 0));
	PQclear(res);
	PQfinish(conn);
	return all;
}

/*
 * What a caller of datasets may call answers the same on two databases that differ in their name, objects, settings,
 * transactions and account.
 */
static void
functions_tell_nothing_of_the_server(void **state)
{
	char *all = all_calls(), *rest = all, *sql, conninfo[512];
	struct driver *one = start(NULL, "postgres"), *other;
	unsigned allowed = 0, n = 0;

	(void)state;
	pg_rig_super("CREATE DATABASE second");
	pg_rig_super("ALTER DATABASE second SET work_mem = '77MB'");
	snprintf(conninfo, sizeof(conninfo), "%s dbname=second", pg_rig_conninfo("reader"));
	other = sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = conninfo });
	while ((sql = strsep(&rest, "\n")) != NULL) {
		const struct driver_answer *a = datasets_ask(one, "public", sql, 5, 10000, 64 << 20);
		char *said, *elsewhere;

		n++;
		if (a->kind != DRIVER_RESULT || is_clock(sql))
			continue;
		said = rows_said(a);
		pg_rig_super("SELECT pg_current_xact_id()");
		elsewhere = rows_said(datasets_ask(other, "public", sql, 5, 10000, 64 << 20));
		if (strcmp(said, elsewhere) != 0)
			fail_msg("%s tells of the server:\n%s\n%s", sql, said, elsewhere);
		free(said);
		free(elsewhere);
		allowed++;
	}
	free(all);
	sql_stop(one);
	sql_stop(other);
	pg_rig_super("DROP DATABASE second");
	print_message("%u of %u calls are allowed\n", allowed, n);
	assert_true(n > 1500 && allowed > 700);
}

static void
its_limits_hold(void **state)
{
	struct driver *d = start(NULL, "postgres");
	const struct driver_answer *a;

	(void)state;
	a = datasets_ask(d, "public", "SELECT * FROM @b", 2, 10000, 64 << 20);
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_has(a->result, "\"row_count\":2,\"truncated\":true");
	a = datasets_ask(d, "public", "SELECT * FROM @b LIMIT 3", 2, 10000, 64 << 20);
	assert_has(a->result, "\"row_count\":2,\"truncated\":true");
	a = datasets_ask(d, "public", "SELECT * FROM @b LIMIT 2", 2, 10000, 64 << 20);
	assert_has(a->result, "\"row_count\":2,\"truncated\":false");
	a = datasets_ask(d, "public",
	    "SELECT count(*) FROM generate_series(1, 900000) a, generate_series(1, 900000) b WHERE a % 7 = b % 11", 2,
	    1000, 64 << 20);
	assert_string_equal(a->code, "query_timeout");
	assert_has(a->message, "connectivity.sql_timeout_s");
	sql_stop(d);
	/* The row a caller may not have is the one behind the limit. */
	d = start(NULL, "postgres");
	a = datasets_ask(d, "public", "SELECT 1/(3 - id) FROM @b ORDER BY id", 2, 10000, 64 << 20);
	assert_string_equal(a->code, "database_error");
	sql_stop(d);
}

/* A position in an error is one of the caller's text. */
static void
errors_are_about_what_was_sent(void **state)
{
	struct driver *d = start(NULL, "postgres");
	const struct driver_answer *a;

	(void)state;
	a = datasets_ask(d, "public", "SELECT 'ä', nme FROM @a", 2, 10000, 64 << 20);
	assert_string_equal(a->code, "invalid_sql");
	assert_has(a->details, "\"position\":13");
	assert_has(a->message, "carrel_get_schema");
	a = datasets_ask(d, "public", "SELECT 'ä' FROM vault", 2, 10000, 64 << 20);
	assert_has(a->details, "\"position\":17");
	pg_rig_super("ALTER TABLE orders RENAME TO orders_before");
	a = datasets_ask(d, "public", "SELECT * FROM @b", 2, 10000, 64 << 20);
	assert_string_equal(a->code, "database_error");
	assert_has(a->message, "carrel dataset show");
	assert_null(strstr(a->message, "orders"));
	pg_rig_super("ALTER TABLE orders_before RENAME TO orders");
	sql_stop(d);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_datasets_can_be_read),
		cmocka_unit_test(under_a_column_policy_too),
		cmocka_unit_test(drawn_statements_bring_nothing_out),
		cmocka_unit_test(functions_tell_nothing_of_the_server),
		cmocka_unit_test(its_limits_hold),
		cmocka_unit_test(errors_are_about_what_was_sent),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}

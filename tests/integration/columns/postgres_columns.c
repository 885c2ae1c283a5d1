/*
 * postgres_columns.c - the column policy on a real server, through the worker
 * as it is shipped: no statement, however it is put, brings a protected value
 * out, and none that leaves them alone is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json/json_read.h"
#include "base/mp.h"
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
    "{\"action\":\"hide\",\"pattern\":\"listed.ssn\",\"scopes\":0},"
    "{\"action\":\"hide\",\"pattern\":\"by_open.ssn\",\"scopes\":0},"
    "{\"action\":\"hide\",\"pattern\":\"person.ssn\",\"scopes\":0},"
    "{\"action\":\"hide\",\"pattern\":\"secret\",\"scopes\":0},"
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
	snprintf(text, sizeof(text),
	    "'%s/tests/support/pg.sh' psql '%s' -f "
	    "'%s/tests/integration/columns/schema.postgres.sql' >/dev/null",
	    SOURCE_DIR, pg_rig_directory(), SOURCE_DIR);
	return system(text);
}

static struct driver *
start_with(const char *columns, const char *role, const char *schemas)
{
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = pg_rig_conninfo(role),
		.columns = columns, .schemas = schemas });
}

static struct driver *
start(const char *columns)
{
	return start_with(columns, "postgres", "[\"public\"]");
}

/* The member script of a JSON result, as superuser. */
static void
run_script(const char *result)
{
	struct buf script = { 0 };
	PGconn *conn = pg_rig_connect();
	struct mp_value v;
	PGresult *res;
	size_t at;
	char *text;

	assert_int_equal(json_read(span_str(result), &script, &at), JSON_OK);
	assert_true(mp_value(buf_view(&script), &v));
	v.s = mp_get_str(&v, "script", SPAN(""));
	text = strndup((const char *)v.s.p, v.s.len);
	res = PQexec(conn, text);
	free(text);
	if (PQresultStatus(res) != PGRES_COMMAND_OK)
		fail_msg("%s", PQerrorMessage(conn));
	PQclear(res);
	PQfinish(conn);
	buf_fini(&script);
}

static void
nothing_protected_comes_out(void **state)
{
	struct driver *d = start(policy);

	(void)state;
	assert_true(columns_run_cases(d, "postgres.cases") >= 480);
	sql_stop(d);
}

/* Run the script, then serve as that role: it may read what the policy leaves, and nothing else. */
static void
grants_match_the_policy(void **state)
{
	static const char *const denied[] = { "SELECT ssn FROM customers", "SELECT email FROM customers",
		"SELECT * FROM customers", "SELECT password_hash FROM app.users", "SELECT ssn FROM people_low",
		"SELECT * FROM all_view", "SELECT * FROM mat", "SELECT pin FROM derived", "SELECT domain FROM customers",
		"SELECT * FROM function_view", "SELECT * FROM stats_view", "SELECT * FROM cast_view" };
	static const char *const allowed[] = { "SELECT id, name, phone FROM customers", "SELECT * FROM orders",
		"SELECT * FROM plain_view", "SELECT login FROM app.users", "SELECT id, name FROM people", "SELECT * FROM base" };
	const char *const everything = "[\"public\",\"app\",\"Odd Schema\"]";
	struct driver *d = start_with(policy, "postgres", everything);
	const struct driver_answer *a = driver_call(d, "connection_test", "db", "{}");
	PGconn *conn;

	(void)state;
	assert_has(a->result, "public.customers.ssn");
	assert_has(a->result, "\"matchNothing\":[]");
	a = driver_call(d, "connection_grants", "db", "{\"role\":\"quoted \\\"role\"}");
	assert_int_equal(a->kind, DRIVER_RESULT);
	run_script(a->result); /* makes the role, which is not there yet */
	sql_stop(d);
	assert_string_equal(pg_rig_super("SELECT rolconnlimit FROM pg_roles WHERE rolname = 'quoted \"role'"), "8");
	assert_string_equal(
	    pg_rig_super("SELECT setconfig[1] FROM pg_db_role_setting JOIN pg_roles r ON r.oid = setrole"
			 " WHERE rolname = 'quoted \"role'"),
	    "temp_file_limit=1GB");

	conn = pg_rig_connect();
	PQclear(PQexec(conn, "SET SESSION AUTHORIZATION \"quoted \"\"role\""));
	for (size_t i = 0; i < sizeof(denied) / sizeof(denied[0]); i++) {
		PGresult *res = PQexec(conn, denied[i]);

		if (PQresultStatus(res) == PGRES_TUPLES_OK)
			fail_msg("granted: %s", denied[i]);
		PQclear(res);
	}
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		PGresult *res = PQexec(conn, allowed[i]);

		if (PQresultStatus(res) != PGRES_TUPLES_OK)
			fail_msg("not granted: %s: %s", allowed[i], PQerrorMessage(conn));
		PQclear(res);
	}
	PQfinish(conn);
}

/* The account that has just these grants serves the same statements. */
static void
granted_account_serves(void **state)
{
	static const char everything[] = "[\"public\",\"app\",\"Odd Schema\"]";
	struct driver *d;
	const struct driver_answer *a;

	(void)state;
	pg_rig_super("CREATE ROLE granted LOGIN");
	d = start_with(policy, "postgres", everything);
	a = driver_call(d, "connection_grants", "db", "{\"role\":\"granted\"}");
	assert_null(strstr(a->result, "CREATE ROLE"));
	run_script(a->result);
	sql_stop(d);
	d = start_with(policy, "granted", everything);
	a = driver_call(d, "connection_test", "db", "{}");
	assert_has(a->result, "\"accountReadsCount\":0");
	sql_expect(d, "SELECT * FROM customers WHERE id = 1", "***");
	sql_expect(d, "SELECT * FROM all_view WHERE id = 1", "***");
	sql_expect(d, "SELECT count(*) FROM customers c JOIN leads l ON l.phone = c.phone", "[[10]]");
	sql_expect(d, "SELECT name FROM plain_view WHERE id = 1", "Name 1");
	sql_expect_fail(d, "SELECT ssn FROM customers", "forbidden_sql", "hidden");
	sql_stop(d);
}

static struct driver *
start_on(const char *database)
{
	static char conninfo[1024];

	snprintf(conninfo, sizeof(conninfo), "%s dbname=%s", pg_rig_conninfo("postgres"), database);
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = conninfo, .columns = policy });
}

/* A copy of the database with other protected values; rewritten, so that rows stand in the same order. */
static void
make_other(void)
{
	static const char *const steps[] = { "UPDATE customers SET ssn = 'CANARY of another kind ' || (id * 7919 % 31),"
	    " email = CASE WHEN email IS NOT NULL THEN 'CANARY ' || (97 - id) || ' elsewhere' END",
	    "UPDATE people SET ssn = 'CANARY!' || id % 7", "CLUSTER customers USING customers_pkey",
	    "REFRESH MATERIALIZED VIEW mat", "ANALYZE" };
	char conninfo[1024];
	PGconn *conn;

	pg_rig_super("CREATE DATABASE other TEMPLATE postgres");
	snprintf(conninfo, sizeof(conninfo), "%s dbname=other", pg_rig_conninfo("postgres"));
	conn = PQconnectdb(conninfo);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		PGresult *res = PQexec(conn, steps[i]);

		if (PQresultStatus(res) != PGRES_COMMAND_OK)
			fail_msg("%s", PQerrorMessage(conn));
		PQclear(res);
	}
	PQfinish(conn);
}

static void
answers_do_not_depend_on_protected_values(void **state)
{
	struct driver *one, *other;

	(void)state;
	make_other();
	one = start_on("postgres");
	other = start_on("other");
	columns_compare(one, other, true);
	sql_stop(one);
	sql_stop(other);
}

/* Rules with scopes bind who holds one; a rule that fits nothing is told. */
static void
rules_bind_by_scope(void **state)
{
	struct driver *d = start("[{\"action\":\"hide\",\"pattern\":\"customers.name\",\"scopes\":4},"
				 "{\"action\":\"mask\",\"pattern\":\"customers.name\",\"scopes\":1},"
				 "{\"action\":\"mask\",\"pattern\":\"custmers.email\",\"scopes\":0}]");
	const struct driver_answer *a;

	(void)state;
	driver_set_scopes(d, POLICY_SCOPE_RESEARCH_QUERY | POLICY_SCOPE_LOCAL);
	sql_expect(d, "SELECT name FROM customers WHERE id = 1", "Name 1");
	driver_set_scopes(d, POLICY_SCOPE_RESEARCH_QUERY | POLICY_SCOPE_RESEARCH_READ);
	sql_expect(d, "SELECT name FROM customers WHERE id = 1", "***");
	sql_expect(d, "SELECT name FROM plain_view WHERE id = 1", "***");
	driver_set_scopes(d, POLICY_SCOPES_RESEARCH);
	sql_expect_fail(d, "SELECT name FROM customers WHERE id = 1", "forbidden_sql", "hidden");
	driver_set_scopes(d, POLICY_SCOPE_RESEARCH_QUERY | POLICY_SCOPE_LOCAL);
	sql_expect(d, "SELECT name FROM plain_view WHERE id = 1", "Name 1");
	a = driver_call(d, "connection_test", "db", "{}");
	assert_has(a->result, "\"matchNothing\":[\"custmers.email\"]");
	sql_stop(d);
}

/* Scans: nothing is measured of a protected column, by lineage too, and hidden ones are not described. */
static void
scans_measure_nothing_protected(void **state)
{
	static const char sample[] =
	    "{\"db\":\"public\",\"name\":\"%s\",\"columns\":[{\"name\":\"%s\",\"nativeType\":\"text\"},"
	    "{\"name\":\"%s\",\"nativeType\":\"text\"}],\"sampleRows\":100,\"valuesPerColumn\":100,\"timeoutMs\":"
	    "10000}";
	static const char *const cases[][3] = { { "customers", "name", "email" }, { "customers", "name", "ssn" },
		{ "customers", "name", "phone" }, { "customers", "name", "domain" }, { "all_view", "name", "ssn" },
		{ "renamed_view", "no", "a" }, { "renamed_view", "no", "b" }, { "deep_view", "no", "mail" },
		{ "people_low", "name", "ssn" }, { "audit_log", "id", "old_row" }, { "audit_log", "id", "many" },
		{ "guesses", "id", "guess" } };
	struct driver *d = start(policy);
	const struct driver_answer *a;
	char args[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(args, sizeof(args), sample, cases[i][0], cases[i][1], cases[i][2]);
		a = driver_call(d, "profile", "db", args);
		columns_assert_clean(d, args, a);
		assert_int_equal(a->kind, DRIVER_RESULT);
		snprintf(args, sizeof(args), "\"column\":\"%s\"", cases[i][1]);
		assert_has(a->result, args);
		snprintf(args, sizeof(args), "\"column\":\"%s\"", cases[i][2]);
		if (strstr(a->result, args) != NULL)
			fail_msg("%s.%s was measured", cases[i][0], cases[i][2]);
	}
	/* Of the first rows of a divided table, what any order would show; of its parts, nothing. */
	a = driver_call(d, "profile", "db",
	    "{\"db\":\"public\",\"name\":\"parted\",\"columns\":[{\"name\":\"open\","
	    "\"nativeType\":\"text\"}],\"sampleRows\":3,\"valuesPerColumn\":100,\"timeoutMs\":10000}");
	assert_has(a->result, "\"o1\"");
	assert_has(a->result, "\"o11\"");
	snprintf(args, sizeof(args), sample, "heirs_a", "id", "secret");
	a = driver_call(d, "profile", "db", args);
	if (a->kind == DRIVER_RESULT && strstr(a->result, "\"column\":\"id\"") != NULL)
		fail_msg("a part was measured");
	a = driver_call(d, "introspect", "db", "{}");
	columns_assert_clean(d, "introspect", a);
	assert_has(a->result, "\"email\"");
	if (strstr(a->result, "\"ssn\"") != NULL || strstr(a->result, "\"ssn_tail\"") != NULL)
		fail_msg("a hidden column is described: %.3000s", strstr(a->result, "\"ssn"));
	a = driver_call(d, "relate", "db",
	    "{\"child\":{\"db\":\"public\",\"name\":\"leads\",\"columns\":[\"source\"]},"
	    "\"parent\":{\"db\":\"public\",\"name\":\"customers\",\"columns\":[\"email\"]},\"sampleRows\":10,"
	    "\"timeoutMs\":9000}");
	assert_int_equal(a->kind, DRIVER_FAIL);
	assert_string_equal(a->code, "forbidden_sql");
	sql_stop(d);
}

/* Until the worker has looked at the database again, which it does the more seldom the longer that takes. */
static const struct driver_answer *
run_until(struct driver *d, const char *sql, enum driver_kind kind, const char *piece)
{
	const struct driver_answer *a = sql_run(d, sql, 100);

	for (int tries = 0; tries < 900 && (a->kind != kind || (piece != NULL && strstr(a->result, piece) == NULL));
	     tries++) {
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
		a = sql_run(d, sql, 100);
	}
	return a;
}

/* Rows through a new index would come in the order of its protected column: another process begins without. */
static void
a_new_index_tells_no_order(void **state)
{
	static const char late[] = "[{\"action\":\"mask\",\"pattern\":\"late.secret\",\"scopes\":0}]";
	struct driver *d = start(late);

	(void)state;
	pg_rig_super("CREATE TABLE late(id INT, kind INT, secret TEXT); INSERT INTO late SELECT i, 1, md5(i::text)"
		     " FROM generate_series(1, 2000) i");
	(void)run_until(d, "SELECT id, secret FROM late WHERE kind = 1 LIMIT 2", DRIVER_RESULT,
	    "[[1,\"***\"],[2,\"***\"]]");
	pg_rig_super("CREATE INDEX ON late (kind, secret); ANALYZE late");
	assert_int_equal(run_until(d, "SELECT id FROM late WHERE kind = 1 LIMIT 2", DRIVER_LOST, NULL)->kind,
	    DRIVER_LOST);
	assert_int_equal(driver_exit_code(d), EXIT_RECYCLE);
	driver_free(d);
	d = start(late);
	sql_expect(d, "SELECT id FROM late WHERE kind = 1 LIMIT 2", "[[1],[2]]");
	sql_stop(d);
	pg_rig_super("DROP TABLE late");
}

/* 61 letters, of which 9 take two bytes in UTF-8: the server does not cut it, libpg_query would. */
#define LONG_NAME	"kundenäöüß_kundenäöüß_kundenä_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void
make_latin(const char *encoding)
{
	char conninfo[1024], text[2048];
	PGconn *conn;
	PGresult *res;

	snprintf(text, sizeof(text),
	    "CREATE DATABASE in_%s ENCODING '%s' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0", encoding, encoding);
	pg_rig_super(text);
	snprintf(conninfo, sizeof(conninfo), "%s dbname=in_%s client_encoding=UTF8", pg_rig_conninfo("postgres"),
	    encoding);
	conn = PQconnectdb(conninfo);
	res = PQexec(conn,
	    "CREATE TABLE \"" LONG_NAME "\"(id INT, ssn TEXT); INSERT INTO \"" LONG_NAME "\" VALUES (1, 'CANARY');"
	    "CREATE VIEW v AS SELECT * FROM \"" LONG_NAME "\"; CREATE TABLE größe(id INT, \"ÄÖ\" TEXT, ssn TEXT);"
	    "INSERT INTO größe VALUES (1, 'CANARY', 'CANARY')");
	if (PQresultStatus(res) != PGRES_COMMAND_OK)
		fail_msg("%s: %s", encoding, PQerrorMessage(conn));
	PQclear(res);
	PQfinish(conn);
}

/* What the server and libpg_query may read as different names is refused; other names are served. */
static void
names_are_read_as_the_server_does(void **state)
{
	static const char *const encodings[] = { "latin1", "latin9", "euc_jis_2004", "sql_ascii", "utf8" };
	static const char rules[] = "[{\"action\":\"hide\",\"pattern\":\"*.ssn\",\"scopes\":0},"
				    "{\"action\":\"mask\",\"pattern\":\"größe.ÄÖ\",\"scopes\":0}]";
	static const char *const statements[] = { "SELECT * FROM \"" LONG_NAME "\"", "SELECT * FROM " LONG_NAME, "TABLE " LONG_NAME,
		"SELECT ssn FROM \"" LONG_NAME "\"", "SELECT * FROM " LONG_NAME "xx", "SELECT * FROM \"" LONG_NAME "xxxx\"",
		"SELECT * FROM v", "SELECT ssn FROM v", "SELECT * FROM U&\"kunden\\00E4\"", "SELECT * FROM public." LONG_NAME,
		"SELECT GRÖSSE.* FROM größe", "SELECT \"ÄÖ\" FROM größe" };
	char conninfo[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(encodings) / sizeof(encodings[0]); i++) {
		struct driver *d;

		make_latin(encodings[i]);
		snprintf(conninfo, sizeof(conninfo), "%s dbname=in_%s", pg_rig_conninfo("postgres"), encodings[i]);
		d = sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = conninfo, .columns = rules });
		for (size_t k = 0; k < sizeof(statements) / sizeof(statements[0]); k++)
			columns_assert_clean(d, statements[k], sql_run(d, statements[k], 10));
		sql_expect(d, "SELECT id FROM größe", "[[1]]");
		sql_expect(d, "SELECT id, \"ÄÖ\" FROM public.größe AS \"Ü\"", "[[1,\"***\"]]");
		sql_stop(d);
	}
}

/* Without any rule the server's catalogue keeps its secrets, and is otherwise as it is. */
static void
settings_are_not_told(void **state)
{
	struct driver *d = start(NULL);

	(void)state;
	pg_rig_super("ALTER ROLE postgres SET app.token = 'CANARY role'");
	sql_expect(d, "SELECT rolname FROM pg_roles WHERE rolname = 'postgres'", "postgres");
	sql_expect(d, "SELECT * FROM pg_catalog.pg_roles WHERE rolname = 'postgres'", "postgres");
	sql_expect(d, "SELECT to_jsonb(r) ? 'rolconfig' FROM PG_ROLES r LIMIT 1", "false");
	sql_expect_fail(d, "SELECT r.rolconfig FROM pg_roles r", "forbidden_sql", "hidden");
	sql_expect_fail(d, "SELECT useconfig FROM \"pg_user\"", "forbidden_sql", "hidden");
	sql_expect(d, "SELECT setconfig::text FROM pg_db_role_setting", "***");
	sql_expect(d, "SELECT n.nspname FROM pg_namespace n GROUP BY n.oid LIMIT 1", "[[");
	columns_assert_clean(d, "U&", sql_run(d, "SELECT * FROM U&\"pg\\005froles\"", 10));
	sql_stop(d);
	pg_rig_super("ALTER ROLE postgres RESET app.token");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_protected_comes_out),
		cmocka_unit_test(answers_do_not_depend_on_protected_values),
		cmocka_unit_test(names_are_read_as_the_server_does),
		cmocka_unit_test(settings_are_not_told),
		cmocka_unit_test(rules_bind_by_scope),
		cmocka_unit_test(scans_measure_nothing_protected),
		cmocka_unit_test(grants_match_the_policy),
		cmocka_unit_test(granted_account_serves),
		cmocka_unit_test(a_new_index_tells_no_order),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}

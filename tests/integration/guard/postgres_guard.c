/*
 * postgres_guard.c - the guard on a real server: everything honest passes,
 * everything hostile is refused, for a superuser and for a reader alike, and
 * the database is afterwards what it was, to the byte of its dump.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "tests/integration/guard/guard_statements.h"
#include "tests/integration/sql/sql_harness.h"

static const char *dir;		/* the server's */
static unsigned port;

static PGconn *
super_connection(void)
{
	char conninfo[512];
	PGconn *conn;

	snprintf(conninfo, sizeof(conninfo), "host='%s/run' port=%u user=postgres dbname=postgres", dir, port);
	conn = PQconnectdb(conninfo);
	if (PQstatus(conn) != CONNECTION_OK)
		fail_msg("%s", PQerrorMessage(conn));
	return conn;
}

/* The first cell, as superuser. */
static const char *
super(const char *sql)
{
	static char cell[256];
	PGconn *conn = super_connection();
	PGresult *res = PQexec(conn, sql);

	if (PQresultStatus(res) != PGRES_TUPLES_OK && PQresultStatus(res) != PGRES_COMMAND_OK)
		fail_msg("%.200s: %s", sql, PQerrorMessage(conn));
	snprintf(cell, sizeof(cell), "%s", PQntuples(res) > 0 ? PQgetvalue(res, 0, 0) : "");
	PQclear(res);
	PQfinish(conn);
	return cell;
}

static void
dump(const char *name)
{
	char command[1024];

	/* \restrict lines carry a random key. */
	snprintf(command, sizeof(command), "/usr/lib/postgresql/15/bin/pg_dumpall -h '%s/run' -p %u -U postgres"
	    " | grep -v -e '^.restrict' -e '^.unrestrict' >'%s/%s'", dir, port, dir, name);
	assert_int_equal(system(command), 0);
}

static int
set_up(void **state)
{
	char text[1024];
	FILE *f;

	(void)state;
	if ((dir = getenv("PG_DIR")) == NULL) {
		print_error("run under tests/support/pg.sh run\n");
		exit(77);
	}
	snprintf(text, sizeof(text), "%s/port", dir);
	if ((f = fopen(text, "r")) == NULL || fscanf(f, "%u", &port) != 1)
		abort();
	fclose(f);
	snprintf(text, sizeof(text), "%s/tests/support/pg.sh psql '%s' -f %s/tests/guard/schema.postgres.sql >/dev/null",
	    SOURCE_DIR, dir, SOURCE_DIR);
	return system(text);
}

static struct driver *
start_as(const char *role)
{
	char conninfo[512];

	snprintf(conninfo, sizeof(conninfo), "host='%s/run' port=%u user=%s dbname=postgres", dir, port, role);
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = conninfo });
}

struct tally {
	struct driver	*d;
	unsigned	 wrong;
};

static void
expect_allowed(const char *sql, void *arg)
{
	struct tally *t = arg;
	const struct driver_answer *a = sql_run(t->d, sql, 100);

	if (a->kind == DRIVER_RESULT)
		return;
	print_error("refused: %.400s\n  %s: %s\n", sql, a->code, a->message);
	t->wrong++;
}

/* Refused by us, before the server could have an opinion. */
static void
expect_refused(const char *sql, void *arg)
{
	struct tally *t = arg;
	const struct driver_answer *a = sql_run(t->d, sql, 100);

	if (a->kind == DRIVER_FAIL && (strcmp(a->code, "forbidden_sql") == 0 ||
	    strcmp(a->code, "invalid_sql") == 0 || strcmp(a->code, "sql_too_long") == 0) &&
	    strstr(a->details == NULL ? "" : a->details, "sqlstate") == NULL)
		return;
	print_error("let through: %.400s\n  %s\n", sql, a->kind == DRIVER_FAIL ? a->message : a->result);
	t->wrong++;
}

static void
run_all(const char *folder, void (*expect)(const char *, void *), size_t at_least)
{
	static const char *const roles[] = { "postgres", "researcher" };

	dump("before");
	for (size_t i = 0; i < 2; i++) {
		struct tally t = { .d = start_as(roles[i]) };
		size_t n = statements_each(folder, "postgres", expect, &t);

		assert_true(n >= at_least);
		assert_string_equal(super("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), "0");
		assert_string_equal(super("SELECT count(*) FROM pg_class WHERE relpersistence = 't'"), "0");
		sql_expect(t.d, "SHOW transaction_read_only", "[[\"on\"]]");
		sql_expect(t.d, "SHOW TimeZone", "[[\"UTC\"]]");
		sql_stop(t.d);
		if (t.wrong > 0)
			fail_msg("%u of %zu statements as %s", t.wrong, n, roles[i]);
	}
	dump("after");
	assert_int_equal(system("cmp \"$PG_DIR/before\" \"$PG_DIR/after\""), 0);
}

static void
honest_analytics_pass(void **state)
{
	(void)state;
	run_all("honest", expect_allowed, 250);
}

static void
hostile_statements_are_refused(void **state)
{
	(void)state;
	run_all("hostile", expect_refused, 120);
}

static void
a_changed_catalogue_is_noticed(void **state)
{
	struct driver *d = start_as("researcher");

	(void)state;
	/* New: seen at once, because nobody knew the name. */
	super("CREATE FUNCTION newcomer() RETURNS INT LANGUAGE sql IMMUTABLE AS 'SELECT 7'");
	sleep(1);
	sql_expect(d, "SELECT newcomer()", "[[7]]");
	/* Made volatile: seen when the catalogue is next compared, whatever was allowed before. */
	super("ALTER FUNCTION newcomer() VOLATILE");
	sleep(6);
	sql_expect_fail(d, "SELECT newcomer()", "forbidden_sql", "VOLATILE");
	super("DROP FUNCTION newcomer()");
	sql_stop(d);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(honest_analytics_pass),
		cmocka_unit_test(hostile_statements_are_refused),
		cmocka_unit_test(a_changed_catalogue_is_noticed),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}

/*
 * random_postgres.c - schemas and policies drawn by lot, each database made
 * twice with other protected values (random_pair.h), in UTF-8 and in LATIN1:
 * what the worker says must be the same, in the same order, whatever is asked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tests/integration/columns/random_pair.h"
#include "tests/integration/columns/random_postgres_words.h"
#include "tests/integration/guard/pg_rig.h"

#define STATEMENTS	100	/* of each pair */

static struct drawn drawn;
static struct buf schema, policy;

/* --- the two databases ------------------------------------------------------------------ */

static PGconn *
connect_to(unsigned which)
{
	char conninfo[1024];
	PGconn *conn;

	snprintf(conninfo, sizeof(conninfo), "%s dbname=drawn_%u client_encoding=UTF8", pg_rig_conninfo("postgres"),
	    which);
	conn = PQconnectdb(conninfo);
	assert_int_equal(PQstatus(conn), CONNECTION_OK);
	PQclear(PQexec(conn, "SET client_min_messages = error"));
	return conn;
}

/* A line that fails is left out: it does in both. */
static void
run_lines(unsigned which, struct buf *text)
{
	PGconn *conn = connect_to(which);
	char *rest = (char *)(uintptr_t)buf_cstr(text), *line;

	while ((line = strsep(&rest, "\n")) != NULL)
		if (*line != '\0')
			PQclear(PQexec(conn, line));
	PQfinish(conn);
}

static void
make_databases(struct random_pair *p)
{
	struct buf lines = { 0 };
	char text[256];

	pg_rig_super("DROP DATABASE IF EXISTS drawn_0 WITH (FORCE)");
	pg_rig_super("DROP DATABASE IF EXISTS drawn_1 WITH (FORCE)");
	snprintf(text, sizeof(text),
	    "CREATE DATABASE drawn_0 ENCODING '%s' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0", p->kind);
	pg_rig_super(text);
	buf_reset(&schema, 1 << 20);
	drawn_schema(&drawn, &schema);
	buf_span(&lines, buf_view(&schema));
	run_lines(0, &lines);
	pg_rig_super("CREATE DATABASE drawn_1 TEMPLATE drawn_0");
	for (unsigned i = 0; i < 2; i++) {
		buf_reset(&lines, 1 << 20);
		drawn_rows(&drawn, i, &lines);
		run_lines(i, &lines);
	}
	buf_fini(&lines);
}

static void
start_workers(struct random_pair *p)
{
	char conninfo[1024];

	buf_reset(&policy, 4096);
	drawn_policy(&drawn, &policy);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(conninfo, sizeof(conninfo), "%s dbname=drawn_%u", pg_rig_conninfo("postgres"), i);
		p->worker[i] = sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = conninfo,
			.columns = buf_cstr(&policy) });
	}
}

/* --- comparing ----------------------------------------------------------------------------- */

/* How long it took. */
static size_t
own_text(const char *at, const char **instead)
{
	static const char elapsed[] = "\"elapsedMs\":";

	(void)instead;
	return strncmp(at, elapsed, strlen(elapsed)) == 0 ? strcspn(at, ",}") : 0;
}

/* CANARYM is a literal of the statements and definitions; the catalogue shows definitions. */
static bool
shows_value(const struct random_pair *p, const char *sql, const char *answer)
{
	(void)p;
	if (strstr(sql, "pg_") != NULL || strstr(sql, "CANARY") != NULL)
		return false;
	for (size_t i = 0; i < DRAWN_COLUMNS - 1; i++)
		if (drawn.action[i] == DRAWN_OPEN)
			return false;
	while ((answer = strstr(answer, "CANARY")) != NULL) {
		answer += strlen("CANARY");
		if (*answer >= 'A' && *answer <= 'Z' && *answer != 'M')
			return true;
	}
	return false;
}

static void
try_pair(struct random_pair *p)
{
	struct buf sql = { 0 };

	drawn_begin(&drawn, p->seed);
	p->kind = p->seed % 2 == 0 ? "UTF8" : "LATIN1";
	make_databases(p);
	start_workers(p);
	for (unsigned i = 0; i < STATEMENTS; i++) {
		buf_reset(&sql, 1 << 16);
		drawn_statement(&drawn, &sql);
		random_pair_compare(p, NULL, buf_cstr(&sql), NULL);
	}
	for (unsigned i = 0; i < 2; i++)
		sql_stop(p->worker[i]);
	buf_fini(&sql);
}

/* --- the test ---------------------------------------------------------------------------- */

static int
set_up(void **state)
{
	(void)state;
	return pg_rig_open();
}

static void
no_answer_depends_on_protected_values(void **state)
{
	struct random_pair p = { .own = own_text, .shows = shows_value, .schema = &schema, .policy = &policy };

	(void)state;
	random_pairs(&p, try_pair);
	buf_fini(&schema);
	buf_fini(&policy);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_answer_depends_on_protected_values),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}

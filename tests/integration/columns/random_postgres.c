/*
 * random_postgres.c - schemas and policies drawn by lot, each database made
 * twice with other protected values, in UTF-8 and in LATIN1: what the worker
 * says must be the same to the byte, in the same order, whatever is asked.
 *
 * CARREL_FUZZ_SECONDS is how long (60), CARREL_FUZZ_SEED where it begins (1).
 * Each pair has a seed of its own, which a failure tells with the schema, the
 * policy and the statement.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "tests/integration/columns/random_postgres_words.h"
#include "tests/integration/guard/pg_rig.h"

#define SECONDS		60
#define STATEMENTS	100	/* of each pair */

struct pair {
	struct drawn	 drawn;
	uint64_t	 seed;
	const char	*encoding;
	struct buf	 schema, policy;
	struct driver	*worker[2];
	unsigned long	 asked, answered;
};

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
make_databases(struct pair *p)
{
	struct buf schema = { 0 };
	char text[256];

	pg_rig_super("DROP DATABASE IF EXISTS drawn_0 WITH (FORCE)");
	pg_rig_super("DROP DATABASE IF EXISTS drawn_1 WITH (FORCE)");
	snprintf(text, sizeof(text),
	    "CREATE DATABASE drawn_0 ENCODING '%s' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0", p->encoding);
	pg_rig_super(text);
	buf_reset(&p->schema, 1 << 20);
	drawn_schema(&p->drawn, &p->schema);
	buf_span(&schema, buf_view(&p->schema));
	run_lines(0, &schema);
	pg_rig_super("CREATE DATABASE drawn_1 TEMPLATE drawn_0");
	for (unsigned i = 0; i < 2; i++) {
		buf_reset(&schema, 1 << 20);
		drawn_rows(&p->drawn, i, &schema);
		run_lines(i, &schema);
	}
	buf_fini(&schema);
}

static void
start_workers(struct pair *p)
{
	char conninfo[1024];

	buf_reset(&p->policy, 4096);
	drawn_policy(&p->drawn, &p->policy);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(conninfo, sizeof(conninfo), "%s dbname=drawn_%u", pg_rig_conninfo("postgres"), i);
		p->worker[i] = sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = conninfo,
			.columns = buf_cstr(&p->policy) });
	}
}

/* --- comparing ----------------------------------------------------------------------------- */

static void
fail_pair(struct pair *p, const char *sql, const char *one, const char *other)
{
	fprintf(stderr, "%s\n%s\n%s\n%.1500s\n%.1500s\n", buf_cstr(&p->schema), buf_cstr(&p->policy), sql, one, other);
	fail_msg("seed %llu (%s) tells protected values: %s", (unsigned long long)p->seed, p->encoding, sql);
}

static void
put_text(struct buf *out, const char *text)
{
	static const char elapsed[] = "\"elapsedMs\":";

	while (text != NULL && *text != '\0')
		if (strncmp(text, elapsed, strlen(elapsed)) == 0)
			text += strcspn(text, ",}");
		else
			buf_byte(out, (uint8_t)*text++);
	buf_byte(out, '\n');
}

static void
put_answer(const struct driver_answer *a, struct buf *out)
{
	buf_reset(out, 1 << 20);
	buf_printf(out, "%d %s\n", (int)a->kind, a->code == NULL ? "" : a->code);
	put_text(out, a->message);
	put_text(out, a->details);
	put_text(out, a->result);
	put_text(out, a->rows);
}

/* CANARYM is a literal of the statements and definitions; the catalogue shows definitions. */
static bool
shows_value(const struct pair *p, const char *sql, const char *answer)
{
	if (strstr(sql, "pg_") != NULL || strstr(sql, "CANARY") != NULL)
		return false;
	for (size_t i = 0; i < DRAWN_COLUMNS - 1; i++)
		if (p->drawn.action[i] == DRAWN_OPEN)
			return false;
	while ((answer = strstr(answer, "CANARY")) != NULL) {
		answer += strlen("CANARY");
		if (*answer >= 'A' && *answer <= 'Z' && *answer != 'M')
			return true;
	}
	return false;
}

static void
ask_both(struct pair *p, const char *sql)
{
	struct buf text[2] = { { 0 }, { 0 } };

	for (unsigned i = 0; i < 2; i++) {
		const struct driver_answer *a = sql_run(p->worker[i], sql, 0);

		if (a->kind == DRIVER_LOST)
			fail_msg("seed %llu: the worker is lost: %s", (unsigned long long)p->seed, sql);
		p->answered += i == 0 && a->kind == DRIVER_RESULT;
		put_answer(a, &text[i]);
	}
	p->asked++;
	if (!span_is(buf_view(&text[0]), buf_view(&text[1])) || shows_value(p, sql, buf_cstr(&text[0])))
		fail_pair(p, sql, buf_cstr(&text[0]), buf_cstr(&text[1]));
	buf_fini(&text[0]);
	buf_fini(&text[1]);
}

static void
try_pair(struct pair *p)
{
	struct buf sql = { 0 };

	drawn_begin(&p->drawn, p->seed);
	p->encoding = p->seed % 2 == 0 ? "UTF8" : "LATIN1";
	make_databases(p);
	start_workers(p);
	for (unsigned i = 0; i < STATEMENTS; i++) {
		buf_reset(&sql, 1 << 16);
		drawn_statement(&p->drawn, &sql);
		ask_both(p, buf_cstr(&sql));
	}
	for (unsigned i = 0; i < 2; i++)
		sql_stop(p->worker[i]);
	buf_fini(&sql);
}

/* --- the test ---------------------------------------------------------------------------- */

static unsigned long
number_of(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text == NULL ? otherwise : strtoul(text, NULL, 10);
}

static int
set_up(void **state)
{
	(void)state;
	return pg_rig_open();
}

static void
no_answer_depends_on_protected_values(void **state)
{
	uint64_t until = clock_ns() + number_of("CARREL_FUZZ_SECONDS", SECONDS) * CLOCK_SECOND;
	struct pair p = { .seed = number_of("CARREL_FUZZ_SEED", 1) };
	unsigned long pairs = 0;

	(void)state;
	for (; clock_ns() < until; p.seed++, pairs++)
		try_pair(&p);
	print_message("%lu pairs of databases, %lu statements, %lu of them answered\n", pairs, p.asked, p.answered);
	/* Else the lots are drawn badly, and nothing was tried. */
	assert_true(p.answered * 8 > p.asked);
	buf_fini(&p.schema);
	buf_fini(&p.policy);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_answer_depends_on_protected_values),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}

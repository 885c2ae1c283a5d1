/*
 * mysql_columns.c - the column policy on a MariaDB server: what is sent in place of statements tells nothing of
 * protected values, whatever the statement does, and answers what it should.
 */
#include <mysql.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mp.h"
#include "tests/integration/columns/columns_random.h"
#include "tests/support/mysql_answer.h"
#include "tests/support/mysql_catalogue.h"
#include "tests/unit/harness.h"
#include "workers/sql/digest.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/grammar/mysql_print.h"

#define KEY		"a key of these tests"
#define DRAWN		4000u		/* CARREL_DRAWN: another number */
#define MOST_LINES	200000u		/* of an answer that is compared */
#define ANSWERED	8u		/* at least one statement in this number is answered */

static const char *const rules[][2] = {
	{ "hide", "customers.ssn" }, { "mask", "customers.email" }, { "hash", "customers.phone" },
	{ "hash", "leads.phone" }, { "hide", "*.password_hash" }, { "mask", "users.level" }, { "hide", "pins.pin" },
	{ "mask", "one.email" }, { "hide", "one.ssn" }, { "hide", "parted.ssn" }, { "hide", "by_year.ssn" },
	{ "hide", "past.ssn" }, { "mask", "*.Secret*" }, { "hide", "my1.ssn" }, { "mask", "documents.payload" },
	{ "hash", "documents.body" }, { "hide", "keyed.pin" }, { "hide", "defaults.ssn" },
};

#define RULES	(sizeof(rules) / sizeof(rules[0]))

static MYSQL *server;
static struct arena *arena, *kept;
static struct columns *policy;
static struct mysql_catalogue catalogue;
static struct mysql_columns *columns;

static void
run(const char *sql)
{
	MYSQL_RES *result;

	if (mysql_query(server, sql) != 0)
		fail_msg("%s: %s", sql, mysql_error(server));
	if ((result = mysql_store_result(server)) != NULL)
		mysql_free_result(result);
}

/* One statement a line, or over several that end with a comma or a bracket. */
static void
run_file(const char *name)
{
	char path[4096], *line = NULL;
	size_t cap = 0;
	struct buf sql = { 0 };
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/integration/columns/%s", SOURCE_DIR, name);
	if ((f = fopen(path, "r")) == NULL)
		fail_msg("%s", path);
	while (getline(&line, &cap, f) > 0) {
		size_t len = strcspn(line, "\n");

		if (strncmp(line, "--", 2) == 0)
			continue;
		buf_append(&sql, line, len);
		if (len > 0 && line[len - 1] == ';') {
			run(buf_cstr(&sql));
			sql.len = 0;
		}
	}
	fclose(f);
	free(line);
	buf_fini(&sql);
}

static void
make_policy(void)
{
	struct buf b = { 0 };
	struct err err;

	mp_put_array(&b, RULES);
	for (size_t i = 0; i < RULES; i++) {
		mp_put_map(&b, 2);
		mp_put_cstr(&b, "action");
		mp_put_cstr(&b, rules[i][0]);
		mp_put_cstr(&b, "pattern");
		mp_put_cstr(&b, rules[i][1]);
	}
	if (columns_new(&policy, buf_view(&b), &err) == -1)
		fail_msg("%s", err.message);
	buf_fini(&b);
}

static int
set_up(void **state)
{
	const char *dir = getenv("MY_DIR");
	char path[4096];

	(void)state;
	if (dir == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/run/socket", dir);
	arena = arena_new(64u << 20);
	kept = arena_new(64u << 20);
	server = mysql_init(NULL);
	mysql_options(server, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	if (mysql_real_connect(server, NULL, "root", NULL, NULL, 0, path, 0) == NULL)
		return -1;
	run("SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', "
	    "timestamp = 1700000000");
	run("SET " MYSQL_COLUMNS_KEY " = '" KEY "'");
	run("CREATE DATABASE shop CHARACTER SET utf8mb4");
	run("USE shop");
	run_file("schema.mysql.sql");
	make_policy();
	mysql_catalogue_read(server, kept, SPAN("shop"), &catalogue);
	columns = mysql_columns_new(policy, 0, &catalogue);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	mysql_columns_free(columns);
	columns_free(policy);
	mysql_close(server);
	mysql_library_end();
	arena_free(arena);
	arena_free(kept);
	return 0;
}

/* What is sent of a statement; false: it is refused, with *err. */
static bool
change(struct span sql, struct buf *sent, struct err *err)
{
	struct mysql_node *tree;
	size_t at;

	arena_reset(arena);
	sent->len = 0;
	tree = mysql_parse(arena, sql, &at, err);
	if (tree == NULL || mysql_columns_apply(columns, arena, tree, &at, err) == -1)
		return false;
	mysql_print(sent, tree);
	return true;
}

/* What a statement says itself may come back; a value of the database may not. */
static bool
holds_value(const char *text)
{
	for (const char *at = text; at != NULL && (at = strstr(at, "CANARY")) != NULL; at += strlen("CANARY"))
		if (strncmp(at, "CANARY_MINE", strlen("CANARY_MINE")) != 0)
			return true;
	return false;
}

/* The answer, or the error's text.  Whether the server answered. */
static bool
answer(struct span sql, struct buf *sent, struct buf *out)
{
	struct err err = { 0 };
	bool answered = false;

	out->len = 0;
	if (!change(sql, sent, &err))
		buf_printf(out, "%s: %s", err_name(err.code), err.message);
	else if (!(answered = mysql_answer(server, buf_view(sent), out)))
		buf_printf(out, "%s", mysql_error(server));
	for (size_t i = 0; i < out->len; i++)
		if (out->p[i] == '\0')
			out->p[i] = '0';
	/* A syntax error quotes the statement, and may end in the midst of it. */
	if (mysql_errno(server) != ER_PARSE_ERROR && holds_value(buf_cstr(out)))
		fail_msg("a protected value came out of: %.*s\nsent as %s\n%s", SPAN_FMT(sql), buf_cstr(sent),
		    buf_cstr(out));
	return answered;
}

static bool
run_case(char *line)
{
	const char *verdict = strsep(&line, "\t"), *piece = strsep(&line, "\t");
	struct buf sent = { 0 }, out = { 0 };
	bool right;

	if (line == NULL)
		fail_msg("no three parts: %s", verdict);
	right = answer(span_str(line), &sent, &out) == (strcmp(verdict, "allow") == 0) &&
	    strstr(buf_cstr(&out), piece) != NULL;
	if (!right)
		print_error("%s [%s] %s\n  sent %s\n  -> %.600s\n", verdict, piece, line, buf_cstr(&sent),
		    buf_cstr(&out));
	buf_fini(&sent);
	buf_fini(&out);
	return right;
}

static void
nothing_protected_comes_out(void **state)
{
	char *line = NULL;
	size_t cap = 0, n = 0, wrong = 0;
	FILE *f = fopen(SOURCE_DIR "/tests/integration/columns/mysql.cases", "r");

	(void)state;
	assert_non_null(f);
	while (getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line == '#' || *line == '\0')
			continue;
		wrong += !run_case(line);
		n++;
	}
	free(line);
	fclose(f);
	if (wrong > 0 || n < 150)
		fail_msg("%zu of %zu statements went otherwise", wrong, n);
}

static void
digests_are_those_of_other_engines(void **state)
{
	struct buf sent = { 0 }, out = { 0 };
	char digest[DIGEST_TEXT];

	(void)state;
	digest_text(KEY, SPAN("+49CANARY2"), digest);
	assert_true(answer(SPAN("SELECT phone FROM customers WHERE id = 2"), &sent, &out));
	assert_non_null(strstr(buf_cstr(&out), digest));
	assert_true(answer(SPAN("SELECT phone FROM leads WHERE id = 1"), &sent, &out));
	assert_non_null(strstr(buf_cstr(&out), digest));
	buf_fini(&sent);
	buf_fini(&out);
}

/* What comes in the order of an index, of the table itself or of its partitions. */
static const char *const ordered[] = { "SELECT id, name FROM customers", "SELECT id FROM customers LIMIT 3",
	"SELECT owner FROM pins", "SELECT owner FROM pins LIMIT 1", "SELECT city FROM keyed", "SELECT id, v FROM parted", "SELECT no FROM "
	"renamed_view",
	"EXPLAIN SELECT id FROM customers WHERE tenant = 1", "SELECT GROUP_CONCAT(id) FROM customers",
	"SELECT CARDINALITY, INDEX_NAME FROM information_schema.STATISTICS WHERE TABLE_NAME = 'customers'",
	"SELECT PARTITION_NAME, TABLE_ROWS FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'parted'",
	"SELECT AUTO_INCREMENT, CHECKSUM FROM information_schema.TABLES WHERE TABLE_NAME IN ('pins', 'my1')" };

#define ORDERED	(sizeof(ordered) / sizeof(ordered[0]))

static void
statement_of(unsigned long i, struct buf *sql)
{
	if (i < ORDERED)
		buf_str(sql, ordered[i]);
	else
		columns_random(i - ORDERED, COLUMNS_MYSQL, sql);
}

/* Protected values become others, in another order; what is NULL stays so. */
static void
make_others(void)
{
	run("UPDATE customers SET ssn = CONCAT('CANARY of another kind ', id * 7919 % 31), "
	    "email = CASE WHEN email IS NOT NULL THEN CONCAT('CANARY ', 97 - id, ' elsewhere') END");
	run("UPDATE one SET ssn = 'CANARY 2', email = 'CANARY 2'");
	run("UPDATE pins SET pin = 1000000 - pin");
	run("UPDATE keyed SET pin = 1000000 - pin");
	run("UPDATE defaults SET ssn = 'CANARY 3', tag = 'CANARY 3'");
	run("UPDATE parted SET ssn = IF(ssn = 'CANARY-A', 'CANARY-B', 'CANARY-A')");
	run("UPDATE my1 SET ssn = 'CANARY none'");
}

/* The server's statistics come from the same rows and from no earlier ones, so that plans are the same. */
static void
settle(void)
{
	static const char *const tables[] = { "customers", "one", "pins", "parted", "leads", "orders", "users" };
	char sql[100];

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		snprintf(sql, sizeof(sql), "ALTER TABLE %s FORCE", tables[i]);
		run(sql);
		snprintf(sql, sizeof(sql), "ANALYZE TABLE %s", tables[i]);
		run(sql);
	}
}

/* Rows that ORDER BY does not tell apart come in any order, whatever the values are. */
static void
sort_lines(struct buf *text)
{
	static struct span lines[MOST_LINES];
	struct span rest = buf_view(text);
	struct buf sorted = { 0 };
	size_t n = 0;

	while (n < MOST_LINES && span_line(&rest, &lines[n]))
		n++;
	qsort(lines, n, sizeof(lines[0]), span_order);
	for (size_t i = 0; i < n; i++) {
		buf_span(&sorted, lines[i]);
		buf_byte(&sorted, '\n');
	}
	buf_fini(text);
	*text = sorted;
}

static void
draw(unsigned long i, struct buf *out, unsigned long *answered)
{
	struct buf sql = { 0 }, sent = { 0 };

	statement_of(i, &sql);
	*answered += answer(buf_view(&sql), &sent, out);
	if (i >= ORDERED)
		sort_lines(out);
	buf_fini(&sql);
	buf_fini(&sent);
}

static void
answers_do_not_depend_on_protected_values(void **state)
{
	const char *wanted = getenv("CARREL_DRAWN");
	unsigned long n = wanted == NULL ? DRAWN : strtoul(wanted, NULL, 10), answered = 0;
	struct buf *first = calloc(n, sizeof(*first)), second = { 0 }, sql = { 0 };

	(void)state;
	settle();
	for (unsigned long i = 0; i < n; i++)
		draw(i, &first[i], &answered);
	make_others();
	settle();
	for (unsigned long i = 0; i < n; i++) {
		unsigned long ignored = 0;

		draw(i, &second, &ignored);
		if (!span_is(buf_view(&first[i]), buf_view(&second))) {
			statement_of(i, &sql);
			fail_msg("number %lu tells protected values apart: %s\n%.800s\n%.800s", i, buf_cstr(&sql),
			    buf_cstr(&first[i]), buf_cstr(&second));
		}
		buf_fini(&first[i]);
	}
	if (answered * ANSWERED < n)
		fail_msg("only %lu of %lu statements were answered", answered, n);
	print_message("%lu of %lu statements were answered, the others refused\n", answered, n);
	free(first);
	buf_fini(&second);
	buf_fini(&sql);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_protected_comes_out),
		cmocka_unit_test(digests_are_those_of_other_engines),
		cmocka_unit_test(answers_do_not_depend_on_protected_values),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

/*
 * audit.c - audit_sql on real databases: every hostile input of the product's
 * corpus is held and every honest one passes, whoever asks; the database is
 * afterwards what it was, and the process leaves.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "policy/attacks.h"
#include "tests/integration/guard/guard_statements.h"
#include "tests/integration/guard/pg_rig.h"

static const struct audit_input on_postgres[] = {
#include "workers/sql/postgres/guard/attacks_postgres.def"
};
static const struct audit_input on_sqlite[] = {
#include "workers/sql/sqlite/attacks_sqlite.def"
};

#define ON_POSTGRES	(sizeof(on_postgres) / sizeof(on_postgres[0]))
#define ON_SQLITE	(sizeof(on_sqlite) / sizeof(on_sqlite[0]))

/* Pieces of the JSON text, which is flat: no input holds one. */
static unsigned
count(const char *text, const char *piece)
{
	unsigned n = 0;

	for (const char *p = text; (p = strstr(p, piece)) != NULL; p += strlen(piece))
		n++;
	return n;
}

/* Rows are [group, kind, sql, outcome, right, …]; those that ended otherwise than they should. */
static void
expect_all_right(const char *rows)
{
	const char *wrong;

	if ((wrong = strstr(rows, "\"allowed\",false")) == NULL &&
	    (wrong = strstr(rows, "\"refused\",false")) == NULL && (wrong = strstr(rows, "\"bounded\",false")) == NULL)
		return;
	fail_msg("%.*s", 700, wrong - rows > 200 ? wrong - 200 : rows);
}

static void
audit(struct driver *d, size_t inputs)
{
	const struct driver_answer *a;

	driver_set_budget(d, 60000);
	a = driver_call(d, "audit_sql", "db", "{}");
	if (a->kind != DRIVER_RESULT)
		fail_msg("%s %s", a->kind == DRIVER_FAIL ? a->message : "no answer", driver_log(d));
	expect_all_right(a->rows);
	assert_int_equal(count(a->rows, "\",true,\""), inputs);
	assert_int_equal(driver_exit_code(d), EXIT_RECYCLE);
}

static void
the_corpus_is_balanced(void **state)
{
	size_t honest = 0;

	(void)state;
	assert_true(ON_POSTGRES >= 300 && ON_SQLITE >= 300);
	for (size_t i = 0; i < ON_POSTGRES; i++)
		honest += on_postgres[i].kind == AUDIT_HONEST;
	assert_true(2 * honest >= ON_POSTGRES - 1);
	honest = 0;
	for (size_t i = 0; i < ON_SQLITE; i++)
		honest += on_sqlite[i].kind == AUDIT_HONEST;
	assert_true(2 * honest >= ON_SQLITE - 1);
}

static void
postgres_holds(void **state)
{
	(void)state;
	pg_rig_dump("before");
	for (size_t i = 0; i < PG_RIG_ROLES; i++) {
		struct driver *d = pg_rig_start_as(pg_rig_roles[i]);

		audit(d, ON_POSTGRES);
		driver_free(d);
		pg_rig_assert_no_residue();
	}
	pg_rig_dump("after");
	pg_rig_assert_same("before", "after");
}

/* What each layer holds by itself, and that the account's layer depends on the account. */
static void
layers_are_told_apart(void **state)
{
	struct driver *super = pg_rig_start_as("postgres"), *reader = pg_rig_start_as("researcher");
	const struct driver_answer *a = driver_call(super, "audit_sql", "db", "{}");

	(void)state;
	assert_int_equal(a->kind, DRIVER_RESULT);
	/* INSERT: the parser, the read-only transaction; a superuser may. */
	assert_has(a->rows,
	    "[\"definitions\",\"hostile\",\"CREATE TABLE carrel_audit(a int)\",\"refused\",true,\"stops\",");
	assert_has(a->rows, "\"cannot execute CREATE TABLE in a read-only transaction\",\"passes\",\"\"]");
	assert_has(a->rows, "\"SELECT pg_read_file('postgresql.conf')\",\"refused\",true,\"passes\",\"\",\"stops\",");
	assert_has(a->rows, "\"SET work_mem = '64MB'\",\"refused\",true,\"stops\",");
	assert_has(a->rows, "\"undoes\",\"it ran and was rolled back; the session is as before\"");
	assert_has(a->rows, "\"not tried\",\"its effect would outlive a rollback\"");
	assert_null(strstr(a->rows, "the account has no such privilege"));
	a = driver_call(reader, "audit_sql", "db", "{}");
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_has(a->rows, "the account has no such privilege");
	assert_has(a->rows, "the account has no privilege on pg_read_file");
	driver_free(super);
	driver_free(reader);
}

static void
build(const char *sql, void *arg)
{
	char *why = NULL;

	if (sqlite3_exec(arg, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%.200s: %s", sql, why);
}

static void
sqlite_holds(void **state)
{
	char directory[] = "/tmp/carrel-audit-XXXXXX", path[64], command[256];
	struct driver *d;
	sqlite3 *db;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/audit.db", directory);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_true(statements_each("", "schema.sqlite", build, db) > 5);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	snprintf(command, sizeof(command), "cp %s %s.before", path, path);
	assert_int_equal(system(command), 0);
	d = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = path });
	audit(d, ON_SQLITE);
	driver_free(d);
	snprintf(command, sizeof(command), "cmp %s %s.before && [ $(ls %s | wc -l) = 2 ]", path, path, directory);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	assert_int_equal(system(command), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_corpus_is_balanced),
		cmocka_unit_test(postgres_holds),
		cmocka_unit_test(layers_are_told_apart),
		cmocka_unit_test(sqlite_holds),
	};

	return cmocka_run_group_tests(tests, pg_rig_set_up, NULL);
}

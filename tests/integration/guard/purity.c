/*
 * purity.c - after every call the session is as it was.  First the proof by
 * itself, on sessions that were spoilt on purpose; then workers, reached
 * through views whose owner calls what the guard would refuse, so that only
 * the reset and the proof stand between one caller and the next.
 */
#include <stdio.h>

#include "tests/integration/guard/pg_rig.h"
#include "workers/sql/driver.h"
#include "workers/sql/postgres/postgres_session_check.h"

/* --- the proof ------------------------------------------------------------------------------- */

static void
run(PGconn *conn, const char *sql)
{
	PGresult *res = PQexec(conn, sql);

	if (PQresultStatus(res) != PGRES_COMMAND_OK && PQresultStatus(res) != PGRES_TUPLES_OK)
		fail_msg("%s: %s", sql, PQerrorMessage(conn));
	PQclear(res);
}

static const char *
ask(struct pg_session_check *p, PGconn *conn, bool brief)
{
	const char *differs;
	PGresult *res;

	p->sent_ns = brief ? clock_ns() : 0;
	assert_true(pg_session_check_send(p, conn));
	assert_int_equal(p->is_brief, brief);
	res = PQgetResult(conn);
	differs = pg_session_check_differs(p, res);
	PQclear(res);
	assert_null(PQgetResult(conn));
	return differs;
}

/* And the brief question what decides what a statement finds and may do. */
static void
the_proof_sees_each_kind_of_residue(void **state)
{
	static const struct {
		const char *spoil, *mend, *says;
		bool briefly; /* seen by the brief question, too */
	} kinds[] = {
		{ "SET work_mem = '77MB'", "RESET work_mem", "a setting", false },
		{ "SET search_path = 'pg_temp'", "RESET search_path", "a setting", true },
		{ "SET default_transaction_read_only = on", "RESET default_transaction_read_only", "a setting", true },
		{ "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE",
		    "RESET default_transaction_isolation", "a setting", false },
		{ "SET statement_timeout = 0", "RESET statement_timeout", NULL, false },
		{ "SET statement_timeout = 1234", "RESET statement_timeout", "a setting", true },
		{ "SET TIME ZONE 'Asia/Tokyo'", "RESET TIME ZONE", "a setting", true },
		{ "SET session_replication_role = replica", "RESET session_replication_role", "a setting", true },
		{ "SET row_security = off", "RESET row_security", "a setting", true },
		{ "SET standard_conforming_strings = off", "RESET standard_conforming_strings", "a setting", false },
		{ "SET client_encoding = 'LATIN1'", "RESET client_encoding", "a setting", true },
		{ "SET ROLE researcher", "RESET ROLE", "does not tell its state", true },
		{ "SET SESSION AUTHORIZATION researcher", "RESET SESSION AUTHORIZATION", "does not tell its state",
		    true },
		{ "CREATE ROLE deputy SUPERUSER; SET ROLE deputy", "RESET ROLE; DROP ROLE deputy", "another role",
		    true },
		{ "PREPARE left_over AS SELECT 1", "DEALLOCATE ALL", "prepared", false },
		{ "BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT 1; COMMIT", "CLOSE ALL", "cursor", false },
		{ "LISTEN news", "UNLISTEN *", "channel", false },
		{ "SET app.tenant = 'acme'", "SELECT set_config('app.tenant', '', false)", "a setting", true },
		{ "CREATE TEMP TABLE scrap(a int)", NULL, "temporary", true },
	};
	/* {settings: {app.tenant: "{user.name}"}, roles: []} */
	static const uint8_t settings[] = "\x82\xa8settings\x81\xaa"
					  "app.tenant\xab{user.name}\xa5roles\x90";
	struct sql_config cfg = { 0 };
	PGconn *conn = pg_rig_connect();
	struct pg_session_check p = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(identity_new(&cfg.identity, "w", span_of(settings, sizeof(settings) - 1), &err), 0);
	run(conn, "SELECT set_config('app.tenant', '', false)");
	assert_int_equal(pg_session_check_open(&p, conn, &cfg, &err), 0);
	assert_null(ask(&p, conn, false));
	assert_null(ask(&p, conn, true));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *says;

		run(conn, kinds[i].spoil);
		says = ask(&p, conn, false);
		if (kinds[i].says == NULL ? says != NULL : says == NULL || strstr(says, kinds[i].says) == NULL)
			fail_msg("%s: %s", kinds[i].spoil, says == NULL ? "not seen" : says);
		if ((ask(&p, conn, true) != NULL) != kinds[i].briefly)
			fail_msg("%s: %s briefly", kinds[i].spoil, kinds[i].briefly ? "not seen" : "seen");
		if (kinds[i].mend == NULL)
			continue;
		run(conn, kinds[i].mend);
		if ((says = ask(&p, conn, false)) != NULL || (says = ask(&p, conn, true)) != NULL)
			fail_msg("%s: %s", kinds[i].mend, says);
	}
	pg_session_check_fini(&p);
	identity_free(cfg.identity);
	PQfinish(conn);
}

/* --- workers ---------------------------------------------------------------------------------- */

/*
 * Each view runs its text when it is read; "leftovers" tells what the session
 * has.  A setting of a made-up name keeps its name, empty, as it does behind
 * DISCARD ALL; no caller may read it.
 */
static const char laboratory[] =
    "CREATE FUNCTION do_it(what text) RETURNS text LANGUAGE plpgsql VOLATILE AS"
    "  $$ BEGIN EXECUTE what; RETURN 'done'; EXCEPTION WHEN read_only_sql_transaction THEN RETURN 'read-only'; END $$;"
    "CREATE VIEW leftovers AS SELECT current_setting('work_mem') AS mem, current_setting('role') AS role,"
    "  (SELECT count(*) FROM pg_prepared_statements) AS prepared, (SELECT count(*) FROM pg_cursors WHERE name = 'c') AS cursors,"
    "  (SELECT count(*) FROM pg_listening_channels()) AS channels, pg_my_temp_schema() AS temp,"
    "  nullif(current_setting('my.note', true), '') AS note, current_setting('statement_timeout') AS timeout,"
    "  current_setting('transaction_read_only') AS read_only, (SELECT count(*) FROM pg_locks"
    "  WHERE locktype = 'advisory') AS locks, current_setting('search_path') AS path";

static void
drop_laboratory(void)
{
	pg_rig_super("DROP VIEW IF EXISTS leftovers, spoiler");
	pg_rig_super("DROP FUNCTION do_it(text)");
}

static const char *const spoilers[] = {
	"SET work_mem = '77MB'",
	"SELECT set_config('work_mem', '77MB', false)",
	"SELECT set_config('my.note', 'for the next', false)",
	"SET ROLE researcher",
	"SET SESSION AUTHORIZATION researcher",
	"SET statement_timeout = 0",
	"SET search_path = pg_temp, public",
	"SET default_transaction_read_only = off",
	"SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
	"RESET ALL",
	"PREPARE left_over AS SELECT * FROM customers",
	"DECLARE c CURSOR WITH HOLD FOR SELECT * FROM customers",
	"LISTEN news",
	"NOTIFY news, 'x'",
	"SELECT pg_advisory_lock(42)",
	"SELECT pg_advisory_lock_shared(42), pg_advisory_lock(43), pg_advisory_xact_lock(44)",
	"CREATE TEMP TABLE scrap(a int)",
	"CREATE TEMP VIEW scrap AS SELECT 1",
	"SELECT 1 AS a INTO TEMP scrap",
	"LOAD 'auto_explain'",
	"SET LOCAL lock_timeout = 0",
	"SELECT pg_export_snapshot()",
	"SELECT lo_from_bytea(0, 'x')",
	"INSERT INTO audit_sink VALUES ('x')",
};

static void
nothing_passes_to_the_next_call(void **state)
{
	struct driver *d;
	char clean[2048], pid[256], text[512];

	(void)state;
	pg_rig_dump("before");
	pg_rig_super(laboratory);
	d = pg_rig_start_as("postgres");
	snprintf(clean, sizeof(clean), "%s", sql_run(d, "TABLE leftovers", 0)->rows);
	snprintf(pid, sizeof(pid), "%s", sql_run(d, "SELECT pg_backend_pid()", 0)->rows);
	assert_has(clean, "\"on\",0,");
	for (size_t i = 0; i < sizeof(spoilers) / sizeof(spoilers[0]); i++) {
		const struct driver_answer *a;

		snprintf(text, sizeof(text), "CREATE OR REPLACE VIEW spoiler AS SELECT do_it($x$%s$x$) AS did",
		    spoilers[i]);
		pg_rig_super(text);
		a = sql_run(d, "TABLE spoiler", 0);
		if (a->kind != DRIVER_RESULT && a->kind != DRIVER_FAIL)
			fail_msg("%s: no answer", spoilers[i]);
		/* The same session, and nothing in it. */
		if (strcmp(sql_run(d, "SELECT pg_backend_pid()", 0)->rows, pid) != 0)
			fail_msg("%s: another session", spoilers[i]);
		a = sql_run(d, "TABLE leftovers", 0);
		if (a->kind != DRIVER_RESULT || strcmp(a->rows, clean) != 0)
			fail_msg("%s leaves\n%s, not\n%s", spoilers[i], a->kind == DRIVER_RESULT ? a->rows : a->message,
			    clean);
		pg_rig_assert_no_residue();
	}
	sql_stop(d);
	drop_laboratory();
	pg_rig_dump("after");
	pg_rig_assert_same("before", "after");
}

/* What no caller can do, the server's owner can: change a setting of a session that is open. */
static void
a_session_in_doubt_is_given_up(void **state)
{
	struct driver *d = pg_rig_start_as("researcher");
	const struct driver_answer *a;

	(void)state;
	sql_expect(d, "SELECT 1", "[[1]]");
	pg_rig_super("ALTER SYSTEM SET work_mem = '9MB'");
	pg_rig_super("SELECT pg_reload_conf()");
	/* The server reads its files when it gets to it; the call that finds out is answered or left to another worker.
	 */
	for (int i = 0; i < 1000; i++) {
		a = sql_run(d, "SELECT count(*) FROM generate_series(1, 20000)", 0);
		if (a->kind != DRIVER_RESULT)
			break;
		assert_string_equal(a->rows, "[[20000]]");
	}
	assert_int_equal(a->kind, DRIVER_LOST);
	assert_int_equal(driver_exit_code(d), EXIT_RECYCLE);
	assert_has(driver_reason(d), "a setting is not what it was");
	driver_free(d);
	pg_rig_super("ALTER SYSTEM RESET work_mem");
	pg_rig_super("SELECT pg_reload_conf()");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_proof_sees_each_kind_of_residue),
		cmocka_unit_test(nothing_passes_to_the_next_call),
		cmocka_unit_test(a_session_in_doubt_is_given_up),
	};

	return cmocka_run_group_tests(tests, pg_rig_set_up, NULL);
}

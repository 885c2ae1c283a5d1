/*
 * bounds.c - statements that want too much: each ends by a bound that the
 * answer names, the worker goes on or leaves in good order, and whoever is
 * served by its neighbour notices nothing.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/system/clock.h"
#include "tests/integration/guard/guard_statements.h"
#include "tests/integration/guard/pg_rig.h"

#define TIMEOUT_MS	1500
#define WORKER_MB	600
#define PATIENCE_MS	(TIMEOUT_MS + 15000)	/* on a machine that does other things */

struct bomb {
	const char	*sql;
	const char	*codes;		/* any of these, or "result" */
	const char	*says;		/* in the message, or in the result */
};

static const struct bomb on_postgres[] = {
	{ "SELECT count(*) FROM generate_series(1, 1000000000000)", "forbidden_sql", "rows" },
	{ "SELECT count(*) FROM generate_series(1, (SELECT max(id) FROM orders) * 100000000000)", "query_timeout", "too long" },
	{ "SELECT count(*) FROM generate_series(1, 9000000) a, generate_series(1, 9000000) b", "query_timeout", "too long" },
	{ "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r", "query_timeout", "too long" },
	{ "WITH RECURSIVE r(n, t) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, t || t FROM r WHERE n < 40) SELECT max(length(t)) FROM r",
	  "forbidden_sql", "multiplies" },
	{ "WITH RECURSIVE r(n, t) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, t || repeat('x', 1000000) FROM r) SELECT max(length(t)) FROM r",
	  "query_timeout database_error", "" },
	{ "SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e", "query_timeout", "too long" },
	{ "SELECT md5(n::text) AS k, repeat('x', 200) FROM generate_series(1, 9000000) n ORDER BY 1", "query_timeout database_error", "" },
	{ "SELECT count(*) FROM (SELECT DISTINCT md5(n::text) FROM generate_series(1, 9000000) n) x", "query_timeout database_error", "" },
	{ "SELECT repeat('a', 1001) || 'b' ~ '^(a+)(a+)(a+)(a+)\\1\\2\\3\\4b$'", "query_timeout", "too long" },
	{ "SELECT repeat('x', 1000000000)", "forbidden_sql", "16 MB" },
	{ "SELECT repeat('x', (SELECT count(*)::int FROM orders) * 20000)", "result", "\"truncated\":true,\"fullLength\":8000000" },
	{ "SELECT repeat('x', (SELECT count(*)::int FROM orders) * 2000000)", "result database_error result_too_large query_timeout", "" },
	{ "SELECT repeat('x', 200000) FROM orders", "result", "\"truncatedBy\":\"bytes\"" },
	{ "SELECT string_agg(repeat('x', 1000000), '') FROM orders, generate_series(1, 10)", "forbidden_sql", "gathered" },
	{ "SELECT array_agg(repeat(status, 100000)) FROM orders, generate_series(1, 100)", "forbidden_sql", "gathered" },
	{ "SELECT array_agg(repeat('x', 10000)) FROM orders", "forbidden_sql", "gathered" },
	{ "SELECT strpos(repeat('a', id * 100000), 'b' || repeat('a', id * 50000)) FROM orders", "forbidden_sql", "interrupt" },
	{ "EXPLAIN SELECT 1 FROM orders a, orders b, orders c, orders d, orders e, orders f, orders g, orders h, orders i, orders j, "
	  "orders k WHERE a.id = b.id AND b.id = c.id AND c.id = d.id AND d.id = e.id AND e.id = f.id AND f.id = g.id AND "
	  "g.id = h.id AND h.id = i.id AND i.id = j.id AND j.id = k.id", "forbidden_sql", "orders of the statement's joins" },
	{ "SELECT generate_series(1, 9000000)", "result", "\"truncatedBy\":\"rows\"" },
	{ "SELECT xmlparse(document '<!DOCTYPE x [<!ENTITY a \"{{ha|1000}}\"><!ENTITY b \"{{&a;|1000}}\"><!ENTITY c \"{{&b;|1000}}\">]><x>&c;</x>')",
	  "result database_error query_timeout", "" },
	{ "SELECT jsonb_path_query_array('[{{1,|5000}}1]', '$[*] ? (@ > 0 && exists($[*] ? (@ > 0 && exists($[*] ? (@ > 1)))))')",
	  "query_timeout result database_error invalid_sql", "" },
	{ "SELECT '{{[|9000}}{{]|9000}}'::json", "database_error result", "" },
	{ "SELECT 1{{+1|25000}}", "forbidden_sql", "nests too deeply" },
	{ "SELECT {{(|9000}}1{{)|9000}}", "forbidden_sql invalid_sql result", "" },
	{ "SELECT {{(SELECT |3000}}1{{)|3000}}", "forbidden_sql", "nests too deeply" },
	{ "SELECT {{'x' || |8000}}'x'", "forbidden_sql", "nests too deeply" },
	{ "SELECT '{{x|70000}}'", "sql_too_long", "bytes" },
	{ "SELECT '{{x|60000}}'", "result", "xxx" },
	{ "SELECT {{1,|2000}}1", "invalid_sql", "1664" },
};

static const struct bomb on_sqlite[] = {
	{ "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c", "query_timeout", "too long" },
	{ "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c", "result", "\"truncatedBy\":\"rows\"" },
	{ "SELECT count(*) FROM orders a, orders b, orders c, customers d, customers e, orders d, orders e, orders f", "query_timeout", "too long" },
	{ "SELECT hex(zeroblob(1000000000))", "database_error", "16 MiB" },
	{ "SELECT printf('%.*c', 2000000000, 'x')", "database_error", "too long" },
	{ "SELECT printf('%2000000000d', 1)", "database_error", "too long" },
	{ "SELECT trim(replace(hex(zeroblob(200000)), '0', 'b'), hex(zeroblob(200000)) || 'b')", "database_error", "too long" },
	{ "SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1')", "result", "[[0]]" },
	{ "SELECT group_concat(hex(zeroblob(4000000))) FROM orders a, orders b", "database_error query_timeout", "" },
	{ "SELECT json_group_array(hex(zeroblob(4000000))) FROM orders a, orders b", "database_error query_timeout", "" },
	{ "SELECT length(hex(zeroblob(2500000)))", "result", "5000000" },
	{ "SELECT hex(zeroblob(2500000))", "result", "\"truncated\":true,\"fullLength\":5000000" },
	{ "SELECT hex(zeroblob(100000)) FROM orders a, orders b", "result", "\"truncatedBy\":\"bytes\"" },
	{ "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000000) SELECT hex(randomblob(100)) AS k FROM n ORDER BY k",
	  "query_timeout database_error", "" },
	{ "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT i, sum(i) OVER (ORDER BY i ROWS BETWEEN 150000 PRECEDING AND 150000 FOLLOWING EXCLUDE CURRENT ROW) FROM n",
	  "query_timeout", "too long" },
	/* Each of the library's own functions with what makes it large. */
	{ "SELECT length(printf('%.1000000000f', 1.5))", "database_error", "too long" },
	{ "SELECT length(printf('%15000000d', 1) || printf('%15000000d', 1))", "database_error result_too_large", "16 MiB" },
	{ "SELECT quote(zeroblob(16000000))", "database_error result_too_large", "16 MiB" },
	{ "SELECT length(replace(replace(hex(zeroblob(1000000)), '0', 'aaaaaaaa'), 'a', 'bbb'))", "database_error result_too_large", "16 MiB" },
	{ "WITH RECURSIVE t(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM t) SELECT max(length(x)) FROM t", "database_error result_too_large", "16 MiB" },
	{ "WITH RECURSIVE t(x) AS (SELECT 'a' UNION ALL SELECT hex(x) FROM t) SELECT max(length(x)) FROM t", "database_error result_too_large", "16 MiB" },
	{ "WITH RECURSIVE t(x) AS (SELECT '[]' UNION ALL SELECT json_array(x, x) FROM t) SELECT max(length(x)) FROM t",
	  "database_error result_too_large", "16 MiB" },
	{ "SELECT length(group_concat(a.status || b.status || c.status)) FROM orders a, orders b, orders c, customers d, customers e", "database_error result_too_large query_timeout", "" },
	{ "SELECT length(json_group_object(a.id || b.status || c.id, a.status)) FROM orders a, orders b, orders c, customers d, customers e",
	  "database_error result_too_large query_timeout", "" },
	{ "SELECT sum(length(x)) FROM (SELECT group_concat(a.status) OVER (ORDER BY a.id ROWS BETWEEN 1000 PRECEDING AND 1000 FOLLOWING EXCLUDE TIES) x "
	  "FROM orders a, orders b, orders c)", "query_timeout database_error", "" },
	{ "SELECT {{length(hex(zeroblob(7000000))),|300}}1", "database_error result_too_large result", "" },
	{ "SELECT {{hex(zeroblob(7000000)) || 'a',|300}}1", "database_error result_too_large result", "" },
	{ "SELECT count(DISTINCT hex(a.id) || hex(zeroblob(500)) || b.id || c.id) FROM orders a, orders b, orders c, customers d, customers e", "database_error query_timeout", "" },
	{ "SELECT a.id || hex(zeroblob(500)) || b.id || c.id AS x FROM orders a, orders b, orders c, customers d, customers e ORDER BY x", "database_error query_timeout", "" },
	{ "SELECT a.id FROM orders a WHERE a.id NOT IN (SELECT b.id * 1000000 + c.id * 1000 + d.id FROM orders b, orders c, orders d, orders e, orders f)", "query_timeout database_error", "" },
	{ "SELECT length(strftime(replace(hex(zeroblob(800000)), '00', '%Y-%m-%d %H:%M:%f'), 'now'))", "database_error result_too_large", "16 MiB" },
	{ "SELECT date('-4713-11-24', '+999999999999 days')", "result", "[[null]]" },
	{ "SELECT length(highlight(docs, 1, hex(zeroblob(4000000)), hex(zeroblob(4000000)))) FROM docs WHERE docs MATCH 'fox OR the OR a'",
	  "result database_error result_too_large", "" },
	{ "SELECT length(snippet(ft4, hex(zeroblob(4000000)), ']', '.', -1, 64)) FROM ft4 WHERE ft4 MATCH 'a* OR b* OR t*'", "result database_error result_too_large", "" },
	{ "SELECT count(*) FROM rt a, rt b, rt c, rt d, rt e, orders o, orders p WHERE a.minx <= b.maxx + o.id", "query_timeout result", "" },
	{ "SELECT '{{%|49000}}a' LIKE '{{%a|7000}}'", "database_error", "" },
	{ "SELECT hex(zeroblob(4000000)) LIKE '{{%0|500}}%1'", "result", "[[0]]" },
	{ "SELECT hex(zeroblob(4000000)) GLOB '{{*?[0-9]|100}}*1'", "result", "[[0]]" },
	{ "SELECT {{(|3000}}1{{)|3000}}", "invalid_sql result", "" },
	{ "SELECT 1{{+1|20000}}", "invalid_sql", "" },
	{ "SELECT 1{{ UNION ALL SELECT 1|500}}", "invalid_sql", "" },
	{ "SELECT {{1,|3000}}1", "invalid_sql", "" },
	{ "SELECT '{{x|70000}}'", "sql_too_long", "bytes" },
	{ "SELECT json('{{[|3000}}{{]|3000}}')", "database_error result", "" },
	{ "SELECT count(*) FROM json_tree('{{[|900}}1{{]|900}}'), json_tree('{{[|900}}1{{]|900}}'), json_tree('{{[|900}}1{{]|900}}')", "query_timeout", "too long" },
	{ "SELECT count(*) FROM docs WHERE docs MATCH '{{fox OR |2000}}fox'", "result database_error invalid_sql", "" },
};

/* --- one of them ----------------------------------------------------------------------------------- */

/* One of the words that text is a list of. */
static bool
is_listed(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; (p = strstr(p, word)) != NULL; p += n)
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
			return true;
	return false;
}

static bool
is_as_expected(const struct bomb *b, const struct driver_answer *a)
{
	if (a->kind == DRIVER_RESULT)
		return is_listed(b->codes, "result") &&
		    (strcmp(b->codes, "result") != 0 || strstr(a->result, b->says) != NULL);
	return a->kind == DRIVER_FAIL && is_listed(b->codes, a->code) && strstr(a->message, b->says) != NULL;
}

struct field {
	struct driver	*bombed, *neighbour;
	struct driver	*(*start)(void);
};

/* A worker that left in good order is replaced, as the supervisor would. */
static void
replace(struct field *f, const char *sql)
{
	int code = driver_exit_code(f->bombed);

	if (code != EXIT_RECYCLE)
		fail_msg("%.200s: the worker ended with %d\n%s", sql, code, driver_log(f->bombed));
	driver_free(f->bombed);
	f->bombed = f->start();
}

/* The most memory that the worker has had. */
static unsigned
most_mb(const struct field *f)
{
	char status[64], line[128];
	unsigned kb = 0;
	FILE *in;

	snprintf(status, sizeof(status), "/proc/%d/status", (int)driver_pid(f->bombed));
	if ((in = fopen(status, "r")) == NULL)
		return 0;
	while (fgets(line, sizeof(line), in) != NULL && sscanf(line, "VmHWM: %u kB", &kb) != 1)
		;
	fclose(in);
	return kb / 1024;
}

static void
set_off(struct field *f, const struct bomb *b)
{
	uint64_t since = clock_ns();
	struct buf sql = { 0 };
	const struct driver_answer *a;
	unsigned ms;

	statements_expand(&sql, b->sql);
	a = sql_run(f->bombed, buf_cstr(&sql), 1000);
	if (a->kind == DRIVER_LOST) { /* it left before this call, because of the last one */
		replace(f, b->sql);
		a = sql_run(f->bombed, buf_cstr(&sql), 1000);
	}
	ms = (unsigned)((clock_ns() - since) / CLOCK_MS);
	if (!is_as_expected(b, a))
		fail_msg("%.200s: %s %.300s\nnot %s: %s", b->sql, a->kind == DRIVER_FAIL ? a->code : "",
		    a->kind == DRIVER_FAIL       ? a->message :
			a->kind == DRIVER_RESULT ? a->result :
						   "no answer",
		    b->codes, b->says);
	if (ms > PATIENCE_MS || most_mb(f) > WORKER_MB)
		fail_msg("%.200s took %u ms and %u MB", b->sql, ms, most_mb(f));
	/* Whatever became of it, the next call is served, and the neighbour's was never in danger. */
	if ((a = sql_run(f->bombed, "SELECT 40 + 2", 0))->kind == DRIVER_LOST) {
		replace(f, b->sql);
		a = sql_run(f->bombed, "SELECT 40 + 2", 0);
	}
	if (a->kind != DRIVER_RESULT)
		fail_msg("after %.200s: %s", b->sql, a->kind == DRIVER_FAIL ? a->message : "no answer");
	assert_string_equal(a->rows, "[[42]]");
	sql_expect(f->neighbour, "SELECT 40 + 2", "[[42]]");
	buf_fini(&sql);
}

static void
set_off_all(struct driver *(*start)(void), const struct bomb *bombs, size_t n)
{
	struct field f = { .bombed = start(), .neighbour = start(), .start = start };

	for (size_t i = 0; i < n; i++)
		set_off(&f, &bombs[i]);
	driver_free(f.bombed);
	sql_stop(f.neighbour);
}

/* --- PostgreSQL ---------------------------------------------------------------------------------------- */

static struct driver *
start_reader(void)
{
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = pg_rig_conninfo("researcher"),
	    .timeout_ms = TIMEOUT_MS });
}

static struct driver *
start_super(void)
{
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = pg_rig_conninfo("postgres"),
	    .timeout_ms = TIMEOUT_MS });
}

static void
bombs_on_postgres_are_bounded(void **state)
{
	(void)state;
	set_off_all(start_reader, on_postgres, sizeof(on_postgres) / sizeof(on_postgres[0]));
	/* No backend computes on for nobody. */
	for (int wait = 0; wait < 300; wait++) {
		if (strcmp(
			pg_rig_super(
			    "SELECT count(*) FROM pg_stat_activity WHERE usename = 'researcher' AND state = 'active'"),
			"0") == 0)
			return;
		usleep(100000);
	}
	fail_msg("a statement is still running on the server");
}

/* Only an account that may set it bounds what spills to the server's disk; others depend on its owner. */
static void
temporary_files_of_a_superuser_are_bounded(void **state)
{
	struct driver *d = start_super();

	(void)state;
	pg_rig_super("CREATE VIEW disk AS SELECT current_setting('temp_file_limit') AS most");
	sql_expect(d, "TABLE disk", "[[\"1GB\"]]");
	sql_stop(d);
	d = start_reader();
	pg_rig_super("GRANT SELECT ON disk TO researcher");
	sql_expect(d, "TABLE disk", "[[\"-1\"]]");
	sql_stop(d);
	pg_rig_super("ALTER ROLE researcher SET temp_file_limit = '1MB'");
	d = start_reader();
	sql_expect(d, "TABLE disk", "[[\"1MB\"]]");
	sql_expect_fail(d, "SELECT md5(n::text), repeat('x', 100) FROM generate_series(1, 500000) n ORDER BY 1",
	    "database_error", "temp_file_limit");
	sql_stop(d);
	pg_rig_super("ALTER ROLE researcher RESET temp_file_limit");
	pg_rig_super("DROP VIEW disk");
}

/* --- SQLite ----------------------------------------------------------------------------------------------- */

static char directory[] = "/tmp/carrel-bounds-XXXXXX", path[64];

static void
build(const char *sql, void *arg)
{
	char *why = NULL;

	if (sqlite3_exec(arg, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%.200s: %s", sql, why);
}

static struct driver *
start_sqlite(void)
{
	return sql_start(&(struct sql_setup){ .driver = "sqlite", .path = path, .timeout_ms = TIMEOUT_MS });
}

static void
bombs_on_sqlite_are_bounded(void **state)
{
	sqlite3 *db;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/bounds.db", directory);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_true(statements_each("", "schema.sqlite", build, db) > 5);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	set_off_all(start_sqlite, on_sqlite, sizeof(on_sqlite) / sizeof(on_sqlite[0]));
	unlink(path);
	rmdir(directory);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(bombs_on_postgres_are_bounded),
		cmocka_unit_test(temporary_files_of_a_superuser_are_bounded),
		cmocka_unit_test(bombs_on_sqlite_are_bounded),
	};

	return cmocka_run_group_tests(tests, pg_rig_set_up, NULL);
}

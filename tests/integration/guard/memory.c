/*
 * memory.c - what PostgreSQL holds in memory for a statement that gathers or
 * hashes what is stored, or makes values larger step by step: no setting of the
 * server bounds it, so the statement is refused or has little time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/system/clock.h"
#include "tests/integration/guard/pg_rig.h"

#define TIMEOUT_MS	30000
#define PATIENCE_MS	12000	/* on a machine that does other things */
#define MOST_MB		2300	/* beside what is shared */

/* Without a bound each of them takes some hundred megabytes a second for thirty seconds. */
static const struct {
	const char	*sql, *codes;
} growing[] = {
	{ "SELECT cardinality(array_agg(p.prosrc)) FROM pg_proc p, pg_proc q, pg_proc r", "query_timeout" },
	{ "SELECT cardinality(array_agg(p.oid)) FROM pg_proc p, pg_proc q, pg_proc r", "query_timeout database_error" },
	{ "SELECT 1 FROM pg_proc p, pg_proc q, pg_proc r HAVING cardinality(array_agg(p)) > 0", "query_timeout" },
	{ "SELECT length(json_agg(p)::text) FROM pg_proc p, pg_proc q", "query_timeout" },
	{ "SELECT max(cardinality(a)) FROM (SELECT p.prolang, array_agg(p) a FROM pg_proc p JOIN pg_proc q ON p.prolang = q.prolang GROUP BY 1) x",
	  "query_timeout" },
	{ "SELECT cardinality(array_agg(p)) FROM pg_proc p, pg_proc q, pg_class r WHERE p.oid::int * 0 = q.oid::int * 0 "
	  "AND p.oid::int % 1 = 0 AND length(q.proname) >= length(p.proname) * 0 AND NOT (r.oid IS NULL) AND coalesce(r.oid, 1) = r.oid",
	  "query_timeout" },
	{ "SELECT cardinality(ARRAY(SELECT p::text FROM pg_proc p, pg_proc q, pg_class r))", "query_timeout" },
	{ "SELECT cardinality(array_agg(body)) FROM papers, generate_series(1, 1000)", "query_timeout" },
	{ "SELECT length(string_agg(body, '')) FROM papers a JOIN generate_series(1, (SELECT max(id) FROM orders) * 1000) n ON true",
	  "query_timeout database_error" },
	{ "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 100000000) "
	  "SELECT cardinality(array_agg(repeat('x', 10000))) FROM t", "forbidden_sql" },
	{ "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n * 1 < 100000000) "
	  "SELECT cardinality(array_agg(repeat('x', 10000))) FROM t", "query_timeout" },
	{ "WITH RECURSIVE t(n, x) AS (SELECT 1, '' UNION SELECT n + 1, repeat('x', 10000) || n FROM t WHERE n < 100000000) "
	  "SELECT count(*) FROM t", "query_timeout" },
	{ "SELECT count(*) FROM generate_series(1, 5) k WHERE 'a' || k NOT IN (SELECT repeat('x', 10000) || n "
	  "FROM generate_series(1, (SELECT max(id) FROM orders) * 10000) n)", "query_timeout" },
	{ "SELECT count(*) FROM (SELECT repeat('x', 10000) || n FROM generate_series(1, (SELECT max(id) FROM orders) * 10000) n "
	  "EXCEPT SELECT 'a') x", "query_timeout" },
	{ "SELECT length(repeat('a', n)), length(repeat('b', n)), length(repeat('c', n)), length(repeat('d', n)), length(repeat('e', n)), "
	  "length(repeat('f', n)), length(repeat('g', n)), length(repeat('h', n)), length(repeat('i', n)), length(repeat('j', n)), "
	  "length(repeat('k', n)), length(repeat('l', n)), length(repeat('m', n)), length(repeat('n', n)), length(repeat('o', n)) "
	  "FROM (SELECT max(id) * 2000000 AS n FROM orders) s", "query_timeout result" },
	{ "WITH RECURSIVE t(x) AS (SELECT ARRAY[1] UNION ALL SELECT x || x FROM t) SELECT count(*) FROM t", "forbidden_sql" },
	{ "WITH RECURSIVE t(x) AS (SELECT jsonb_build_array(1) UNION ALL SELECT jsonb_build_array(x, x) FROM t) SELECT count(*) FROM t",
	  "forbidden_sql" },
};

/* As long as the server takes for them, with what they gather. */
static const char *const fine[] = {
	"SELECT c.name, array_agg(o.id ORDER BY o.id) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.name LIMIT 3",
	"SELECT json_agg(o) FROM orders o WHERE lower(status) = 'paid' AND extract(year FROM created_at) > 2000",
	"SELECT string_agg(proname, ',') FROM pg_proc WHERE pronargs = 2",
	"SELECT array_agg(n) FROM (SELECT count(*) AS n FROM generate_series(1, 6000000) a WHERE a % 2 = 0) q",
	"WITH RECURSIVE t(n, path) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, path || '/' || n FROM t WHERE n < 500) "
	"SELECT string_agg(path, ';') FROM t",
	"WITH RECURSIVE t(n) AS (SELECT 1 UNION SELECT n % 100 + 1 FROM t) SELECT count(*) FROM t",
	"WITH RECURSIVE t(n, x) AS (SELECT 1, 'ab' UNION ALL SELECT n + 1, x || x FROM t WHERE n < 12) SELECT max(length(x)) FROM t",
	"SELECT count(*) FROM customers WHERE id NOT IN (SELECT customer_id FROM orders WHERE customer_id IS NOT NULL)",
	"SELECT id FROM customers EXCEPT SELECT customer_id FROM orders",
	"SELECT cardinality(array_agg(body)) FROM papers",
	"SELECT repeat('#', count(*)::int / 50) FROM orders",
};

static struct driver *worker;

static struct driver *
start(void)
{
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = pg_rig_conninfo("researcher"),
	    .timeout_ms = TIMEOUT_MS });
}

/* The most that any of the worker's server processes has had, in MB, without the server's shared memory. */
static unsigned
most_mb(void)
{
	unsigned most = 0, mb;
	char pids[256], path[64], line[128], *rest = pids;

	snprintf(pids, sizeof(pids), "%s",
	    pg_rig_super("SELECT string_agg(pid::text, ' ') FROM pg_stat_activity "
			 "WHERE usename = 'researcher'"));
	for (char *pid = strtok_r(pids, " ", &rest); pid != NULL; pid = strtok_r(NULL, " ", &rest)) {
		unsigned kb;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%u/status", (unsigned)strtoul(pid, NULL, 10));
		if ((f = fopen(path, "r")) == NULL)
			continue;
		while (fgets(line, sizeof(line), f) != NULL)
			if (sscanf(line, "VmHWM: %u kB", &kb) == 1 && (mb = kb / 1024) > most)
				most = mb;
		fclose(f);
	}
	return most;
}

static const struct driver_answer *
run(const char *sql)
{
	const struct driver_answer *a = sql_run(worker, sql, 100);

	if (a->kind == DRIVER_LOST) { /* it left in good order because of the last one */
		assert_int_equal(driver_exit_code(worker), EXIT_RECYCLE);
		driver_free(worker);
		worker = start();
		a = sql_run(worker, sql, 100);
	}
	return a;
}

static void
what_grows_is_refused_or_has_little_time(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(growing) / sizeof(growing[0]); i++) {
		uint64_t since = clock_ns();
		const struct driver_answer *a = run(growing[i].sql);
		const char *code = a->kind == DRIVER_RESULT ? "result" : a->kind == DRIVER_FAIL ? a->code : "no answer";
		unsigned ms = (unsigned)((clock_ns() - since) / CLOCK_MS), mb = most_mb();

		if (getenv("VERBOSE") != NULL)
			print_message("%6u ms %6u MB  %s\n", ms, mb, growing[i].sql);
		if (strstr(growing[i].codes, code) == NULL)
			fail_msg("%s: %s %s", growing[i].sql, code, a->kind == DRIVER_FAIL ? a->message : "");
		if (ms > PATIENCE_MS || mb > MOST_MB)
			fail_msg("%s: %u ms, %u MB", growing[i].sql, ms, mb);
		driver_free(worker); /* the next one has a process of its own to measure */
		worker = start();
	}
}

static void
what_is_small_has_all_of_its_time(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
		const struct driver_answer *a = run(fine[i]);

		if (a->kind != DRIVER_RESULT)
			fail_msg("%s: %s", fine[i], a->kind == DRIVER_FAIL ? a->message : "no answer");
	}
}

/* Values that stand out of line, and compress well: the server's estimate knows their pointers. */
static int
set_up(void **state)
{
	int rc = pg_rig_set_up(state);

	pg_rig_super("CREATE TABLE papers AS SELECT n AS id, (SELECT string_agg(md5((n * i)::text), '') FROM "
		     "generate_series(1, 2000) i) AS body "
		     "FROM generate_series(1, 100) n");
	pg_rig_super("ANALYZE");
	pg_rig_super("GRANT SELECT ON papers TO researcher");
	worker = start();
	return rc;
}

static int
tear_down(void **state)
{
	(void)state;
	sql_stop(worker);
	return 0;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_grows_is_refused_or_has_little_time),
		cmocka_unit_test(what_is_small_has_all_of_its_time),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

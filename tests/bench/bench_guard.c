/*
 * bench_guard.c - what the guard costs on a live catalogue, in process.
 *
 *	bench-guard CONNINFO
 *
 * Prints one line of JSON: microseconds of processor time for a statement of
 * 1 KB that was never seen, and for one that was allowed before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "workers/sql/driver.h"
#include "workers/sql/postgres/postgres_statement_check.h"

#define COLD	3000u		/* less than the five seconds after which the catalogue is looked at again */
#define KNOWN	100000u

/* About 1 KB, different for each number in it. */
#define STATEMENT									\
	"WITH monthly AS (SELECT date_trunc('month', created_at) AS month, status, sum(amount) AS total, count(*) "	\
	"FILTER (WHERE amount > %u) AS large FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.email ~* "	\
	"'^[a-z]+@' AND created_at >= now() - interval '1 year' GROUP BY 1, 2), ranked AS (SELECT *, row_number() OVER "	\
	"(PARTITION BY month ORDER BY total DESC) AS place, lag(total) OVER (PARTITION BY status ORDER BY month) AS "	\
	"before FROM monthly) "								\
	"SELECT to_char(r.month, 'YYYY-MM') AS month, r.status, round(r.total, 2) AS total, coalesce(round(100.0 * "	\
	"(r.total - r.before) / nullif(r.before, 0), 1), 0) AS growth, CASE WHEN r.place = 1 THEN 'first' WHEN r.place "	\
	"<= 3 THEN 'top' ELSE 'rest' END AS class, jsonb_build_object('large', r.large, 'share', r.total / sum(r.total) "	\
	"OVER (PARTITION BY r.month)) AS details FROM ranked r WHERE r.place <= 10 AND r.status IN ('paid', 'open', "	\
	"'void') AND EXISTS (SELECT 1 FROM generate_series(1, 3) g WHERE g <> r.place) ORDER BY r.month, r.place LIMIT 100"

static double
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int
by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static struct span
statement(unsigned n, struct buf *out)
{
	buf_reset(out, SIZE_MAX);
	buf_printf(out, STATEMENT, n);
	return buf_view(out);
}

/* The guard's whole work on one text, as the worker does it; microseconds. */
static double
check(struct pg_statement_check *f, struct span sql)
{
	double since = now_us();
	struct pg_statement st;
	struct err err;

	if (pg_statement_check_check(f, NULL, NULL, sql, false, &st, &err) == -1) {
		fprintf(stderr, "bench-guard: %s\n", err.message);
		exit(1);
	}
	return now_us() - since;
}

int
main(int argc, char **argv)
{
	static double cold[COLD], known[KNOWN];
	struct buf sql = { 0 };
	struct pg_statement_check *f;
	struct err err;
	PGconn *conn;

	if (argc != 2 || PQstatus(conn = PQconnectdb(argv[1])) != CONNECTION_OK) {
		fprintf(stderr, "usage: bench-guard CONNINFO\n");
		return 2;
	}
	if (pg_statement_check_open(&f, conn, &(struct sql_config){ 0 }, &err) == -1) {
		fprintf(stderr, "bench-guard: %s\n", err.message);
		return 1;
	}
	for (unsigned i = 0; i < COLD; i++)
		cold[i] = check(f, statement(i, &sql));
	for (unsigned i = 0; i < KNOWN; i++)
		known[i] = check(f, buf_view(&sql));
	qsort(cold, COLD, sizeof(cold[0]), by_value);
	qsort(known, KNOWN, sizeof(known[0]), by_value);
	printf(
	    "{\"bytes\":%zu,\"cold_p50_us\":%.1f,\"cold_p99_us\":%.1f,\"known_p50_us\":%.2f,\"known_p99_us\":%.2f}\n",
	    sql.len, cold[COLD / 2], cold[COLD * 99 / 100], known[KNOWN / 2], known[KNOWN * 99 / 100]);
	buf_fini(&sql);
	pg_statement_check_close(f);
	PQfinish(conn);
	return 0;
}

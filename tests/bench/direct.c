/*
 * direct.c - the same queries in process, without Carrel: the floor that the
 * benchmark's ratios are taken against.
 *
 *	direct sqlite FILE SQL SECONDS
 *	direct postgres CONNINFO SQL SECONDS
 *
 * Prints {"queries":n,"qps":x,"p50_us":x,"rows":n}.  Every query is prepared,
 * stepped to its end and every cell is fetched; PostgreSQL runs it by the
 * extended protocol inside BEGIN READ ONLY … ROLLBACK, pipelined.
 */
#include <libpq-fe.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"

#define SAMPLES_MAX	2000000

static uint32_t *samples;
static size_t nsamples, nrows;
static volatile size_t sink;

static int
by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void
sqlite_once(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK) {
		fprintf(stderr, "direct: %s\n", sqlite3_errmsg(db));
		exit(1);
	}
	nrows = 0;
	while (sqlite3_step(st) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(st); i++)
			sink += (size_t)sqlite3_column_bytes(st, i);
		nrows++;
	}
	sqlite3_finalize(st);
}

static void
postgres_once(PGconn *pg, const char *sql)
{
	static const char *const steps[] = { "BEGIN READ ONLY", NULL, "ROLLBACK" };

	for (size_t i = 0; i < 3; i++)
		PQsendQueryParams(pg, steps[i] != NULL ? steps[i] : sql, 0, NULL, NULL, NULL, NULL, 0);
	PQpipelineSync(pg);
	for (size_t i = 0; i < 3; i++) {
		PGresult *r;

		while ((r = PQgetResult(pg)) != NULL) {
			if (PQresultStatus(r) == PGRES_FATAL_ERROR) {
				fprintf(stderr, "direct: %s\n", PQresultErrorMessage(r));
				exit(1);
			}
			if (i == 1) {
				nrows = (size_t)PQntuples(r);
				for (int row = 0; row < PQntuples(r); row++)
					for (int col = 0; col < PQnfields(r); col++)
						sink += (size_t)PQgetlength(r, row, col);
			}
			PQclear(r);
		}
	}
	PQclear(PQgetResult(pg)); /* the sync */
}

int
main(int argc, char **argv)
{
	sqlite3 *db = NULL;
	PGconn *pg = NULL;
	uint64_t begin, end, now;

	if (argc != 5 || (samples = malloc(SAMPLES_MAX * sizeof(samples[0]))) == NULL) {
		fprintf(stderr, "usage: direct sqlite|postgres WHERE SQL SECONDS\n");
		return 2;
	}
	if (strcmp(argv[1], "sqlite") == 0) {
		if (sqlite3_open_v2(argv[2], &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
			fprintf(stderr, "direct: %s\n", sqlite3_errmsg(db));
			return 1;
		}
	} else {
		pg = PQconnectdb(argv[2]);
		if (PQstatus(pg) != CONNECTION_OK || PQenterPipelineMode(pg) != 1) {
			fprintf(stderr, "direct: %s\n", PQerrorMessage(pg));
			return 1;
		}
	}
	begin = clock_ns();
	end = begin + strtoul(argv[4], NULL, 10) * CLOCK_SECOND;
	while ((now = clock_ns()) < end && nsamples < SAMPLES_MAX) {
		if (db != NULL)
			sqlite_once(db, argv[3]);
		else
			postgres_once(pg, argv[3]);
		samples[nsamples++] = (uint32_t)((clock_ns() - now) / 10);
	}
	now = clock_ns();
	qsort(samples, nsamples, sizeof(samples[0]), by_value);
	printf("{\"queries\":%zu,\"qps\":%.0f,\"p50_us\":%.1f,\"rows\":%zu}\n", nsamples,
	    (double)nsamples / ((double)(now - begin) / 1e9), samples[nsamples / 2] / 100.0, nrows);
	sqlite3_close(db);
	PQfinish(pg);
	free(samples);
	return 0;
}

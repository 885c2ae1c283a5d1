/*
 * bench_search.c - discovery at the largest size we promise: a generated
 * scan of a million columns in 50,000 tables, 10,000 pages and five million
 * values, as files, followed by the library itself.  Every number beside the
 * bound it has to meet; times are processor time of the one thread there is.
 *
 * usage: bench-search DIRECTORY [TABLES]   DIRECTORY is made and filled.
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json/json_read.h"
#include "base/array.h"
#include "workers/search/library/follow.h"
#include "workers/search/answer/search.h"
#include "workers/shared/child.h"
#include "workers/search/index/dict_build.h"
#include "workers/search/index/dict_search.h"

#define COLUMNS		20	/* of a table */
#define PAGES		10000
#define VALUES		5000000
#define EACH		100	/* values of a profiled column */
#define VOCABULARY	20000
#define CALL_ARENA	((size_t)8 << 20)
#define SYNC		"raw-sources/big/live-database/2026-01-01-000000-bench"

static uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
static char *vocabulary[VOCABULARY];
static double skew[VOCABULARY];

static uint64_t
cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint32_t
draw(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((seed >> 33) % n);
}

/* --- words: half of everyday warehouses, the rest syllables; drawn by Zipf's law --- */

static void
make_vocabulary(void)
{
	static const char *const known[] = {
		"id", "customer", "order", "date", "code", "name", "status", "amount", "type", "account", "number", "created",
		"updated", "product", "invoice", "payment", "price", "quantity", "region", "country", "currency", "total",
		"flag", "category", "shipment", "address", "user", "employee", "contract", "supplier", "value", "rate",
		"start", "end", "description", "reference", "source", "balance", "ledger", "period", "line", "item",
	};
	static const char *const syllables[] = {
		"ba", "cor", "den", "fi", "gan", "hol", "jin", "ka", "lor", "mi", "nex", "pol", "qua", "ri", "sat", "tor", "um",
		"vel", "wos", "xan", "yo", "zer"
	};
	size_t n = sizeof(syllables) / sizeof(syllables[0]);
	double sum = 0;

	for (size_t i = 0; i < VOCABULARY; i++) {
		char word[32];

		if (i < sizeof(known) / sizeof(known[0]))
			snprintf(word, sizeof(word), "%s", known[i]);
		else
			snprintf(word, sizeof(word), "%s%s%s%s", syllables[i % n], syllables[i / n % n],
			    syllables[i / n / n % n], i / n / n / n > 0 ? syllables[i / n / n / n % n] : "");
		if ((vocabulary[i] = strdup(word)) == NULL)
			abort();
		sum += 1.0 / (double)(i + 1);
		skew[i] = sum;
	}
}

static const char *
word(void)
{
	double at = skew[VOCABULARY - 1] * (double)draw(1u << 30) / (double)(1u << 30);
	size_t low = 0, high = VOCABULARY - 1;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (skew[mid] < at)
			low = mid + 1;
		else
			high = mid;
	}
	return vocabulary[low];
}

/* --- files -------------------------------------------------------------------------- */

static void
make_dirs(const char *dir)
{
	static const char *const dirs[] = {
		"", "wiki", "wiki/global", "semantic-layer", "raw-sources", "raw-sources/big",
		"raw-sources/big/live-database", SYNC, SYNC "/tables", SYNC "/enrichment"
	};
	char path[600];

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, dirs[i]);
		(void)mkdir(path, 0755);
	}
}

static void
save(const char *dir, const char *inside, const struct buf *b)
{
	char path[600];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, inside);
	if ((f = fopen(path, "we")) == NULL || fwrite(b->p, 1, b->len, f) != b->len || fclose(f) != 0) {
		perror(path);
		exit(1);
	}
}

/* A name of two words; one that the table has already gets a number. */
static void
draw_name(char names[COLUMNS][80], uint32_t i)
{
	snprintf(names[i], sizeof(names[i]), "%s_%s", word(), word());
	for (uint32_t k = 0; k < i; k++)
		if (strcmp(names[k], names[i]) == 0) {
			size_t n = strlen(names[i]);

			snprintf(names[i] + n, sizeof(names[i]) - n, "_%u", i);
			return;
		}
}

static void
put_column(struct buf *b, uint32_t i, const char *name)
{
	static const char *const types[] = { "bigint", "text", "numeric(12,2)", "timestamp with time zone", "boolean" };
	static const char *const dimensions[] = { "number", "string", "number", "time", "boolean" };
	uint32_t type = draw(5);

	buf_printf(b,
	    "%s\n    {\n      \"name\": \"%s\",\n      \"nativeType\": \"%s\",\n      "
	    "\"normalizedType\": \"%s\",\n      \"dimensionType\": \"%s\",\n      \"nullable\": true,\n      "
	    "\"primaryKey\": false,\n      \"comment\": ",
	    i > 0 ? "," : "", name, types[type], types[type], dimensions[type]);
	if (draw(2) == 0)
		buf_printf(b, "\"%s %s of the %s %s in %s\"", word(), word(), word(), word(), word());
	else
		buf_str(b, "null");
	buf_str(b, "\n    }");
}

static size_t
make_tables(const char *dir, uint32_t tables)
{
	char columns[COLUMNS][80];
	struct buf b = { 0 };
	size_t written = 0;

	for (uint32_t t = 0; t < tables; t++) {
		char path[200];

		b.len = 0;
		buf_printf(&b,
		    "{\n  \"catalog\": null,\n  \"db\": \"schema_%u\",\n  \"name\": \"%s_%s_%u\",\n  \"kind\": "
		    "\"table\",\n"
		    "  \"comment\": \"%s %s of %s\",\n  \"estimatedRows\": 1000,\n  \"columns\": [",
		    t % 40, word(), word(), t, word(), word(), word());
		for (uint32_t i = 0; i < COLUMNS; i++) {
			draw_name(columns, i);
			put_column(&b, i, columns[i]);
		}
		buf_str(&b, "\n  ],\n  \"foreignKeys\": []\n}\n");
		snprintf(path, sizeof(path), SYNC "/tables/t%06u.json", t);
		save(dir, path, &b);
		written += b.len;
	}
	b.len = 0;
	buf_str(&b, "{\"driver\":\"postgres\",\"createdAt\":\"2026-01-01T00:00:00.000Z\"}\n");
	save(dir, SYNC "/scan-report.json", &b);
	buf_fini(&b);
	return written;
}

static void
put_page(struct buf *b, uint32_t i, const char *first)
{
	b->len = 0;
	buf_printf(b, "---\nsummary: %s %s %s of %s\ntags: [%s, %s]\n---\n# %s %u\n\n%s", word(), word(), word(),
	    word(), word(), word(), word(), i, first);
	for (uint32_t k = 0; k < 150; k++)
		buf_printf(b, " %s%s", word(), k % 12 == 11 ? ".\n" : "");
}

static void
make_pages(const char *dir)
{
	struct buf b = { 0 };

	for (uint32_t i = 0; i < PAGES; i++) {
		char path[200];

		put_page(&b, i, "");
		snprintf(path, sizeof(path), "wiki/global/page-%05u.md", i);
		save(dir, path, &b);
	}
	buf_fini(&b);
}

/* --- measuring ------------------------------------------------------------------------ */

static bool good = true;

static void
tell(const char *what, double value, const char *unit, double bound, bool least)
{
	bool holds = least ? value >= bound : value <= bound;

	printf("%-44s %12.2f %-10s %s %.2f%s\n", what, value, unit, least ? "at least" : "at most", bound,
	    holds ? "" : "  MISSED");
	good = good && holds;
}

static size_t
in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* connections as the configuration lists them. */
static struct library *
open_library(const char *dir, struct span configured)
{
	const struct follow_budget budget = { .items = 100000, .ns = UINT64_C(1) << 40 };
	struct buf list = { 0 };
	struct mp_value connections;
	struct library *l;
	struct err err;
	size_t at;

	if (json_read(configured, &list, &at) != JSON_OK || !mp_value(buf_view(&list), &connections) ||
	    (l = library_new(span_str(dir), SPAN("local"), SPAN("carrel"), &connections, NULL, &err)) == NULL ||
	    follow_open(l, &err) != 0) {
		fprintf(stderr, "%s cannot be read\n", dir);
		exit(1);
	}
	do
		(void)follow_step(l, &budget);
	while (follow_is_busy(l));
	buf_fini(&list);
	return l;
}

static int
by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Draw n measurements of run() and hold their quantiles to the bounds, in milliseconds. */
static void
quantiles(const char *what, size_t n, void (*run)(void *arg, uint32_t i), void *arg, double p50, double p99)
{
	double *took = array_new(n, sizeof(*took));
	char name[80];

	for (uint32_t i = 0; i < n; i++) {
		uint64_t start = cpu_ns();

		run(arg, i);
		took[i] = (double)(cpu_ns() - start) / 1e6;
	}
	qsort(took, n, sizeof(*took), by_number);
	snprintf(name, sizeof(name), "%s, p50", what);
	tell(name, took[n / 2], "ms", p50, false);
	snprintf(name, sizeof(name), "%s, p99", what);
	tell(name, took[n * 99 / 100], "ms", p99, false);
	free(took);
}

/* Questions of one to four words by the same law, some misspelt, some of rare words. */
static void
ask(void *arg, uint32_t i)
{
	struct library *l = arg;
	struct arena *a = arena_new(CALL_ARENA);
	struct buf q = { 0 };
	struct answers answers;
	struct err err;

	for (uint32_t k = 0; k <= i % 4; k++)
		buf_printf(&q, "%s%s", k > 0 ? " " : "", i % 3 == 0 ? vocabulary[draw(VOCABULARY)] : word());
	if (i % 10 == 9 && q.len > 4) {
		uint8_t c = q.p[2];

		q.p[2] = q.p[3];
		q.p[3] = c;
	}
	if (search_ask(l, a, buf_view(&q), NULL, KINDS_ALL, 15, &answers, &err) != 0)
		abort();
	buf_fini(&q);
	arena_free(a);
}

struct change {
	struct library	*l;
	const char	*dir;
};

/* A page is rewritten; from there until the index knows it. */
static void
change_page(void *arg, uint32_t i)
{
	const struct follow_budget before_call = { .items = 50, .ns = 5000000 };
	const struct change *c = arg;

	(void)i;
	(void)follow_step(c->l, &before_call);
}

static void
measure_changes(struct library *l, const char *dir)
{
	struct change change = { l, dir };
	double *took = array_new(200, sizeof(*took));
	struct buf b = { 0 };

	for (uint32_t i = 0; i < 200; i++) {
		char path[200];
		uint64_t start;

		put_page(&b, i, "quaggawombat");
		snprintf(path, sizeof(path), "wiki/global/page-%05u.md", draw(PAGES));
		save(dir, path, &b);
		start = cpu_ns();
		change_page(&change, i);
		took[i] = (double)(cpu_ns() - start) / 1e6;
	}
	qsort(took, 200, sizeof(*took), by_number);
	tell("re-index of one changed page, p50", took[100], "ms", 5, false);
	tell("re-index of one changed page, p99", took[198], "ms", 5, false);
	free(took);
	buf_fini(&b);
}

/* --- the dictionary --------------------------------------------------------------------- */

struct lookups {
	struct dict	*d;
	struct span	*values;	/* of all columns in a row */
};

static void
look_up(void *arg, uint32_t i)
{
	const struct lookups *k = arg;
	struct arena *a = arena_new(CALL_ARENA);
	struct span value = k->values[draw(VALUES)];
	struct dict_match *out;
	size_t total;

	/* Whole values, parts of them, and what is not there. */
	if (i % 3 == 1 && value.len > 6)
		value = span_of(value.p + 1, value.len - 2);
	else if (i % 7 == 5)
		value = SPAN("zzqx no such value");
	(void)dict_search(k->d, a, value, 50, &out, &total);
	arena_free(a);
}

static struct dict *
build_dict(const struct snapshot_profile *profile)
{
	struct dict_building *b = dict_begin(profile);

	while (!dict_step(b, UINT64_C(1) << 40))
		;
	return dict_end(b);
}

static void
measure_dictionary(void)
{
	struct snapshot_profile profile = { .n = VALUES / EACH };
	struct lookups k = { .values = array_new(VALUES, sizeof(struct span)) };
	struct arena *a = arena_new((size_t)4 << 30);
	size_t text = 0, before;
	uint64_t start;

	profile.v = array_new(profile.n, sizeof(*profile.v));
	for (size_t i = 0; i < VALUES; i++) {
		k.values[i] = span_str(arena_printf(a, "%s-%s-%u", word(), word(), draw(100)));
		text += k.values[i].len;
	}
	for (size_t i = 0; i < profile.n; i++)
		profile.v[i] = (struct snapshot_profiled){
			.table = span_str(arena_printf(a, "table_%zu", i / 10)),
			.column = span_str(arena_printf(a, "column_%zu", i % 10)),
			.type = SPAN("text"), .nvalues = EACH, .values = k.values + i * EACH, .has_distinct = true, .distinct = EACH
		};
	before = in_use();
	start = cpu_ns();
	k.d = build_dict(&profile);
	printf("%zu values of %.1f bytes indexed in %.2f s\n", dict_values(k.d), (double)text / VALUES,
	    (double)(cpu_ns() - start) / 1e9);
	tell("memory of a value beyond its text",
	    ((double)(in_use() - before) - (double)text) / (double)dict_values(k.d), "bytes", 100, false);
	quantiles("dictionary_search of one value", 3000, look_up, &k, 1, 10);
	dict_free(k.d);
	arena_free(a);
	free(profile.v);
	free(k.values);
}

int
main(int argc, char **argv)
{
	uint32_t tables = argc > 2 ? (uint32_t)atoi(argv[2]) : 50000;
	struct library *l;
	uint64_t start;
	size_t before, bytes;
	double seconds;

	if (argc < 2) {
		fprintf(stderr, "usage: bench-search DIRECTORY [TABLES]\n");
		return 2;
	}
	/* As the worker does. */
	child_keep_memory();
	make_vocabulary();
	make_dirs(argv[1]);
	bytes = make_tables(argv[1], tables);
	make_pages(argv[1]);
	printf("%u columns in %u tables (%.0f MB of JSON), %d pages\n", tables * COLUMNS, tables, (double)bytes / 1e6,
	    PAGES);
	before = in_use();
	start = cpu_ns();
	l = open_library(argv[1], SPAN("[{\"id\":\"big\",\"driver\":\"postgres\"}]"));
	seconds = (double)(cpu_ns() - start) / 1e9;
	tell("cold start: files to index", (double)tables * COLUMNS / seconds, "columns/s", 500000, true);
	tell("memory of a column", (double)(in_use() - before) / ((double)tables * COLUMNS), "bytes", 1200, false);
	quantiles("discover_data", 4000, ask, l, 2, 10);
	measure_changes(l, argv[1]);
	library_free(l);
	start = cpu_ns();
	library_free(open_library(argv[1], SPAN("[]")));
	printf("of the %.2f s of the cold start the pages alone take %.2f s\n", seconds,
	    (double)(cpu_ns() - start) / 1e9);
	measure_dictionary();
	return good ? 0 : 1;
}

/*
 * bench_semantic.c - the compiler against a model of 1,000 sources: loading it,
 * loading one changed file, compiling a query over ten sources.
 *
 *	bench-semantic [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/system/clock.h"
#include "semantic/compile.h"

#define SOURCES	1000
#define COLUMNS	20

static int
by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void
write_source(struct buf *out, int i)
{
	buf_reset(out, SIZE_MAX);
	buf_printf(out,
	    "name: s%d\ntable: t%d\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
	    "  - {name: up_id, type: number}\n  - {name: created_at, type: time, role: time}\n",
	    i, i);
	for (int k = 3; k < COLUMNS; k++)
		buf_printf(out, "  - {name: c%d, type: %s, descriptions: {user: The column c%d of s%d}}\n", k,
		    k % 2 == 0 ? "number" : "string", k, i);
	/* Chains of ten: s9 -> s8 -> … -> s0, s19 -> … */
	if (i % 10 != 0)
		buf_printf(out, "joins:\n  - {to: s%d, on: up_id = s%d.id, relationship: many_to_one}\n", i - 1, i - 1);
	buf_printf(out,
	    "measures:\n  - {name: total, expr: sum(c4)}\n  - {name: n, expr: count(*)}\n"
	    "  - {name: big, expr: sum(c4), filter: c6 > 10}\n  - {name: each, expr: total / n}\n"
	    "segments:\n  - {name: odd, expr: c8 %% 2 = 1}\n");
}

static void
say(const char *what, uint64_t *times, size_t n, const char *bound)
{
	qsort(times, n, sizeof(*times), by_value);
	printf("%-42s p50 %8.1f us   p99 %8.1f us   (%s)\n", what, (double)times[n / 2] / 1e3,
	    (double)times[n * 99 / 100] / 1e3, bound);
}

static struct sem_model *
build(const struct source_set *set)
{
	static const struct source *list[SOURCES];

	for (size_t i = 0; i < source_set_count(set); i++)
		list[i] = source_set_at(set, i);
	return sem_model_new(list, source_set_count(set));
}

static uint64_t
compile_one(const struct sem_model *m, const struct sem_query *q, const struct dialect *d)
{
	uint64_t since = clock_ns();
	struct arena *a = arena_new((size_t)64 << 20);
	struct sem_compiled out;
	struct sem_problem p;

	if (sem_compile(m, d, q, a, &out, &p) == -1) {
		fprintf(stderr, "%s\n", p.message);
		exit(1);
	}
	arena_free(a);
	return clock_ns() - since;
}

int
main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
	uint64_t *times = calloc(rounds + 1, sizeof(*times)), since;
	struct source_set *set = source_set_new();
	struct buf text = { 0 };
	struct sem_model *m;
	struct sem_measure_item measures[3] = { { SPAN("s999.total"), { NULL, 0 } }, { SPAN("s999.each"), { NULL, 0 } },
		{ SPAN("s995.big"), { NULL, 0 } } };
	struct sem_dimension_item dims[9];
	struct span filters[2] = { SPAN("s990.c4 > 3 AND s991.c3 = 'x'"), SPAN("s999.total > 10") };
	static char names[9][16], path[32];
	struct sem_query q = { .measures = measures, .nmeasures = 2, .dimensions = dims, .ndimensions = 9,
		.filters = filters, .nfilters = 2, .limit = 1000, .include_empty = true };

	if (times == NULL || rounds == 0)
		return 2;
	since = clock_ns();
	for (int i = 0; i < SOURCES; i++) {
		write_source(&text, i);
		snprintf(path, sizeof(path), "s%d.yaml", i);
		if (source_set_put(set, path, buf_view(&text), NULL) == -1)
			return 2;
	}
	source_set_compose(set, NULL, NULL);
	m = build(set);
	printf("%-42s %8.1f ms                     (at most 300)\n", "load 1,000 sources of 20 columns",
	    (double)(clock_ns() - since) / 1e6);
	since = clock_ns();
	write_source(&text, 500);
	source_set_put(set, "s500.yaml", buf_view(&text), NULL);
	source_set_compose(set, NULL, NULL);
	sem_model_free(m);
	m = build(set);
	printf("%-42s %8.1f ms\n", "load one changed file, build the graph", (double)(clock_ns() - since) / 1e6);
	for (int i = 0; i < 9; i++) {
		snprintf(names[i], sizeof(names[i]), "s%d.c%d", 990 + i, 3 + i);
		dims[i] = (struct sem_dimension_item){ span_str(names[i]), { NULL, 0 } };
	}
	for (size_t i = 0; i < rounds; i++)
		times[i] = compile_one(m, &q, i % 2 == 0 ? &dialect_sqlite : &dialect_postgres);
	say("compile, 10 sources, one measured", times, rounds, "at most 200 and 1000");
	q.nmeasures = 3;
	q.ndimensions = 5;
	filters[0] = SPAN("s990.c4 > 3 AND s991.c3 = 'x'");
	for (size_t i = 0; i < rounds; i++)
		times[i] = compile_one(m, &q, i % 2 == 0 ? &dialect_sqlite : &dialect_postgres);
	say("compile, 10 sources, two measured", times, rounds, "at most 200 and 1000");
	sem_model_free(m);
	source_set_free(set);
	buf_fini(&text);
	free(times);
	return 0;
}

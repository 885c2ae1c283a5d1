/*
 * relevance.c - how well questions are answered, what each mechanism is worth,
 * and what its number should be.
 *
 * usage: relevance-ask [--set NAME=VALUE]… [--off NAME]… [--vectors FILE] [--misses SET | --ablate | --fit NAME…]
 *                      (SET PROJECT QUESTIONS)…
 *
 * --vectors: word vectors that words are compared by too, in all projects.
 * Without a mode: every set's measures beside plain BM25's (bm25.h), and
 * whether the floors below hold.  --ablate: every row of ranking.def switched
 * off, one after the other, and by how much each set's mean of its measures
 * falls.  --fit: for the rows named, values tried beside the one in use; a
 * value is kept when it helps the sets it was not chosen by as well (one set
 * left out after the other).
 *
 * Behind every difference stands the interval in which it lies nineteen times
 * out of twenty when the questions are drawn anew (bootstrap).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/relevance/project.h"
#include "tests/relevance/sets.h"
#include "workers/search/ranking/ranking.h"

#define DRAWS		1000
#define SETS_MAX	16
#define FIT_MAX		64
#define FIT_LEAST	0.0005	/* gain in the mean over the sets that is worth another number */

/* What has to be reached: a set's measure.  Sets that are not asked are not looked at. */
static const struct floor {
	const char	*set;
	enum measure	 measure;
	double		 least;
} floors[] = {
	{ "own",	MEASURE_MRR,	0.91 },
	{ "own",	MEASURE_RECALL,	0.95 },
	{ "own",	MEASURE_UNSURE,	0.92 },
	{ "wide",	MEASURE_MRR,	0.86 },
	{ "blind",	MEASURE_MRR,	0.79 },
	{ "bare",	MEASURE_MRR,	0.80 },
	{ "comments",	MEASURE_MRR,	0.88 },
	{ "comments",	MEASURE_RECALL,	0.92 },
	{ "comments",	MEASURE_TABLES,	0.92 },
	{ "comments",	MEASURE_COLUMNS, 0.75 },
	{ "comments",	MEASURE_SURE,	0.80 },
	{ "crowd-bare",	MEASURE_MRR,	0.77 },
	{ "crowd-comments", MEASURE_MRR, 0.85 },
	{ "spider",	MEASURE_MRR,	0.80 },
	{ "spider",	MEASURE_RECALL,	0.90 },
	{ "spider",	MEASURE_TABLES,	0.92 },
	{ "spider",	MEASURE_COLUMNS, 0.77 },
	{ "spider-syn",	MEASURE_MRR,	0.54 },
	{ "bird",	MEASURE_MRR,	0.89 },
	{ "bird",	MEASURE_TABLES,	0.90 },
	{ "bird",	MEASURE_COLUMNS, 0.60 },
	{ "bird-comments", MEASURE_MRR,	0.89 },
	{ "bird-comments", MEASURE_TABLES, 0.90 },
	{ "bird-comments", MEASURE_COLUMNS, 0.63 },
	{ "elsewhere",	MEASURE_UNSURE,	0.75 },
};

static double
draw(void)
{
	static uint64_t x = UINT64_C(0x9e3779b97f4a7c15);

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (double)(x >> 11) / 9007199254740992.0;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The questions that have the measure, and their mean.  *n may be 0. */
static double
mean(const struct result *r, size_t n, enum measure m, size_t *counted)
{
	double sum = 0;

	*counted = 0;
	for (size_t i = 0; i < n; i++)
		if (r[i].v[m] >= 0) {
			sum += (double)r[i].v[m];
			++*counted;
		}
	return *counted == 0 ? 0 : sum / (double)*counted;
}

/* Half the width of the interval of a mean over values that may be negative. */
static double
half_interval(const double *v, size_t n)
{
	double means[DRAWS];

	if (n == 0)
		return 0;
	for (size_t d = 0; d < DRAWS; d++) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += v[(size_t)(draw() * (double)n)];
		means[d] = sum / (double)n;
	}
	qsort(means, DRAWS, sizeof(means[0]), by_value);
	return (means[DRAWS * 39 / 40] - means[DRAWS / 40]) / 2;
}

/* Difference a - b of a measure's means over the questions that have it, and half its interval. */
static double
difference(const struct result *a, const struct result *b, size_t n, enum measure m, double *half)
{
	double *v = mem_new(n + 1, sizeof(*v)), sum = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (a[i].v[m] >= 0) {
			v[k] = (double)(a[i].v[m] - b[i].v[m]);
			sum += v[k++];
		}
	*half = half_interval(v, k);
	free(v);
	return k == 0 ? 0 : sum / (double)k;
}

/* --- every set ------------------------------------------------------------------ */

static bool
check_floors(const struct set *set, const struct result *r)
{
	bool good = true;

	for (size_t i = 0; i < sizeof(floors) / sizeof(floors[0]); i++) {
		size_t n;
		double value;

		if (strcmp(floors[i].set, set->name) != 0)
			continue;
		value = mean(r, set->n, floors[i].measure, &n);
		if (value < floors[i].least) {
			printf("%s: %s is %.3f, at least %.3f  FAILED\n", set->name, measure_names[floors[i].measure],
			    value, floors[i].least);
			good = false;
		}
	}
	return good;
}

static bool
report(struct sets *s)
{
	bool good = true;

	printf("%-14s %-15s %5s  %-6s %-6s %s\n", "set", "measure", "n", "here", "BM25", "ahead of BM25");
	for (size_t i = 0; i < s->n; i++) {
		const struct set *set = &s->v[i];
		struct result *ours = mem_new(set->n, sizeof(*ours)), *plain = mem_new(set->n, sizeof(*plain));

		sets_ask(s, set, ours);
		sets_ask_bm25(s, set, plain);
		for (enum measure m = 0; m < MEASURES; m++) {
			size_t n;
			double here = mean(ours, set->n, m, &n), there = mean(plain, set->n, m, &(size_t){ 0 }), half,
			       gain;

			if (n == 0)
				continue;
			gain = difference(ours, plain, set->n, m, &half);
			printf("%-14s %-15s %5zu  %.3f", set->name, measure_names[m], n, here);
			if (m < MEASURE_UNSURE)
				printf("  %.3f  %+.3f ± %.3f", there, gain, half);
			putchar('\n');
		}
		good = check_floors(set, ours) && good;
		free(ours);
		free(plain);
	}
	return good;
}

/* --- one row off or other ---------------------------------------------------------- */

static const struct ranking_row *
find_row(const char *name, size_t len)
{
	for (size_t i = 0; i < ranking_nrows; i++)
		if (strlen(ranking_rows[i].name) == len && memcmp(ranking_rows[i].name, name, len) == 0)
			return &ranking_rows[i];
	fprintf(stderr, "ranking.def has no %.*s\n", (int)len, name);
	exit(2);
}

/* What a set is judged by: MRR and recall, and of questions with tables and columns those as well. */
static double
worth(const struct result *r, size_t n)
{
	static const enum measure of[] = { MEASURE_MRR, MEASURE_RECALL, MEASURE_TABLES, MEASURE_COLUMNS };
	double sum = 0, measures = 0;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		size_t counted;
		double one = mean(r, n, of[i], &counted);

		sum += counted > 0 ? one : 0;
		measures += counted > 0;
	}
	return measures > 0 ? sum / measures : 0;
}

static void
ask_all(struct sets *s, struct result **out)
{
	sets_open(s);
	for (size_t i = 0; i < s->n; i++)
		sets_ask(s, &s->v[i], out[i]);
}

static struct result **
make_results(const struct sets *s)
{
	struct result **v = mem_new(s->n + 1, sizeof(struct result *));

	for (size_t i = 0; i < s->n; i++)
		v[i] = mem_new(s->v[i].n, sizeof(**v));
	return v;
}

static void
free_results(const struct sets *s, struct result **v)
{
	for (size_t i = 0; i < s->n; i++)
		free(v[i]);
	free(v);
}

static void
show_changes(const struct sets *s, struct result *const *full, struct result *const *less)
{
	for (size_t i = 0; i < s->n; i++)
		for (enum measure m = MEASURE_MRR; m <= MEASURE_UNSURE; m++) {
			double half, d;

			if (m == MEASURE_CONNECTION || m == MEASURE_EMPTY)
				continue;
			d = difference(full[i], less[i], s->v[i].n, m, &half);
			if (fabs(d) >= 0.0005)
				printf("    %-12s %-8s %+.3f ± %.3f%s\n", s->v[i].name, measure_names[m], d, half,
				    fabs(d) > half ? d > 0 ? "  brings" : "  COSTS" : "");
		}
}

static void
ablate(struct sets *s)
{
	struct result **full = make_results(s), **less = make_results(s);

	ask_all(s, full);
	for (size_t i = 0; i < ranking_nrows; i++) {
		const struct ranking_row *row = &ranking_rows[i];
		float *at = row->at, was = *at;

		if (row->off <= RANKING_NEEDED || !(row->off < was || row->off > was))
			continue;
		*at = row->off;
		ask_all(s, less);
		*at = was;
		printf("%s = %g instead of %g: %s\n", row->name, (double)row->off, (double)was, row->text);
		show_changes(s, full, less);
		fflush(stdout);
	}
	free_results(s, full);
	free_results(s, less);
}

/* --- fitting ------------------------------------------------------------------------- */

struct tried {
	float	value;
	double	worth[SETS_MAX];
};

static void
try_value(struct sets *s, struct result **r, float *at, float value, struct tried *out)
{
	float was = *at;

	*at = value;
	ask_all(s, r);
	*at = was;
	out->value = value;
	for (size_t i = 0; i < s->n; i++)
		out->worth[i] = worth(r[i], s->v[i].n);
}

/* Mean over all sets but one. */
static double
without(const struct tried *t, size_t n, size_t left_out)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += i == left_out ? 0 : t->worth[i];
	return sum / (double)(n - (left_out < n));
}

/*
 * v[0] is as it was.  The best over all sets, when what each set is left with
 * by the value that the others choose is no worse in the mean.
 */
static const struct tried *
choose(const struct tried *v, size_t n, size_t nsets)
{
	const struct tried *best = &v[0];
	double crossed = 0;

	for (size_t i = 0; i < nsets; i++) {
		const struct tried *others = &v[0];

		for (size_t k = 1; k < n; k++)
			if (without(&v[k], nsets, i) > without(others, nsets, i) + FIT_LEAST)
				others = &v[k];
		crossed += others->worth[i] - v[0].worth[i];
	}
	for (size_t k = 1; k < n; k++)
		if (without(&v[k], nsets, nsets) > without(best, nsets, nsets) + FIT_LEAST)
			best = &v[k];
	return crossed >= 0 ? best : &v[0];
}

static void
fit(struct sets *s, const struct ranking_row *const *rows, size_t nrows)
{
	static const float steps[] = { 1, 0.5f, 0.7f, 0.85f, 1.2f, 1.5f, 2 };
	struct result **r = make_results(s);

	for (size_t i = 0; i < nrows; i++) {
		struct tried v[sizeof(steps) / sizeof(steps[0])];
		float *at = (rows[i])->at;
		size_t n = 0;
		const struct tried *best;

		for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
			try_value(s, r, at, *at * steps[k], &v[n++]);
			printf("%-20s %8.4f  %.4f ", rows[i]->name, (double)v[k].value, without(&v[k], s->n, s->n));
			for (size_t m = 0; m < s->n; m++)
				printf(" %s %.4f", s->v[m].name, v[k].worth[m]);
			putchar('\n');
			fflush(stdout);
		}
		best = choose(v, n, s->n);
		printf("%-20s %g -> %g\n", rows[i]->name, (double)*at, (double)best->value);
		*at = best->value;
	}
	free_results(s, r);
}

/* --- arguments ------------------------------------------------------------------------ */

static void
set_value(const char *arg)
{
	size_t len = strcspn(arg, "=");

	*find_row(arg, len)->at = arg[len] == '=' ? strtof(arg + len + 1, NULL) : 0;
}

static _Noreturn void
usage(void)
{
	fputs("usage: relevance-ask [--set NAME=VALUE]… [--off NAME]… [--vectors FILE] [--misses SET | --ablate | "
	      "--fit NAME…]"
	      " (SET PROJECT QUESTIONS)…\n",
	    stderr);
	exit(2);
}

int
main(int argc, char **argv)
{
	const struct ranking_row *fitted[FIT_MAX];
	size_t nfitted = 0;
	const char *misses = NULL;
	bool ablating = false, good = true;
	struct sets s = { 0 };
	int i = 1;

	for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++)
		if (strcmp(argv[i], "--ablate") == 0)
			ablating = true;
		else if (i + 1 == argc)
			usage();
		else if (strcmp(argv[i], "--set") == 0)
			set_value(argv[++i]);
		else if (strcmp(argv[i], "--off") == 0) {
			const struct ranking_row *row = find_row(argv[i + 1], strlen(argv[i + 1]));

			*row->at = row->off;
			i++;
		} else if (strcmp(argv[i], "--vectors") == 0)
			s.vectors = project_vectors(argv[++i]);
		else if (strcmp(argv[i], "--misses") == 0)
			misses = argv[++i];
		else if (strcmp(argv[i], "--fit") == 0 && nfitted < FIT_MAX)
			fitted[nfitted++] = find_row(argv[i + 1], strlen(argv[i + 1])), i++;
		else
			usage();
	if (i == argc || (argc - i) % 3 != 0)
		usage();
	for (; i + 2 < argc; i += 3)
		if (!sets_add(&s, argv[i], argv[i + 1], argv[i + 2]))
			return 2;
	if (s.n > SETS_MAX)
		usage();
	sets_open(&s);
	if (ablating)
		ablate(&s);
	else if (nfitted > 0)
		fit(&s, fitted, nfitted);
	else if (misses != NULL) {
		for (size_t k = 0; k < s.n; k++)
			if (strcmp(s.v[k].name, misses) == 0)
				sets_show_misses(&s, &s.v[k]);
	} else
		good = report(&s);
	sets_free(&s);
	return good ? 0 : 1;
}

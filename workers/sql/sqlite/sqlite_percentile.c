#include <math.h>
#include <stdlib.h>

#include "workers/sql/sqlite/sqlite_percentile.h"

/* The numbers of one group.  Freed when the group ends, also after an error. */
struct percentile_numbers {
	double		*numbers;
	sqlite3_uint64	 n, room;
	double		 p;
};

static int
group_grow(struct percentile_numbers *g)
{
	sqlite3_uint64 room = g->room == 0 ? 16 : g->room * 2;
	double *numbers = sqlite3_realloc64(g->numbers, room * sizeof(*numbers));

	if (numbers == NULL)
		return SQLITE_NOMEM;
	g->numbers = numbers;
	g->room = room;
	return SQLITE_OK;
}

static void
group_add(sqlite3_context *ctx, struct percentile_numbers *g, double p, sqlite3_value *x)
{
	int type = sqlite3_value_numeric_type(x);

	if (type == SQLITE_NULL)
		return;
	if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
		sqlite3_result_error(ctx, "a percentile is of numbers, and a value is not one", -1);
		return;
	}
	if (!(p >= 0 && p <= 1) || (g->n > 0 && p != g->p)) { /* NOLINT(clang-diagnostic-float-equal) */
		sqlite3_result_error(ctx, "percentile_cont(x, p) takes one p from 0 to 1", -1);
		return;
	}
	if (g->n == g->room && group_grow(g) != SQLITE_OK) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	g->p = p;
	g->numbers[g->n++] = sqlite3_value_double(x);
}

/* A number, else what is within no bounds. */
static double
fraction_of(sqlite3_value *p)
{
	int type = sqlite3_value_numeric_type(p);

	return type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_value_double(p) : NAN;
}

static void
percentile_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct percentile_numbers *g = sqlite3_aggregate_context(ctx, sizeof(*g));

	if (g == NULL)
		sqlite3_result_error_nomem(ctx);
	else
		group_add(ctx, g, argc == 2 ? fraction_of(argv[1]) : 0.5, argv[0]);
}

static int
compare_numbers(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static void
percentile_final(sqlite3_context *ctx)
{
	struct percentile_numbers *g = sqlite3_aggregate_context(ctx, 0);
	double at, low, part;
	sqlite3_uint64 i;

	if (g == NULL || g->n == 0)
		return;
	qsort(g->numbers, g->n, sizeof(*g->numbers), compare_numbers);
	at = g->p * (double)(g->n - 1);
	i = (sqlite3_uint64)at;
	low = g->numbers[i];
	part = at - (double)i;
	/* The next one counts only if it is above: an infinite difference times 0 is no number. */
	if (part > 0 && i + 1 < g->n && g->numbers[i + 1] > low)
		low += part * (g->numbers[i + 1] - low);
	sqlite3_result_double(ctx, low);
	sqlite3_free(g->numbers);
	g->numbers = NULL;
}

int
sqlite_percentile_install(sqlite3 *db)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	int rc =
	    sqlite3_create_function_v2(db, "median", 1, flags, NULL, NULL, percentile_step, percentile_final, NULL);

	if (rc != SQLITE_OK)
		return rc;
	return sqlite3_create_function_v2(db, "percentile_cont", 2, flags, NULL, NULL, percentile_step,
	    percentile_final, NULL);
}

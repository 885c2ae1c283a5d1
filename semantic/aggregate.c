#include "base/ascii.h"
#include "semantic/aggregate.h"
#include "semantic/expr.h"

static const struct expr *
without_brackets(const struct expr *e)
{
	while (e->kind == EXPR_PAREN && e->first != NULL)
		e = e->first;
	return e;
}

/* A plain number. */
static bool
is_constant(struct span text, const struct expr *e)
{
	e = without_brackets(e);
	return e->kind == EXPR_OTHER && e->first == NULL && e->end > e->start && ascii_is_digit(text.p[e->start]);
}

/* The expression without constant factors and divisors: a scaled sum is still a sum. */
static const struct expr *
without_scale(struct span text, const struct expr *e)
{
	for (;;) {
		e = without_brackets(e);
		if (e->kind != EXPR_BINARY || (e->op != '*' && e->op != '/'))
			return e;
		if (is_constant(text, e->last))
			e = e->first;
		else if (e->op == '*' && is_constant(text, e->first))
			e = e->last;
		else
			return e;
	}
}

static enum sem_aggregate_kind
kind_of_call(const struct expr *e)
{
	static const struct {
		const char *name;
		enum sem_aggregate_kind plain, distinct;
	} rows[] = {
		{ "sum", SEM_AGGREGATE_SUM, SEM_AGGREGATE_OTHER },
		{ "total", SEM_AGGREGATE_SUM, SEM_AGGREGATE_OTHER },
		{ "count", SEM_AGGREGATE_COUNT, SEM_AGGREGATE_COUNT_DISTINCT },
		{ "count_distinct", SEM_AGGREGATE_COUNT_DISTINCT, SEM_AGGREGATE_COUNT_DISTINCT },
		{ "approx_count_distinct", SEM_AGGREGATE_COUNT_DISTINCT, SEM_AGGREGATE_COUNT_DISTINCT },
		{ "approx_distinct", SEM_AGGREGATE_COUNT_DISTINCT, SEM_AGGREGATE_COUNT_DISTINCT },
		{ "count_if", SEM_AGGREGATE_COUNT, SEM_AGGREGATE_OTHER },
		{ "countif", SEM_AGGREGATE_COUNT, SEM_AGGREGATE_OTHER },
		{ "avg", SEM_AGGREGATE_AVG, SEM_AGGREGATE_OTHER },
		{ "min", SEM_AGGREGATE_MIN, SEM_AGGREGATE_MIN },
		{ "max", SEM_AGGREGATE_MAX, SEM_AGGREGATE_MAX },
		{ "median", SEM_AGGREGATE_MEDIAN, SEM_AGGREGATE_OTHER },
		{ "percentile", SEM_AGGREGATE_PERCENTILE, SEM_AGGREGATE_OTHER },
		{ "percentile_cont", SEM_AGGREGATE_PERCENTILE, SEM_AGGREGATE_OTHER },
		{ "percentile_disc", SEM_AGGREGATE_PERCENTILE, SEM_AGGREGATE_OTHER },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (span_is_word(e->parts[0], rows[i].name))
			return (e->flags & EXPR_DISTINCT) != 0 ? rows[i].distinct : rows[i].plain;
	return SEM_AGGREGATE_OTHER;
}

struct sem_aggregate
sem_aggregate_of(struct arena *a, struct span expr)
{
	struct sem_aggregate out = { .kind = SEM_AGGREGATE_DERIVED };
	struct sem_problem ignored;
	const struct expr *e = expr_parse(a, expr, &ignored), *argument;

	if (e == NULL)
		return out;
	e = without_scale(expr, e);
	if (e->kind != EXPR_CALL || (e->flags & EXPR_AGGREGATE) == 0 || (e->flags & EXPR_OVER) != 0)
		return out;
	out.kind = kind_of_call(e);
	if (e->nargs == 0 || e->first == NULL)
		return out;
	argument = without_brackets(e->first);
	if (argument->kind == EXPR_REF && argument->nparts == 1)
		out.column = argument->parts[0];
	return out;
}

const char *
sem_aggregate_name(enum sem_aggregate_kind kind)
{
	static const char *const names[] = {
		[SEM_AGGREGATE_DERIVED] = "derived", [SEM_AGGREGATE_SUM] = "sum", [SEM_AGGREGATE_COUNT] = "count",
		[SEM_AGGREGATE_COUNT_DISTINCT] = "count_distinct", [SEM_AGGREGATE_AVG] = "avg",
		[SEM_AGGREGATE_MIN] = "min", [SEM_AGGREGATE_MAX] = "max", [SEM_AGGREGATE_MEDIAN] = "median",
		[SEM_AGGREGATE_PERCENTILE] = "percentile", [SEM_AGGREGATE_OTHER] = "other"
	};

	return names[kind];
}

bool
sem_aggregate_is_additive(enum sem_aggregate_kind kind)
{
	return kind == SEM_AGGREGATE_SUM || kind == SEM_AGGREGATE_COUNT;
}

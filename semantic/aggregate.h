/*
 * aggregate - what kind of number a measure is, by its expression: one aggregate, bare or
 * times a constant, or something derived.  Pure; a measure that the text names is not looked up.
 */
#pragma once

#include "base/arena.h"

enum sem_aggregate_kind {
	SEM_AGGREGATE_DERIVED,	/* arithmetic, or other measures; or it cannot be read */
	SEM_AGGREGATE_SUM,
	SEM_AGGREGATE_COUNT,
	SEM_AGGREGATE_COUNT_DISTINCT,
	SEM_AGGREGATE_AVG,
	SEM_AGGREGATE_MIN,
	SEM_AGGREGATE_MAX,
	SEM_AGGREGATE_MEDIAN,
	SEM_AGGREGATE_PERCENTILE,
	SEM_AGGREGATE_OTHER	/* another aggregate */
};

struct sem_aggregate {
	enum sem_aggregate_kind	 kind;
	struct span		 column;	/* aggregated, when it is one, unqualified; in expr or in a */
};

/* a: room for the parsed expression; SEM_AGGREGATE_DERIVED when a is full. */
struct sem_aggregate sem_aggregate_of(struct arena *a, struct span expr);

/* "count_distinct"; never NULL. */
const char *sem_aggregate_name(enum sem_aggregate_kind kind);

/* Whether values of this kind may be added up over every dimension, unless the measure says otherwise. */
bool sem_aggregate_is_additive(enum sem_aggregate_kind kind);

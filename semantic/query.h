/*
 * query - a semantic-layer query as sl_query takes it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/mp.h"
#include "base/span.h"
#include "semantic/problem.h"

#define SEM_LIMIT_DEFAULT	1000
#define SEM_LIMIT_MAX		10000

struct sem_measure_item {
	struct span	expr;
	struct span	name;		/* empty: named after the measure or the text */
};

struct sem_dimension_item {
	struct span	field;
	struct span	granularity;	/* empty: none */
};

struct sem_order_item {
	struct span	field;
	struct span	granularity;	/* empty: whichever the field has */
	bool		descending;
};

struct source;
struct expr_parameters;

struct sem_query {
	size_t				 nmeasures, ndimensions, nfilters, nsegments, norder;
	const struct sem_measure_item	*measures;
	const struct sem_dimension_item	*dimensions;
	const struct span		*filters, *segments;
	const struct sem_order_item	*order;
	int64_t				 limit;
	bool				 include_empty;
	bool				 cut;		/* the caller asked for more than limit */
	/* The database's own type of a column of the table, as a scan knows it; empty: unknown.  May be NULL. */
	struct span			 (*type_of)(const void *arg, struct span table, struct span column);
	const void			*type_arg;
	const struct expr_parameters	*parameters;	/* that filters may have, semantic/expr.h; NULL: none */
	bool				 governed;	/* only predefined measures; no SQL of the caller in filters */
	/* Whether the source may be read, for a query that has no sub-query then.  NULL: all sources may. */
	bool				 (*serves)(const void *arg, const struct source *s);
	const void			*serves_arg;
};

/*
 * Read the arguments of sl_query, a map, into *q; spans borrow from args, lists
 * are in a.  Other shapes that clients send are taken as well
 * ({dimension, granularity}, {id, desc}, "field desc").  -1 with *p when a
 * limit or granularity cannot be meant.
 */
int sem_query_read(struct arena *a, const struct mp_value *args, struct sem_query *q,
    struct sem_problem *p);

/*
 * compile - a query over a model into one SELECT, its headers and its plan.
 *
 * What the numbers mean is fixed by rules, not by the shape of the SQL: see
 * docs/semantic-layer.md.  Pure: no I/O, no clock; same input, same text.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "semantic/dialect.h"
#include "semantic/model.h"
#include "semantic/problem.h"
#include "semantic/query.h"

#define SEM_SQL_MAX	65000	/* a longer statement is refused (parse_error): sql_execution takes 65,536 bytes */
#define SEM_PLAN_MAX	(256 * 1024)

struct sem_compiled {
	struct span		 sql;		/* with LIMIT limit: shown to people */
	struct span		 probe;		/* with LIMIT limit + 1: what is run, to know whether there is more */
	size_t			 nheaders;
	const struct span	*headers;
	struct span		 plan;		/* a msgpack map, see report.c */
	size_t			 nnotes;
	const struct span	*notes;
	struct span		 undescribed;	/* a name in a predefined expression that no source describes; empty: none */
};

/* Everything in *out lives in a.  -1 with *p when the query is refused. */
int sem_compile(const struct sem_model *m, const struct dialect *d, const struct sem_query *q,
    struct arena *a, struct sem_compiled *out, struct sem_problem *p);

/* The predefined measure when the expression of m is just its name; NULL otherwise. */
const struct plan_measure *compile_predefined(const struct plan_measure *m);

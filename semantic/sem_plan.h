/* sem_plan.h - private to semantic/: what compile, resolve, emit and report share. */
#pragma once

#include "semantic/compile.h"
#include "semantic/expr.h"

#define PLAN_FACTS_MAX		16
#define PLAN_SOURCES_MAX	64	/* sources one expression may mention */
#define PLAN_DERIVED_MAX	64	/* measures derived from measures derived from … */

/* A condition that acts inside aggregates: a measure's filter or segment, a segment of the query. */
struct plan_cond {
	struct span		 text;
	const struct expr	*ast;
	uint32_t		 scope;		/* bare names belong to this node */
	const struct plan_cond	*next;
};

/* One aggregate call in a measure, and the source whose rows it aggregates. */
struct plan_atom {
	const struct expr	*call;
	uint32_t		 base;
	struct plan_atom	*next;
};

/* A name in a measure that stands for another measure. */
struct plan_link {
	const struct expr	*ref;
	struct plan_measure	*to;
	struct plan_link	*next;
};

/* A measure, once: predefined, inline or named in the query, or a group filter. */
struct plan_measure {
	struct span		 text;		/* its expression */
	const struct expr	*ast;
	uint32_t		 scope;		/* predefined: its node; SEM_NONE: written in the query */
	const struct source_measure *def;
	const struct plan_cond	*conds;		/* its own filter and segments */
	struct plan_atom	*atoms;
	struct plan_link	*links;
	bool			 resolving;
	uint32_t		 facts;		/* one bit for each fact that the value needs; set when the measure is resolved */
	struct plan_measure	*next;
};

enum value_kind { KIND_NUMBER, KIND_TEXT, KIND_TIME, KIND_BOOLEAN, KIND_UNKNOWN };

/* A value that a fact computes for each group: one column of its SELECT. */
struct sem_column {
	struct span			 name;
	const struct plan_measure	*measure;
	const struct expr		*part;	/* one aggregate of it; NULL: the whole measure */
	const struct plan_cond		*conds;
	enum value_kind			 kind;
	struct sem_column		*next;
};

/* A filter or a segment of the query. */
struct plan_filter {
	struct span		 text;		/* as the query has it */
	const struct expr	*ast;
	const struct plan_cond	*cond;		/* a segment: its condition, which acts inside aggregates */
	bool			 group;
	struct plan_measure	*measure;	/* group: its expression, resolved */
	uint32_t		 sources[PLAN_SOURCES_MAX];
	size_t			 nsources;
	uint32_t		 applied;	/* bit per fact */
	struct plan_filter	*next;
};

/* A column of a derived table of ranks; see ranked.h. */
struct plan_ranked {
	struct span		 expr;
	struct plan_ranked	*next;
};

struct plan_fact {
	uint32_t		 root;
	const struct sem_paths	*paths;
	bool			*needed;	/* per node: joined in */
	bool			*inner;		/* per node: on the way to a dimension */
	struct sem_column	*columns, **tail;
	struct span		 cte;		/* its name when there are several */
	bool			 ranked;	/* it has percentiles, for which the database has no aggregate */
	struct plan_ranked	*ranks;
};

struct plan_dimension {
	struct span			 field;
	uint32_t			 node;
	const struct source_column	*column;
	enum dialect_grain		 grain;
	struct span			 header;
	bool			 ordered;	/* the query's own order has it */
};

/* One output measure, in the order asked for. */
struct plan_output {
	const struct sem_measure_item	*item;
	struct plan_measure		*measure;
	struct span			 header;
};

struct sem_plan {
	const struct sem_model	*model;
	const struct dialect	*dialect;
	const struct sem_query	*query;
	struct arena		*arena;
	struct sem_problem	*problem;

	size_t			 ndimensions, noutputs, nfacts;
	size_t			 nbeside;	/* facts behind the nfacts: of sub-queries (related.h) */
	struct plan_dimension	*dimensions;
	struct plan_output	*outputs;
	struct plan_fact	 facts[PLAN_FACTS_MAX];
	struct plan_filter	*filters;
	struct plan_measure	*measures;	/* all measures, each resolved once, the newest first */
	const struct plan_measure *asked;	/* those of the query's own measures; NULL until they are resolved */
	struct plan_filter	*segments;	/* asked for in the query */
	struct plan_measure	**named;	/* query measures by position, NULL until resolved */
	struct span		*names;		/* the name each query measure goes by */
	uint32_t		 anchor;	/* FROM starts here; the fact's root unless groups without facts are kept */
	struct span		*notes;
	size_t			 nnotes;
	size_t			 ngenerated;	/* number of columns that we named */
	struct span		 undescribed;	/* a bare name in the model that no source describes: taken for a column of the table */
	bool			 inside;	/* a fact's rows are being written, not what is made of them */
	bool			 filtering;	/* measures are resolved; filters are being resolved */
	unsigned		 derived;	/* how deep resolving is in derived measures */
};

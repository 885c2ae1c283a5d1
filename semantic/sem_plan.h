/* sem_plan.h - private to semantic/: what compile, resolve, emit and report share. */
#ifndef SEMANTIC_SEM_PLAN_H
#define SEMANTIC_SEM_PLAN_H

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

struct plan_fact {
	uint32_t		 root;
	const struct sem_paths	*paths;
	bool			*needed;	/* per node: joined in */
	bool			*inner;		/* per node: on the way to a dimension */
	struct sem_column	*columns, **tail;
	struct span		 cte;		/* its name when there are several */
};

struct plan_dimension {
	struct span			 field;
	uint32_t			 node;
	const struct source_column	*column;
	enum dialect_grain		 grain;
	struct span			 header;
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
	bool			 filtering;	/* measures are resolved; filters are being resolved */
	unsigned		 derived;	/* how deep resolving is in derived measures */
};

/* --- names_row.c: names in row position ------------------------------------------------- */

/* The node a qualifier means; text is what the message quotes. */
int plan_qualifier(struct sem_plan *c, struct span name, uint32_t scope, struct span text, uint32_t *node);

/* Sub-queries in a query may read the tables of known sources and no hidden column. */
int plan_check_subqueries(struct sem_plan *c, const struct expr *e);

/* Refuse the query because several sources have a `what` of this name; they become the candidates. */
int plan_ambiguous(struct sem_plan *c, const char *what, struct span name, struct sem_owners owners);

/* Refuse the query because the column of node is hidden. */
int plan_hidden(struct sem_plan *c, uint32_t node, struct span name);

/* A name as it was written, for messages. */
struct span plan_written(const struct expr *ref);

/* An order_by field as dimensions are named: a join in it without spaces, its columns in order. */
struct span plan_order_name(struct sem_plan *c, struct span field);

/* Add to the model what the query names by its joins, source(columns).column. */
int plan_named(struct sem_plan *c);

/* The node and column a name in row position means.  user: written in the query, so hidden columns are refused. */
int plan_row_name(struct sem_plan *c, const struct expr *ref, uint32_t scope, bool user,
    uint32_t *node, const struct source_column **column, struct span *verbatim);

/* Every node that e mentions, computed columns included, without repeats. */
int plan_row_sources(struct sem_plan *c, struct span text, const struct expr *e, uint32_t scope, bool user,
    uint32_t *list, size_t *n);

/* --- resolve_query.c: what is asked for ---------------------------------------------------- */

/* The measure that query item i, or the predefined measure def of node, stands for. */
struct plan_measure *plan_measure_item(struct sem_plan *c, size_t i);

/* The predefined measure when the expression of m is just its name; NULL otherwise. */
const struct plan_measure *plan_predefined(const struct plan_measure *m);

int plan_segments(struct sem_plan *c);
int plan_dimensions(struct sem_plan *c);
int plan_filters(struct sem_plan *c);

/* HIDDEN_COLUMN when name, as an order_by field, is a hidden column; 0 when it is anything else. */
int plan_check_hidden(struct sem_plan *c, struct span name);

/* --- governed.c: what may be asked where callers write no SQL of their own ------------- */

/* Refuses with QUERY_POLICY what query_policy: semantic-layer-only keeps out.  After all is resolved. */
int plan_check_governed(struct sem_plan *c);

/* --- kind.c: the type of values ------------------------------------------------------ */

enum value_kind plan_column_kind(const struct source_column *column);

/* The value of e in the measure m, or of all of m. */
enum value_kind plan_measure_kind(struct sem_plan *c, const struct plan_measure *m, const struct expr *e);

/* --- emit.c: text --------------------------------------------------------------- */

/* A row expression; joins what it needs into fact. */
int plan_emit_row(struct sem_plan *c, struct buf *out, struct plan_fact *fact, struct span text,
    const struct expr *e, uint32_t scope, bool user);
int plan_emit_column(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t node,
    const struct source_column *column, struct span name);

/* A measure inside one fact's SELECT. */
int plan_emit_measure(struct sem_plan *c, struct buf *out, struct plan_fact *fact,
    const struct plan_measure *m, const struct expr *e, const struct plan_cond *conds);

/* A measure over columns of several facts; a fact without rows in the group counts as 0. */
int plan_emit_combined(struct sem_plan *c, struct buf *out, const struct plan_measure *m,
    const struct expr *e, const struct plan_cond *conds);

/* The one value of a fact's column among the rows of all facts in a group. */
void plan_emit_side(struct sem_plan *c, struct buf *out, const struct sem_column *column);

/* Join node into fact's FROM. */
int plan_need(struct sem_plan *c, struct plan_fact *fact, uint32_t node);

/* The fact whose rows node's measures aggregate; made when it is new.  SEM_NONE: too many. */
uint32_t plan_fact_of(struct sem_plan *c, uint32_t node);

/* The column of fact that holds a measure or one aggregate of it; made when it is new. */
struct sem_column *plan_fact_column(struct sem_plan *c, uint32_t fact, const struct plan_measure *m,
    const struct expr *part, const struct plan_cond *conds, struct span name);

/* --- select.c: the statement ------------------------------------------------------ */
int plan_select(struct sem_plan *c, struct buf *out);

/* --- report.c ------------------------------------------------------------------------ */
int plan_report(struct sem_plan *c, struct buf *out);

#endif

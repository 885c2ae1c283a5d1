#include "semantic/compile.h"
#include "semantic/governed.h"
#include "semantic/kind.h"
#include "semantic/names_row.h"
#include "semantic/related.h"

/* Functions of their arguments and the clock alone: they read no table. */
static const char *const plain_functions[] = {
	"abs", "cast", "ceil", "ceiling", "char_length", "coalesce", "concat", "current_date", "current_timestamp",
	"date", "date_part", "date_trunc", "datetime", "extract", "floor", "greatest", "ifnull", "iif", "instr",
	"julianday", "least", "left", "length", "like", "lower", "ltrim", "now", "nullif", "position", "replace",
	"right", "round", "rtrim", "strftime", "strpos", "substr", "substring", "time", "to_char", "to_date",
	"to_number", "to_timestamp", "trim", "trunc", "unixepoch", "upper", NULL
};

static int
refuse_ungoverned(struct sem_plan *c, struct span text, const char *what)
{
	return sem_fail(c->problem, SEM_QUERY_POLICY, text,
	    "\"%.*s\" %s, and this connection answers through the measures of "
	    "its semantic layer only (query_policy: semantic-layer-only); discover_data finds measures, and filters "
	    "may "
	    "compare columns and measures with values.",
	    (int)(text.len < 200 ? text.len : 200), (const char *)text.p, what);
}

static int
check_filter(struct sem_plan *c, struct span text, const struct expr *e)
{
	if (e->kind == EXPR_SUBQUERY)
		return refuse_ungoverned(c, text, "has a sub-query");
	if (related_is_aggregate(e) ||
	    (e->kind == EXPR_CALL && (e->flags & (EXPR_AGGREGATE | EXPR_OVER | EXPR_FILTER | EXPR_WITHIN)) != 0))
		return refuse_ungoverned(c, text, "has an aggregate of its own");
	if (e->kind == EXPR_CALL && !related_is(e) &&
	    (e->nparts != 1 || !span_is_any_word(e->parts[0], plain_functions)))
		return refuse_ungoverned(c, text, "calls a function that is not known to look at its arguments alone");
	for (const struct expr *x = e->first; x != NULL; x = x->next)
		if (check_filter(c, text, x) == -1)
			return -1;
	return 0;
}

/* min(x) or max(x) of a time column of the model, whose values its dimension shows as well. */
static bool
is_extent(struct sem_plan *c, const struct plan_measure *m)
{
	const struct source_column *column = NULL;
	const struct expr *call = m->ast;
	struct span verbatim;
	uint32_t node;

	if (call->kind != EXPR_CALL || call->nparts != 1 || call->nchildren != 1 || call->nargs != 1 ||
	    (call->flags & (EXPR_OVER | EXPR_FILTER | EXPR_WITHIN)) != 0 || call->first->kind != EXPR_REF ||
	    (!span_is_str(call->parts[0], "min") && !span_is_str(call->parts[0], "max")))
		return false;
	return names_row_name(c, call->first, m->scope, true, &node, &column, &verbatim) == 0 && column != NULL &&
	    kind_of_column(column) == KIND_TIME;
}

/* A sub-query reads tables by their names, whatever sources there are. */
static int
check_no_subquery(struct sem_plan *c, struct span text, const struct expr *e)
{
	if (e->kind == EXPR_SUBQUERY)
		return sem_fail(c->problem, SEM_QUERY_POLICY, text, "\"%.*s\" has a sub-query, which no question has",
		    (int)(text.len < 200 ? text.len : 200), (const char *)text.p);
	for (const struct expr *x = e->first; x != NULL; x = x->next)
		if (check_no_subquery(c, text, x) == -1)
			return -1;
	return 0;
}

/* Of a query that may read some sources alone. */
static int
check_bounded(struct sem_plan *c)
{
	for (size_t i = 0; i < c->noutputs; i++)
		if (compile_predefined(c->outputs[i].measure) == NULL &&
		    check_no_subquery(c, c->outputs[i].item->expr, c->outputs[i].measure->ast) == -1)
			return -1;
	for (const struct plan_filter *f = c->filters; f != NULL; f = f->next)
		if (check_no_subquery(c, f->text, f->ast) == -1)
			return -1;
	return 0;
}

int
governed_check(struct sem_plan *c)
{
	if (c->query->serves != NULL && check_bounded(c) == -1)
		return -1;
	if (!c->query->governed)
		return 0;
	for (size_t i = 0; i < c->noutputs; i++)
		if (compile_predefined(c->outputs[i].measure) == NULL && !is_extent(c, c->outputs[i].measure))
			return refuse_ungoverned(c, c->outputs[i].item->expr, "is no measure of the semantic layer");
	for (const struct plan_filter *f = c->filters; f != NULL; f = f->next)
		if (check_filter(c, f->text, f->ast) == -1)
			return -1;
	return 0;
}

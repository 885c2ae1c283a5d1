/*
 * governed.c - a query on a connection of query_policy: semantic-layer-only.
 *
 * Its measures are those of the model, by name; its filters compare columns
 * and measures with values.  An aggregate, a sub-query or a function that is
 * not known to look at its arguments alone would be SQL of the caller's own.
 */
#include "semantic/sem_plan.h"

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
	if (e->kind == EXPR_CALL && (e->flags & (EXPR_AGGREGATE | EXPR_OVER | EXPR_FILTER | EXPR_WITHIN)) != 0)
		return refuse_ungoverned(c, text, "has an aggregate of its own");
	if (e->kind == EXPR_CALL && (e->nparts != 1 || !span_is_any_word(e->parts[0], plain_functions)))
		return refuse_ungoverned(c, text, "calls a function that is not known to look at its arguments alone");
	for (const struct expr *x = e->first; x != NULL; x = x->next)
		if (check_filter(c, text, x) == -1)
			return -1;
	return 0;
}

int
plan_check_governed(struct sem_plan *c)
{
	if (!c->query->governed)
		return 0;
	for (size_t i = 0; i < c->noutputs; i++)
		if (plan_predefined(c->outputs[i].measure) == NULL)
			return refuse_ungoverned(c, c->outputs[i].item->expr, "is no measure of the semantic layer");
	for (const struct plan_filter *f = c->filters; f != NULL; f = f->next)
		if (check_filter(c, f->text, f->ast) == -1)
			return -1;
	return 0;
}

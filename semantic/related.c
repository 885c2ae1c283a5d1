#include "semantic/related.h"
#include "semantic/fact.h"
#include "semantic/from.h"
#include "semantic/kind.h"
#include "semantic/names_row.h"

static const struct related_function {
	const char *name, *before, *after;
	bool aggregate, overall, grouped;
} functions[] = {
#define RELATED(name, before, after, aggregate, overall, grouped) \
	{ name, before, after, aggregate, overall, grouped },
#include "semantic/related.def"
#undef RELATED
};

static const struct related_function *
function_of(const struct expr *e)
{
	for (size_t i = 0; e->kind == EXPR_CALL && i < sizeof(functions) / sizeof(functions[0]); i++)
		if (span_is_str(e->parts[0], functions[i].name) && e->nargs >= 1 && e->nchildren == e->nargs &&
		    e->nargs <= 2 && e->first->kind == EXPR_REF &&
		    (!functions[i].grouped || (e->nargs == 2 && e->last->kind == EXPR_REF && e->last->nparts == 2)) &&
		    (e->first->nparts == 2 || (e->first->nparts == 1 && !functions[i].overall)))
			return &functions[i];
	return NULL;
}

bool
related_is(const struct expr *e)
{
	return function_of(e) != NULL;
}

bool
related_is_aggregate(const struct expr *e)
{
	const struct related_function *f = function_of(e);

	return f != NULL && f->aggregate;
}

uint32_t
related_astray(struct sem_plan *c, const struct expr *e, uint32_t node)
{
	const struct related_function *f = function_of(e);
	const struct sem_paths *paths;
	uint32_t found = SEM_NONE;
	bool ambiguous;

	if (f != NULL && f->overall)
		return SEM_NONE;
	if (f != NULL) {
		found = sem_find_node(c->model, e->first->parts[0], &ambiguous);
		paths = found == SEM_NONE ? NULL : sem_paths(c->model, c->arena, found);
		return paths != NULL &&
			(found == node || (e->first->nparts == 1 && paths->distance[node] == SEM_NONE)) ?
		    found :
		    SEM_NONE;
	}
	for (const struct expr *x = e->first; x != NULL && found == SEM_NONE; x = x->next)
		found = related_astray(c, x, node);
	return found;
}

/* has(flights.origin_id): rows that lead to node by that column, of several joins. */
static int
go_by(struct sem_plan *c, struct plan_fact *fact, uint32_t node, const struct expr *by)
{
	const struct sem_node *from = sem_model_node(c->model, fact->root);

	for (size_t i = 0; i < from->nedges; i++) {
		const struct sem_edge *e = &from->edges[i];
		const struct sem_pair *pair = &e->join->pairs[0];

		if (sem_model_node(c->model, e->to)->source != sem_model_node(c->model, node)->source ||
		    e->join->npairs != 1 || !span_is_folded(e->inverse ? pair->target : pair->local, by->parts[1]))
			continue;
		fact->paths->distance[node] = 1;
		fact->paths->parent[node] = fact->root;
		fact->paths->rival[node] = SEM_NONE;
		fact->paths->via[node] = e;
		return 0;
	}
	return sem_fail(c->problem, SEM_NO_JOIN_PATH, by->written, "No join leads from %.*s by \"%.*s\" to %.*s.",
	    SPAN_FMT(from->name), SPAN_FMT(by->parts[1]), SPAN_FMT(sem_model_node(c->model, node)->name));
}

/* The rows of the source that the call names, which are to lead to a row of node. */
static struct plan_fact *
related_fact(struct sem_plan *c, const struct expr *e, uint32_t node)
{
	struct plan_fact *fact;
	uint32_t root;

	if (names_qualifier(c, e->first->parts[0], SEM_NONE, e->first->written, &root) == -1 ||
	    (fact = fact_beside(c, root)) == NULL)
		return NULL;
	if (root == node)
		sem_fail(c->problem, SEM_FAN_OUT, e->first->written, "Rows of %.*s lead to no other rows of it.",
		    SPAN_FMT(e->first->written));
	return root == node || (e->first->nparts == 2 && go_by(c, fact, node, e->first) == -1) ||
		fact_need(c, fact, node) == -1 ?
	    NULL :
	    fact;
}

static int
refuse_aggregate(struct sem_plan *c, const struct expr *e)
{
	return sem_fail(c->problem, SEM_NESTED_AGGREGATE, e->written,
	    "%.*s(%.*s, …) has a condition with an aggregate, but the condition is about one row; number_of() "
	    "counts rows.",
	    SPAN_FMT(e->parts[0]), SPAN_FMT(e->first->written));
}

/* The aggregate of a column over all rows of its source, or those of the condition. */
static int
put_overall(struct sem_plan *c, struct buf *out, const struct related_function *f, const struct expr *e,
    related_condition *column, const void *arg)
{
	struct buf what = BUF_MAX(SEM_SQL_MAX), where = BUF_MAX(SEM_SQL_MAX);
	struct plan_fact *fact;
	uint32_t root;
	int r = -1;

	if (e->nargs == 2 && expr_find(e->last, EXPR_AGGREGATE | EXPR_OVER) != NULL)
		return refuse_aggregate(c, e);
	if (names_qualifier(c, e->first->parts[0], SEM_NONE, e->first->written, &root) == 0 &&
	    (fact = fact_beside(c, root)) != NULL && column(c, &what, fact, arg, e->first) == 0 &&
	    (e->nargs == 1 || column(c, &where, fact, arg, e->last) == 0)) {
		static const struct dialect_around plain = { "", "", "", "" };
		const struct dialect_around *as = strcmp(f->before, "AVG") == 0 ? &c->dialect->mean : &plain;

		buf_printf(out, "(SELECT %s%s(%s%.*s%s)%s", as->open, f->before, as->argument_open, (int)what.len,
		    (const char *)what.p, as->argument_close, as->close);
		r = from_put(c, out, fact, root);
		if (e->nargs == 2)
			buf_printf(out, "\nWHERE %.*s", (int)where.len, (const char *)where.p);
		buf_str(out, f->after);
	}
	buf_fini(&what);
	buf_fini(&where);
	return r;
}

/* The column that the reference e names as MIN and MAX are to see it: text by its bytes, on every database. */
static int
put_extreme(struct sem_plan *c, struct buf *out, struct plan_fact *fact, const struct expr *e,
    related_condition *column, const void *arg)
{
	const struct dialect_around *as = &c->dialect->extreme;
	const struct source_column *what = NULL;
	struct buf x = BUF_MAX(SEM_SQL_MAX);
	struct span verbatim, text;
	uint32_t node;
	int r = column(c, &x, fact, arg, e);
	bool wrap;

	text = buf_view(&x);
	wrap = r == 0 && names_row_name(c, e, SEM_NONE, true, &node, &what, &verbatim) == 0 &&
	    kind_of_column(what) == KIND_TEXT &&
	    !(span_begins(text, as->argument_open) && span_ends(text, as->argument_close));
	buf_printf(out, "%s%.*s%s", wrap ? as->argument_open : "", SPAN_FMT(text), wrap ? as->argument_close : "");
	buf_fini(&x);
	return r;
}

/* The group and the column of the filtered row are among the groups of all rows and the highest column of each. */
static int
put_grouped(struct sem_plan *c, struct buf *out, const struct related_function *f, const struct expr *e,
    struct plan_fact *outer, uint32_t node, related_condition *column, const void *arg)
{
	struct buf group = BUF_MAX(SEM_SQL_MAX), what = BUF_MAX(SEM_SQL_MAX);
	struct plan_fact *fact;
	uint32_t root, other;
	int r = -1;

	if (names_qualifier(c, e->first->parts[0], SEM_NONE, e->first->written, &root) == -1 ||
	    names_qualifier(c, e->last->parts[0], SEM_NONE, e->last->written, &other) == -1)
		goto done;
	if (root != other || root != node) {
		sem_fail(c->problem, SEM_FAN_OUT_FILTER, e->written,
		    "%.*s(%.*s, …) is about a row of the source that is asked for, and takes a column of it for the "
		    "groups.",
		    SPAN_FMT(e->parts[0]), SPAN_FMT(e->first->written));
		goto done;
	}
	if ((fact = fact_beside(c, root)) == NULL || column(c, &group, outer, arg, e->last) == -1 ||
	    put_extreme(c, &what, outer, e->first, column, arg) == -1)
		goto done;
	buf_printf(out, "((%.*s, %.*s) IN (SELECT ", (int)group.len, (const char *)group.p, (int)what.len,
	    (const char *)what.p);
	group.len = what.len = 0;
	if (column(c, &group, fact, arg, e->last) == -1 || put_extreme(c, &what, fact, e->first, column, arg) == -1)
		goto done;
	buf_printf(out, "%.*s, %s(%.*s)", (int)group.len, (const char *)group.p, f->before, (int)what.len,
	    (const char *)what.p);
	if ((r = from_put(c, out, fact, root)) == 0)
		buf_printf(out, "\nGROUP BY %.*s%s)", (int)group.len, (const char *)group.p, f->after);
done:
	buf_fini(&group);
	buf_fini(&what);
	return r;
}

int
related_put(struct sem_plan *c, struct buf *out, struct plan_fact *outer, uint32_t node, const struct expr *e,
    related_condition *condition, const void *arg)
{
	const struct related_function *f = function_of(e);
	struct plan_fact *fact = f->overall ? NULL : related_fact(c, e, node);
	struct buf where = BUF_MAX(SEM_SQL_MAX);
	int r = -1;

	if (f->grouped)
		return put_grouped(c, out, f, e, outer, node, condition, arg);
	if (f->overall)
		return put_overall(c, out, f, e, condition, arg);
	if (fact == NULL)
		return -1;
	if (e->nargs == 2 && expr_find(e->last, EXPR_AGGREGATE | EXPR_OVER) != NULL)
		return refuse_aggregate(c, e);
	fact->needed[node] = false; /* its row is the outer one */
	buf_str(&where, "\nWHERE ");
	if (from_put_pairs(c, &where, fact, node, outer) == -1)
		goto done;
	if (e->nargs == 2) {
		buf_str(&where, " AND (");
		if (condition(c, &where, fact, arg, e->last) == -1)
			goto done;
		buf_byte(&where, ')');
	}
	for (uint32_t at = 0; at < sem_model_nodes(c->model); at++)
		for (uint32_t on = at; fact->needed[at] && on != fact->root; on = fact->paths->parent[on])
			if (on == node) {
				sem_fail(c->problem, SEM_FAN_OUT_FILTER, e->written,
				    "%.*s(%.*s, …) has a condition on %.*s, whose row is the filtered one; write it as "
				    "a "
				    "filter of its own.",
				    SPAN_FMT(e->parts[0]), SPAN_FMT(e->first->written),
				    SPAN_FMT(sem_model_node(c->model, at)->name));
				goto done;
			}
	buf_str(out, f->before);
	if ((r = from_put(c, out, fact, fact->root)) == 0) {
		buf_span(out, buf_view(&where));
		buf_str(out, f->after);
		fact->needed[node] = true; /* the plan tells of the join */
	}
done:
	buf_fini(&where);
	return r;
}

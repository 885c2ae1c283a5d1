#include <stdio.h>
#include <string.h>

#include "semantic/kind.h"
#include "semantic/names_row.h"
#include "semantic/related.h"
#include "semantic/resolve_query.h"

static int resolve_measure(struct sem_plan *c, struct plan_measure *m);

static struct plan_measure *
new_measure(struct sem_plan *c, struct span text, const struct expr *ast, uint32_t scope,
    const struct source_measure *def)
{
	struct plan_measure *m = arena_alloc(c->arena, sizeof(*m));

	if (m == NULL) {
		sem_fail(c->problem, SEM_PARSE_ERROR, text, "The query is too large.");
		return NULL;
	}
	m->text = text;
	m->scope = scope;
	m->def = def;
	m->ast = ast != NULL ? ast : expr_parse(c->arena, text, c->problem);
	m->next = c->measures;
	c->measures = m;
	return m->ast != NULL ? m : NULL;
}

static int
add_cond(struct sem_plan *c, const struct plan_cond **list, struct span text, uint32_t scope)
{
	struct plan_cond *cond = arena_alloc(c->arena, sizeof(*cond));

	if (cond == NULL)
		return sem_fail(c->problem, SEM_PARSE_ERROR, text, "The query is too large.");
	*cond = (struct plan_cond){ .text = text, .scope = scope, .next = *list };
	if ((cond->ast = expr_parse(c->arena, text, c->problem)) == NULL)
		return -1;
	if (expr_find(cond->ast, EXPR_OVER) != NULL)
		return sem_fail(c->problem, SEM_WINDOW_FUNCTION, text, "The condition \"%.*s\" uses a window function.",
		    SPAN_FMT(text));
	if (expr_find(cond->ast, EXPR_AGGREGATE) != NULL)
		return sem_fail(c->problem, SEM_NESTED_AGGREGATE, text,
		    "The condition \"%.*s\" acts on rows inside an aggregate and cannot hold one itself.",
		    SPAN_FMT(text));
	*list = cond;
	return 0;
}

static int
unknown_segment(struct sem_plan *c, uint32_t node, struct span name)
{
	const struct sem_node *n = sem_model_node(c->model, node);

	for (size_t i = 0; i < n->source->nsegments; i++)
		if (n->source->segments[i].name != NULL)
			sem_candidate(c->problem, name, span_str(n->source->segments[i].name));
	return sem_fail(c->problem, SEM_UNKNOWN_SEGMENT, name,
	    "%.*s has no segment \"%.*s\"; sl_read_source shows its segments.", SPAN_FMT(n->name), SPAN_FMT(name));
}

/* The conditions of a predefined measure; last first, so that the list comes out in order. */
static int
own_conds(struct sem_plan *c, struct plan_measure *m)
{
	const struct sem_node *n = sem_model_node(c->model, m->scope);

	for (size_t i = m->def->nsegments; i > 0; i--) {
		struct span name = span_str(m->def->segments[i - 1]);
		const struct source_segment *s = sem_find_segment(n, name);

		if (s == NULL || s->expr == NULL)
			return unknown_segment(c, m->scope, name);
		if (add_cond(c, &m->conds, span_str(s->expr), m->scope) == -1)
			return -1;
	}
	if (m->def->filter != NULL && *m->def->filter != '\0')
		return add_cond(c, &m->conds, span_str(m->def->filter), m->scope);
	return 0;
}

/* Write "a -> b -> ": the measures being resolved, from `first` on.  The list has the newest first. */
static void
put_path(const struct plan_measure *newest, const struct plan_measure *first, char *out, size_t cap)
{
	size_t n;

	if (newest != first)
		put_path(newest->next, first, out, cap);
	n = strlen(out);
	if (newest->resolving && newest->def != NULL)
		snprintf(out + n, cap - n, "%s -> ", newest->def->name);
}

static struct plan_measure *
predefined(struct sem_plan *c, uint32_t node, const struct source_measure *def)
{
	struct plan_measure *m;

	for (m = c->measures; m != NULL; m = m->next)
		if (m->def == def && m->scope == node)
			break;
	if (m == NULL) {
		if (def->expr == NULL) {
			sem_fail(c->problem, SEM_INVALID_SOURCE, span_str(def->name), "The measure \"%s\" has no expr.",
			    def->name);
			return NULL;
		}
		if ((m = new_measure(c, span_str(def->expr), NULL, node, def)) == NULL || own_conds(c, m) == -1 ||
		    resolve_measure(c, m) == -1)
			return NULL;
	}
	if (m->resolving) {
		char path[200] = "";

		put_path(c->measures, m, path, sizeof(path));
		sem_fail(c->problem, SEM_CIRCULAR_MEASURE, span_str(def->name),
		    "The measure \"%s\" is defined in terms of itself: %s%s.", def->name, path, def->name);
		return NULL;
	}
	return m;
}

static int
unknown_measure(struct sem_plan *c, uint32_t node, struct span name, struct span text)
{
	if (node != SEM_NONE) {
		const struct sem_node *n = sem_model_node(c->model, node);

		for (size_t i = 0; i < n->source->nmeasures; i++)
			if (n->source->measures[i].name != NULL)
				sem_candidate(c->problem, name, span_str(n->source->measures[i].name));
		return sem_fail(c->problem, SEM_UNKNOWN_MEASURE, text,
		    "%.*s has no measure \"%.*s\"; sl_read_source shows its measures.", SPAN_FMT(n->name),
		    SPAN_FMT(name));
	}
	for (uint32_t i = 0; i < sem_model_nodes(c->model); i++) {
		const struct sem_node *n = sem_model_node(c->model, i);

		for (size_t k = 0; k < n->source->nmeasures && !n->alias; k++)
			if (n->source->measures[k].name != NULL)
				sem_candidate(c->problem, name, span_str(n->source->measures[k].name));
	}
	return sem_fail(c->problem, SEM_UNKNOWN_MEASURE, text,
	    "There is no measure \"%.*s\"; discover_data finds measures.", SPAN_FMT(name));
}

static int
not_aggregated(struct sem_plan *c, uint32_t node, struct span name, struct span text)
{
	const struct source_column *col = sem_find_column(sem_model_node(c->model, node), name);

	if (col != NULL && col->visibility == SOURCE_HIDDEN)
		return names_hidden(c, node, name);
	return sem_fail(c->problem, SEM_NOT_AGGREGATED, text,
	    "\"%.*s\" is a column; put it into an aggregate, like sum(%.*s), or use it as a dimension.", SPAN_FMT(text),
	    SPAN_FMT(text));
}

/* A bare name outside aggregates: a measure of the query, a sibling, or the only one of its name. */
static struct plan_measure *
bare_measure(struct sem_plan *c, const struct plan_measure *in, struct span name)
{
	const struct source_measure *def;
	struct sem_owners owners;
	uint32_t node;

	if (in->scope == SEM_NONE) {
		for (size_t i = 0; i < c->query->nmeasures; i++)
			/* An item that is the bare name itself asks for the model's measure. */
			if (span_is(c->names[i], name) && !span_is(c->query->measures[i].expr, name))
				return resolve_measure_item(c, i);
	} else if ((def = sem_find_measure(sem_model_node(c->model, in->scope), name)) != NULL)
		return predefined(c, in->scope, def);
	owners = sem_owners_of_measure(c->model, name);
	if (owners.n > 1) {
		names_ambiguous(c, "measure", name, owners);
		return NULL;
	}
	if ((node = sem_only(owners)) != SEM_NONE &&
	    (def = sem_find_measure(sem_model_node(c->model, node), name)) != NULL)
		return predefined(c, node, def);
	if (in->scope != SEM_NONE && sem_find_column(sem_model_node(c->model, in->scope), name) != NULL)
		node = in->scope;
	else
		node = sem_only(sem_owners_of_column(c->model, name));
	if (node != SEM_NONE)
		not_aggregated(c, node, name, name);
	else
		unknown_measure(c, SEM_NONE, name, name);
	return NULL;
}

static struct plan_measure *
named_measure(struct sem_plan *c, const struct plan_measure *in, const struct expr *ref)
{
	struct span name = ref->parts[ref->nparts - 1];
	const struct source_measure *def;
	uint32_t node;

	if (ref->nparts == 1)
		return bare_measure(c, in, name);
	if (names_qualifier(c, ref->parts[ref->nparts - 2], in->scope, names_written(ref), &node) == -1)
		return NULL;
	if ((def = sem_find_measure(sem_model_node(c->model, node), name)) != NULL)
		return predefined(c, node, def);
	if (sem_find_column(sem_model_node(c->model, node), name) != NULL)
		not_aggregated(c, node, name, names_written(ref));
	else
		unknown_measure(c, node, name, names_written(ref));
	return NULL;
}

/* True when the name means a measure where it stands: no column of the query's sources is called so. */
static bool
is_measure_name(struct sem_plan *c, const struct expr *ref)
{
	struct span name = ref->parts[ref->nparts - 1];
	uint32_t node;
	bool ambiguous;

	if (ref->nparts >= 2) {
		node = sem_find_node(c->model, ref->parts[ref->nparts - 2], &ambiguous);
		return node != SEM_NONE && sem_find_column(sem_model_node(c->model, node), name) == NULL &&
		    sem_find_measure(sem_model_node(c->model, node), name) != NULL;
	}
	for (size_t i = 0; i < c->query->nmeasures; i++)
		if (span_is(c->names[i], name))
			return true;
	return sem_owners_of_column(c->model, name).n == 0 && sem_owners_of_measure(c->model, name).n > 0;
}

/* The only source that the query's measures aggregate: what a filter's count(*) counts.  SEM_NONE: not one. */
static uint32_t
only_base(const struct sem_plan *c)
{
	uint32_t base = SEM_NONE;

	for (const struct plan_measure *m = c->measures; m != NULL; m = m->next)
		for (const struct plan_atom *a = m->atoms; a != NULL; a = a->next) {
			if (base != SEM_NONE && base != a->base)
				return SEM_NONE;
			base = a->base;
		}
	return base;
}

/* The source an aggregate's rows are: the one from which all others it mentions are reached safely. */
static int
aggregate_base(struct sem_plan *c, const struct plan_measure *m, const struct expr *call, uint32_t *base)
{
	uint32_t list[PLAN_SOURCES_MAX];
	size_t n = 0;

	if (names_row_sources(c, m->text, call, m->scope, m->scope == SEM_NONE, list, &n) == -1)
		return -1;
	if (m->scope != SEM_NONE) {
		*base = m->scope;
		return 0;
	}
	if (n == 0 && c->filtering && (*base = only_base(c)) != SEM_NONE)
		return 0;
	if (n == 0)
		return sem_fail(c->problem, SEM_NO_SOURCE, span_of(m->text.p + call->start, call->end - call->start),
		    "Nothing in \"%.*s\" says which source is meant; name a column, like count(source.id).",
		    (int)(call->end - call->start), (const char *)m->text.p + call->start);
	for (size_t i = 0; i < n; i++) {
		const struct sem_paths *paths = n > 1 ? sem_paths(c->model, c->arena, list[i]) : NULL;
		bool all = n == 1 || paths != NULL;

		for (size_t k = 0; k < n && n > 1 && all; k++)
			all = paths->distance[list[k]] != SEM_NONE;
		if (all) {
			*base = list[i];
			return 0;
		}
	}
	return sem_fail(c->problem, SEM_CROSS_FACT_EXPRESSION,
	    span_of(m->text.p + call->start, call->end - call->start),
	    "No source reaches all that \"%.*s\" mentions without multiplying rows; aggregate each source on its own, "
	    "like sum(a.x) - sum(b.y).",
	    (int)(call->end - call->start), (const char *)m->text.p + call->start);
}

/* A measure's name inside an aggregate is an aggregate inside an aggregate. */
static int
check_inside(struct sem_plan *c, const struct plan_measure *m, const struct expr *e)
{
	if (e->kind == EXPR_CALL && (e->flags & EXPR_AGGREGATE) != 0)
		return sem_fail(c->problem, SEM_NESTED_AGGREGATE, m->text,
		    "\"%.*s\" has an aggregate inside an aggregate; define the inner one as a measure of a source with "
		    "that grain.",
		    SPAN_FMT(m->text));
	if (e->kind == EXPR_REF && m->scope == SEM_NONE && e->nparts >= 2 && is_measure_name(c, e))
		return sem_fail(c->problem, SEM_NESTED_AGGREGATE, m->text,
		    "\"%.*s\" aggregates a measure; measures combine by arithmetic only.", SPAN_FMT(m->text));
	if (e->kind == EXPR_SUBQUERY)
		return 0;
	for (const struct expr *x = e->first; x != NULL; x = x->next)
		if (check_inside(c, m, x) == -1)
			return -1;
	return 0;
}

static int
add_atom(struct sem_plan *c, struct plan_measure *m, const struct expr *call)
{
	struct plan_atom *atom = arena_alloc(c->arena, sizeof(*atom));

	if (atom == NULL)
		return sem_fail(c->problem, SEM_PARSE_ERROR, m->text, "The query is too large.");
	for (const struct expr *x = call->first; x != NULL; x = x->next)
		if (check_inside(c, m, x) == -1)
			return -1;
	atom->call = call;
	if (aggregate_base(c, m, call, &atom->base) == -1)
		return -1;
	atom->next = m->atoms;
	m->atoms = atom;
	return 0;
}

static int
walk_measure(struct sem_plan *c, struct plan_measure *m, const struct expr *e)
{
	if (e->kind == EXPR_CALL && (e->flags & EXPR_OVER) != 0)
		return sem_fail(c->problem, SEM_WINDOW_FUNCTION, m->text,
		    "\"%.*s\" uses a window function; measures are aggregates per group. Use sql_execution for "
		    "windows.",
		    SPAN_FMT(m->text));
	if (e->kind == EXPR_CALL && (e->flags & EXPR_AGGREGATE) != 0)
		return expr_find(e, EXPR_OVER) != NULL ? sem_fail(c->problem, SEM_WINDOW_FUNCTION, m->text,
							     "\"%.*s\" uses a window function.", SPAN_FMT(m->text)) :
							 add_atom(c, m, e);
	if (e->kind == EXPR_REF) {
		struct plan_link *link = arena_alloc(c->arena, sizeof(*link));

		if (link == NULL)
			return sem_fail(c->problem, SEM_PARSE_ERROR, m->text, "The query is too large.");
		link->ref = e;
		if ((link->to = named_measure(c, m, e)) == NULL)
			return -1;
		link->next = m->links;
		m->links = link;
		return 0;
	}
	if (e->kind == EXPR_SUBQUERY)
		return m->scope == SEM_NONE ? names_check_subqueries(c, e) : 0;
	for (const struct expr *x = e->first; x != NULL; x = x->next)
		if (walk_measure(c, m, x) == -1)
			return -1;
	return 0;
}

static int
resolve_measure(struct sem_plan *c, struct plan_measure *m)
{
	int r;

	if (c->derived == PLAN_DERIVED_MAX)
		return sem_fail(c->problem, SEM_PARSE_ERROR, m->text,
		    "Measures may be derived from each other at most %d deep.", PLAN_DERIVED_MAX);
	c->derived++;
	m->resolving = true;
	r = walk_measure(c, m, m->ast);
	m->resolving = false;
	c->derived--;
	if (r == 0 && m->atoms == NULL && m->links == NULL)
		return sem_fail(c->problem, SEM_NO_SOURCE, m->text,
		    "\"%.*s\" has neither an aggregate nor a measure; write one like sum(source.column).",
		    SPAN_FMT(m->text));
	return r;
}

struct plan_measure *
resolve_measure_item(struct sem_plan *c, size_t i)
{
	struct span text = c->query->measures[i].expr;
	struct plan_measure *m = c->named[i];

	if (m != NULL && m->resolving) {
		sem_fail(c->problem, SEM_CIRCULAR_MEASURE, c->names[i],
		    "The measure \"%.*s\" is defined in terms of itself.", SPAN_FMT(c->names[i]));
		return NULL;
	}
	if (m != NULL)
		return m;
	if ((m = new_measure(c, text, NULL, SEM_NONE, NULL)) == NULL)
		return NULL;
	c->named[i] = m;
	return resolve_measure(c, m) == 0 ? m : NULL;
}

static struct plan_measure *
measure_of_text(struct sem_plan *c, struct span text, const struct expr *ast)
{
	struct plan_measure *m = new_measure(c, text, ast, SEM_NONE, NULL);

	return m != NULL && resolve_measure(c, m) == 0 ? m : NULL;
}

int
resolve_segments(struct sem_plan *c)
{
	struct plan_filter **tail = &c->segments;

	for (size_t i = 0; i < c->query->nsegments; i++) {
		struct span text = c->query->segments[i];
		const struct expr *e = expr_parse(c->arena, text, c->problem);
		const struct source_segment *s;
		struct plan_filter *f;
		uint32_t node;

		if (e == NULL)
			return -1;
		if (e->kind != EXPR_REF || e->nparts < 2)
			return sem_fail(c->problem, SEM_SEGMENT_NOT_QUALIFIED, text,
			    "The segment \"%.*s\" must be written source.segment.", SPAN_FMT(text));
		if (names_qualifier(c, e->parts[e->nparts - 2], SEM_NONE, text, &node) == -1)
			return -1;
		if ((s = sem_find_segment(sem_model_node(c->model, node), e->parts[e->nparts - 1])) == NULL ||
		    s->expr == NULL)
			return unknown_segment(c, node, e->parts[e->nparts - 1]);
		if ((f = arena_alloc(c->arena, sizeof(*f))) == NULL)
			return sem_fail(c->problem, SEM_PARSE_ERROR, text, "The query is too large.");
		*f = (struct plan_filter){ .text = text, .ast = e, .sources = { node }, .nsources = 1 };
		if (add_cond(c, &f->cond, span_str(s->expr), node) == -1 ||
		    names_row_sources(c, f->cond->text, f->cond->ast, node, false, f->sources, &f->nsources) == -1)
			return -1;
		*tail = f;
		tail = &f->next;
	}
	return 0;
}

static int
read_dimension(struct sem_plan *c, const struct sem_dimension_item *item, struct plan_dimension *d)
{
	/* A column may be called as a word of SQL: group, order. */
	struct span text = expr_is_reserved(item->field) ?
	    span_str(arena_printf(c->arena, "\"%.*s\"", SPAN_FMT(item->field))) :
	    item->field;
	const struct expr *e = expr_parse(c->arena, text, c->problem);
	struct span verbatim;

	if (e == NULL)
		return -1;
	if (e->kind != EXPR_REF)
		return sem_fail(c->problem, SEM_PARSE_ERROR, item->field,
		    "A dimension is a column, source.column; define \"%.*s\" as a computed column of its source.",
		    SPAN_FMT(item->field));
	d->field = item->field;
	if (names_row_name(c, e, SEM_NONE, true, &d->node, &d->column, &verbatim) == -1)
		return -1;
	if (item->granularity.len > 0 && (d->grain = dialect_grain(item->granularity)) == GRAIN_NONE)
		return sem_fail(c->problem, SEM_UNSUPPORTED_GRANULARITY, item->granularity,
		    "\"%.*s\" is no granularity; use hour, day, week, month, quarter, year or decade.",
		    SPAN_FMT(item->granularity));
	if (d->grain != GRAIN_NONE &&
	    (kind_of_column(d->column) == KIND_NUMBER || kind_of_column(d->column) == KIND_BOOLEAN))
		return sem_fail(c->problem, SEM_UNSUPPORTED_GRANULARITY, item->granularity,
		    "\"%.*s\" is a %s and has no %.*s; granularities are for time columns.", SPAN_FMT(item->field),
		    d->column->type, SPAN_FMT(item->granularity));
	return 0;
}

static bool
same_dimension(const struct plan_dimension *a, const struct plan_dimension *b)
{
	return a->node == b->node && a->column == b->column && a->grain == b->grain;
}

static int
name_dimensions(struct sem_plan *c)
{
	for (size_t i = 0; i < c->ndimensions; i++) {
		struct plan_dimension *d = &c->dimensions[i];
		const char *grain = dialect_grain_name(d->grain);
		bool clash = false;
		char *name;

		for (size_t k = 0; k < c->ndimensions && !clash; k++)
			clash = k != i && c->dimensions[k].node != d->node &&
			    strcmp(c->dimensions[k].column->name, d->column->name) == 0;
		name = clash ? arena_printf(c->arena, "%.*s_%s%s%s", SPAN_FMT(sem_model_node(c->model, d->node)->label),
				   d->column->name, grain != NULL ? "_" : "", grain != NULL ? grain : "") :
			       arena_printf(c->arena, "%s%s%s", d->column->name, grain != NULL ? "_" : "",
				   grain != NULL ? grain : "");
		if (name == NULL)
			return sem_fail(c->problem, SEM_PARSE_ERROR, d->field, "The query is too large.");
		d->header = span_str(name);
		for (size_t k = 0; k < i; k++) /* a column called day_month next to day by month */
			if (span_is_folded(c->dimensions[k].header, d->header) &&
			    (name = arena_printf(c->arena, "%s_%zu", name, i + 1)) != NULL) {
				d->header = span_str(name);
				k = (size_t)-1;
			}
	}
	return 0;
}

int
resolve_dimensions(struct sem_plan *c)
{
	if ((c->dimensions = arena_array(c->arena, c->query->ndimensions + 1, sizeof(c->dimensions[0]))) == NULL)
		return sem_fail(c->problem, SEM_PARSE_ERROR, SPAN_NONE, "The query is too large.");
	for (size_t i = 0; i < c->query->ndimensions; i++) {
		struct plan_dimension *d = &c->dimensions[c->ndimensions];
		bool repeated = false;

		*d = (struct plan_dimension){ 0 };
		if (read_dimension(c, &c->query->dimensions[i], d) == -1)
			return -1;
		for (size_t k = 0; k < c->ndimensions && !repeated; k++)
			repeated = same_dimension(&c->dimensions[k], d);
		c->ndimensions += !repeated;
	}
	return name_dimensions(c);
}

/* Whether the filter has names of columns, of measures, or both, outside aggregates. */
static void
classify(struct sem_plan *c, const struct expr *e, bool *group, bool *row)
{
	if (e->kind == EXPR_CALL && (e->flags & EXPR_AGGREGATE) != 0) {
		*group = true;
		return;
	}
	if (related_is(e)) {
		*row = true;
		return;
	}
	if (e->kind == EXPR_REF) {
		if (is_measure_name(c, e))
			*group = true;
		else
			*row = true;
		return;
	}
	if (e->kind == EXPR_SUBQUERY)
		return;
	for (const struct expr *x = e->first; x != NULL; x = x->next)
		classify(c, x, group, row);
}

static int
add_clause(struct sem_plan *c, struct span text, const struct expr *e, struct plan_filter ***tail)
{
	struct plan_filter *f;
	bool group = false, row = false;

	if (e->kind == EXPR_PAREN && e->nchildren == 1 && e->first->kind == EXPR_AND)
		e = e->first;
	if (e->kind == EXPR_AND) {
		for (const struct expr *x = e->first; x != NULL; x = x->next)
			if (add_clause(c, text, x, tail) == -1)
				return -1;
		return 0;
	}
	if (expr_find(e, EXPR_OVER) != NULL)
		return sem_fail(c->problem, SEM_WINDOW_FUNCTION, text, "The filter \"%.*s\" uses a window function.",
		    SPAN_FMT(text));
	classify(c, e, &group, &row);
	if (group && row)
		return sem_fail(c->problem, SEM_MIXED_FILTER, text,
		    "\"%.*s\" mixes conditions on rows and on groups in one OR; write them as separate filters.",
		    SPAN_FMT(text));
	if ((f = arena_alloc(c->arena, sizeof(*f))) == NULL)
		return sem_fail(c->problem, SEM_PARSE_ERROR, text, "The query is too large.");
	f->text = text;
	f->ast = e;
	f->group = group;
	**tail = f;
	*tail = &f->next;
	if (group)
		return (f->measure = measure_of_text(c, text, e)) != NULL ? 0 : -1;
	return names_row_sources(c, text, e, SEM_NONE, true, f->sources, &f->nsources);
}

int
resolve_filters(struct sem_plan *c)
{
	struct plan_filter **tail = &c->filters;

	c->filtering = true;
	for (size_t i = 0; i < c->query->nfilters; i++) {
		const struct expr *e =
		    expr_parse_bound(c->arena, c->query->filters[i], c->query->parameters, c->problem);

		if (e == NULL || add_clause(c, c->query->filters[i], e, &tail) == -1)
			return -1;
	}
	return 0;
}

/*
 * compile.c - plan a query: which sources aggregate what, which filters act
 * where, from where the groups come; see compile.h.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "semantic/compile.h"
#include "semantic/emit.h"
#include "semantic/fact.h"
#include "semantic/governed.h"
#include "semantic/names_row.h"
#include "semantic/related.h"
#include "semantic/report.h"
#include "semantic/resolve_query.h"
#include "semantic/select.h"
#include "semantic/shown.h"

__attribute__((format(printf, 2, 3)))
static int
add_note(struct sem_plan *c, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	const char *copy;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (c->nnotes == 64 || (copy = arena_printf(c->arena, "%s", text)) == NULL)
		return -1;
	c->notes[c->nnotes++] = span_str(copy);
	return 0;
}

/* "sum(orders.amount)" becomes sum_orders_amount. */
static struct span
name_from_text(struct sem_plan *c, struct span text)
{
	char *out = arena_alloc(c->arena, text.len + 3);
	size_t n = 0;

	if (out == NULL)
		return text;
	for (size_t i = 0; i < text.len; i++) {
		uint8_t ch = ascii_lower(text.p[i]);

		if (ascii_is_alnum(ch) || ch == '_') {
			if (n == 0 && ascii_is_digit(ch)) {
				out[n++] = 'm';
				out[n++] = '_';
			}
			out[n++] = (char)ch;
		} else if (n > 0 && out[n - 1] != '_')
			out[n++] = '_';
	}
	while (n > 0 && out[n - 1] == '_')
		n--;
	return span_of(out, n);
}

static int
fail_too_large(struct sem_problem *p, struct span at)
{
	return sem_fail(p, SEM_PARSE_ERROR, at, "The query is too large; ask for less at once.");
}

static int
name_measures(struct sem_plan *c)
{
	size_t n = c->query->nmeasures;

	c->names = arena_array(c->arena, n + 1, sizeof(c->names[0]));
	c->named = arena_array(c->arena, n + 1, sizeof(c->named[0]));
	c->outputs = arena_array(c->arena, n + 1, sizeof(c->outputs[0]));
	if (c->names == NULL || c->named == NULL || c->outputs == NULL)
		return fail_too_large(c->problem, SPAN_NONE);
	c->noutputs = n;
	for (size_t i = 0; i < n; i++) {
		const struct sem_measure_item *item = &c->query->measures[i];
		const struct expr *e = expr_parse(c->arena, item->expr, c->problem);

		if (e == NULL)
			return -1;
		c->names[i] = item->name.len > 0 ? item->name :
		    e->kind == EXPR_REF          ? e->parts[e->nparts - 1] :
						   name_from_text(c, item->expr);
	}
	return 0;
}

const struct plan_measure *
compile_predefined(const struct plan_measure *m)
{
	while (m->def == NULL && m->ast->kind == EXPR_REF && m->links != NULL)
		m = m->links->to;
	return m->def != NULL ? m : NULL;
}

static bool
same_output(const struct plan_output *a, const struct plan_output *b)
{
	const struct plan_measure *x = compile_predefined(a->measure), *y = compile_predefined(b->measure);

	return span_is(a->item->name, b->item->name) &&
	    (x != NULL ? x == y : y == NULL && span_is(a->item->expr, b->item->expr));
}

/* Compared without case: databases that fold case take Total and total for one column. */
static bool
same_header(struct span a, struct span b)
{
	return span_is_folded(a, b);
}

/* True when another column has this name: a dimension, or an output before n. */
static bool
header_taken(const struct sem_plan *c, size_t n, struct span name)
{
	for (size_t k = 0; k < n; k++)
		if (same_header(c->outputs[k].header, name))
			return true;
	for (size_t k = 0; k < c->ndimensions; k++)
		if (same_header(c->dimensions[k].header, name))
			return true;
	return false;
}

static bool
header_shared(const struct sem_plan *c, size_t i)
{
	struct span name = c->outputs[i].header;

	for (size_t k = 0; k < c->noutputs; k++)
		if (k != i && span_is(c->outputs[k].header, name))
			return true;
	for (size_t k = 0; k < c->ndimensions; k++)
		if (span_is(c->dimensions[k].header, name))
			return true;
	return false;
}

/* name, cut so that `more` bytes fit behind it within the database's longest name. */
static struct span
shortened(const struct sem_plan *c, struct span name, size_t more)
{
	size_t most = c->dialect->name_max;

	return most == SIZE_MAX || name.len + more <= most ? name :
							     span_of(name.p, utf8_cut(name.p, name.len, most - more));
}

/* Outputs with equal names are all renamed to source_measure; those that still clash get a number. */
static int
settle_headers(struct sem_plan *c)
{
	struct span *better = arena_array(c->arena, c->noutputs + 1, sizeof(*better));

	if (better == NULL)
		return fail_too_large(c->problem, SPAN_NONE);
	for (size_t i = 0; i < c->noutputs; i++) {
		const struct plan_measure *def = compile_predefined(c->outputs[i].measure);
		const char *name;

		better[i] = c->outputs[i].header;
		if (def == NULL || c->outputs[i].item->name.len > 0 || !header_shared(c, i))
			continue;
		name = arena_printf(c->arena, "%.*s_%s", SPAN_FMT(sem_model_node(c->model, def->scope)->label),
		    def->def->name);
		if (name != NULL)
			better[i] = span_str(name);
	}
	for (size_t i = 0; i < c->noutputs; i++) {
		c->outputs[i].header = shortened(c, better[i], 0);
		for (unsigned k = 2; header_taken(c, i, c->outputs[i].header); k++) {
			struct span stem = shortened(c, better[i], 11);
			const char *name = arena_printf(c->arena, "%.*s_%u", SPAN_FMT(stem), k);

			if (name == NULL)
				return fail_too_large(c->problem, better[i]);
			c->outputs[i].header = span_str(name);
		}
	}
	return 0;
}

/* Resolve every measure; drop those asked for twice. */
static int
resolve_outputs(struct sem_plan *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->query->nmeasures; i++) {
		struct plan_output o = { .item = &c->query->measures[i], .header = c->names[i] };
		bool repeated = false;

		if ((o.measure = resolve_measure_item(c, i)) == NULL)
			return -1;
		for (size_t k = 0; k < n && !repeated; k++)
			repeated = same_output(&c->outputs[k], &o);
		if (!repeated)
			c->outputs[n++] = o;
	}
	c->noutputs = n;
	c->asked = c->measures;
	return 0;
}

static int
assign_facts(struct sem_plan *c, struct plan_measure *m, unsigned depth)
{
	if (m->facts != 0)
		return 0;
	if (depth > PLAN_DERIVED_MAX)
		return sem_fail(c->problem, SEM_PARSE_ERROR, m->text,
		    "Measures may be derived from each other at most %d deep.", PLAN_DERIVED_MAX);
	for (const struct plan_atom *a = m->atoms; a != NULL; a = a->next) {
		uint32_t f = fact_of(c, a->base);

		if (f == SEM_NONE)
			return -1;
		m->facts |= 1u << f;
		c->facts[f].ranked =
		    c->facts[f].ranked || (c->dialect->percentile == NULL && emit_is_percentile(a->call));
	}
	for (const struct plan_link *l = m->links; l != NULL; l = l->next) {
		if (assign_facts(c, l->to, depth + 1) == -1)
			return -1;
		m->facts |= l->to->facts;
	}
	return 0;
}

/* A query without measures: its rows are those of the source from which all dimensions can be reached. */
static int
dimension_fact(struct sem_plan *c)
{
	bool connected = true;

	for (size_t i = 0; i < c->ndimensions; i++) {
		const struct sem_paths *p = sem_paths(c->model, c->arena, c->dimensions[i].node);
		bool all = p != NULL;

		for (size_t k = 0; k < c->ndimensions && all; k++)
			all = p->distance[c->dimensions[k].node] != SEM_NONE;
		if (all)
			return fact_of(c, c->dimensions[i].node) == SEM_NONE ? -1 : 0;
		connected = connected &&
		    sem_model_node(c->model, c->dimensions[i].node)->component ==
			sem_model_node(c->model, c->dimensions[0].node)->component;
	}
	return sem_fail(c->problem, connected ? SEM_FAN_OUT : SEM_NO_JOIN_PATH, c->dimensions[0].field,
	    "No source of these dimensions reaches all of them without multiplying rows; add a measure that says which "
	    "rows are meant.");
}

static int
unreachable_dimension(struct sem_plan *c, const struct plan_dimension *d, const struct plan_fact *lacking, bool some)
{
	struct span source = sem_model_node(c->model, d->node)->name;
	struct span fact = sem_model_node(c->model, lacking->root)->name;

	if (some)
		return sem_fail(c->problem, SEM_ASYMMETRIC_DIMENSIONS, d->field,
		    "\"%.*s\" is reached from some of the measures' sources but not from %.*s; use dimensions they all "
		    "share, or ask separately.",
		    SPAN_FMT(d->field), SPAN_FMT(fact));
	if (sem_model_node(c->model, d->node)->component != sem_model_node(c->model, lacking->root)->component)
		return sem_fail(c->problem, SEM_NO_JOIN_PATH, d->field,
		    "No join connects %.*s with %.*s; add one to the model, or use another dimension.", SPAN_FMT(fact),
		    SPAN_FMT(source));
	return sem_fail(c->problem, SEM_FAN_OUT, d->field,
	    "%.*s measures cannot be grouped by \"%.*s\": one row of %.*s has several of %.*s and would count several "
	    "times. Use a measure of %.*s, or a dimension that %.*s reaches.",
	    SPAN_FMT(fact), SPAN_FMT(d->field), SPAN_FMT(fact), SPAN_FMT(source), SPAN_FMT(source), SPAN_FMT(fact));
}

static int
place_dimensions(struct sem_plan *c)
{
	for (size_t i = 0; i < c->ndimensions; i++) {
		struct plan_dimension *d = &c->dimensions[i];
		const struct plan_fact *lacking = NULL;
		size_t reached = 0;

		for (size_t f = 0; f < c->nfacts; f++) {
			if (c->facts[f].paths->distance[d->node] != SEM_NONE)
				reached++;
			else if (lacking == NULL)
				lacking = &c->facts[f];
		}
		if (lacking != NULL)
			return unreachable_dimension(c, d, lacking, reached > 0);
		for (size_t f = 0; f < c->nfacts; f++) {
			struct plan_fact *fact = &c->facts[f];

			if (fact_need(c, fact, d->node) == -1)
				return -1;
			for (uint32_t at = d->node; at != fact->root; at = fact->paths->parent[at])
				fact->inner[at] = true;
		}
	}
	return 0;
}

static bool
reaches_all(struct sem_plan *c, const struct plan_fact *fact, const struct plan_filter *f)
{
	if (f->cond == NULL && related_astray(c, f->ast, fact->root) != SEM_NONE)
		return false;
	for (size_t i = 0; i < f->nsources; i++)
		if (fact->paths->distance[f->sources[i]] == SEM_NONE)
			return false;
	return true;
}

static int
unreachable_filter(struct sem_plan *c, const struct plan_filter *f)
{
	const struct plan_fact *fact = &c->facts[0];
	uint32_t astray = related_astray(c, f->ast, fact->root);
	bool connected = true;
	struct span culprit = { NULL, 0 };

	if (astray != SEM_NONE)
		return sem_fail(c->problem, SEM_NO_JOIN_PATH, f->text,
		    "The filter \"%.*s\" is about rows of %.*s, which no join leads to one row of %.*s; filter a "
		    "source that it reaches.",
		    SPAN_FMT(f->text), SPAN_FMT(sem_model_node(c->model, astray)->name),
		    SPAN_FMT(sem_model_node(c->model, fact->root)->name));

	for (size_t i = 0; i < f->nsources; i++) {
		const struct sem_node *n = sem_model_node(c->model, f->sources[i]);

		if (fact->paths->distance[f->sources[i]] == SEM_NONE && culprit.len == 0)
			culprit = n->name;
		connected = connected && n->component == sem_model_node(c->model, fact->root)->component;
	}
	return sem_fail(c->problem, connected ? SEM_FAN_OUT_FILTER : SEM_NO_JOIN_PATH, f->text,
	    connected ? "The filter \"%.*s\" needs %.*s, which would multiply the rows of %.*s; filter a source it "
			"reaches, or use a measure of %.*s." :
			"No join connects the filter \"%.*s\" (%.*s) with %.*s; add one to the model or remove the "
			"filter on %.*s.",
	    SPAN_FMT(f->text), SPAN_FMT(culprit), SPAN_FMT(sem_model_node(c->model, fact->root)->name),
	    SPAN_FMT(culprit));
}

/* Apply f to the facts that reach what it needs; the others are noted, unless there is no fact that reaches it. */
static void
place_filter(struct sem_plan *c, struct plan_filter *f)
{
	for (uint32_t i = 0; i < c->nfacts; i++)
		if (reaches_all(c, &c->facts[i], f))
			f->applied |= 1u << i;
	for (uint32_t i = 0; i < c->nfacts && f->applied != 0; i++)
		if ((f->applied & 1u << i) == 0)
			add_note(c,
			    "The %s \"%.*s\" was not applied to the measures of %.*s, which cannot reach it without "
			    "multiplying rows.",
			    f->cond != NULL ? "segment" : "filter", SPAN_FMT(f->text),
			    SPAN_FMT(sem_model_node(c->model, c->facts[i].root)->name));
}

static int
place_filters(struct sem_plan *c)
{
	for (struct plan_filter *f = c->filters; f != NULL; f = f->next) {
		if (f->group)
			continue;
		place_filter(c, f);
		if (f->applied == 0)
			return unreachable_filter(c, f);
	}
	return 0;
}

/* Segments act inside aggregates, so only measured facts count. */
static int
place_segments(struct sem_plan *c)
{
	for (struct plan_filter *f = c->segments; f != NULL; f = f->next) {
		struct span source = sem_model_node(c->model, f->sources[0])->name;

		place_filter(c, f);
		if (f->applied == 0)
			return sem_fail(c->problem, SEM_SEGMENT_NO_MATCHING_MEASURE, f->text,
			    "No measure of the query reaches %.*s without multiplying rows, so its segment would "
			    "change nothing; ask for a measure of %.*s, or use a filter.",
			    SPAN_FMT(source), SPAN_FMT(source));
	}
	return 0;
}

/* A source that may not be read, or a fault in its own file, refuses every query that uses the source. */
static int
check_node(struct sem_plan *c, uint32_t node)
{
	const struct sem_node *n = sem_model_node(c->model, node);
	const struct sem_trouble *t = sem_node_trouble(c->model, node);

	if (c->query->serves != NULL && !c->query->serves(c->query->serves_arg, n->source))
		return sem_fail(c->problem, SEM_UNKNOWN_SOURCE, n->name, SEM_UNKNOWN_SOURCE_TEXT, SPAN_FMT(n->name));
	return t == NULL ? 0 : sem_fail(c->problem, t->category, n->name, "%s", t->text);
}

static int
check_nodes(struct sem_plan *c)
{
	if (c->query->serves == NULL && sem_model_troubles(c->model) == 0)
		return 0;
	for (size_t f = 0; f < c->nfacts + c->nbeside; f++)
		for (uint32_t i = 0; i < sem_model_nodes(c->model); i++)
			if ((i == c->facts[f].root || c->facts[f].needed[i]) && check_node(c, i) == -1)
				return -1;
	return 0;
}

static int
plan_all(struct sem_plan *c)
{
	if (name_measures(c) == -1 || resolve_outputs(c) == -1 || resolve_dimensions(c) == -1 ||
	    settle_headers(c) == -1 || resolve_segments(c) == -1 || resolve_filters(c) == -1 || governed_check(c) == -1)
		return -1;
	for (size_t i = 0; i < c->noutputs; i++)
		if (assign_facts(c, c->outputs[i].measure, 0) == -1)
			return -1;
	for (struct plan_filter *f = c->filters; f != NULL; f = f->next)
		if (f->group && assign_facts(c, f->measure, 0) == -1)
			return -1;
	if (c->query->cut)
		add_note(c, "limit is %d, the most there is.", SEM_LIMIT_MAX);
	if (place_segments(c) == -1 || check_nodes(c) == -1 || (c->nfacts == 0 && dimension_fact(c) == -1) ||
	    place_dimensions(c) == -1 || place_filters(c) == -1 || check_nodes(c) == -1)
		return -1;
	c->anchor = SEM_NONE;
	if (c->nfacts == 1 && c->query->include_empty && c->ndimensions > 0)
		c->anchor = c->dimensions[0].node;
	return 0;
}

static int
compile_finish(struct sem_plan *c, struct buf *sql, struct buf *plan, struct sem_compiled *out)
{
	size_t n = c->ndimensions + c->noutputs;
	struct span *headers = arena_array(c->arena, n + 1, sizeof(*headers));
	const char *text = buf_cstr(sql), *shown, *probe;

	shown = arena_printf(c->arena, "%s\nLIMIT %lld", text, (long long)c->query->limit);
	probe = arena_printf(c->arena, "%s\nLIMIT %lld", text, (long long)c->query->limit + 1);
	/* What filters and measures need is known once they are written. */
	if (check_nodes(c) == -1 || report_put(c, plan) == -1)
		return -1;
	out->plan = arena_span(c->arena, buf_view(plan));
	if (headers == NULL || shown == NULL || probe == NULL || out->plan.p == NULL)
		return fail_too_large(c->problem, SPAN_NONE);
	for (size_t i = 0; i < n; i++)
		headers[i] = i < c->ndimensions ? c->dimensions[i].header : c->outputs[i - c->ndimensions].header;
	out->sql = span_str(shown);
	out->probe = span_str(probe);
	out->headers = headers;
	out->nheaders = n;
	out->notes = c->notes;
	out->nnotes = c->nnotes;
	out->undescribed = c->undescribed;
	return 0;
}

int
sem_compile(const struct sem_model *m, const struct dialect *d, const struct sem_query *q,
    struct arena *a, struct sem_compiled *out, struct sem_problem *p)
{
	struct sem_plan *c = arena_alloc(a, sizeof(*c));
	struct buf sql = BUF_MAX(SEM_SQL_MAX), plan = BUF_MAX(SEM_PLAN_MAX);
	int r = -1;

	*p = (struct sem_problem){ 0 };
	if (c == NULL || (c->notes = arena_array(a, 64, sizeof(c->notes[0]))) == NULL)
		return fail_too_large(p, SPAN_NONE);
	c->model = m;
	c->dialect = d;
	c->arena = a;
	c->problem = p;
	if ((c->query = sem_shown(m, q, a)) == NULL)
		return fail_too_large(p, SPAN_NONE);
	if (q->nmeasures == 0 && q->ndimensions == 0)
		return sem_fail(p, SEM_EMPTY_QUERY, SPAN_NONE,
		    "Ask for at least one measure or dimension; discover_data finds their names.");
	if (names_resolve(c) == 0 && plan_all(c) == 0 && select_put(c, &sql) == 0)
		r = compile_finish(c, &sql, &plan, out);
	buf_fini(&sql);
	buf_fini(&plan);
	return r;
}

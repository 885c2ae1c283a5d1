/*
 * export_metricflow.c - the semantic layer as semantic models and metrics of MetricFlow.
 *
 * A measure that is one aggregate is a measure and a simple metric of its name, its filter within its expression.  Of
 * another one each aggregate is a measure and a metric NAME_1, NAME_2, and the whole is a derived metric of these.
 */
#include <string.h>

#include "project/model/source_find.h"
#include "base/ascii.h"
#include "base/mem.h"
#include "base/text/sql_quote.h"
#include "cli/export/export_expression.h"
#include "cli/export/export_metricflow.h"
#include "semantic/expr.h"

#define NO_NAME	"MetricFlow's names are lower-case letters, digits and single underscores"

struct flow {
	struct export	*x;
	const struct source *source;
	struct buf	 measures, metrics;	/* the list of the model, and that of all */
};

static bool
is_name(const char *name)
{
	bool fits = ascii_is_lower((uint8_t)name[0]) && strstr(name, "__") == NULL && name[strlen(name) - 1] != '_';

	for (; *name != '\0' && fits; name++)
		fits = ascii_is_lower((uint8_t)*name) || ascii_is_digit((uint8_t)*name) || *name == '_';
	return fits;
}

/* The description, and other words as a sentence of it (project/model/also.h). */
static void
put_description(struct buf *out, unsigned indent, struct span said, const struct source_words *w)
{
	struct buf text = { 0 };

	buf_span(&text, said);
	if (said.len > 0 && w->nsynonyms > 0 && !ascii_is_any(said.p[said.len - 1], ".!?"))
		buf_byte(&text, '.');
	if (said.len == 0 || memmem(said.p, said.len, "Also called", 11) == NULL)
		for (size_t i = 0; i < w->nsynonyms; i++)
			buf_printf(&text, "%s%s%s",
			    i > 0            ? ", " :
				text.len > 0 ? " Also called " :
					       "Also called ",
			    w->synonyms[i], i + 1 == w->nsynonyms ? "." : "");
	if (text.len > 0)
		export_key(out, indent, "description", buf_view(&text));
	buf_fini(&text);
}

static void
put_dimension(struct flow *f, const struct source_column *c)
{
	struct export *x = f->x;

	if (c->visibility == SOURCE_HIDDEN)
		return;
	if (!is_name(c->name)) {
		export_leave(x, "column", f->source->name, c->name, NO_NAME);
		return;
	}
	buf_printf(&x->out, "      - name: %s\n        type: %s\n", c->name,
	    export_is_time(c) ? "time" : "categorical");
	if (export_is_time(c))
		buf_printf(&x->out, "        type_params: {time_granularity: %s}\n",
		    c->granularity != NULL ? c->granularity : "day");
	if (c->expr != NULL)
		export_key(&x->out, 8, "expr", span_str(c->expr));
	if (c->words.label.len > 0)
		export_key(&x->out, 8, "label", c->words.label);
	put_description(&x->out, 8, c->description, &c->words);
}

static void
put_entity(struct export *x, const char *name, const char *type, struct span column)
{
	struct buf expr = { 0 };

	sql_quote_name(&expr, column);
	buf_printf(&x->out, "      - name: %s\n        type: %s\n", name, type);
	export_key(&x->out, 8, "expr", buf_view(&expr));
	buf_fini(&expr);
}

/* The joins that lead to the one column that is the key of their table; a table is reached once. */
static void
put_entities(struct flow *f)
{
	const struct source *s = f->source;
	const struct export_join *v;
	size_t n = export_joins(f->x, s, &v);
	struct buf *out = &f->x->out;

	buf_str(out, "    entities:\n");
	if (export_has_key(s) && s->ngrain == 1)
		put_entity(f->x, s->name, "primary", span_str(s->grain[0]));
	for (size_t i = 0; i < n; i++) {
		const struct export_join *j = &v[i];
		const char *why =
		    j->to->ngrain != 1 || j->npairs != 1 || !span_is_str(j->pairs[0].target, j->to->grain[0]) ?
		    "an entity is one column, which is the key of the other table" :
		    !is_name(j->to->name) ? NO_NAME :
					    NULL;

		for (size_t k = 0; k < i && why == NULL; k++)
			if (v[k].to == j->to)
				why = "two models have one way between them";
		if (why == NULL)
			put_entity(f->x, j->to->name, j->single ? "unique" : "foreign", j->pairs[0].local);
		if (why != NULL || j->alias != NULL)
			export_leave(f->x, why != NULL ? "join" : "alias", s->name,
			    j->alias != NULL ? j->alias : j->to->name,
			    why != NULL ? why : "an entity has no second name");
	}
	if (span_ends(buf_view(out), "    entities:\n"))
		out->len -= strlen("    entities:\n");
	if (!export_has_key(s) || s->ngrain != 1)
		buf_printf(out, "    primary_entity: %s\n", s->name);
}

/* The aggregation of MetricFlow that a call is; NULL: none.  *param: a percentile. */
static const char *
aggregation_of(const struct expr *e, const struct expr **param)
{
	static const char *const names[][2] = { { "sum", "sum" }, { "min", "min" }, { "max", "max" },
		{ "avg", "average" }, { "median", "median" }, { "count", "count" } };

	*param = NULL;
	if ((e->flags & EXPR_DISTINCT) != 0)
		return span_is_str(e->parts[0], "count") && e->nargs == 1 ? "count_distinct" : NULL;
	if (span_is_str(e->parts[0], "percentile") && e->nargs == 2) {
		*param = e->first->next;
		return "percentile";
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && e->nargs == 1; i++)
		if (span_is_str(e->parts[0], names[i][0]))
			return names[i][1];
	return NULL;
}

/* The metric's head: its type and what it says. */
static void
put_metric(struct flow *f, const char *name, const struct source_measure *m, const char *type)
{
	struct span label = m == NULL || m->words.label.len == 0 ? span_str(name) : m->words.label;

	buf_printf(&f->metrics, "  - name: %s\n    type: %s\n", name, type);
	export_key(&f->metrics, 4, "label", label);
	if (m != NULL)
		put_description(&f->metrics, 4, m->description, &m->words);
}

/* An aggregate as a measure, and a simple metric of its name.  False: MetricFlow has no such aggregation. */
static bool
put_aggregate(struct flow *f, const char *name, const struct source_measure *m, const char *text, const struct expr *e)
{
	const struct expr *param;
	const char *agg = aggregation_of(e, &param);

	if (agg == NULL)
		return false;
	buf_printf(&f->measures, "      - name: %s\n        agg: %s\n", name, agg);
	export_key(&f->measures, 8, "expr", span_of(text + e->first->start, e->first->end - e->first->start));
	if (param != NULL)
		buf_printf(&f->measures,
		    "        agg_params: {percentile: %.*s, use_discrete_percentile: false, "
		    "use_approximate_percentile: false}\n",
		    (int)(param->end - param->start), text + param->start);
	put_metric(f, name, m, "simple");
	buf_printf(&f->metrics, "    type_params: {measure: %s}\n", name);
	return true;
}

/* The text of a derived metric, with metrics in place of aggregates; false as above. */
static bool
put_parts(struct flow *f, const char *name, const char *text, const struct expr *e, size_t *at, unsigned *n,
    struct buf *out)
{
	if (e->kind == EXPR_CALL && (e->flags & EXPR_AGGREGATE) != 0) {
		const char *part = mem_must(arena_printf(f->x->a, "%s_%u", name, ++*n));

		buf_printf(out, "%.*s%s", (int)(e->start - *at), text + *at, part);
		*at = e->end;
		return put_aggregate(f, part, NULL, text, e);
	}
	for (const struct expr *c = e->first; c != NULL; c = c->next)
		if (!put_parts(f, name, text, c, at, n, out))
			return false;
	return true;
}

static bool
put_derived(struct flow *f, const char *name, const struct source_measure *m, const char *text, const struct expr *e)
{
	struct buf expr = { 0 };
	size_t at = 0;
	unsigned n = 0;
	bool whole = put_parts(f, name, text, e, &at, &n, &expr) && n > 0;

	if (whole) {
		buf_str(&expr, text + at);
		put_metric(f, name, m, "derived");
		buf_str(&f->metrics, "    type_params:\n");
		export_key(&f->metrics, 6, "expr", buf_view(&expr));
		buf_str(&f->metrics, "      metrics: [");
		for (unsigned i = 1; i <= n; i++)
			buf_printf(&f->metrics, "%s{name: %s_%u}", i > 1 ? ", " : "", name, i);
		buf_str(&f->metrics, "]\n");
	}
	buf_fini(&expr);
	return whole;
}

static void
put_measure(struct flow *f, const struct source_measure *m)
{
	const char *why = NULL, *name = export_metric_name(f->x, f->source, m),
		   *text = is_name(name) ? export_expression(f->x, f->source, m, true, &why) : NULL;
	size_t measures = f->measures.len, metrics = f->metrics.len;
	struct sem_problem p;
	const struct expr *e = text == NULL ? NULL : expr_parse(f->x->a, span_str(text), &p);

	if (e != NULL && source_find_column(f->source, span_str(name)) != NULL) {
		why = "a dimension has its name";
		e = NULL;
	}
	if (e != NULL &&
	    (e->kind == EXPR_CALL && (e->flags & EXPR_AGGREGATE) != 0 ? put_aggregate(f, name, m, text, e) :
									put_derived(f, name, m, text, e))) {
		export_leave_meaning(f->x, f->source, m);
		return;
	}
	f->measures.len = measures;
	f->metrics.len = metrics;
	export_leave(f->x, "measure", f->source->name, m->name,
	    why != NULL      ? why :
		text == NULL ? NO_NAME :
			       "MetricFlow has no such aggregation");
}

static void
put_model(struct flow *f, const struct source *s)
{
	const char *dot = strrchr(s->table, '.'), *date = s->time_dimension;
	const struct source_column *set = date == NULL ? NULL : source_find_column(s, span_str(date));
	struct export *x = f->x;

	f->source = s;
	f->measures.len = 0;
	/* A date whose dimension is left out cannot be named. */
	if (set == NULL || set->visibility == SOURCE_HIDDEN || !export_is_time(set) || !is_name(date))
		date = NULL;
	for (size_t i = 0; i < s->ncolumns && date == NULL; i++)
		if (export_is_time(&s->columns[i]) && s->columns[i].visibility != SOURCE_HIDDEN &&
		    is_name(s->columns[i].name))
			date = s->columns[i].name;
	buf_printf(&x->out, "  - name: %s\n", s->name);
	export_key(&x->out, 4, "model",
	    span_str(mem_must(arena_printf(x->a, "ref('%s')", dot != NULL ? dot + 1 : s->table))));
	if (s->words.label.len > 0)
		export_key(&x->out, 4, "label", s->words.label);
	put_description(&x->out, 4, s->description, &s->words);
	if (date != NULL)
		buf_printf(&x->out, "    defaults: {agg_time_dimension: %s}\n", date);
	put_entities(f);
	buf_str(&x->out, s->ncolumns > 0 ? "    dimensions:\n" : "");
	for (size_t i = 0; i < s->ncolumns; i++)
		put_dimension(f, &s->columns[i]);
	for (size_t i = 0; i < s->nmeasures; i++)
		if (date == NULL)
			export_leave(x, "measure", s->name, s->measures[i].name, "its source has no date");
		else
			put_measure(f, &s->measures[i]);
	export_leave_segments(x, s);
	if (f->measures.len > 0)
		buf_printf(&x->out, "    measures:\n%.*s", SPAN_FMT(buf_view(&f->measures)));
}

void
export_metricflow(struct export *x)
{
	struct flow f = { .x = x };

	buf_str(&x->out, "semantic_models:\n");
	for (size_t i = 0; i < source_set_count(x->set); i++) {
		const struct source *s = source_set_at(x->set, i);

		if (!export_has_table(x, s))
			continue;
		if (is_name(s->name))
			put_model(&f, s);
		else
			export_leave(x, "source", NULL, s->name, NO_NAME);
	}
	if (f.metrics.len > 0)
		buf_printf(&x->out, "metrics:\n%.*s", SPAN_FMT(buf_view(&f.metrics)));
	buf_fini(&f.measures);
	buf_fini(&f.metrics);
}

/*
 * metrics.c - metrics as measures of the models whose rows they aggregate.
 *
 * MetricFlow aggregates the rows that a metric's filter leaves: a group without such a row has no value.  A filter here
 * acts inside of aggregates, where a count would be 0; so counts under a filter are written such that they are NULL
 * then, and every number is the same in each group.  What cannot be said exactly is refused, with what is missing.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/text/sqltext.h"
#include "workers/import/knowledge/metrics.h"
#include "workers/import/knowledge/templates.h"

#define DERIVED_MAX	16	/* metrics of metrics of ... */

/*
 * How an aggregation is written: of all rows, under the measure's filter, and for rows that meet a condition.  X is the
 * expression, C the condition, P the percentile.
 */
struct mf_aggregation {
	const char	*name, *plain, *filtered, *where;
};

static const struct mf_aggregation aggregations[] = {
	{ "sum", "sum(X)", "sum(X)", "sum(case when C then X end)" },
	{ "min", "min(X)", "min(X)", "min(case when C then X end)" },
	{ "max", "max(X)", "max(X)", "max(case when C then X end)" },
	{ "average", "avg(X)", "avg(X)", "avg(case when C then X end)" },
	{ "median", "median(X)", "median(X)", "median(case when C then X end)" },
	{ "percentile", "percentile(X, P)", "percentile(X, P)", "percentile(case when C then X end, P)" },
	{ "sum_boolean", "sum(case when X then 1 else 0 end)", "sum(case when X then 1 else 0 end)",
	    "sum(case when C then case when X then 1 else 0 end end)" },
	{ "count", "count(X)", "sum(case when X is not null then 1 else 0 end)",
	    "sum(case when C then case when X is not null then 1 else 0 end end)" },
	{ "count_distinct", "count(distinct X)", "case when count(*) > 0 then count(distinct X) end",
	    "case when count(case when C then 1 end) > 0 then count(distinct case when C then X end) end" },
};

static int refuse_metric(struct mf_metric *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int
refuse_metric(struct mf_metric *m, const char *fmt, ...)
{
	va_list ap;

	free(m->why);
	va_start(ap, fmt);
	if (vasprintf(&m->why, fmt, ap) < 0)
		m->why = NULL;
	va_end(ap);
	m->state = MF_REFUSED;
	return -1;
}

/* What each part of a metric may say.  Another key could limit or change the number, so it is refused. */
static const char *const metric_keys[] = { "name", "description", "type", "type_params", "filter", "label", "config",
	"meta", "metadata", "tags", "time_granularity",
	/* of a manifest of dbt */
	"resource_type", "package_name", "path", "original_file_path", "unique_id", "fqn", "unrendered_config",
	"sources", "depends_on", "refs", "metrics", "created_at", "group", "doc_blocks", NULL };
static const char *const params_keys[] = { "measure", "input_measures", "numerator", "denominator", "expr", "window",
	"grain_to_date", "metrics", "conversion_type_params", "cumulative_type_params", "metric_aggregation_params",
	"join_to_timespine", "fill_nulls_with", "is_private", NULL };
static const char *const input_keys[] = { "name", "filter", "alias", "join_to_timespine", "fill_nulls_with",
	"offset_window", "offset_to_grain", NULL };
static const char *const measure_keys[] = { "name", "agg", "description", "label", "create_metric", "expr",
	"agg_params", "metadata", "non_additive_dimension", "agg_time_dimension", "config", "meta",
	"semantic_model", NULL };
static const char *const agg_keys[] = { "percentile", "use_discrete_percentile", "use_approximate_percentile", NULL };

/* Why the measure has no place in the semantic layer; NULL: it has. */
static const char *
refuse_measure(struct mf *f, const struct mf_measure *m)
{
	const struct yaml_node *over = yaml_get(m->node, "non_additive_dimension");
	bool on;
	const struct yaml_node *params = yaml_get(m->node, "agg_params"),
			       *odd = tree_unknown_key(m->node, measure_keys);

	if (odd == NULL)
		odd = tree_unknown_key(params, agg_keys);
	if (odd != NULL)
		return (const char *)knowledge_text(f->k, TREE_UNKNOWN, SPAN_FMT(odd->text)).p;
	if (template_is(m->expr))
		return "its expression is a template";
	if (tree_is_false(yaml_get(yaml_get(m->node, "config"), "enabled")))
		return "it is switched off";
	if (over != NULL && over->kind == YAML_MAPPING)
		return (const char *)knowledge_text(f->k,
		    "it is semi-additive over %.*s: the semantic layer takes no first or last value of a period",
		    SPAN_FMT(tree_get_text(over, "name")))
		    .p;
	if (span_is_word(tree_get_text(m->node, "agg"), "percentile") &&
	    ((yaml_bool(yaml_get(params, "use_discrete_percentile"), &on) && on) ||
		(yaml_bool(yaml_get(params, "use_approximate_percentile"), &on) && on) ||
		tree_get_text(params, "percentile").len == 0))
		return "percentiles here are continuous and exact, its is not";
	for (size_t i = 0; i < sizeof(aggregations) / sizeof(aggregations[0]); i++)
		if (span_is_word(tree_get_text(m->node, "agg"), aggregations[i].name))
			return NULL;
	return "its aggregation is not known";
}

/* The aggregate; where, if it is not empty, decides which rows count. */
static struct span
aggregate_text(struct mf *f, const struct mf_measure *m, bool filtered, struct span where)
{
	struct span p = tree_get_text(yaml_get(m->node, "agg_params"), "percentile"), s, x = m->expr;
	const char *form = "";
	struct buf out = { 0 };

	for (size_t i = 0; i < sizeof(aggregations) / sizeof(aggregations[0]); i++)
		if (span_is_word(tree_get_text(m->node, "agg"), aggregations[i].name))
			form = where.len > 0 ? aggregations[i].where :
			    filtered         ? aggregations[i].filtered :
					       aggregations[i].plain;
	if (span_is_str(x, "*"))
		x = SPAN("1");
	for (; *form != '\0'; form++)
		if (*form == 'X')
			buf_span(&out, x);
		else if (*form == 'C')
			buf_span(&out, where);
		else if (*form == 'P')
			buf_span(&out, p);
		else
			buf_byte(&out, (uint8_t)*form);
	s = knowledge_copy(f->k, buf_view(&out));
	buf_fini(&out);
	return s;
}

/* "order__is_food" as "order" and "is_food"; false: several joins, or no entity. */
static bool
cut_path(struct span path, struct span *entity, struct span *name)
{
	const uint8_t *two = tree_find(path, "__");

	if (two == NULL || two == path.p)
		return false;
	*entity = span_of(path.p, (size_t)(two - path.p));
	*name = span_of(two + 2, path.len - entity->len - 2);
	return name->len > 0 && tree_find(*name, "__") == NULL;
}

/* The grains whose periods begin on a day that its text shows: in it, each '9' of the form is a digit. */
static const struct {
	const char	*grain, *first;
} periods[] = { { "day", "'9999-99-99'" }, { "month", "'9999-99-01'" }, { "year", "'9999-01-01'" } };

/* Whether the text is, or ends in, a word between conditions: nothing is computed with what follows. */
static bool
ends_condition(struct span before)
{
	static const char *const words[] = { "and", "or", "not" };

	before = span_trim(before);
	if (before.len == 0 || before.p[before.len - 1] == '(')
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (before.len >= n && span_is_word(span_of(before.p + before.len - n, n), words[i]) &&
		    (before.len == n || !ascii_is_alnum(before.p[before.len - n - 1])))
			return true;
	}
	return false;
}

/*
 * Whether the condition is >= or < with the first day of a period: then the time compares as the beginning of its
 * period does, which is what MetricFlow compares.
 */
static bool
meets_period(struct span before, struct span rest, struct span grain)
{
	bool least = span_begins(rest = span_trim(rest), ">=");
	const char *form = "";
	size_t n;

	if (!ends_condition(before) ||
	    (!least && (!span_begins(rest, "<") || span_begins(rest, "<=") || span_begins(rest, "<>"))))
		return false;
	rest = span_trim(span_of(rest.p + 1 + least, rest.len - 1 - least));
	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		if (span_is_word(grain, periods[i].grain))
			form = periods[i].first;
	for (n = 0; form[n] != '\0'; n++)
		if (n >= rest.len || (form[n] == '9' ? !ascii_is_digit(rest.p[n]) : rest.p[n] != (uint8_t)form[n]))
			return false;
	rest = span_trim(span_of(rest.p + n, rest.len - n));
	return n > 0 &&
	    (rest.len == 0 || rest.p[0] == ')' || span_begins_word(rest, "and ") || span_begins_word(rest, "or "));
}

/* What stands for a call of a filter between these texts, as a reference; -1: refused. */
static int
put_reference(struct mf *f, struct mf_metric *m, const struct mf_model *home, const struct template_call *c,
    struct span before, struct span rest, struct buf *out)
{
	bool bucket = span_is_str(c->name, "TimeDimension") && (c->nargs == 1 || c->nargs == 2);
	const struct yaml_node *dimension;
	const struct mf_model *of;
	struct span entity, name, grain;

	if (span_is_str(c->name, "Entity") && c->nargs == 1 && mf_part(home, "entities", c->args[0]) != NULL) {
		buf_printf(out, "{{%.*s.%.*s}}", SPAN_FMT(home->out->name),
		    SPAN_FMT(mf_entity_column(mf_part(home, "entities", c->args[0]))));
		return 0;
	}
	if (!bucket && (!span_is_str(c->name, "Dimension") || c->nargs != 1))
		return refuse_metric(m, "its filter uses %.*s(), which a filter here cannot say", SPAN_FMT(c->name));
	if (!cut_path(c->args[0], &entity, &name))
		return refuse_metric(m, "its filter names %.*s, which is not one join away", SPAN_FMT(c->args[0]));
	if ((of = mf_model_of(f, home, entity, name)) == NULL)
		return refuse_metric(m, "its filter names %.*s, which no semantic model next to %.*s has",
		    SPAN_FMT(c->args[0]), SPAN_FMT(home->name));
	dimension = mf_part(of, "dimensions", name);
	grain = c->nargs == 2 ? c->args[1] : tree_get_text(yaml_get(dimension, "type_params"), "time_granularity");
	if ((bucket || span_is_word(tree_get_text(dimension, "type"), "time")) && !meets_period(before, rest, grain))
		return refuse_metric(m,
		    "its filter compares the beginning of a period of %.*s otherwise than by >= or < with a first day",
		    SPAN_FMT(name));
	buf_printf(out, "{{%.*s.%.*s}}", SPAN_FMT(of->out->name), SPAN_FMT(name));
	return 0;
}

/* One condition, in parentheses, behind those that out has. */
static int
put_condition(struct mf *f, struct mf_metric *m, const struct mf_model *home, struct span text, struct buf *out)
{
	struct span before, rest = span_trim(text);
	struct template_call c;
	int r;

	if (rest.len == 0)
		return 0;
	buf_str(out, out->len > 0 ? " and (" : "(");
	while ((r = template_next(&rest, &before, &c)) == 1) {
		buf_span(out, before);
		if (put_reference(f, m, home, &c, before, rest, out) != 0)
			return -1;
	}
	if (r < 0)
		return refuse_metric(m, "its filter has a template that is not run");
	buf_span(out, before);
	buf_byte(out, ')');
	return 0;
}

/* A filter: a text, a list of them, or as a manifest has it. */
static int
put_filter(struct mf *f, struct mf_metric *m, const struct mf_model *home, const struct yaml_node *n, struct buf *out)
{
	if (n != NULL && n->kind == YAML_MAPPING && (n = yaml_get(n, "where_filters")) == NULL)
		return refuse_metric(m, "its filter has a form that is not known here");
	if (n == NULL || n->kind == YAML_NULL)
		return 0;
	if (n->kind == YAML_SCALAR)
		return put_condition(f, m, home, n->text, out);
	for (size_t i = 0; i < n->n; i++) {
		struct span text = tree_text(&n->items[i]);

		if (text.len == 0)
			text = tree_get_text(&n->items[i], "where_sql_template");
		if (text.len == 0 && tree_is_said(&n->items[i]) && n->items[i].kind != YAML_SCALAR)
			return refuse_metric(m, "its filter has a form that is not known here");
		if (put_condition(f, m, home, text, out) != 0)
			return -1;
	}
	return 0;
}

static int take_metric(struct mf *f, struct mf_metric *m, unsigned depth);

static void
add_metric(struct mf *f, struct mf_metric *m, struct span expr, struct span filter, bool apart)
{
	struct knowledge_entry *e = knowledge_entry_add(f->k, m->home->out, KNOWLEDGE_MEASURE, "metric", m->name);
	struct span date = m->measure == NULL ? SPAN_NONE : tree_get_text(m->measure->node, "agg_time_dimension");

	e->expr = expr;
	e->filter = filter;
	e->apart = m->apart = apart;
	e->label = tree_get_text(m->node, "label");
	/* A label is required there: one that is the name says nothing. */
	if (span_is(e->label, m->name))
		e->label = SPAN_NONE;
	e->said = tree_get_text(m->node, "description");
	if (e->said.len == 0 && m->measure != NULL)
		e->said = tree_get_text(m->measure->node, "description");
	if (date.len > 0 && !span_is(date, m->home->time))
		e->said = knowledge_text(f->k, "%.*s%sIts date is %.*s.", SPAN_FMT(e->said), e->said.len > 0 ? " " : "",
		    SPAN_FMT(date));
	m->state = MF_TAKEN;
}

/* The measure of a simple metric: named, or the metric's own aggregation of newer releases. */
static struct mf_measure *
measure_of(struct mf *f, struct mf_metric *m, const struct yaml_node **input)
{
	const struct yaml_node *params = yaml_get(m->node, "type_params"),
			       *own = yaml_get(params, "metric_aggregation_params"), *of = yaml_get(params, "measure");
	struct span name = of != NULL && of->kind == YAML_MAPPING ? tree_get_text(of, "name") : tree_text(of);
	struct mf_measure *measure;

	*input = of;
	if (name.len > 0 || own == NULL || own->kind != YAML_MAPPING) {
		if ((measure = mf_measure_named(f, name)) == NULL)
			refuse_metric(m, name.len > 0 ? "there is no measure %.*s" : "it names no measure",
			    SPAN_FMT(name));
		return measure;
	}
	for (size_t i = 0; i < f->nmodels; i++)
		if (span_is(f->models[i]->name, tree_get_text(own, "semantic_model"))) {
			struct span expr = tree_get_text(params, "expr");

			if (expr.len == 0)
				expr = tree_get_text(own, "expr");
			measure = knowledge_alloc(f->k, sizeof(*measure));
			*measure =
			    (struct mf_measure){ m->name, expr.len > 0 ? expr : m->name, own, f->models[i], false };
			return measure;
		}
	refuse_metric(m, "its semantic model was not read");
	return NULL;
}

/* What an input or the parameters of a metric add and the semantic layer does not have.  -1: refused. */
static int
check_input(struct mf_metric *m, const struct yaml_node *input, const char *const *known)
{
	const struct yaml_node *odd = tree_unknown_key(input, known);
	bool on;

	if (odd != NULL)
		return refuse_metric(m, TREE_UNKNOWN, SPAN_FMT(odd->text));
	if (yaml_bool(yaml_get(input, "join_to_timespine"), &on) && on)
		return refuse_metric(m, "it fills in days without rows: the semantic layer has no time spine");
	if (tree_is_said(yaml_get(input, "fill_nulls_with")))
		return refuse_metric(m, "it fills in NULL with a number, also in groups that have no row here");
	if (tree_is_said(yaml_get(input, "offset_window")) || tree_is_said(yaml_get(input, "offset_to_grain")))
		return refuse_metric(m, "it is compared with another period: the semantic layer has no offset windows");
	return 0;
}

static int
take_simple(struct mf *f, struct mf_metric *m)
{
	const struct yaml_node *input;
	struct mf_measure *measure = measure_of(f, m, &input);
	struct buf filter = { 0 };
	const char *why;
	int r = -1;

	if (measure == NULL || check_input(m, input, input_keys) != 0)
		return -1;
	m->measure = measure;
	m->home = measure->model;
	if ((why = refuse_measure(f, measure)) != NULL)
		return refuse_metric(m, "%s", why);
	if (put_filter(f, m, m->home, yaml_get(input, "filter"), &filter) == 0 &&
	    put_filter(f, m, m->home, yaml_get(m->node, "filter"), &filter) == 0) {
		m->filter = knowledge_copy(f->k, buf_view(&filter));
		measure->taken = measure->taken || m->filter.len == 0;
		add_metric(f, m, aggregate_text(f, measure, m->filter.len > 0, SPAN_NONE), m->filter, false);
		r = 0;
	}
	buf_fini(&filter);
	return r;
}

struct mf_input {
	struct span	 name, text;	/* in the expression, and what stands for it */
};

/*
 * What stands for an input: the measure's name, or under a filter its aggregate again.  The first input decides whose
 * rows the metric is of; *apart: another one is of other rows.
 */
static int
take_input(struct mf *f, struct mf_metric *m, const struct yaml_node *n, struct mf_input *out, bool *apart,
    unsigned depth)
{
	struct span name = n->kind == YAML_MAPPING ? tree_get_text(n, "name") : tree_text(n),
		    alias = tree_get_text(n, "alias");
	struct mf_metric *of = mf_metric_named(f, name);
	struct buf where = { 0 };
	int r = -1;

	if (of == NULL)
		return refuse_metric(m, "there is no metric %.*s", SPAN_FMT(name));
	if (check_input(m, n, input_keys) != 0)
		return -1;
	if (take_metric(f, of, depth + 1) != 0)
		return refuse_metric(m, "it needs the metric %.*s, which was skipped", SPAN_FMT(name));
	*apart = *apart || (m->home != NULL && m->home != of->home) || of->apart;
	if (m->home == NULL)
		m->home = of->home;
	out->name = alias.len > 0 ? alias : name;
	if (put_filter(f, m, of->home, yaml_get(n, "filter"), &where) != 0 ||
	    put_filter(f, m, of->home, yaml_get(m->node, "filter"), &where) != 0)
		;
	else if (where.len == 0) {
		out->text = knowledge_text(f->k, "{{%.*s:%.*s}}", SPAN_FMT(of->home->out->name), SPAN_FMT(name));
		r = 0;
	} else if (of->measure == NULL || of->home != m->home)
		refuse_metric(m, "its input %.*s has a filter of its own, and is %s", SPAN_FMT(name),
		    of->measure == NULL ? "made of other metrics" : "of other rows than the first");
	else {
		if (of->filter.len > 0)
			buf_printf(&where, " and %.*s", SPAN_FMT(of->filter));
		out->text =
		    knowledge_text(f->k, "(%.*s)", SPAN_FMT(aggregate_text(f, of->measure, true, buf_view(&where))));
		r = 0;
	}
	buf_fini(&where);
	return r;
}

static int
take_ratio(struct mf *f, struct mf_metric *m, unsigned depth)
{
	static const char *const sides[] = { "numerator", "denominator" };
	struct mf_input in[2];
	bool apart = false;

	for (size_t i = 0; i < 2; i++) {
		const struct yaml_node *side = yaml_get(yaml_get(m->node, "type_params"), sides[i]);

		if (side == NULL)
			return refuse_metric(m, "it has no %s", sides[i]);
		if (take_input(f, m, side, &in[i], &apart, depth) != 0)
			return -1;
	}
	add_metric(f, m, knowledge_text(f->k, "%.*s / %.*s", SPAN_FMT(in[0].text), SPAN_FMT(in[1].text)), SPAN_NONE,
	    apart);
	return 0;
}

/* The expression with what stands for its inputs in their places. */
static struct span
derive_text(struct mf *f, struct span expr, const struct mf_input *in, size_t n)
{
	struct sqltext s = { SQLTEXT_EXPRESSION, expr, 0 };
	struct sqltext_token t, last = { .kind = SQLTEXT_END };
	struct buf out = { 0 };
	struct span copy;

	while ((t = sqltext_piece(&s)).kind != SQLTEXT_END) {
		struct span text = t.text;

		for (size_t i = 0;
		     i < n && t.kind == SQLTEXT_WORD && !sqltext_is_punct(&last, '.') && sqltext_peek(&s, 0) != '.';
		     i++)
			if (span_is(in[i].name, t.text))
				text = in[i].text;
		buf_span(&out, text);
		last = t;
	}
	copy = knowledge_copy(f->k, buf_view(&out));
	buf_fini(&out);
	return copy;
}

static int
take_derived(struct mf *f, struct mf_metric *m, unsigned depth)
{
	const struct yaml_node *params = yaml_get(m->node, "type_params"), *list = yaml_get(params, "metrics");
	struct span expr = tree_get_text(params, "expr");
	size_t n = yaml_length(list);
	struct mf_input *in = knowledge_alloc(f->k, (n + 1) * sizeof(*in));
	bool apart = false;

	if (n == 0 || expr.len == 0 || template_is(expr))
		return refuse_metric(m, "it has no expression over metrics");
	for (size_t i = 0; i < n; i++)
		if (take_input(f, m, &list->items[i], &in[i], &apart, depth) != 0)
			return -1;
	add_metric(f, m, derive_text(f, expr, in, n), SPAN_NONE, apart);
	return 0;
}

static int
take_by_type(struct mf *f, struct mf_metric *m, unsigned depth)
{
	const struct yaml_node *odd = tree_unknown_key(m->node, metric_keys);

	if (yaml_get(m->node, "calculation_method") != NULL)
		return refuse_metric(m, "it has the form of dbt before 1.6");
	if (odd != NULL)
		return refuse_metric(m, TREE_UNKNOWN, SPAN_FMT(odd->text));
	if (check_input(m, yaml_get(m->node, "type_params"), params_keys) != 0)
		return -1;
	if (span_is_word(m->type, "simple"))
		return take_simple(f, m);
	if (span_is_word(m->type, "ratio"))
		return take_ratio(f, m, depth);
	if (span_is_word(m->type, "derived"))
		return take_derived(f, m, depth);
	if (span_is_word(m->type, "cumulative"))
		return refuse_metric(m, "it is cumulative: the semantic layer has no running windows");
	if (span_is_word(m->type, "conversion"))
		return refuse_metric(m, "it counts conversions: the semantic layer pairs no events");
	return refuse_metric(m, "its type is not known");
}

static int
take_metric(struct mf *f, struct mf_metric *m, unsigned depth)
{
	if (m->state == MF_UNREAD && depth < DERIVED_MAX) {
		m->state = MF_READING;
		if (tree_is_false(yaml_get(yaml_get(m->node, "config"), "enabled")))
			refuse_metric(m, "it is switched off");
		else
			(void)take_by_type(f, m, depth);
	} else if (m->state != MF_TAKEN && m->state != MF_REFUSED)
		return -1;
	return m->state == MF_TAKEN ? 0 : -1;
}

static void
take_measure(struct mf *f, struct mf_measure *m)
{
	const char *why = refuse_measure(f, m);
	struct span name = knowledge_text(f->k, "%.*s.%.*s", SPAN_FMT(m->model->name), SPAN_FMT(m->name));
	struct knowledge_entry *e;

	if (why != NULL)
		knowledge_skip(f->k, "measure", name, m->model->from, "%s", why);
	else if (m->taken)
		knowledge_merge(f->k, "measure", name);
	else if (knowledge_entry_named(m->model->out, KNOWLEDGE_MEASURE, m->name) != NULL)
		knowledge_skip(f->k, "measure", name, m->model->from, "a metric of the same model has its name");
	else {
		e = knowledge_entry_add(f->k, m->model->out, KNOWLEDGE_MEASURE, "measure", m->name);
		e->expr = aggregate_text(f, m, false, SPAN_NONE);
		e->label = tree_get_text(m->node, "label");
		e->said = tree_get_text(m->node, "description");
	}
}

void
mf_take_metrics(struct mf *f)
{
	for (size_t i = 0; i < f->nmetrics; i++)
		(void)take_metric(f, &f->metrics[i], 0);
	for (size_t i = 0; i < f->nmetrics; i++)
		if (f->metrics[i].state == MF_REFUSED)
			knowledge_skip(f->k, "metric", f->metrics[i].name, f->metrics[i].from, "%s",
			    f->metrics[i].why != NULL ? f->metrics[i].why : "it was not read");
	for (size_t i = 0; i < f->nmeasures; i++)
		take_measure(f, &f->measures[i]);
}

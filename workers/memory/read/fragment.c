#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "project/format/yaml.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/read/fragment.h"
#include "workers/memory/read/signals.h"

#define FIELDS_MAX	64	/* of a LookML view */
#define NESTED_MAX	12

/* Why a field is refused. */
#define ODD_PARAMETERS	"it has parameters without a counterpart here"
#define ODD_AGGREGATION	"its aggregation has no counterpart here"
#define ODD_FILTER	"its filter is not understood"

static struct span
none(void)
{
	return SPAN_NONE;
}

static void
refuse_field(struct proposal *p, const char *why)
{
	p->refused = span_str(why);
}

/* The aggregate function of a measure type of LookML or dbt; NULL: not an aggregate. */
static const char *
aggregate_of(struct span type)
{
	static const struct {
		const char *type, *call;
	} table[] = {
		{ "sum", "sum(" },
		{ "average", "avg(" },
		{ "avg", "avg(" },
		{ "min", "min(" },
		{ "max", "max(" },
		{ "count", "count(" },
		{ "count_distinct", "count(distinct " },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (span_is_word(type, table[i].type))
			return table[i].call;
	return NULL;
}

static const char *
column_type(struct span type)
{
	if (span_is_word(type, "number"))
		return "number";
	if (span_is_word(type, "yesno"))
		return "boolean";
	return span_begins_word(type, "date") || span_begins_word(type, "time") ? "time" : "string";
}

/* Fills in the proposal's measure or column, for this source. */
static void
make_field(struct arena *a, struct proposal *p, struct span name, struct span expr, struct span filter,
    struct span source, const char *type)
{
	struct formula_scope scope = { source, { NULL, 0 } };
	struct err err;

	p->fragment = true;
	p->subject = name;
	p->formula = expr;
	if (source.len == 0)
		refuse_field(p, "it does not say which source it belongs to");
	else if (expr.len == 0)
		refuse_field(p, "it has no expression");
	else if (measure_make(a, name, expr, filter, &scope, &p->measure, &err) != 0)
		p->refused = arena_span(a, span_str(err.message));
	p->measure.column = p->kind == PROPOSAL_COLUMN;
	p->measure.type = type;
}

/* What the model says of a column and calls it, or of the source if column is empty. */
static void
propose_said(struct proposals *out, struct span source, struct span column, struct span said, struct span label)
{
	bool any = source.len > 0 && (said.len > 0 || label.len > 0);
	struct proposal *p = any ? propose_add(out, PROPOSAL_DESCRIPTION) : NULL;

	if (p == NULL)
		return;
	p->fragment = true;
	p->said = said;
	p->formula = said.len > 0 ? said : label;
	p->measure = (struct measure){ .column = column.len > 0, .source = source, .name = column, .label = label };
}

/* A key and its value without delimiters: a word, a string, "sql ... ;;", [a list] or {a block}. */
struct fragment_pair {
	struct span	key, value;
	struct span	name;		/* "measure: name { ... }" */
	bool		block;
};

static size_t
fragment_closing(struct span s, uint8_t open, uint8_t close)
{
	size_t depth = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '"') {
			const uint8_t *end = memchr(s.p + i + 1, '"', s.len - i - 1);

			if (end == NULL)
				return 0;
			i = (size_t)(end - s.p);
		}
		depth += s.p[i] == open;
		if (s.p[i] == close && --depth == 0)
			return i + 1;
	}
	return 0;
}

static struct span
skip_blanks(struct span s)
{
	while (s.len > 0 && (ascii_is_space(s.p[0]) || s.p[0] == '#'))
		if (s.p[0] == '#') {
			const uint8_t *end = memchr(s.p, '\n', s.len);

			s = end == NULL ? none() : formula_from(s, (size_t)(end - s.p));
		} else
			s = formula_from(s, 1);
	return s;
}

static struct span
take_word(struct span *s)
{
	size_t n = 0;
	struct span word;

	while (n < s->len && (formula_is_name(s->p[n]) || s->p[n] == '.' || s->p[n] == '+' || s->p[n] == '-'))
		n++;
	word = span_of(s->p, n);
	*s = formula_from(*s, n);
	return word;
}

/* The next pair of *s.  False: there is no pair, or the text is not LookML. */
static bool
next_pair(struct span *s, struct fragment_pair *out)
{
	size_t n = 0;

	*out = (struct fragment_pair){ .block = false };
	*s = skip_blanks(*s);
	out->key = take_word(s);
	*s = skip_blanks(*s);
	if (out->key.len == 0 || s->len == 0 || s->p[0] != ':')
		return false;
	*s = skip_blanks(formula_from(*s, 1));
	if (s->len == 0)
		return false;
	if (span_is_word(out->key, "sql") || span_begins_word(out->key, "sql_") || span_is_word(out->key, "html")) {
		const uint8_t *end = memmem(s->p, s->len, ";;", 2);

		if (end == NULL)
			return false;
		out->value = span_trim(span_of(s->p, (size_t)(end - s->p)));
		*s = formula_from(*s, (size_t)(end + 2 - s->p));
		return true;
	}
	if (s->p[0] == '"') {
		const uint8_t *end = memchr(s->p + 1, '"', s->len - 1);

		if (end == NULL)
			return false;
		out->value = span_of(s->p + 1, (size_t)(end - s->p - 1));
		*s = formula_from(*s, (size_t)(end + 1 - s->p));
		return true;
	}
	if (s->p[0] != '{' && s->p[0] != '[') {
		out->name = out->value = take_word(s);
		if (out->name.len == 0)
			return false;
		*s = skip_blanks(*s);
	}
	if (s->len > 0 && (s->p[0] == '{' || s->p[0] == '[')) {
		bool block = s->p[0] == '{';

		if ((n = fragment_closing(*s, block ? '{' : '[', block ? '}' : ']')) == 0)
			return false;
		out->block = block;
		out->value = span_trim(span_of(s->p + 1, n - 2));
		*s = formula_from(*s, n);
	}
	return true;
}

struct fragment_field {
	struct span	name, type, sql, filters, said, label;
	bool		measure, odd;		/* odd: some part changes its meaning */
};

struct fragment_view {
	struct span	name, table, said;
	bool		odd;
	size_t		n;
	struct fragment_field	v[FIELDS_MAX];
};

static void
read_field(struct span body, struct fragment_field *f)
{
	static const char *const plain[] = { "hidden", "value_format", "value_format_name", "group_label",
		"view_label", "drill_fields", "primary_key", "timeframes", "convert_tz", "datatype", "filters", "tags",
		"group_item_label", "order_by_field", "html", "suggestions", NULL };
	struct fragment_pair p;

	while (next_pair(&body, &p))
		if (span_is_word(p.key, "type"))
			f->type = p.value;
		else if (span_is_word(p.key, "sql"))
			f->sql = p.value;
		else if (span_is_word(p.key, "filters"))
			f->filters = p.value;
		else if (span_is_word(p.key, "description"))
			f->said = p.value;
		else if (span_is_word(p.key, "label"))
			f->label = p.value;
		else if (!span_is_any_word(p.key, plain))
			f->odd = true;
	f->odd = f->odd || skip_blanks(body).len > 0;
}

static void
read_view(struct span body, struct fragment_view *view)
{
	static const char *const plain[] = { "label", "view_label", "description", "drill_fields", "set", "parameter",
		"filter", "tags",
		"fields_hidden_by_default", "suggestions", "measure", "dimension", "dimension_group", "include", NULL };
	struct fragment_pair p;

	while (next_pair(&body, &p)) {
		bool measure = span_is_word(p.key, "measure");

		if (span_is_word(p.key, "sql_table_name"))
			view->table = p.value;
		else if (span_is_word(p.key, "description"))
			view->said = p.value;
		else if ((measure || span_is_word(p.key, "dimension") || span_is_word(p.key, "dimension_group")) &&
		    p.block && view->n < FIELDS_MAX) {
			struct fragment_field *f = &view->v[view->n++];

			*f = (struct fragment_field){ .name = p.name, .measure = measure };
			read_field(p.value, f);
		} else if (!span_is_any_word(p.key, plain))
			view->odd = true; /* a derived table, an extension, or an unknown key */
	}
}

/* Replaces "${TABLE}.x" and "${x}" by x, or by the expression of field x.  False: other references. */
static bool
fragment_resolve(const struct fragment_view *view, struct span sql, unsigned depth, struct buf *out)
{
	if (depth > NESTED_MAX || memmem(sql.p, sql.len, "{%", 2) != NULL || memmem(sql.p, sql.len, "{{", 2) != NULL)
		return false;
	for (size_t i = 0; i < sql.len; i++) {
		const uint8_t *end;
		struct span name;
		size_t k;

		if (sql.p[i] != '$' || i + 1 == sql.len || sql.p[i + 1] != '{') {
			buf_byte(out, sql.p[i]);
			continue;
		}
		if ((end = memchr(sql.p + i, '}', sql.len - i)) == NULL)
			return false;
		name = span_of(sql.p + i + 2, (size_t)(end - (sql.p + i + 2)));
		i = (size_t)(end - sql.p);
		if (span_is_str(name, "TABLE")) {
			i += i + 1 < sql.len && sql.p[i + 1] == '.';
			continue;
		}
		for (k = 0; k < view->n && !span_is(view->v[k].name, name); k++)
			;
		if (k == view->n ? memchr(name.p, '.', name.len) != NULL : view->v[k].measure)
			return false;
		if (k == view->n || view->v[k].sql.len == 0 || span_is(view->v[k].sql, sql))
			buf_span(out, name);
		else {
			size_t mark = out->len;

			if (!fragment_resolve(view, view->v[k].sql, depth + 1, out))
				return false;
			for (size_t c = mark; c < out->len; c++)
				if (!formula_is_name(out->p[c])) {
					/* Brackets keep a compound expression together. */
					struct buf b = { 0 };

					buf_printf(&b, "(%.*s)", (int)(out->len - mark), (const char *)out->p + mark);
					out->len = mark;
					buf_span(out, buf_view(&b));
					buf_fini(&b);
					break;
				}
		}
	}
	return true;
}

/* filters: [status: "paid"] as a condition; false: a field has several values. */
static bool
resolve_filters(struct span filters, struct buf *out)
{
	struct fragment_pair p;

	while (skip_blanks(filters).len > 0) {
		filters = skip_blanks(filters);
		if (filters.p[0] == ',')
			filters = skip_blanks(formula_from(filters, 1));
		if (!next_pair(&filters, &p) || p.name.len > 0 || p.value.len == 0 || !ascii_is_letter(p.value.p[0]) ||
		    memchr(p.key.p, '.', p.key.len) != NULL || span_is_word(p.value, "yes") ||
		    span_is_word(p.value, "no") || span_begins_word(p.value, "not ") || span_is_word(p.value, "null") ||
		    span_is_word(p.value, "empty"))
			return false;
		for (size_t i = 0; i < p.value.len; i++)
			if (!formula_is_name(p.value.p[i]) && p.value.p[i] != ' ')
				return false;
		buf_printf(out, "%s%.*s = '%.*s'", out->len > 0 ? " and " : "", SPAN_FMT(p.key), SPAN_FMT(p.value));
	}
	return true;
}

/* A dimension that is a column of its table. */
static bool
is_plain(const struct fragment_field *f)
{
	static const char prefix[] = "${TABLE}.";
	struct span sql = f->sql;

	if (sql.len >= sizeof(prefix) - 1 && memcmp(sql.p, prefix, sizeof(prefix) - 1) == 0)
		sql = formula_from(sql, sizeof(prefix) - 1);
	return !f->measure && (sql.len == 0 || span_is(sql, f->name));
}

static void
propose_field(struct arena *a, const struct fragment_view *view, const struct fragment_field *f, struct span source,
    struct proposals *out)
{
	struct buf expr = { 0 }, filter = { 0 };
	const char *call = f->measure ? aggregate_of(f->type) : "", *fault = NULL;
	struct proposal *p;

	if (is_plain(f) && (f->said.len > 0 || f->label.len > 0)) {
		propose_said(out, source, f->name, f->said, f->label);
		return;
	}
	if ((p = propose_add(out, f->measure ? PROPOSAL_MEASURE : PROPOSAL_COLUMN)) == NULL)
		return;
	p->fragment = true;
	p->said = f->said;
	if (call == NULL)
		fault = "its type has no counterpart here";
	else {
		buf_str(&expr, call);
		if (f->measure && span_is_word(f->type, "count") && f->sql.len == 0)
			buf_byte(&expr, '*');
		else if (f->sql.len == 0)
			buf_span(&expr, f->name);
		else if (!fragment_resolve(view, f->sql, 0, &expr))
			fault = "it refers to what this text does not hold";
		buf_str(&expr, f->measure ? ")" : "");
	}
	if (f->odd || view->odd)
		fault = view->odd ? "its view is derived from something else" : ODD_PARAMETERS;
	else if (fault == NULL && f->filters.len > 0 && !resolve_filters(f->filters, &filter))
		fault = "its filters are not understood";
	make_field(a, p, f->name, arena_span(a, buf_view(&expr)), arena_span(a, buf_view(&filter)), source,
	    column_type(f->type));
	p->measure.label = f->label;
	if (fault != NULL) {
		p->formula = f->sql;
		refuse_field(p, fault);
	}
	buf_fini(&expr);
	buf_fini(&filter);
}

/* The last part of "analytics.orders". */
static struct span
last_part(struct span name)
{
	const uint8_t *dot = memrchr(name.p, '.', name.len);

	return dot == NULL ? name : formula_from(name, (size_t)(dot + 1 - name.p));
}

/* Whether an explore does more than name and join: a filter would apply to every number that it shows. */
static bool
explore_limits(struct span body)
{
	static const char *const plain[] = { "label", "view_label", "group_label", "description", "hidden", "tags",
		"fields", "join", "from", "view_name", "persist_with", "persist_for", "case_sensitive", NULL };
	struct fragment_pair p;

	while (next_pair(&body, &p))
		if (!span_is_any_word(p.key, plain))
			return true;
	return skip_blanks(body).len > 0;
}

static void
propose_view(struct arena *a, struct fragment_view *view, struct span body, struct proposals *out)
{
	struct span source;

	read_view(body, view);
	source = view->table.len > 0 ? last_part(view->table) : view->name;
	if (out->model.len == 0)
		out->model = view->name.len > 0 ? view->name : source;
	propose_said(out, source, none(), view->said, none());
	for (size_t i = 0; i < view->n; i++)
		propose_field(a, view, &view->v[i], source, out);
}

static bool
propose_lookml(struct arena *a, struct span text, struct proposals *out)
{
	struct fragment_view *view = arena_alloc(a, sizeof(*view));
	struct span rest = text;
	bool found = false, limited = false;
	struct fragment_pair p;

	if (view == NULL)
		return false;
	while (next_pair(&rest, &p)) {
		found = found || (span_is_word(p.key, "view") && p.block);
		limited = limited || (span_is_word(p.key, "explore") && explore_limits(p.value));
	}
	if (skip_blanks(rest).len > 0)
		return false;
	for (rest = text; found && next_pair(&rest, &p);)
		if (span_is_word(p.key, "view") && p.block) {
			*view = (struct fragment_view){ .name = p.name,
				.odd = limited || (p.name.len > 0 && p.name.p[0] == '+') };
			propose_view(a, view, p.value, out);
		}
	if (!found) {
		*view = (struct fragment_view){ .odd = limited };
		propose_view(a, view, text, out);
	}
	return out->n > 0;
}

static struct span
text_of(const struct yaml_node *n)
{
	return n != NULL && n->kind == YAML_SCALAR ? span_trim(n->text) : none();
}

/* Replaces {{ ref('x') }} and ref("x") by x, and other braces by what they hold. */
static struct span
without_braces(struct arena *a, struct span text)
{
	struct buf b = { 0 };
	struct span out;

	for (size_t i = 0; i < text.len; i++) {
		const uint8_t *end;
		struct span in;

		if (i + 1 < text.len && text.p[i] == '{' && text.p[i + 1] == '{' &&
		    (end = memmem(text.p + i, text.len - i, "}}", 2)) != NULL) {
			in = span_trim(span_of(text.p + i + 2, (size_t)(end - (text.p + i + 2))));
			i = (size_t)(end + 1 - text.p);
			if (span_begins_word(in, "ref(") && in.len > 7 && in.p[in.len - 1] == ')')
				buf_append(&b, in.p + 5, in.len - 7);
			else
				buf_span(&b, in);
			continue;
		}
		buf_byte(&b, text.p[i]);
	}
	out = arena_span(a, buf_view(&b));
	buf_fini(&b);
	return out;
}

static struct span
model_of(const struct yaml_node *m)
{
	struct span s = text_of(yaml_get(m, "model"));

	if (span_begins_word(s, "ref(") && s.len > 7)
		s = span_of(s.p + 5, s.len - 7);
	return s.len > 0 ? s : text_of(yaml_get(m, "name"));
}

/* A measure of a semantic model, with the name, label and description of itself or of a metric. */
static void
propose_dbt_measure(struct arena *a, const struct yaml_node *m, const struct yaml_node *named, bool filtered,
    struct span source, struct proposals *out)
{
	static const char *const known[] = { "name", "agg", "expr", "description", "label", "agg_time_dimension",
		"create_metric", "config", "meta", NULL };
	struct proposal *p = propose_add(out, PROPOSAL_MEASURE);
	struct span expr = text_of(yaml_get(m, "expr"));
	const char *call = aggregate_of(text_of(yaml_get(m, "agg")));

	if (p == NULL)
		return;
	p->said = text_of(yaml_get(named, "description"));
	if (p->said.len == 0)
		p->said = text_of(yaml_get(m, "description"));
	if (expr.len == 0)
		expr = text_of(yaml_get(m, "name"));
	make_field(a, p, text_of(yaml_get(named, "name")),
	    call == NULL ? expr : span_str(arena_printf(a, "%s%.*s)", call, SPAN_FMT(expr))), none(), source, NULL);
	p->measure.label = text_of(yaml_get(named, "label"));
	if (call == NULL)
		refuse_field(p, ODD_AGGREGATION);
	else if (filtered)
		refuse_field(p, ODD_FILTER);
	else if (yaml_get(yaml_get(m, "config"), "enabled") != NULL)
		refuse_field(p, "it may be switched off");
	for (size_t i = 0; i < m->n; i++)
		if (!span_is_any(m->keys[i].text, known))
			refuse_field(p, ODD_PARAMETERS);
}

/* A dimension that is a column is described and called as it says; another one is a column to be computed. */
static void
propose_dbt_dimension(struct arena *a, const struct yaml_node *d, struct span source, struct proposals *out)
{
	struct span name = text_of(yaml_get(d, "name")), expr = text_of(yaml_get(d, "expr")),
		    said = text_of(yaml_get(d, "description")), label = text_of(yaml_get(d, "label"));
	struct proposal *p;

	if ((expr.len == 0 || span_is(expr, name)) && (said.len > 0 || label.len > 0)) {
		propose_said(out, source, name, said, label);
		return;
	}
	if ((p = propose_add(out, PROPOSAL_COLUMN)) == NULL)
		return;
	p->said = said;
	make_field(a, p, name, expr.len > 0 ? expr : name, none(), source,
	    span_is_word(text_of(yaml_get(d, "type")), "time") ? "time" : "string");
	p->measure.label = label;
}

static void
propose_dbt_model(struct arena *a, const struct yaml_node *m, struct proposals *out)
{
	const struct yaml_node *measures = yaml_get(m, "measures"), *dimensions = yaml_get(m, "dimensions");
	struct span source = model_of(m);

	if (out->model.len == 0)
		out->model = source;
	for (size_t i = 0; measures != NULL && measures->kind == YAML_SEQUENCE && i < measures->n; i++)
		if (measures->items[i].kind == YAML_MAPPING)
			propose_dbt_measure(a, &measures->items[i], &measures->items[i], false, source, out);
	for (size_t i = 0; dimensions != NULL && dimensions->kind == YAML_SEQUENCE && i < dimensions->n; i++) {
		const struct yaml_node *d = &dimensions->items[i];
		if (d->kind == YAML_MAPPING)
			propose_dbt_dimension(a, d, source, out);
	}
}

static bool
has_only(const struct yaml_node *n, const char *const *keys)
{
	for (size_t i = 0; n != NULL && n->kind == YAML_MAPPING && i < n->n; i++)
		if (!span_is_any(n->keys[i].text, keys))
			return false;
	return true;
}

static const char *const metric_keys[] = { "name", "label", "description", "type", "type_params", "filter", "config",
	"meta", NULL };
static const char *const params_keys[] = { "measure", NULL };
static const char *const of_keys[] = { "name", NULL };

/* What the metric says of itself goes to the measure of its name. */
static void
name_as_metric(struct proposals *out, const struct yaml_node *metric)
{
	struct span label = text_of(yaml_get(metric, "label")), said = text_of(yaml_get(metric, "description"));

	for (size_t i = 0; i < out->n; i++) {
		struct proposal *p = &out->v[i];

		if (p->kind != PROPOSAL_MEASURE || !p->fragment ||
		    !span_is(p->subject, text_of(yaml_get(metric, "name"))))
			continue;
		p->measure.label = label.len > 0 ? label : p->measure.label;
		p->said = said.len > 0 ? said : p->said;
	}
}

/* A metric over one measure of this text. */
static void
propose_dbt_metric(struct arena *a, const struct yaml_node *models, const struct yaml_node *metric,
    struct proposals *out)
{
	const struct yaml_node *params = yaml_get(metric, "type_params"), *of = yaml_get(params, "measure");
	struct span name = text_of(yaml_get(metric, "name")), wanted = text_of(of);
	bool filtered =
	    yaml_get(metric, "filter") != NULL || (of != NULL && of->kind != YAML_SCALAR && !has_only(of, of_keys));
	bool simple = has_only(metric, metric_keys) && has_only(params, params_keys) &&
	    (yaml_get(metric, "type") == NULL || span_is_word(text_of(yaml_get(metric, "type")), "simple"));
	struct proposal *p;

	if (wanted.len == 0)
		wanted = text_of(yaml_get(of, "name"));
	for (size_t i = 0; simple && wanted.len > 0 && models != NULL && i < models->n; i++) {
		const struct yaml_node *measures = yaml_get(&models->items[i], "measures");

		for (size_t k = 0; measures != NULL && k < measures->n; k++)
			if (span_is(text_of(yaml_get(&measures->items[k], "name")), wanted)) {
				/* The metric equals the measure, which was proposed already. */
				if (!filtered && span_is(name, wanted))
					name_as_metric(out, metric);
				else
					propose_dbt_measure(a, &measures->items[k], metric, filtered,
					    model_of(&models->items[i]), out);
				return;
			}
	}
	if ((p = propose_add(out, PROPOSAL_MEASURE)) != NULL) {
		p->fragment = true;
		p->subject = name;
		refuse_field(p, "it is more than a measure of this text");
	}
}

/* The text of the first of these keys that the mapping has. */
static struct span
text_of_any(const struct yaml_node *m, const char *const *keys)
{
	struct span text = none();

	for (; *keys != NULL && text.len == 0; keys++)
		text = text_of(yaml_get(m, *keys));
	return text;
}

/* Appends {field, operator, value}, whose value is SQL; false: another form. */
static bool
put_dbt_filter(struct buf *filter, const struct yaml_node *f)
{
	static const char *const known[] = { "field", "operator", "value", NULL };
	static const char *const operators[] = { "=", "!=", "<>", "<", "<=", ">", ">=", "is", "is not", "in", "not in",
		"like", NULL };
	struct span field = text_of(yaml_get(f, "field")), operator= text_of(yaml_get(f, "operator")),
		    value = text_of(yaml_get(f, "value"));

	if (f->kind != YAML_MAPPING || !has_only(f, known) || field.len == 0 || value.len == 0 ||
	    !span_is_any_word(operator, operators) || formula_outer_word(value, "or") < value.len ||
	    formula_outer_word(value, "and") < value.len)
		return false;
	buf_printf(filter, "%s%.*s %.*s %.*s", filter->len > 0 ? " and " : "", SPAN_FMT(field), SPAN_FMT(operator),
	    SPAN_FMT(value));
	return true;
}

static const char *const method_keys[] = { "calculation_method", "agg", "type", NULL };
static const char *const expression_keys[] = { "expression", "sql", "expr", NULL };

/* A metric with its own expression, as before dbt 1.6 or in the list of a model. */
static void
propose_dbt_own_metric(struct arena *a, const struct yaml_node *metric, struct span model, struct proposals *out)
{
	static const char *const known[] = { "name", "label", "description", "model", "calculation_method", "agg",
		"type", "expression", "sql", "expr",
		"timestamp", "time_grains", "dimensions", "filters", "meta", "tags", "docs", NULL };
	const struct yaml_node *filters = yaml_get(metric, "filters");
	struct span expr = text_of_any(metric, expression_keys), name = text_of(yaml_get(metric, "name"));
	const char *call = aggregate_of(text_of_any(metric, method_keys));
	struct proposal *p = propose_add(out, PROPOSAL_MEASURE);
	struct buf filter = { 0 };
	bool understood = filters == NULL || filters->kind == YAML_SEQUENCE;

	if (p == NULL)
		return;
	p->said = text_of(yaml_get(metric, "description"));
	for (size_t i = 0; understood && filters != NULL && i < filters->n; i++)
		understood = put_dbt_filter(&filter, &filters->items[i]);
	make_field(a, p, name, call == NULL ? expr : span_str(arena_printf(a, "%s%.*s)", call, SPAN_FMT(expr))),
	    arena_span(a, buf_view(&filter)), model, NULL);
	p->measure.label = text_of(yaml_get(metric, "label"));
	if (call == NULL || expr.len == 0)
		refuse_field(p, ODD_AGGREGATION);
	else if (!understood)
		refuse_field(p, ODD_FILTER);
	else if (!has_only(metric, known))
		refuse_field(p, ODD_PARAMETERS);
	buf_fini(&filter);
}

/* What models, or the tables of sources, and their columns are said to be; the metrics in their lists. */
static bool
propose_dbt_models(struct arena *a, const struct yaml_node *models, struct proposals *out)
{
	bool found = false;

	for (size_t i = 0; models != NULL && models->kind == YAML_SEQUENCE && i < models->n; i++) {
		const struct yaml_node *metrics = yaml_get(&models->items[i], "metrics"),
				       *columns = yaml_get(&models->items[i], "columns");
		struct span name = text_of(yaml_get(&models->items[i], "name"));

		found = propose_dbt_models(a, yaml_get(&models->items[i], "tables"), out) || found;
		if (out->model.len == 0)
			out->model = name;
		if (yaml_get(&models->items[i], "tables") == NULL)
			propose_said(out, name, none(), text_of(yaml_get(&models->items[i], "description")), none());
		for (size_t k = 0; columns != NULL && columns->kind == YAML_SEQUENCE && k < columns->n; k++) {
			propose_said(out, name, text_of(yaml_get(&columns->items[k], "name")),
			    text_of(yaml_get(&columns->items[k], "description")), none());
			found = true;
		}

		for (size_t k = 0; metrics != NULL && metrics->kind == YAML_SEQUENCE && k < metrics->n; k++) {
			if (metrics->items[k].kind != YAML_MAPPING)
				continue;
			propose_dbt_own_metric(a, &metrics->items[k], name, out);
			found = true;
		}
	}
	return found;
}

/* Metrics over the semantic models of this text, or with their own expression. */
static void
propose_dbt_metrics(struct arena *a, const struct yaml_node *models, const struct yaml_node *metrics,
    struct proposals *out)
{
	for (size_t i = 0; metrics != NULL && metrics->kind == YAML_SEQUENCE && i < metrics->n; i++) {
		const struct yaml_node *metric = &metrics->items[i];

		if (metric->kind == YAML_MAPPING && text_of_any(metric, expression_keys).len > 0 &&
		    yaml_get(metric, "type_params") == NULL) {
			struct span model = yaml_get(metric, "model") != NULL ? model_of(metric) : none();

			if (out->model.len == 0)
				out->model = model;
			propose_dbt_own_metric(a, metric, model, out);
		} else
			propose_dbt_metric(a, models, metric, out);
	}
}

static bool
propose_dbt(struct arena *a, struct span text, struct proposals *out)
{
	const struct yaml_node *root, *models, *metrics;
	bool own;

	if (signals_find(text, "semantic_models:") == NULL && signals_find(text, "metrics:") == NULL &&
	    signals_find(text, "models:") == NULL && signals_find(text, "sources:") == NULL)
		return false;
	if ((root = yaml_parse(a, without_braces(a, text), NULL)) == NULL || root->kind != YAML_MAPPING)
		return false;
	models = yaml_get(root, "semantic_models");
	metrics = yaml_get(root, "metrics");
	if (models != NULL && models->kind != YAML_SEQUENCE)
		models = NULL;
	for (size_t i = 0; models != NULL && i < models->n; i++)
		propose_dbt_model(a, &models->items[i], out);
	propose_dbt_metrics(a, models, metrics, out);
	own = propose_dbt_models(a, yaml_get(root, "models"), out);
	own = propose_dbt_models(a, yaml_get(root, "sources"), out) || own;
	return own || models != NULL || (metrics != NULL && metrics->kind == YAML_SEQUENCE);
}

/* The content of a single fenced block that is the whole text. */
static struct span
unfenced(struct span text)
{
	struct span s = span_trim(text);
	const uint8_t *nl;

	if (s.len < 8 || memcmp(s.p, "```", 3) != 0 || memcmp(s.p + s.len - 3, "```", 3) != 0 ||
	    (nl = memchr(s.p, '\n', s.len)) == NULL)
		return s;
	s = span_of(nl + 1, (size_t)(s.p + s.len - 3 - nl - 1));
	return memmem(s.p, s.len, "```", 3) == NULL ? s : text;
}

bool
fragment_propose(struct arena *a, struct span text, struct proposals *out)
{
	struct span s = unfenced(text);

	if (memchr(s.p, ':', s.len) == NULL)
		return false;
	if (memchr(s.p, '{', s.len) != NULL &&
	    (signals_find(s, "measure:") != NULL || signals_find(s, "dimension:") != NULL ||
		signals_find(s, "view:") != NULL || signals_find(s, "dimension_group:") != NULL) &&
	    propose_lookml(a, s, out))
		return true;
	return propose_dbt(a, s, out);
}

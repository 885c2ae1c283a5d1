/*
 * osi.c - semantic models of the Open Semantic Interchange: datasets, fields, relationships and metrics.
 *
 * A metric is an expression over columns of datasets; it becomes a measure of the dataset that its first column is of.
 * Names of columns are dataset.field, or a field's alone where only one dataset has it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text/sqltext.h"
#include "workers/import/knowledge/templates.h"
#include "workers/import/knowledge/osi.h"
#include "workers/import/knowledge/trees.h"

#define DATASETS_MAX	2000	/* of a semantic model; further ones, and fields and metrics, are passed over by name */
#define METRICS_MAX	5000
#define NAMED_MAX	16	/* datasets of a metric */
#define WAY_MAX		6	/* relationships between two of them */
#define PARTS_MAX	2000	/* fields of a dataset */

struct osi_metric {
	const struct yaml_node	*node;
	struct span		 name, expr;
	struct knowledge_model	*home;		/* NULL: none of its names is known */
	bool			 known;		/* home is */
};

struct osi {
	struct knowledge	*k;
	const struct yaml_node	*model;
	struct span		 from;
	size_t			 first;		/* of k's models: those of this semantic model come behind */
	size_t			 nmetrics;
	struct osi_metric	*metrics;
};

/* The expression in standard SQL, or in no dialect; empty: others alone. */
static struct span
expression_of(const struct yaml_node *n)
{
	static const char *const portable[] = { "ANSI_SQL", "OSSIE_SQL_2026", "OSI_SQL_2026", NULL };
	const struct yaml_node *e = yaml_get(n, "expression"), *list = yaml_get(e, "dialects");

	if (tree_text(e).len > 0)
		return tree_text(e);
	list = list == NULL ? e : list;
	for (size_t i = 0; i < yaml_length(list); i++) {
		struct span dialect = tree_get_text(&list->items[i], "dialect");

		if (dialect.len == 0 || span_is_any_word(dialect, portable))
			return tree_get_text(&list->items[i], "expression");
	}
	return SPAN_NONE;
}

/* The description, and what else is said to models of language. */
static struct span
said_of(struct osi *o, const struct yaml_node *n)
{
	const struct yaml_node *context = yaml_get(n, "ai_context");
	struct span said = tree_get_text(n, "description"),
		    more = tree_text(context).len > 0 ? tree_text(context) : tree_get_text(context, "instructions");

	if (more.len == 0)
		return said;
	return knowledge_text(o->k, "%.*s%s%.*s", SPAN_FMT(said), said.len > 0 ? "\n" : "", SPAN_FMT(more));
}

static size_t
words_of(struct osi *o, const struct yaml_node *n, const struct span **out)
{
	return tree_texts(o->k, yaml_get(yaml_get(n, "ai_context"), "synonyms"), out);
}

static void
skip_extensions(struct osi *o, const struct yaml_node *n, struct span name)
{
	const struct yaml_node *list = yaml_get(n, "custom_extensions");

	for (size_t i = 0; i < yaml_length(list); i++)
		knowledge_skip(o->k, "extension", name, o->from, "it is for %.*s",
		    SPAN_FMT(tree_get_text(&list->items[i], "vendor_name")));
}

static struct span
member_of(struct osi *o, struct span dataset, struct span name)
{
	return knowledge_text(o->k, "%.*s.%.*s", SPAN_FMT(dataset), SPAN_FMT(name));
}

static struct knowledge_model *
model_named(struct osi *o, struct span name)
{
	size_t n = 0;

	for (struct knowledge_model *m = o->k->models; m != NULL; m = m->next)
		if (n++ >= o->first && span_is_folded(m->id, name))
			return m;
	return NULL;
}

/* A name as SQL has it, without quotes. */
static struct span
name_of(struct osi *o, struct span token)
{
	return span_str(sqltext_unquoted(o->k->a, token));
}

static bool
has_field(const struct knowledge_model *m, struct span name)
{
	for (const struct knowledge_entry *e = m->entries; e != NULL; e = e->next)
		if (e->part == KNOWLEDGE_COLUMN && span_is_folded(e->name, name))
			return true;
	return false;
}

/* The only dataset of the model with such a field. */
static struct knowledge_model *
owner_of(struct osi *o, struct span name)
{
	struct knowledge_model *found = NULL;
	size_t n = 0;

	for (struct knowledge_model *m = o->k->models; m != NULL; m = m->next)
		if (n++ >= o->first && has_field(m, name)) {
			if (found != NULL)
				return NULL;
			found = m;
		}
	return found;
}

static struct osi_metric *
metric_named(struct osi *o, struct span name)
{
	for (size_t i = 0; i < o->nmetrics; i++)
		if (span_is_folded(o->metrics[i].name, name))
			return &o->metrics[i];
	return NULL;
}

/* Whether relationships lead from one dataset to the other. */
static bool
leads_to(struct osi *o, const struct knowledge_model *from, const struct knowledge_model *to, unsigned depth)
{
	if (from == to)
		return true;
	for (const struct knowledge_entry *e = from->entries; e != NULL && depth < WAY_MAX; e = e->next)
		if (e->part == KNOWLEDGE_JOIN && leads_to(o, knowledge_model_named(o->k, e->to), to, depth + 1))
			return true;
	return false;
}

static struct knowledge_model *home_of(struct osi *o, struct osi_metric *m);

/* The dataset that the next name of an expression is of, passed over; NULL: none is known. */
static struct knowledge_model *
dataset_at(struct osi *o, struct sqltext *s, const struct sqltext_token *t)
{
	struct span name = t->kind == SQLTEXT_WORD || t->kind == SQLTEXT_QUOTED ? name_of(o, t->text) : SPAN_NONE;
	struct knowledge_model *m;
	struct osi_metric *metric;

	if (name.len == 0)
		return NULL;
	if (sqltext_peek(s, 0) == '.') {
		m = model_named(o, name);
		(void)sqltext_next(s);
		(void)sqltext_next(s);
		return m;
	}
	if (sqltext_peek(s, 0) == '(' || (m = owner_of(o, name)) != NULL)
		return sqltext_peek(s, 0) == '(' ? NULL : m;
	metric = metric_named(o, name);
	return metric == NULL ? NULL : home_of(o, metric);
}

/* The dataset whose rows a metric aggregates: of those that it names the one that leads to all others. */
static struct knowledge_model *
home_of(struct osi *o, struct osi_metric *m)
{
	struct knowledge_model *named[NAMED_MAX], *of;
	struct sqltext s = { SQLTEXT_EXPRESSION, m->expr, 0 };
	struct sqltext_token t;
	size_t n = 0, i, j;

	if (m->known)
		return m->home;
	m->known = true;
	while ((t = sqltext_next(&s)).kind != SQLTEXT_END && n < NAMED_MAX) {
		if ((of = dataset_at(o, &s, &t)) == NULL)
			continue;
		for (i = 0; i < n && named[i] != of; i++)
			;
		if (i == n)
			named[n++] = of;
	}
	for (i = 0; i < n && m->home == NULL; i++) {
		for (j = 0; j < n && leads_to(o, named[i], named[j], 0); j++)
			;
		m->home = j == n ? named[i] : NULL;
	}
	if (m->home == NULL && n > 0)
		m->home = named[0];
	if (n == 0 && o->k->nmodels == o->first + 1)
		m->home = o->k->byname[o->first];
	return m->home;
}

/* The expression with references to the model in place of names of datasets, of fields of own, and of metrics. */
static struct span
refer(struct osi *o, struct span expr, bool metrics)
{
	struct sqltext s = { SQLTEXT_EXPRESSION, expr, 0 };
	struct sqltext_token t, last = { .kind = SQLTEXT_END };
	struct buf out = { 0 };
	struct span copy;

	for (; (t = sqltext_piece(&s)).kind != SQLTEXT_END; last = t) {
		bool named = (t.kind == SQLTEXT_WORD || t.kind == SQLTEXT_QUOTED) && !sqltext_is_punct(&last, '.');
		struct span name = named ? name_of(o, t.text) : SPAN_NONE;
		struct knowledge_model *m = NULL;
		struct osi_metric *metric;

		if (named && sqltext_peek(&s, 0) == '.' && (m = model_named(o, name)) != NULL) {
			(void)sqltext_piece(&s);
			t = sqltext_piece(&s);
			name = name_of(o, t.text);
			buf_printf(&out, "{{%.*s.%.*s}}", SPAN_FMT(m->name), SPAN_FMT(name));
		} else if (metrics && named && sqltext_peek(&s, 0) != '.' && sqltext_peek(&s, 0) != '(' &&
		    (m = owner_of(o, name)) != NULL)
			buf_printf(&out, "{{%.*s.%.*s}}", SPAN_FMT(m->name), SPAN_FMT(name));
		else if (metrics && named && sqltext_peek(&s, 0) != '.' && (metric = metric_named(o, name)) != NULL &&
		    (m = home_of(o, metric)) != NULL)
			buf_printf(&out, "{{%.*s:%.*s}}", SPAN_FMT(m->name), SPAN_FMT(metric->name));
		else
			buf_span(&out, t.text);
	}
	copy = knowledge_copy(o->k, buf_view(&out));
	buf_fini(&out);
	return copy;
}

/* Whether the expression is the name of a column, which need not be the field's. */
static bool
is_column(struct osi *o, struct span expr, struct span *name)
{
	struct sqltext s = { SQLTEXT_EXPRESSION, expr, 0 };
	struct sqltext_token t = sqltext_next(&s);
	bool named = (t.kind == SQLTEXT_WORD || t.kind == SQLTEXT_QUOTED) && sqltext_next(&s).kind == SQLTEXT_END;

	*name = named ? name_of(o, t.text) : SPAN_NONE;
	return named;
}

static void
read_field(struct osi *o, struct knowledge_model *m, const struct yaml_node *n)
{
	static const char *const times[] = { "Date", "DateTime", "DateTimeTz", NULL };
	struct span name = tree_get_text(n, "name"), expr = expression_of(n), column;
	const struct yaml_node *is_time = yaml_get(yaml_get(n, "dimension"), "is_time");
	struct knowledge_entry *e;
	bool time;

	if (name.len == 0 || expr.len == 0 || template_is(expr)) {
		knowledge_skip(o->k, "field", member_of(o, m->name, name), o->from, "%s",
		    name.len == 0     ? "it has no name" :
			expr.len == 0 ? "it has no expression in ANSI_SQL" :
					"its expression is a template");
		return;
	}
	e = knowledge_entry_add(o->k, m, KNOWLEDGE_COLUMN, "field", name);
	if (!is_column(o, expr, &column) || !span_is_folded(column, name))
		e->expr = expr;
	e->label = tree_get_text(n, "label");
	e->said = said_of(o, n);
	e->nalso = words_of(o, n, &e->also);
	if (!yaml_bool(is_time, &time))
		time = span_is_any_word(tree_get_text(n, "datatype"), times);
	if (time)
		e->type = SPAN("time");
	skip_extensions(o, n, member_of(o, m->name, name));
}

/* "database.schema.table", or a query. */
static bool
read_source(struct osi *o, struct knowledge_model *m, const struct yaml_node *n)
{
	struct sqltext s = { SQLTEXT_EXPRESSION, tree_get_text(n, "source"), 0 };
	struct sqltext_token t;

	m->table = SPAN_NONE;
	while ((t = sqltext_next(&s)).kind == SQLTEXT_WORD || t.kind == SQLTEXT_QUOTED || t.kind == SQLTEXT_NUMBER) {
		m->schema = m->table;
		m->table = name_of(o, t.text);
		t = sqltext_next(&s);
		if (t.kind == SQLTEXT_END)
			return true;
		if (!sqltext_is_punct(&t, '.'))
			return false;
	}
	return false;
}

static void
read_dataset(struct osi *o, const struct yaml_node *n)
{
	const struct yaml_node *fields = yaml_get(n, "fields"), *keys = yaml_get(n, "unique_keys");
	struct span name = tree_get_text(n, "name");
	struct knowledge_model *m, probe = { 0 };
	const struct span *key;
	size_t nkey;

	if (name.len == 0 || !read_source(o, &probe, n) || o->k->nmodels - o->first == DATASETS_MAX) {
		knowledge_skip(o->k, "dataset", name, o->from, "%s",
		    o->k->nmodels - o->first == DATASETS_MAX ? "there are too many" :
							       "its source is not the name of a table");
		return;
	}
	m = knowledge_model_add(o->k, "dataset", name, SPAN_NONE);
	m->id = name;
	m->table = probe.table;
	m->schema = probe.schema;
	m->from = o->from;
	m->said = said_of(o, n);
	m->nalso = words_of(o, n, &m->also);
	nkey = tree_texts(o->k, yaml_get(n, "primary_key"), &key);
	for (size_t i = 0; i < nkey; i++)
		m->key = knowledge_text(o->k, "%.*s%s%.*s", SPAN_FMT(m->key), i > 0 ? "," : "", SPAN_FMT(key[i]));
	for (size_t i = 0; i < yaml_length(fields) && i < PARTS_MAX; i++)
		read_field(o, m, &fields->items[i]);
	for (size_t i = 0; i < yaml_length(keys); i++)
		if (tree_texts(o->k, &keys->items[i], &key) == 1) {
			struct knowledge_entry *e = knowledge_entry_named(m, KNOWLEDGE_COLUMN, key[0]);

			if (e != NULL && e->expr.len == 0)
				e->unique = true;
		}
	skip_extensions(o, n, name);
}

/* Whether the dataset says that these columns are a key of it; *any: it says so of some. */
static bool
is_key(struct osi *o, struct span dataset, const struct yaml_node *columns, bool *any)
{
	const struct yaml_node *list = yaml_get(o->model, "datasets");

	*any = false;
	for (size_t i = 0; i < yaml_length(list); i++) {
		const struct yaml_node *n = &list->items[i], *keys = yaml_get(n, "unique_keys");

		if (!span_is(tree_get_text(n, "name"), dataset))
			continue;
		for (size_t k = 0; k <= yaml_length(keys); k++) {
			const struct yaml_node *key = k == 0 ? yaml_get(n, "primary_key") : &keys->items[k - 1];
			size_t found = 0;

			*any = *any || yaml_length(key) > 0;
			for (size_t a = 0; a < yaml_length(key); a++)
				for (size_t b = 0; b < yaml_length(columns); b++)
					found +=
					    span_is_folded(tree_text(&key->items[a]), tree_text(&columns->items[b]));
			if (yaml_length(key) > 0 && found == yaml_length(key))
				return true;
		}
	}
	return false;
}

static void
read_relationship(struct osi *o, const struct yaml_node *n)
{
	const struct yaml_node *from = yaml_get(n, "from_columns"), *to = yaml_get(n, "to_columns");
	struct span name = tree_get_text(n, "name"), target = tree_get_text(n, "to");
	struct knowledge_model *m = model_named(o, tree_get_text(n, "from")), *other = model_named(o, target);
	struct knowledge_entry *e;
	bool any, second = false;

	if (m == NULL || other == NULL || yaml_length(from) == 0 || yaml_length(from) != yaml_length(to)) {
		knowledge_skip(o->k, "relationship", name, o->from, "%s",
		    m == NULL || other == NULL ? "one of its datasets was not read" : "its columns do not match");
		return;
	}
	if (!is_key(o, target, to, &any) && any) {
		knowledge_skip(o->k, "relationship", name, o->from, "its to_columns are no key that %.*s declares",
		    SPAN_FMT(target));
		return;
	}
	for (e = m->entries; e != NULL; e = e->next)
		second = second || (e->part == KNOWLEDGE_JOIN && span_is(e->to, other->name));
	e = knowledge_entry_add(o->k, m, KNOWLEDGE_JOIN, "relationship", name);
	e->to = other->name;
	e->single = is_key(o, tree_get_text(n, "from"), from, &any);
	e->alias = second ? name : SPAN_NONE;
	for (size_t i = 0; i < yaml_length(from); i++)
		e->on = knowledge_text(o->k, "%.*s%s%.*s = %.*s", SPAN_FMT(e->on), i > 0 ? " AND " : "",
		    SPAN_FMT(tree_text(&from->items[i])), SPAN_FMT(tree_text(&to->items[i])));
	skip_extensions(o, n, name);
}

static void
read_metric(struct osi *o, const struct yaml_node *n)
{
	struct span name = tree_get_text(n, "name"), expr = expression_of(n);

	if (name.len == 0 || expr.len == 0 || template_is(expr) || o->nmetrics == METRICS_MAX)
		knowledge_skip(o->k, "metric", name, o->from, "%s",
		    name.len == 0         ? "it has no name" :
			expr.len == 0     ? "it has no expression in ANSI_SQL" :
			template_is(expr) ? "its expression is a template" :
					    "there are too many");
	else
		o->metrics[o->nmetrics++] = (struct osi_metric){ n, name, expr, NULL, false };
}

/* Once all metrics are known, since they may name each other. */
static void
take_metric(struct osi *o, struct osi_metric *m)
{
	struct knowledge_model *home = home_of(o, m);
	struct knowledge_entry *e;

	if (home == NULL) {
		knowledge_skip(o->k, "metric", m->name, o->from, "it names no field of a dataset");
		return;
	}
	e = knowledge_entry_add(o->k, home, KNOWLEDGE_MEASURE, "metric", m->name);
	e->expr = refer(o, m->expr, true);
	e->said = said_of(o, m->node);
	e->nalso = words_of(o, m->node, &e->also);
	skip_extensions(o, m->node, m->name);
}

static void
read_model(struct osi *o, const struct yaml_node *n)
{
	static const char *const lists[] = { "datasets", "relationships", "metrics" };
	static void (*const readers[])(struct osi *, const struct yaml_node *) = { read_dataset, read_relationship,
		read_metric };
	struct span name = tree_get_text(n, "name"), said = said_of(o, n);
	struct knowledge_page *p;

	o->model = n;
	o->first = o->k->nmodels;
	o->nmetrics = 0;
	if (o->k->project.len == 0)
		o->k->project = name;
	for (size_t k = 0; k < 3; k++) {
		const struct yaml_node *list = yaml_get(n, lists[k]);

		for (size_t i = 0; i < yaml_length(list); i++)
			readers[k](o, &list->items[i]);
	}
	for (size_t i = 0; i < o->nmetrics; i++)
		take_metric(o, &o->metrics[i]);
	/* A computed field may name another dataset's. */
	for (size_t i = o->first; i < o->k->nmodels; i++)
		for (struct knowledge_entry *e = o->k->byname[i]->entries; e != NULL; e = e->next)
			if (e->part == KNOWLEDGE_COLUMN && e->expr.len > 0)
				e->expr = refer(o, e->expr, false);
	skip_extensions(o, n, name);
	if (said.len == 0) {
		knowledge_merge(o->k, "semantic model", name);
		return;
	}
	p = knowledge_page_add(o->k, "semantic model", name, o->from);
	p->title = name;
	p->body = said;
}

static void
read_document(void *arg, const struct yaml_node *root, struct span path)
{
	struct osi *o = arg;
	const struct yaml_node *list = yaml_get(root, "semantic_model");

	o->from = path;
	if (list != NULL && list->kind == YAML_MAPPING)
		read_model(o, list);
	for (size_t i = 0; i < yaml_length(list); i++)
		read_model(o, &list->items[i]);
	if (list == NULL)
		knowledge_skip(o->k, "file", path, path, "it has no semantic_model");
}

int
osi_read(struct knowledge *k, const struct knowledge_input *in, struct err *err)
{
	struct osi o = { .k = k, .metrics = knowledge_alloc(k, METRICS_MAX * sizeof(*o.metrics)) };

	(void)err;
	tree_each_file(k, in, read_document, &o);
	return 0;
}

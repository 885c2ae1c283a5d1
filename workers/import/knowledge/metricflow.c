/* metricflow.c - semantic models: entities are keys and joins, dimensions are columns; metrics.c has the numbers. */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text/sqltext.h"
#include "workers/import/knowledge/latest.h"
#include "workers/import/knowledge/metricflow.h"
#include "workers/import/knowledge/metrics.h"
#include "workers/import/knowledge/templates.h"

#define MODELS_MAX	5000
#define PARTS_MAX	2000	/* entities, or dimensions, of a model */

const struct yaml_node *
mf_part(const struct mf_model *m, const char *list, struct span name)
{
	const struct yaml_node *parts = yaml_get(m->node, list);

	for (size_t i = 0; i < yaml_length(parts) && i < PARTS_MAX; i++)
		if (span_is(tree_get_text(&parts->items[i], "name"), name))
			return &parts->items[i];
	return NULL;
}

struct span
mf_entity_column(const struct yaml_node *entity)
{
	struct span expr = tree_get_text(entity, "expr");

	return tree_is_name(expr) ? expr : tree_get_text(entity, "name");
}

struct mf_metric *
mf_metric_named(const struct mf *f, struct span name)
{
	uint64_t hash = hash_of(name);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&f->metric_names, hash, &at)) != TABLE_NONE;)
		if (span_is(f->metrics[row].name, name))
			return &f->metrics[row];
	return NULL;
}

struct mf_measure *
mf_measure_named(const struct mf *f, struct span name)
{
	uint64_t hash = hash_of(name);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&f->measure_names, hash, &at)) != TABLE_NONE;)
		if (span_is(f->measures[row].name, name))
			return &f->measures[row];
	return NULL;
}

const struct mf_model *
mf_model_of(const struct mf *f, const struct mf_model *home, struct span entity, struct span dimension)
{
	uint64_t hash = hash_of(entity);
	uint32_t row;

	if (mf_part(home, "dimensions", dimension) != NULL &&
	    (span_is(tree_get_text(home->node, "primary_entity"), entity) ||
		(mf_part(home, "entities", entity) != NULL &&
		    !span_is_str(tree_get_text(mf_part(home, "entities", entity), "type"), "foreign"))))
		return home;
	if (mf_part(home, "entities", entity) == NULL)
		return NULL;
	for (size_t at = table_start(hash); (row = table_next(&f->key_names, hash, &at)) != TABLE_NONE;) {
		const struct mf_key *key = &f->keys[row];

		if (span_is(key->name, entity) && !key->natural && !key->model->dated && key->model != home &&
		    mf_part(key->model, "dimensions", dimension) != NULL)
			return key->model;
	}
	return NULL;
}

static struct span
part_name(struct mf *f, const struct mf_model *m, struct span name)
{
	return knowledge_text(f->k, "%.*s.%.*s", SPAN_FMT(m->name), SPAN_FMT(name));
}

/* The relation of a manifest, or ref() and source() of the YAML files. */
static void
read_relation(struct mf *f, struct mf_model *m)
{
	const struct yaml_node *relation = yaml_get(m->node, "node_relation");
	struct span alias = tree_get_text(relation, "alias"), model = tree_get_text(m->node, "model");
	const uint8_t *dot;

	if (alias.len == 0) {
		alias = template_model(f->k, model);
		if (alias.len == 0 && !template_is(model))
			alias = model;
		if (alias.len > 0 && (dot = memrchr(alias.p, '.', alias.len)) != NULL)
			alias = span_of(dot + 1, alias.len - (size_t)(dot + 1 - alias.p));
	}
	if (alias.len > 0)
		m->out->table = alias;
	m->out->schema = tree_get_text(relation, "schema_name");
}

/*
 * Whether the expression is the beginning of the period of the column with the dimension's own name.  The grain does
 * that in every query, so that the dimension is the column.
 */
static bool
is_own_period(struct mf *f, struct span expr, struct span name, struct span grain)
{
	static const char *const forms[] = { "cast(%.*sasdate)", "date(%.*s)", "%.*s::date", "date_trunc('day',%.*s)" };
	struct sqltext s = { SQLTEXT_EXPRESSION, expr, 0 };
	struct sqltext_token t;
	struct buf plain = { 0 };
	bool is;

	while ((t = sqltext_next(&s)).kind != SQLTEXT_END)
		for (size_t i = 0; i < t.text.len; i++)
			buf_byte(&plain, ascii_lower(t.text.p[i]));
	is = span_is_folded(buf_view(&plain),
	    knowledge_text(f->k, "date_trunc('%.*s',%.*s)", SPAN_FMT(grain), SPAN_FMT(name)));
	/* A day, and all periods that are made of days. */
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]) && !is && !span_is_word(grain, "hour"); i++) {
		const char *at = strstr(forms[i], "%.*s");

		is = span_is_folded(buf_view(&plain),
		    knowledge_text(f->k, "%.*s%.*s%s", (int)(at - forms[i]), forms[i], SPAN_FMT(name), at + 4));
	}
	buf_fini(&plain);
	return is;
}

static void
read_dimension(struct mf *f, struct mf_model *m, const struct yaml_node *n)
{
	struct span name = tree_get_text(n, "name"), expr = tree_get_text(n, "expr");
	const struct yaml_node *params = yaml_get(n, "type_params");
	struct knowledge_entry *e;

	if (name.len == 0)
		return;
	if (template_is(expr)) {
		knowledge_skip(f->k, "dimension", part_name(f, m, name), m->from, "its expression is a template");
		return;
	}
	m->dated = m->dated ||
	    (yaml_get(params, "validity_params") != NULL && yaml_get(params, "validity_params")->kind == YAML_MAPPING);
	e = knowledge_entry_add(f->k, m->out, KNOWLEDGE_COLUMN, "dimension", name);
	e->expr = span_is(expr, name) ? SPAN_NONE : expr;
	e->label = tree_get_text(n, "label");
	e->said = tree_get_text(n, "description");
	if (span_is_word(tree_get_text(n, "type"), "time")) {
		e->type = SPAN("time");
		e->grain = tree_get_text(params, "time_granularity");
		if (is_own_period(f, expr, name, e->grain))
			e->expr = SPAN_NONE;
	}
}

static void
read_key(struct mf *f, struct mf_model *m, const struct yaml_node *n, struct span type)
{
	bool natural = span_is_word(type, "natural");

	f->keys = mem_grow(f->keys, f->nkeys, &f->keys_cap, sizeof(*f->keys));
	f->keys[f->nkeys] = (struct mf_key){ tree_get_text(n, "name"), mf_entity_column(n), m, natural };
	table_add(&f->key_names, hash_of(f->keys[f->nkeys].name), (uint32_t)f->nkeys);
	f->nkeys++;
	if (span_is_word(type, "primary"))
		m->out->key = mf_entity_column(n);
}

static void
read_entity(struct mf *f, struct mf_model *m, const struct yaml_node *n)
{
	struct span name = tree_get_text(n, "name"), expr = tree_get_text(n, "expr"), type = tree_get_text(n, "type");

	if (name.len == 0)
		return;
	if (template_is(expr)) {
		knowledge_skip(f->k, "entity", part_name(f, m, name), m->from, "its expression is a template");
		return;
	}
	if (expr.len > 0 && !tree_is_name(expr))
		knowledge_entry_add(f->k, m->out, KNOWLEDGE_COLUMN, NULL, name)->expr = expr;
	if (!span_is_word(type, "foreign"))
		read_key(f, m, n, type);
}

static void
read_measure(struct mf *f, struct mf_model *m, const struct yaml_node *n)
{
	struct span name = tree_get_text(n, "name"), expr = tree_get_text(n, "expr");

	if (name.len == 0)
		return;
	f->measures = mem_grow(f->measures, f->nmeasures, &f->measures_cap, sizeof(*f->measures));
	f->measures[f->nmeasures] = (struct mf_measure){ name, expr.len > 0 ? expr : name, n, m, false };
	table_add(&f->measure_names, hash_of(name), (uint32_t)f->nmeasures);
	f->nmeasures++;
}

static void
read_model(struct mf *f, const struct yaml_node *n, struct span from)
{
	static const char *const lists[] = { "entities", "dimensions", "measures" };
	static void (*const readers[])(struct mf *, struct mf_model *, const struct yaml_node *) = { read_entity,
		read_dimension, read_measure };
	struct span name = tree_get_text(n, "name");
	struct mf_model *m;

	if (name.len == 0 || tree_is_false(yaml_get(yaml_get(n, "config"), "enabled")) || f->nmodels == MODELS_MAX) {
		knowledge_skip(f->k, "semantic model", name, from,
		    name.len == 0               ? "it has no name" :
			f->nmodels < MODELS_MAX ? "it is switched off" :
						  "there are too many");
		return;
	}
	m = knowledge_alloc(f->k, sizeof(*m));
	*m = (struct mf_model){ .node = n, .name = name, .from = from };
	m->out = knowledge_model_add(f->k, "semantic model", name, SPAN_NONE);
	m->out->from = from;
	m->out->label = tree_get_text(n, "label");
	m->out->said = tree_get_text(n, "description");
	m->time = m->out->time = tree_get_text(yaml_get(n, "defaults"), "agg_time_dimension");
	read_relation(f, m);
	f->models = mem_grow(f->models, f->nmodels, &f->models_cap, sizeof(struct mf_model *));
	f->models[f->nmodels++] = m;
	for (size_t k = 0; k < 3; k++) {
		const struct yaml_node *list = yaml_get(n, lists[k]);

		for (size_t i = 0; i < yaml_length(list) && i < PARTS_MAX; i++)
			readers[k](f, m, &list->items[i]);
	}
}

/* model: the semantic model that has it; empty: none. */
static void
add_metric(struct mf *f, const struct yaml_node *n, struct span model, struct span from)
{
	struct span name = tree_get_text(n, "name");

	if (name.len == 0)
		return;
	n = latest_metric(f->k, n, model);
	f->metrics = mem_grow(f->metrics, f->nmetrics, &f->metrics_cap, sizeof(*f->metrics));
	f->metrics[f->nmetrics] = (struct mf_metric){ .node = n, .name = name, .from = from,
		.type = tree_get_text(n, "type") };
	table_add(&f->metric_names, hash_of(name), (uint32_t)f->nmetrics);
	f->nmetrics++;
}

static void
read_metric(struct mf *f, const struct yaml_node *n, struct span from)
{
	add_metric(f, n, SPAN_NONE, from);
}

/* A model of dbt that is a semantic model as well, and its metrics. */
static void
read_latest(struct mf *f, const struct yaml_node *n, struct span from)
{
	const struct yaml_node *model = latest_model(f->k, n), *list = yaml_get(n, "metrics");

	if (model == NULL)
		return;
	read_model(f, model, from);
	for (size_t i = 0; i < yaml_length(list); i++)
		add_metric(f, &list->items[i], tree_get_text(model, "name"), from);
}

static void
skip_query(struct mf *f, const struct yaml_node *n, struct span from)
{
	knowledge_skip(f->k, "saved query", tree_get_text(n, "name"), from, "there is no place for saved queries");
}

static const struct {
	const char	*list;
	void		(*read)(struct mf *f, const struct yaml_node *n, struct span from);
} lists[] = { { "semantic_models", read_model }, { "metrics", read_metric }, { "saved_queries", skip_query } };

static void
read_yaml(void *arg, const struct yaml_node *root, struct span path)
{
	struct mf *f = arg;
	const struct yaml_node *list;

	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
		for (size_t i = 0; list = yaml_get(root, lists[k].list), i < yaml_length(list); i++)
			lists[k].read(f, &list->items[i], path);
	/* The form of one document for each object. */
	if ((list = yaml_get(root, "semantic_model")) != NULL)
		read_model(f, list, path);
	if ((list = yaml_get(root, "metric")) != NULL)
		read_metric(f, list, path);
	for (size_t i = 0; list = yaml_get(root, "models"), i < yaml_length(list); i++)
		read_latest(f, &list->items[i], path);
}

static void
read_object(void *arg, const struct manifest_entry *e)
{
	struct mf *f = arg;
	struct span from = tree_get_text(e->tree, "original_file_path");

	if (span_is_str(e->section, "metadata")) {
		if (f->k->project.len == 0)
			f->k->project = tree_get_text(e->tree, "project_name");
		return;
	}
	if (e->tree == NULL || e->tree->kind != YAML_MAPPING) {
		knowledge_skip(f->k, "object", e->key, SPAN_NONE, "it cannot be read: %s",
		    e->fault != NULL ? e->fault : "it is no object");
		return;
	}
	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
		if (span_is_str(e->section, lists[k].list))
			lists[k].read(f, e->tree, from);
}

static bool
has_join(const struct knowledge_model *m, const struct knowledge_model *to)
{
	for (const struct knowledge_entry *e = m->entries; e != NULL; e = e->next)
		if (e->part == KNOWLEDGE_JOIN && span_is(e->to, to->name))
			return true;
	return false;
}

/* The joins of an entity: to each model that it is a key of.  A key of both is one to one, and declared once. */
static void
join_entity(struct mf *f, struct mf_model *m, const struct yaml_node *n)
{
	struct span name = tree_get_text(n, "name"), type = tree_get_text(n, "type");
	bool foreign = span_is_word(type, "foreign"), found = !foreign;
	const char *as = foreign ? "entity" : NULL, *dated = NULL;
	uint64_t hash = hash_of(name);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&f->key_names, hash, &at)) != TABLE_NONE;) {
		const struct mf_key *key = &f->keys[row];
		struct knowledge_entry *e;

		if (!span_is(key->name, name) || key->model == m || span_is(key->model->out->table, m->out->table) ||
		    has_join(m->out, key->model->out) || (!foreign && has_join(key->model->out, m->out)))
			continue;
		if (key->natural || key->model->dated) {
			dated = "its rows are valid for a while only, and joins know no validity";
			continue;
		}
		e = knowledge_entry_add(f->k, m->out, KNOWLEDGE_JOIN, as, part_name(f, m, name));
		e->to = key->model->out->name;
		e->on = knowledge_text(f->k, "%.*s = %.*s", SPAN_FMT(mf_entity_column(n)), SPAN_FMT(key->column));
		e->single = !foreign;
		as = NULL;
		found = true;
	}
	if (!found)
		knowledge_skip(f->k, "entity", part_name(f, m, name), m->from, "%s",
		    dated != NULL ? dated : "no other semantic model has it as its key");
	else if (!foreign)
		knowledge_merge(f->k, "entity", part_name(f, m, name));
}

int
metricflow_read(struct knowledge *k, const struct knowledge_input *in, struct err *err)
{
	static const char *const sections[] = { "semantic_models", "metrics", "saved_queries", NULL };
	struct mf f = { .k = k };
	int r = 0;

	tree_name_project(k, in);
	if (in->manifest >= 0)
		r = manifest_each(k, in->manifest, sections, read_object, &f, err);
	else
		tree_each_file(k, in, read_yaml, &f);
	for (size_t i = 0; i < f.nmodels; i++) {
		const struct yaml_node *list = yaml_get(f.models[i]->node, "entities");

		for (size_t j = 0; j < yaml_length(list) && j < PARTS_MAX; j++)
			if (!template_is(tree_get_text(&list->items[j], "expr")))
				join_entity(&f, f.models[i], &list->items[j]);
	}
	mf_take_metrics(&f);
	for (size_t i = 0; i < f.nmetrics; i++)
		free(f.metrics[i].why);
	table_free(&f.measure_names);
	table_free(&f.metric_names);
	table_free(&f.key_names);
	free(f.models);
	free(f.measures);
	free(f.metrics);
	free(f.keys);
	return r;
}

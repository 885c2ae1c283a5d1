/* latest.c - see latest.h. */
#include "workers/import/knowledge/latest.h"

#define MEMBERS_MAX	24	/* of a mapping that is made here */
#define PARTS_MAX	2000	/* entities, or dimensions, of a model */

static const struct yaml_node *
text_node(struct knowledge *k, struct span text)
{
	struct yaml_node *n = knowledge_alloc(k, sizeof(*n));

	*n = (struct yaml_node){ .kind = YAML_SCALAR, .text = text };
	return n;
}

/* A mapping, or a sequence, with room for max members. */
static struct yaml_node *
container_new(struct knowledge *k, enum yaml_kind kind, size_t max)
{
	struct yaml_node *n = knowledge_alloc(k, sizeof(*n));

	*n = (struct yaml_node){ .kind = kind, .items = knowledge_alloc(k, (max + 1) * sizeof(*n->items)),
		.keys = knowledge_alloc(k, (max + 1) * sizeof(*n->keys)) };
	return n;
}

/* Adds a member, or an element (key NULL); a value that is missing is not added. */
static void
container_put(struct yaml_node *n, const char *key, const struct yaml_node *value)
{
	if (value == NULL)
		return;
	if (key != NULL)
		((struct yaml_node *)(uintptr_t)n->keys)[n->n] =
		    (struct yaml_node){ .kind = YAML_SCALAR, .text = span_str(key) };
	((struct yaml_node *)(uintptr_t)n->items)[n->n++] = *value;
}

/* An entity or a dimension of a column: its type alone, or a mapping.  Its name is the column's unless it has one. */
static struct yaml_node *
part_of_column(struct knowledge *k, const struct yaml_node *column, const struct yaml_node *said)
{
	static const char *const kept[] = { "label", "description", "type_params" };
	struct yaml_node *part = container_new(k, YAML_MAPPING, MEMBERS_MAX);
	struct span name = tree_get_text(column, "name"), own = tree_get_text(said, "name");

	container_put(part, "name", text_node(k, own.len > 0 ? own : name));
	container_put(part, "type", said->kind == YAML_SCALAR ? said : yaml_get(said, "type"));
	if (own.len > 0 && !span_is(own, name))
		container_put(part, "expr", text_node(k, name));
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		container_put(part, kept[i], yaml_get(said, kept[i]));
	if (yaml_get(said, "description") == NULL)
		container_put(part, "description", yaml_get(column, "description"));
	return part;
}

/* The granularity of a time, which stands next to the dimension, and its validity as type_params. */
static void
put_params(struct knowledge *k, struct yaml_node *part, const struct yaml_node *grain, const struct yaml_node *validity)
{
	struct yaml_node *params = container_new(k, YAML_MAPPING, 2);

	container_put(params, "time_granularity", grain);
	container_put(params, "validity_params", validity);
	if (params->n > 0)
		container_put(part, "type_params", params);
}

static void
read_columns(struct knowledge *k, const struct yaml_node *columns, struct yaml_node *entities,
    struct yaml_node *dimensions)
{
	for (size_t i = 0; i < yaml_length(columns) && i < PARTS_MAX; i++) {
		const struct yaml_node *c = &columns->items[i], *entity = yaml_get(c, "entity"),
				       *dimension = yaml_get(c, "dimension");
		struct yaml_node *part;

		if (entity != NULL && entity->kind != YAML_NULL)
			container_put(entities, NULL, part_of_column(k, c, entity));
		if (dimension == NULL || dimension->kind == YAML_NULL)
			continue;
		part = part_of_column(k, c, dimension);
		put_params(k, part, yaml_get(c, "granularity"), yaml_get(dimension, "validity_params"));
		container_put(dimensions, NULL, part);
	}
}

/* What no column is: entities and dimensions with an expression. */
static void
read_derived(struct knowledge *k, const struct yaml_node *derived, struct yaml_node *entities,
    struct yaml_node *dimensions)
{
	static const char *const kept[] = { "name", "type", "expr", "label", "description", "type_params" };
	const struct yaml_node *lists[] = { yaml_get(derived, "entities"), yaml_get(derived, "dimensions") };

	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; i < yaml_length(lists[l]) && i < PARTS_MAX; i++) {
			const struct yaml_node *n = &lists[l]->items[i];
			struct yaml_node *part = container_new(k, YAML_MAPPING, MEMBERS_MAX);

			for (size_t j = 0; j < sizeof(kept) / sizeof(kept[0]); j++)
				container_put(part, kept[j], yaml_get(n, kept[j]));
			put_params(k, part, yaml_get(n, "granularity"), yaml_get(n, "validity_params"));
			container_put(l == 0 ? entities : dimensions, NULL, part);
		}
}

const struct yaml_node *
latest_model(struct knowledge *k, const struct yaml_node *model)
{
	const struct yaml_node *said = yaml_get(model, "semantic_model"), *name = yaml_get(said, "name");
	struct yaml_node *out, *entities, *dimensions, *defaults, *relation;
	struct span alias = tree_get_text(yaml_get(model, "config"), "alias");
	bool on = false;

	if (said == NULL || tree_is_false(said) || tree_is_false(yaml_get(said, "enabled")) ||
	    (said->kind != YAML_MAPPING && !(yaml_bool(said, &on) && on)))
		return NULL;
	out = container_new(k, YAML_MAPPING, MEMBERS_MAX);
	entities = container_new(k, YAML_SEQUENCE, (size_t)2 * PARTS_MAX);
	dimensions = container_new(k, YAML_SEQUENCE, (size_t)2 * PARTS_MAX);
	read_columns(k, yaml_get(model, "columns"), entities, dimensions);
	read_derived(k, yaml_get(model, "derived_semantics"), entities, dimensions);
	container_put(out, "name", name != NULL ? name : yaml_get(model, "name"));
	container_put(out, "model", yaml_get(model, "name"));
	container_put(out, "description", yaml_get(model, "description"));
	container_put(out, "label", yaml_get(said, "label"));
	container_put(out, "primary_entity", yaml_get(model, "primary_entity"));
	container_put(out, "entities", entities);
	container_put(out, "dimensions", dimensions);
	if (yaml_get(model, "agg_time_dimension") != NULL) {
		defaults = container_new(k, YAML_MAPPING, 1);
		container_put(defaults, "agg_time_dimension", yaml_get(model, "agg_time_dimension"));
		container_put(out, "defaults", defaults);
	}
	if (alias.len > 0) {
		relation = container_new(k, YAML_MAPPING, 1);
		container_put(relation, "alias", text_node(k, alias));
		container_put(out, "node_relation", relation);
	}
	return out;
}

/* Where a key of a metric belongs in the form before. */
enum place { OF_METRIC, OF_PARAMS, OF_AGGREGATE, OF_PERCENTILE };

static const struct {
	const char	*key, *becomes;
	enum place	 place;
} moved[] = {
	{ "agg", "agg", OF_AGGREGATE },
	{ "agg_time_dimension", "agg_time_dimension", OF_AGGREGATE },
	{ "non_additive_dimension", "non_additive_dimension", OF_AGGREGATE },
	{ "percentile", "percentile", OF_PERCENTILE },
	{ "percentile_type", NULL, OF_PERCENTILE },
	{ "expr", "expr", OF_PARAMS },
	{ "join_to_timespine", "join_to_timespine", OF_PARAMS },
	{ "fill_nulls_with", "fill_nulls_with", OF_PARAMS },
	{ "input_metrics", "metrics", OF_PARAMS },
	{ "numerator", "numerator", OF_PARAMS },
	{ "denominator", "denominator", OF_PARAMS },
	{ "window", "window", OF_PARAMS },
	{ "grain_to_date", "grain_to_date", OF_PARAMS },
	{ "input_metric", "cumulative_type_params", OF_PARAMS },
	{ "period_agg", "cumulative_type_params", OF_PARAMS },
	{ "base_metric", "conversion_type_params", OF_PARAMS },
	{ "conversion_metric", "conversion_type_params", OF_PARAMS },
	{ "entity", "conversion_type_params", OF_PARAMS },
	{ "calculation", "conversion_type_params", OF_PARAMS },
	{ "constant_properties", "conversion_type_params", OF_PARAMS },
};

/* The place of a key; the metric keeps what is not known here, and metrics.c refuses it. */
static size_t
place_of(struct span key)
{
	size_t i = 0;

	while (i < sizeof(moved) / sizeof(moved[0]) && !span_is_str(key, moved[i].key))
		i++;
	return i;
}

const struct yaml_node *
latest_metric(struct knowledge *k, const struct yaml_node *metric, struct span model)
{
	struct yaml_node *out, *params, *aggregate, *percentile;
	bool simple = span_is_word(tree_get_text(metric, "type"), "simple");

	if (metric->kind != YAML_MAPPING || yaml_get(metric, "type_params") != NULL ||
	    yaml_get(metric, "calculation_method") != NULL)
		return metric;
	out = container_new(k, YAML_MAPPING, metric->n + 1);
	params = container_new(k, YAML_MAPPING, MEMBERS_MAX);
	aggregate = container_new(k, YAML_MAPPING, MEMBERS_MAX);
	percentile = container_new(k, YAML_MAPPING, MEMBERS_MAX);
	for (size_t i = 0; i < metric->n; i++) {
		size_t at = place_of(metric->keys[i].text);

		if (at == sizeof(moved) / sizeof(moved[0])) {
			((struct yaml_node *)(uintptr_t)out->keys)[out->n] = metric->keys[i];
			((struct yaml_node *)(uintptr_t)out->items)[out->n++] = metric->items[i];
		} else if (moved[at].becomes != NULL)
			container_put(moved[at].place == OF_PARAMS ? params :
				moved[at].place == OF_AGGREGATE    ? aggregate :
								     percentile,
			    moved[at].becomes, &metric->items[i]);
	}
	/* Discrete unless it says otherwise: what is not said is not guessed. */
	if (percentile->n > 0) {
		bool continuous = span_is_word(tree_get_text(metric, "percentile_type"), "continuous");

		container_put(percentile, "use_discrete_percentile",
		    text_node(k, continuous ? SPAN("false") : SPAN("true")));
		container_put(aggregate, "agg_params", percentile);
	}
	if (simple) {
		container_put(aggregate, "semantic_model", text_node(k, model));
		container_put(params, "metric_aggregation_params", aggregate);
	}
	container_put(out, "type_params", params);
	return out;
}

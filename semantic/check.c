/* check.c - the authoring rules of one source file; see check.h. */
#include <string.h>

#include "project/yaml.h"
#include "semantic/check.h"

static const char *const source_keys[] = { "name", "table", "sql", "grain", "columns", "joins",
	"measures", "segments", "descriptions", "description", "default_time_dimension", "tags",
	"freshness", "source_type", "inherits_columns_from", "usage", NULL };
static const char *const column_keys[] = { "name", "type", "role", "visibility", "descriptions",
	"description", "expr", "natural_granularity", "constraints", "enum_values", "tests", NULL };
static const char *const join_keys[] = { "to", "on", "true", "relationship", "alias", "source", NULL };
static const char *const measure_keys[] = { "name", "expr", "filter", "segments", "description",
	"descriptions", NULL };
static const char *const segment_keys[] = { "name", "expr", "description", "descriptions", NULL };

static const char *const types[] = { "string", "number", "time", "boolean", NULL };
static const char *const roles[] = { "default", "time", NULL };
static const char *const visibilities[] = { "public", "internal", "hidden", NULL };

/* The first key of a mapping that is none of ours; NULL: all are. */
static const struct yaml_node *
strange_key(const struct yaml_node *map, const char *const *known)
{
	for (size_t i = 0; map != NULL && map->kind == YAML_MAPPING && i < map->n; i++)
		if (!span_is_any(map->keys[i].text, known))
			return &map->keys[i];
	return NULL;
}

/* The text under key is one of words, or there is none. */
static bool
is_allowed(const struct yaml_node *map, const char *key, const char *const *words, struct span *value)
{
	const struct yaml_node *v = yaml_get(map, key);

	*value = v != NULL && v->kind == YAML_SCALAR ? v->text : (struct span){ NULL, 0 };
	return value->len == 0 || span_is_any(*value, words);
}

static const char *
fault_of_keys(struct arena *a, const struct source *s)
{
	static const struct {
		const char		*list;
		const char *const	*keys;
	} lists[] = { { "columns", column_keys }, { "joins", join_keys }, { "measures", measure_keys },
		{ "segments", segment_keys } };
	const struct yaml_node *bad = strange_key(s->node, source_keys);

	for (size_t k = 0; bad == NULL && k < sizeof(lists) / sizeof(lists[0]); k++) {
		const struct yaml_node *list = yaml_get(s->node, lists[k].list);

		for (size_t i = 0; bad == NULL && list != NULL && list->kind == YAML_SEQUENCE && i < list->n; i++)
			bad = strange_key(&list->items[i], lists[k].keys);
	}
	return bad == NULL ? NULL : arena_printf(a, "%s: the key \"%.*s\" in line %u has no meaning here; correct or remove it.",
	    s->name, SPAN_FMT(bad->text), bad->line);
}

static const char *
fault_of_columns(struct arena *a, const struct source *s)
{
	const struct yaml_node *list = yaml_get(s->node, "columns");
	bool inherits = yaml_get(s->node, "inherits_columns_from") != NULL;	/* then a type may be the database's */

	if (s->ncolumns == 0)
		return arena_printf(a, "%s: `columns` must describe at least one column.", s->name);
	for (size_t i = 0; list != NULL && list->kind == YAML_SEQUENCE && i < list->n; i++) {
		const struct yaml_node *c = &list->items[i];
		struct span name = { NULL, 0 }, v;

		if (yaml_get(c, "name") != NULL)
			name = yaml_get(c, "name")->text;
		if (name.len == 0)
			return arena_printf(a, "%s: the column in line %u has no `name`.", s->name, c->line);
		if (!inherits && !is_allowed(c, "type", types, &v))
			return arena_printf(a, "%s: column \"%.*s\" has the type \"%.*s\"; use string, number, time or boolean.",
			    s->name, SPAN_FMT(name), SPAN_FMT(v));
		if (!is_allowed(c, "role", roles, &v))
			return arena_printf(a, "%s: column \"%.*s\" has the role \"%.*s\"; use default or time.",
			    s->name, SPAN_FMT(name), SPAN_FMT(v));
		/* A misspelt `hidden` must not make the column public. */
		if (!is_allowed(c, "visibility", visibilities, &v))
			return arena_printf(a, "%s: column \"%.*s\" has the visibility \"%.*s\"; use public, internal or hidden.",
			    s->name, SPAN_FMT(name), SPAN_FMT(v));
		if (memchr(name.p, '.', name.len) != NULL)
			return arena_printf(a, "%s: the column name \"%.*s\" has a dot; name the column alone.",
			    s->name, SPAN_FMT(name));
	}
	return NULL;
}

static const char *
fault_of_measures(struct arena *a, const struct source *s)
{
	const struct yaml_node *list = yaml_get(s->node, "measures");

	if (list != NULL && list->kind == YAML_SEQUENCE && s->nmeasures < list->n)
		return arena_printf(a, "%s: every measure needs a `name` and an `expr`.", s->name);
	for (size_t i = 0; i < s->nmeasures; i++)
		if (s->measures[i].name == NULL || s->measures[i].expr == NULL)
			return arena_printf(a, "%s: every measure needs a `name` and an `expr`.", s->name);
	for (size_t i = 0; i < s->nsegments; i++)
		if (s->segments[i].name == NULL || s->segments[i].expr == NULL)
			return arena_printf(a, "%s: every segment needs a `name` and an `expr`.", s->name);
	return NULL;
}

/* What a scan wrote keeps the database's own types and may lack a key. */
static const char *
fault_of_file(struct arena *a, const struct source *s)
{
	const char *fault;

	if (s->ngrain == 0)
		return arena_printf(a, "%s: `grain` must name the columns that identify a row.", s->name);
	if ((fault = fault_of_keys(a, s)) == NULL && (fault = fault_of_columns(a, s)) == NULL)
		fault = fault_of_measures(a, s);
	return fault;
}

const char *
sem_source_fault(struct arena *a, const struct source *s, enum sem_category *category)
{
	const struct yaml_node *joins;

	*category = SEM_INVALID_SOURCE;
	if (s->rival != NULL) {
		*category = SEM_DUPLICATE_SOURCE;
		return arena_printf(a, "%s: both %s and %s define a source of this name; rename or remove one.",
		    s->name, s->rival, s->path);
	}
	if ((s->table == NULL) == (s->sql == NULL))
		return arena_printf(a, "%s: needs exactly one of `table` and `sql`.", s->name);
	if (s->flavour != SOURCE_STANDALONE)
		return NULL;
	if ((joins = yaml_get(s->node, "joins")) != NULL && joins->kind == YAML_SEQUENCE && s->njoins < joins->n) {
		*category = SEM_INVALID_JOIN;
		return arena_printf(a, "%s: a join needs `to`, `on` and a relationship.", s->name);
	}
	return fault_of_file(a, s);
}

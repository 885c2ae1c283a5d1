/* check.c - the authoring rules of one source file; see check.h. */
#include <string.h>

#include "project/model/source_find.h"
#include "project/format/yaml.h"
#include "semantic/check.h"

static const char *const source_keys[] = { "name", "table", "sql", "grain", "columns", "joins",
	"measures", "segments", "descriptions", "description", "default_time_dimension", "tags",
	"freshness", "source_type", "inherits_columns_from", "usage", "label", "synonyms", NULL };
static const char *const column_keys[] = { "name", "type", "role", "visibility", "descriptions",
	"description", "expr", "natural_granularity", "constraints", "enum_values", "tests", "label", "synonyms",
	"measured_unique", NULL };
static const char *const join_keys[] = { "to", "on", "true", "relationship", "alias", "source", "verbs", NULL };
static const char *const measure_keys[] = { "name", "expr", "filter", "segments", "description",
	"descriptions", "label", "synonyms", "unit", "additive", "none_over", "missing", NULL };
static const char *const segment_keys[] = { "name", "expr", "description", "descriptions", "label", "synonyms", NULL };

/* Keys that decide what is hidden or selected: a misspelt one is an error, never ignored. */
static const char *const closing_keys[] = { "visibility", "filter", "segments", "exclude_columns", "disable_joins",
	"column_overrides", NULL };

/* The lists of a source and the keys of their items. */
static const struct {
	const char		*list;
	const char *const	*keys;
} lists[] = { { "columns", column_keys }, { "joins", join_keys }, { "measures", measure_keys },
	{ "segments", segment_keys } };

static const char *const types[] = { "string", "number", "time", "boolean", NULL };
static const char *const roles[] = { "default", "time", NULL };
static const char *const visibilities[] = { "public", "internal", "hidden", NULL };

/* True when the text under key is one of words, or the key is absent. */
static bool
is_allowed(const struct yaml_node *map, const char *key, const char *const *words, struct span *value)
{
	const struct yaml_node *v = yaml_get(map, key);

	*value = v != NULL && v->kind == YAML_SCALAR ? v->text : SPAN_NONE;
	return value->len == 0 || span_is_any(*value, words);
}

static bool
is_nearly_closing(struct span key)
{
	for (size_t i = 0; closing_keys[i] != NULL; i++)
		if (key.len > 4 && sem_distance(key, span_str(closing_keys[i])) <= 2)
			return true;
	return false;
}

/* Tell fn of every key of map that has no meaning here. */
static void
each_strange(const struct yaml_node *map, const char *const *known,
    void (*fn)(void *, struct span, unsigned), void *arg)
{
	for (size_t i = 0; map != NULL && map->kind == YAML_MAPPING && i < map->n; i++)
		if (!span_is_any(map->keys[i].text, known))
			fn(arg, map->keys[i].text, map->keys[i].line != 0 ? map->keys[i].line : map->items[i].line);
}

/* A scan's entries have further keys, which no person wrote. */
static void
each_strange_key(const struct source *s, void (*fn)(void *, struct span, unsigned), void *arg)
{
	if (s->flavour == SOURCE_MANIFEST)
		return;
	each_strange(s->node, source_keys, fn, arg);
	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++) {
		const struct yaml_node *list = yaml_get(s->node, lists[k].list);

		for (size_t i = 0; list != NULL && list->kind == YAML_SEQUENCE && i < list->n; i++)
			each_strange(&list->items[i], lists[k].keys, fn, arg);
	}
}

struct misspelt {
	struct span	key;
	unsigned	line;
};

static void
keep_misspelt(void *arg, struct span key, unsigned line)
{
	struct misspelt *m = arg;

	if (m->key.len == 0 && is_nearly_closing(key))
		*m = (struct misspelt){ key, line };
}

static const char *
fault_of_keys(struct arena *a, const struct source *s)
{
	struct misspelt m = { .key = { NULL, 0 } };

	each_strange_key(s, keep_misspelt, &m);
	return m.key.len == 0 ? NULL :
				arena_printf(a,
				    "%s: the key \"%.*s\" in line %u is not known, and is too like one "
				    "that keeps rows or columns out to be passed over; correct or remove it.",
				    s->name, SPAN_FMT(m.key), m.line);
}

static bool
is_texts(const struct yaml_node *n)
{
	if (n == NULL || n->kind == YAML_NULL || n->kind == YAML_SCALAR)
		return true;
	for (size_t i = 0; n->kind == YAML_SEQUENCE && i < n->n; i++)
		if (n->items[i].kind != YAML_SCALAR)
			return false;
	return n->kind == YAML_SEQUENCE;
}

static bool
is_text_or_none(const struct yaml_node *n)
{
	return n == NULL || n->kind == YAML_NULL || n->kind == YAML_SCALAR;
}

/* Checks labels, synonyms, units and additivity. */
static const char *
fault_of_words(struct arena *a, const struct source *s, const struct yaml_node *n)
{
	static const char *const additivities[] = { "full", "none", NULL },
				 *const missings[] = { "zero", "stays", NULL };
	struct span missing;
	const struct yaml_node *additive = yaml_get(n, "additive");

	if (!is_text_or_none(yaml_get(n, "label")))
		return arena_printf(a, "%s: the `label` in line %u must be one text.", s->name,
		    yaml_get(n, "label")->line);
	if (!is_texts(yaml_get(n, "synonyms")))
		return arena_printf(a, "%s: the `synonyms` in line %u must be a list of texts.", s->name,
		    yaml_get(n, "synonyms")->line);
	if (!is_texts(yaml_get(n, "verbs")))
		return arena_printf(a, "%s: the `verbs` in line %u must be a list of texts.", s->name,
		    yaml_get(n, "verbs")->line);
	if (!is_text_or_none(yaml_get(n, "unit")))
		return arena_printf(a, "%s: the `unit` in line %u must be one text, such as EUR.", s->name,
		    yaml_get(n, "unit")->line);
	if (!is_texts(additive) ||
	    (additive != NULL && additive->kind == YAML_SCALAR && !span_is_any(additive->text, additivities)))
		return arena_printf(a, "%s: `additive` in line %u is full, none, or a list of dimensions.", s->name,
		    additive->line);
	if (!is_allowed(n, "missing", missings, &missing))
		return arena_printf(a, "%s: `missing` in line %u is zero or stays.", s->name,
		    yaml_get(n, "missing")->line);
	if (!is_texts(yaml_get(n, "none_over")))
		return arena_printf(a, "%s: `none_over` in line %u must be a list of dimensions.", s->name,
		    yaml_get(n, "none_over")->line);
	return NULL;
}

/* ktx's key: a column, or `{dbt: column}`. */
static const char *
fault_of_time(struct arena *a, const struct source *s)
{
	const struct yaml_node *n = yaml_get(s->node, "default_time_dimension");
	const struct yaml_node *named = n != NULL && n->kind == YAML_MAPPING ? yaml_get(n, "dbt") : n;

	if (n == NULL || n->kind == YAML_NULL || (n->kind == YAML_MAPPING && n->n == 0))
		return NULL;
	if (named == NULL || named->kind != YAML_SCALAR || named->text.len == 0)
		return arena_printf(a,
		    "%s: `default_time_dimension` in line %u names one column, alone or as `{dbt: column}`.", s->name,
		    n->line);
	if (source_find_folded(s, named->text) == NULL)
		return arena_printf(a,
		    "%s: `default_time_dimension` in line %u names \"%.*s\", which is not one of its columns.", s->name,
		    n->line, SPAN_FMT(named->text));
	return NULL;
}

static const char *
fault_of_all_words(struct arena *a, const struct source *s)
{
	const char *fault = fault_of_words(a, s, s->node);

	if (fault == NULL)
		fault = fault_of_time(a, s);
	for (size_t k = 0; fault == NULL && k < sizeof(lists) / sizeof(lists[0]); k++) {
		const struct yaml_node *list = yaml_get(s->node, lists[k].list);

		for (size_t i = 0; fault == NULL && list != NULL && list->kind == YAML_SEQUENCE && i < list->n; i++)
			fault = fault_of_words(a, s, &list->items[i]);
	}
	return fault;
}

static const char *
fault_of_columns(struct arena *a, const struct source *s)
{
	const struct yaml_node *list = yaml_get(s->node, "columns");
	bool inherits =
	    yaml_get(s->node, "inherits_columns_from") != NULL; /* the type may then be a type name of the database */

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
			return arena_printf(a,
			    "%s: column \"%.*s\" has the type \"%.*s\"; use string, number, time or boolean.", s->name,
			    SPAN_FMT(name), SPAN_FMT(v));
		if (!is_allowed(c, "role", roles, &v))
			return arena_printf(a, "%s: column \"%.*s\" has the role \"%.*s\"; use default or time.",
			    s->name, SPAN_FMT(name), SPAN_FMT(v));
		/* A misspelt `hidden` must not make the column public. */
		if (!is_allowed(c, "visibility", visibilities, &v))
			return arena_printf(a,
			    "%s: column \"%.*s\" has the visibility \"%.*s\"; use public, internal or hidden.", s->name,
			    SPAN_FMT(name), SPAN_FMT(v));
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

/* Sources of a scan keep the database's types and may lack a key. */
static const char *
fault_of_file(struct arena *a, const struct source *s)
{
	const char *fault;

	if (s->ngrain == 0)
		return arena_printf(a, "%s: `grain` must name the columns that identify a row.", s->name);
	if ((fault = fault_of_keys(a, s)) == NULL && (fault = fault_of_columns(a, s)) == NULL &&
	    (fault = fault_of_measures(a, s)) == NULL)
		fault = fault_of_all_words(a, s);
	return fault;
}

const char *
sem_source_fault(struct arena *a, const struct source *s, enum sem_category *category)
{
	const struct yaml_node *joins;
	const char *fault;

	*category = SEM_INVALID_SOURCE;
	if (s->rival != NULL) {
		*category = SEM_DUPLICATE_SOURCE;
		return arena_printf(a, "%s: both %s and %s define a source of this name; rename or remove one.",
		    s->name, s->rival, s->path);
	}
	if ((s->table == NULL) == (s->sql == NULL))
		return arena_printf(a, "%s: needs exactly one of `table` and `sql`.", s->name);
	if (s->flavour == SOURCE_OVERLAID)
		return (fault = fault_of_keys(a, s)) != NULL ? fault : fault_of_all_words(a, s);
	if (s->flavour != SOURCE_STANDALONE)
		return NULL;
	if ((joins = yaml_get(s->node, "joins")) != NULL && joins->kind == YAML_SEQUENCE && s->njoins < joins->n) {
		*category = SEM_INVALID_JOIN;
		return arena_printf(a, "%s: a join needs `to`, `on` and a relationship.", s->name);
	}
	return fault_of_file(a, s);
}

struct check_telling {
	const struct source	*source;
	struct arena		*arena;
	sem_note_fn		*fn;
	void			*arg;
};

static void
tell_strange(void *arg, struct span key, unsigned line)
{
	const struct check_telling *t = arg;

	if (!is_nearly_closing(key))
		t->fn(t->arg, t->source, line, SEM_INVALID_SOURCE,
		    arena_printf(t->arena, "%s: the key \"%.*s\" has no meaning here and is passed over.",
			t->source->name, SPAN_FMT(key)));
}

void
sem_source_notes(struct arena *a, const struct source *s, sem_note_fn *fn, void *arg)
{
	struct check_telling t = { s, a, fn, arg };

	each_strange_key(s, tell_strange, &t);
	for (size_t i = 0; i < s->njoins; i++) {
		const struct source_join *j = &s->joins[i];

		if (j->alias != NULL || strcmp(j->to, s->name) != 0)
			continue;
		fn(arg, s, s->flavour == SOURCE_OVERLAID ? 0 : j->line, SEM_INVALID_JOIN,
		    arena_printf(a,
			"%s: a join of it to itself (%s)%s has no `alias` to be named by and is passed over; add one, "
			"such as "
			"`alias: %s_parent`%s.",
			s->name, j->on != NULL ? j->on : "",
			s->flavour == SOURCE_OVERLAID ? ", here or in the scanned source below _schema," : "", s->name,
			s->flavour == SOURCE_STANDALONE ? "" : ", or let `carrel scan` write it"));
		return; /* the join's other direction lacks the same thing: report it once */
	}
}

/* source_model.c - a source's tree as the structs that search and the compiler work on. */
#include <string.h>

#include "project/describe.h"
#include "project/source_tree.h"

static const char *
source_model_text(struct arena *a, const struct yaml_node *n)
{
	return source_text(n).len == 0 ? NULL : yaml_cstr(a, n);
}

static size_t
source_model_length(const struct yaml_node *n)
{
	return n != NULL && n->kind == YAML_SEQUENCE ? n->n : 0;
}

/* `descriptions`, else the flat `description` that hand-written files use. */
static struct span
description(const struct yaml_node *n)
{
	struct span s = describe_yaml(yaml_get(n, "descriptions"));

	return s.len > 0 ? s : describe_yaml(yaml_get(n, "description"));
}

static int
read_list(struct arena *a, const struct yaml_node *n, size_t *count, const char ***out)
{
	*count = 0;
	if (source_model_length(n) == 0)
		return 0;
	if ((*out = arena_array(a, n->n, sizeof(**out))) == NULL)
		return -1;
	for (size_t i = 0; i < n->n; i++) {
		const char *s = source_model_text(a, &n->items[i]);

		if (s != NULL)
			(*out)[(*count)++] = s;
	}
	return 0;
}

/* A single synonym is a list of one. */
static int
read_words(struct arena *a, const struct yaml_node *n, struct source_words *out)
{
	const struct yaml_node *synonyms = yaml_get(n, "synonyms");

	out->label = span_trim(source_text(yaml_get(n, "label")));
	if (source_text(synonyms).len == 0)
		return read_list(a, synonyms, &out->nsynonyms, &out->synonyms);
	if ((out->synonyms = arena_array(a, 1, sizeof(*out->synonyms))) == NULL ||
	    (out->synonyms[0] = source_model_text(a, synonyms)) == NULL)
		return -1;
	out->nsynonyms = 1;
	return 0;
}

static enum source_visibility
read_visibility(const struct yaml_node *n)
{
	struct span s = source_text(yaml_get(n, "visibility"));

	return span_is(s, SPAN("hidden")) ? SOURCE_HIDDEN :
	    span_is(s, SPAN("internal"))  ? SOURCE_INTERNAL :
					    SOURCE_PUBLIC;
}

static int
read_columns(struct arena *a, const struct yaml_node *n, struct source *s)
{
	if (source_model_length(n) == 0)
		return 0;
	if ((s->columns = arena_array(a, n->n, sizeof(*s->columns))) == NULL)
		return -1;
	for (size_t i = 0; i < n->n; i++) {
		const struct yaml_node *c = &n->items[i];
		struct source_column *out = &s->columns[s->ncolumns];

		if ((out->name = source_model_text(a, yaml_get(c, "name"))) == NULL)
			continue;
		out->type = source_model_text(a, yaml_get(c, "type"));
		out->expr = source_model_text(a, yaml_get(c, "expr"));
		out->granularity = source_model_text(a, yaml_get(c, "natural_granularity"));
		out->time = span_is(source_text(yaml_get(c, "role")), SPAN("time"));
		out->visibility = read_visibility(c);
		out->description = description(c);
		if (read_words(a, c, &out->words) != 0)
			return -1;
		s->ncolumns++;
	}
	return 0;
}

static enum source_relationship
read_relationship(const struct yaml_node *n)
{
	struct span s = source_text(n);

	return span_is(s, SPAN("many_to_one")) ? SOURCE_MANY_TO_ONE :
	    span_is(s, SPAN("one_to_many"))    ? SOURCE_ONE_TO_MANY :
	    span_is(s, SPAN("one_to_one"))     ? SOURCE_ONE_TO_ONE :
						 SOURCE_NO_RELATIONSHIP;
}

static int
read_joins(struct arena *a, const struct yaml_node *n, struct source *s)
{
	if (source_model_length(n) == 0)
		return 0;
	if ((s->joins = arena_array(a, n->n, sizeof(*s->joins))) == NULL)
		return -1;
	for (size_t i = 0; i < n->n; i++) {
		const struct yaml_node *j = &n->items[i];
		const struct yaml_node *on = yaml_get(j, "on");
		struct source_join *out = &s->joins[s->njoins];

		if ((out->to = source_model_text(a, yaml_get(j, "to"))) == NULL)
			continue;
		/* A writer of YAML 1.1 turns an unquoted `on` into `true`. */
		out->on = source_model_text(a, on != NULL ? on : yaml_get(j, "true"));
		out->alias = source_model_text(a, yaml_get(j, "alias"));
		out->relationship = read_relationship(yaml_get(j, "relationship"));
		out->line = j->line;
		s->njoins++;
	}
	return 0;
}

static int
read_measures(struct arena *a, const struct yaml_node *n, struct source *s)
{
	if (source_model_length(n) == 0)
		return 0;
	if ((s->measures = arena_array(a, n->n, sizeof(*s->measures))) == NULL)
		return -1;
	for (size_t i = 0; i < n->n; i++) {
		const struct yaml_node *m = &n->items[i];
		struct source_measure *out = &s->measures[s->nmeasures];

		if ((out->name = source_model_text(a, yaml_get(m, "name"))) == NULL)
			continue;
		out->expr = source_model_text(a, yaml_get(m, "expr"));
		out->filter = source_model_text(a, yaml_get(m, "filter"));
		out->description = description(m);
		if (read_list(a, yaml_get(m, "segments"), &out->nsegments, &out->segments) != 0 ||
		    read_words(a, m, &out->words) != 0)
			return -1;
		s->nmeasures++;
	}
	return 0;
}

static int
read_segments(struct arena *a, const struct yaml_node *n, struct source *s)
{
	if (source_model_length(n) == 0)
		return 0;
	if ((s->segments = arena_array(a, n->n, sizeof(*s->segments))) == NULL)
		return -1;
	for (size_t i = 0; i < n->n; i++) {
		const struct yaml_node *g = &n->items[i];
		struct source_segment *out = &s->segments[s->nsegments];

		if ((out->name = source_model_text(a, yaml_get(g, "name"))) == NULL)
			continue;
		out->expr = source_model_text(a, yaml_get(g, "expr"));
		out->description = description(g);
		if (read_words(a, g, &out->words) != 0)
			return -1;
		s->nsegments++;
	}
	return 0;
}

int
source_extract(struct arena *a, const struct yaml_node *node, struct source *s)
{
	s->node = node;
	s->table = source_model_text(a, yaml_get(node, "table"));
	s->sql = source_model_text(a, yaml_get(node, "sql"));
	s->description = description(node);
	if (read_words(a, node, &s->words) != 0 || read_list(a, yaml_get(node, "grain"), &s->ngrain, &s->grain) != 0 ||
	    read_columns(a, yaml_get(node, "columns"), s) != 0 || read_joins(a, yaml_get(node, "joins"), s) != 0 ||
	    read_measures(a, yaml_get(node, "measures"), s) != 0)
		return -1;
	return read_segments(a, yaml_get(node, "segments"), s);
}

/* The primary key, or every column when there is none. */
static int
manifest_grain(struct arena *a, const struct yaml_node *columns, struct source *s)
{
	size_t at = 0;
	bool pk;

	if (s->ncolumns == 0)
		return 0;
	if ((s->grain = arena_array(a, s->ncolumns, sizeof(*s->grain))) == NULL)
		return -1;
	for (size_t i = 0; i < columns->n; i++) {
		if (source_text(yaml_get(&columns->items[i], "name")).len == 0)
			continue;
		if (yaml_bool(yaml_get(&columns->items[i], "pk"), &pk) && pk)
			s->grain[s->ngrain++] = s->columns[at].name;
		at++;
	}
	if (s->ngrain == 0)
		for (; s->ngrain < s->ncolumns; s->ngrain++)
			s->grain[s->ngrain] = s->columns[s->ngrain].name;
	return 0;
}

int
source_extract_manifest(struct arena *a, struct span name, const struct yaml_node *entry,
    struct source *s)
{
	const struct yaml_node *columns = yaml_get(entry, "columns");

	s->flavour = SOURCE_MANIFEST;
	if ((s->name = arena_cstr(a, name)) == NULL)
		return -1;
	s->node = entry;
	if ((s->table = source_model_text(a, yaml_get(entry, "table"))) == NULL)
		s->table = s->name;
	s->description = description(entry);
	if (read_words(a, entry, &s->words) != 0 || read_columns(a, columns, s) != 0 ||
	    read_joins(a, yaml_get(entry, "joins"), s) != 0)
		return -1;
	for (size_t i = 0; i < s->ncolumns; i++)
		s->columns[i].time = s->columns[i].type != NULL && strcmp(s->columns[i].type, "time") == 0;
	return manifest_grain(a, columns, s);
}

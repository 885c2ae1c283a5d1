#include <string.h>

#include "project/model/source_find.h"
#include "base/ascii.h"
#include "project/model/also.h"
#include "project/scan/describe.h"
#include "project/model/source_model.h"

static const char *
source_model_text(struct arena *a, const struct yaml_node *n)
{
	return source_text(n).len == 0 ? NULL : yaml_cstr(a, n);
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
	if (yaml_length(n) == 0)
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

/* A single text is a list of one. */
static int
read_texts(struct arena *a, const struct yaml_node *n, size_t *count, const char ***out)
{
	*count = 0;
	if (source_text(n).len == 0)
		return read_list(a, n, count, out);
	if ((*out = arena_array(a, 1, sizeof(**out))) == NULL || ((*out)[0] = source_model_text(a, n)) == NULL)
		return -1;
	*count = 1;
	return 0;
}

static bool
has_synonym(const struct source_words *w, const char *name)
{
	for (size_t i = 0; i < w->nsynonyms; i++)
		if (strcmp(w->synonyms[i], name) == 0)
			return true;
	return false;
}

/* A name with runs of white space as one blank: sentences go over lines. */
static const char *
one_line(struct arena *a, struct span name)
{
	char *text = arena_alloc(a, name.len + 1);
	size_t n = 0;

	for (size_t i = 0; text != NULL && i < name.len; i++)
		if (!ascii_is_space(name.p[i]))
			text[n++] = (char)name.p[i];
		else if (n > 0 && text[n - 1] != ' ')
			text[n++] = ' ';
	return text;
}

/* The other names that the description says, behind those that the list has. */
static int
add_described(struct arena *a, struct span text, struct source_words *out)
{
	const char **all;
	struct also also;
	struct span name;

	also_begin(&also, text);
	if (!also_next(&also, &name))
		return 0;
	if ((all = arena_array(a, out->nsynonyms + ALSO_NAMES_MAX, sizeof(*all))) == NULL)
		return -1;
	if (out->nsynonyms > 0)
		memcpy(all, out->synonyms, out->nsynonyms * sizeof(*all));
	out->synonyms = all;
	do {
		const char *plain = one_line(a, name);

		if (plain == NULL)
			return -1;
		if (!has_synonym(out, plain))
			out->synonyms[out->nsynonyms++] = plain;
	} while (also_next(&also, &name));
	return 0;
}

static int
read_words(struct arena *a, const struct yaml_node *n, struct source_words *out)
{
	out->label = span_trim(source_text(yaml_get(n, "label")));
	if (read_texts(a, yaml_get(n, "synonyms"), &out->nsynonyms, &out->synonyms) != 0)
		return -1;
	return add_described(a, description(n), out);
}

/* The column, or `{dbt: column}`. */
static const char *
read_time_dimension(struct arena *a, const struct yaml_node *n)
{
	return source_model_text(a, n != NULL && n->kind == YAML_MAPPING ? yaml_get(n, "dbt") : n);
}

static int
read_additivity(struct arena *a, const struct yaml_node *m, struct source_measure *out)
{
	const struct yaml_node *additive = yaml_get(m, "additive");
	struct span said = source_text(additive);

	out->unit = source_model_text(a, yaml_get(m, "unit"));
	out->additive = span_is_str(said, "full")               ? SOURCE_ADDITIVE_FULL :
	    span_is_str(said, "none")                           ? SOURCE_ADDITIVE_NONE :
	    additive != NULL && additive->kind == YAML_SEQUENCE ? SOURCE_ADDITIVE_OVER :
								  SOURCE_ADDITIVE_UNSAID;
	if (out->additive == SOURCE_ADDITIVE_OVER && read_list(a, additive, &out->nover, &out->over) != 0)
		return -1;
	out->missing_stays = span_is_str(source_text(yaml_get(m, "missing")), "stays");
	return read_texts(a, yaml_get(m, "none_over"), &out->nnone_over, &out->none_over);
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
	if (yaml_length(n) == 0)
		return 0;
	if ((s->columns = arena_array(a, n->n, sizeof(*s->columns))) == NULL)
		return -1;
	for (size_t i = 0; i < n->n; i++) {
		const struct yaml_node *c = &n->items[i];
		struct source_column *out = &s->columns[s->ncolumns];
		struct span role;

		if ((out->name = source_model_text(a, yaml_get(c, "name"))) == NULL)
			continue;
		out->type = source_model_text(a, yaml_get(c, "type"));
		out->expr = source_model_text(a, yaml_get(c, "expr"));
		out->granularity = source_model_text(a, yaml_get(c, "natural_granularity"));
		role = source_text(yaml_get(c, "role"));
		out->time = span_is(role, SPAN("time")) ||
		    (role.len == 0 && span_is(source_text(yaml_get(c, "type")), SPAN("time")));
		out->visibility = read_visibility(c);
		out->description = description(c);
		if (!yaml_uint(yaml_get(c, "measured_unique"), &out->unique_rows))
			out->unique_rows = 0;
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
	if (yaml_length(n) == 0)
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
		if (read_texts(a, yaml_get(j, "verbs"), &out->nverbs, &out->verbs) != 0)
			return -1;
		s->njoins++;
	}
	return 0;
}

static int
read_measures(struct arena *a, const struct yaml_node *n, struct source *s)
{
	if (yaml_length(n) == 0)
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
		    read_words(a, m, &out->words) != 0 || read_additivity(a, m, out) != 0)
			return -1;
		s->nmeasures++;
	}
	return 0;
}

static int
read_segments(struct arena *a, const struct yaml_node *n, struct source *s)
{
	if (yaml_length(n) == 0)
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

/* If the grain is one column that a scan measured: in how many rows it was unique. */
static void
note_measured(struct source *s)
{
	const struct source_column *key = s->ngrain == 1 ? source_find_column(s, span_str(s->grain[0])) : NULL;

	if (key != NULL)
		s->grain_rows = key->unique_rows;
}

int
source_extract(struct arena *a, const struct yaml_node *node, struct source *s)
{
	s->node = node;
	s->table = source_model_text(a, yaml_get(node, "table"));
	s->sql = source_model_text(a, yaml_get(node, "sql"));
	s->description = description(node);
	s->time_dimension = read_time_dimension(a, yaml_get(node, "default_time_dimension"));
	if (read_words(a, node, &s->words) != 0 || read_list(a, yaml_get(node, "grain"), &s->ngrain, &s->grain) != 0 ||
	    read_columns(a, yaml_get(node, "columns"), s) != 0 || read_joins(a, yaml_get(node, "joins"), s) != 0 ||
	    read_measures(a, yaml_get(node, "measures"), s) != 0)
		return -1;
	note_measured(s);
	return read_segments(a, yaml_get(node, "segments"), s);
}

/* The primary key, else the column that a scan found unique, else every column. */
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
	for (size_t i = 0; s->ngrain == 0 && i < s->ncolumns; i++)
		if (s->columns[i].unique_rows > 0)
			s->grain[s->ngrain++] = s->columns[i].name;
	s->keyless = s->ngrain == 0;
	for (; s->keyless && s->ngrain < s->ncolumns; s->ngrain++)
		s->grain[s->ngrain] = s->columns[s->ngrain].name;
	note_measured(s);
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
	s->time_dimension = read_time_dimension(a, yaml_get(entry, "default_time_dimension"));
	if (read_words(a, entry, &s->words) != 0 || read_columns(a, columns, s) != 0 ||
	    read_joins(a, yaml_get(entry, "joins"), s) != 0)
		return -1;
	for (size_t i = 0; i < s->ncolumns; i++)
		s->columns[i].time = s->columns[i].type != NULL && strcmp(s->columns[i].type, "time") == 0;
	return manifest_grain(a, columns, s);
}

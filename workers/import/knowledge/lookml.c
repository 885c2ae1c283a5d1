/*
 * lookml.c - a project of LookML: views are tables, their fields columns and measures; explores say how they join.
 *
 * Views and explores are completed first: refinements in the order of the files, then what they extend.  An explore
 * that always limits its rows limits the measures of the view that it begins with; where several explores begin with a
 * view, the one that limits nothing decides, and the others become segments.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "workers/import/knowledge/lookml.h"
#include "workers/import/knowledge/lookml_text.h"
#include "workers/import/knowledge/looker_filters.h"
#include "workers/import/knowledge/templates.h"
#include "workers/import/knowledge/views.h"

#define OBJECTS_MAX	50000
#define EXTENDS_MAX	16		/* views that extend views that extend ... */
#define WORK_MAX	50000000	/* keys that are compared, and copied, to merge what extends others */
#define CONSTANTS_MAX	1000
#define TEXT_MAX	((size_t)1 << 20)	/* of one parameter, with its constants */
#define TWICE		"filters of what it extends"

enum lookml_state { LOOKML_UNREAD, LOOKML_READING, LOOKML_READY, LOOKML_REFUSED };

/* A view or an explore. */
struct lookml_object {
	const struct yaml_node	*node;
	struct span		 name, from;
	enum lookml_state	 state;
	const char		*why;		/* REFUSED */
};

struct lookml_objects {
	const char		*as;
	size_t			 n, cap, nrefinements, refinements_cap;
	struct lookml_object	*v, *refinements;
	struct table		 names;
};

/* What the explores that begin with a view, or join it, say of its rows; by the view's row. */
struct lookml_limits {
	bool		free, joined;	/* an explore limits nothing */
	struct span	limit;
	const char	*odd, *under;	/* why it cannot be said; an explore that joins it and limits its rows */
};

struct lookml_project {
	struct knowledge	*k;
	struct views		 s;
	struct lookml_objects	 views, explores;
	struct lookml_limits	*limits;
	const struct yaml_node	*constants[CONSTANTS_MAX];
	size_t			 nconstants;
	size_t			 work;
	bool			 folded;	/* a file says that texts are compared in any case */
};

static bool
is_yes(const struct yaml_node *n, const char *key)
{
	return span_is_word(tree_get_text(n, key), "yes");
}

/* The value of "@{name}" at the beginning of s, which is passed over; NULL: no file defines it. */
static const struct yaml_node *
take_constant(const struct lookml_project *l, struct span *s)
{
	static const struct yaml_node empty = { .kind = YAML_NULL };
	const uint8_t *end = memchr(s->p, '}', s->len);
	struct span name = end == NULL ? SPAN_NONE : span_of(s->p + 2, (size_t)(end - s->p) - 2);

	for (size_t i = 0; end != NULL && i < l->nconstants; i++)
		if (span_is(l->constants[i]->text, name)) {
			const struct yaml_node *value = yaml_get(l->constants[i], "value");

			*s = span_of(end + 1, s->len - (size_t)(end + 1 - s->p));
			return value != NULL ? value : &empty;
		}
	return NULL;
}

/* Take a piece of Liquid that says the same each time: a comment, or {{ 'a text' }}, which goes to out. */
static bool
take_liquid(struct span *s, struct buf *out)
{
	static const char open[] = "{% comment %}", close[] = "{% endcomment %}";
	const uint8_t *end;
	struct span inner;

	if (span_begins(*s, open)) {
		if ((end = tree_find(*s, close)) == NULL)
			return false;
		end += sizeof(close) - 1;
	} else {
		if (!span_begins(*s, "{{") || (end = tree_find(*s, "}}")) == NULL)
			return false;
		inner = span_trim(span_of(s->p + 2, (size_t)(end - s->p) - 2));
		if (inner.len < 2 || (inner.p[0] != '\'' && inner.p[0] != '"') ||
		    memchr(inner.p + 1, inner.p[0], inner.len - 1) != inner.p + inner.len - 1)
			return false;
		buf_append(out, inner.p + 1, inner.len - 2);
		end += 2;
	}
	*s = span_of(end, s->len - (size_t)(end - s->p));
	return true;
}

/* The text with its constants, and with Liquid that is one.  Other Liquid stays, and is refused where it is used. */
static struct span
expand_constants(const struct lookml_project *l, struct span s)
{
	struct buf out = BUF_MAX(TEXT_MAX);
	const struct yaml_node *constant;
	struct span copy;

	if (!template_is(s) && tree_find(s, "@{") == NULL)
		return s;
	while (s.len > 0 && !out.full) {
		if (span_begins(s, "@{") && (constant = take_constant(l, &s)) != NULL)
			buf_span(&out, tree_text(constant));
		else if (s.p[0] != '{' || !take_liquid(&s, &out)) {
			buf_byte(&out, s.p[0]);
			s = span_of(s.p + 1, s.len - 1);
		}
	}
	copy = out.full ? SPAN("{{ too long }}") : knowledge_copy(l->k, buf_view(&out));
	buf_fini(&out);
	return copy;
}

static struct span
get_sql(const struct lookml_project *l, const struct yaml_node *n, const char *key)
{
	return span_trim(expand_constants(l, tree_get_text(n, key)));
}

/* A text for people; one with a template says nothing. */
static struct span
get_said(const struct lookml_project *l, const struct yaml_node *n, const char *key)
{
	struct span s = get_sql(l, n, key);

	return template_is(s) || tree_find(s, "@{") != NULL ? SPAN_NONE : s;
}

static struct lookml_object *
find_object(const struct lookml_objects *o, struct span name)
{
	uint64_t hash = hash_of(name);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&o->names, hash, &at)) != TABLE_NONE;)
		if (span_is(o->v[row].name, name))
			return &o->v[row];
	return NULL;
}

static void
add_object(struct lookml_project *l, struct lookml_objects *o, const struct yaml_node *n, struct span from)
{
	struct span name = n->kind == YAML_MAPPING ? n->text : tree_text(n);
	static const struct yaml_node empty = { .kind = YAML_MAPPING };

	if (o->n + o->nrefinements == OBJECTS_MAX)
		knowledge_skip(l->k, o->as, name, from, "there are too many");
	else if (span_begins(name, "+")) {
		o->refinements =
		    mem_grow(o->refinements, o->nrefinements, &o->refinements_cap, sizeof(*o->refinements));
		o->refinements[o->nrefinements++] =
		    (struct lookml_object){ .node = n, .name = span_of(name.p + 1, name.len - 1), .from = from };
	} else if (find_object(o, name) != NULL)
		knowledge_skip(l->k, o->as, name, from, "another one has its name");
	else {
		o->v = mem_grow(o->v, o->n, &o->cap, sizeof(*o->v));
		table_add(&o->names, hash_of(name), (uint32_t)o->n);
		o->v[o->n++] =
		    (struct lookml_object){ .node = n->kind == YAML_MAPPING ? n : &empty, .name = name, .from = from };
	}
}

static void
read_pair(struct lookml_project *l, struct span key, const struct yaml_node *value, struct span from)
{
	struct span text = tree_text(value);

	if (span_is_str(key, "view"))
		add_object(l, &l->views, value, from);
	else if (span_is_str(key, "explore"))
		add_object(l, &l->explores, value, from);
	else if (span_is_str(key, "include")) {
		if (span_begins(text, "//") || tree_find(text, "..") != NULL || tree_find(text, "://") != NULL)
			knowledge_skip(l->k, "include", text, from,
			    "it is of another project, and only what was named is read");
		else
			knowledge_merge(l->k, "include", text);
	} else if (span_is_str(key, "constant") && value->kind == YAML_MAPPING && l->nconstants < CONSTANTS_MAX)
		l->constants[l->nconstants++] = value;
	else if (span_is_str(key, "project_name") && l->k->project.len == 0)
		l->k->project = text;
	else if (span_is_str(key, "case_sensitive"))
		l->folded = l->folded || span_is_word(text, "no");
	else if (value->kind == YAML_MAPPING)
		knowledge_skip(l->k, (const char *)knowledge_text(l->k, "%.*s", SPAN_FMT(key)).p, value->text, from,
		    "there is no place for it");
}

static void
read_file(struct lookml_project *l, const struct knowledge_file *f)
{
	struct err err = { .code = ERR_NONE };
	const struct yaml_node *root;

	if (span_ends(f->path, ".dashboard.lookml"))
		knowledge_skip(l->k, "dashboard", f->path, f->path, "there is no place for dashboards");
	else if (span_begins(span_trim(f->text), "- "))
		knowledge_skip(l->k, "file", f->path, f->path,
		    "it has the form that LookML had until 2016, of YAML; Looker converts it");
	else if ((root = lookml_parse(l->k->a, f->text, &err)) == NULL)
		knowledge_skip(l->k, "file", f->path, f->path, "it cannot be read: %s", err.message);
	else
		for (size_t i = 0; i < root->n; i++)
			read_pair(l, root->keys[i].text, &root->items[i], f->path);
}

/* The pair of the node that says the same as that one; SIZE_MAX: none. */
static size_t
find_pair(const struct yaml_node *n, const struct yaml_node *of, size_t i)
{
	for (size_t j = 0; j < n->n; j++)
		if (span_is(n->keys[j].text, of->keys[i].text) &&
		    (n->items[j].kind != YAML_MAPPING || of->items[i].kind != YAML_MAPPING ||
			span_is(n->items[j].text, of->items[i].text)))
			return j;
	return SIZE_MAX;
}

struct merging {
	struct yaml_node	*keys, *items;
	size_t			 n;
};

static void
put_pair(struct merging *m, const struct yaml_node *key, const struct yaml_node *item)
{
	m->keys[m->n] = *key;
	m->items[m->n++] = *item;
}

/*
 * The block with what over says in place of its own: blocks of a name are merged, other parameters replaced.  Lists
 * that Looker may add up are both there: what is extended, and filters, which are then refused.  inherit: base is
 * extended, not refined.
 */
static const struct yaml_node *
merge_blocks(struct lookml_project *l, const struct yaml_node *base, const struct yaml_node *over, bool inherit)
{
	static const char *const own[] = { "extends", "extends__all", "extension", NULL };
	static const struct yaml_node twice = { .kind = YAML_SCALAR,
		.text = { (const uint8_t *)TWICE, sizeof(TWICE) - 1 } };
	struct yaml_node *out;
	struct merging m = { .n = 0 };
	bool filters = false;

	if ((l->work += base->n * over->n + 16 * (base->n + over->n)) > WORK_MAX)
		return over;
	out = knowledge_alloc(l->k, sizeof(*out));
	m.keys = knowledge_alloc(l->k, (base->n + over->n + 1) * sizeof(*m.keys));
	m.items = knowledge_alloc(l->k, (base->n + over->n + 1) * sizeof(*m.items));
	for (size_t i = 0; i < base->n; i++) {
		bool both = span_is_str(base->keys[i].text, "filters"), extends = span_is_any(base->keys[i].text, own);
		size_t j = find_pair(over, base, i);

		if (extends && inherit)
			continue;
		filters = filters || (both && j != SIZE_MAX);
		if (j == SIZE_MAX || both || extends)
			put_pair(&m, &base->keys[i], &base->items[i]);
		else if (base->items[i].kind == YAML_MAPPING && over->items[j].kind == YAML_MAPPING &&
		    i == find_pair(base, base, i))
			put_pair(&m, &base->keys[i], merge_blocks(l, &base->items[i], &over->items[j], inherit));
	}
	for (size_t i = 0; i < over->n; i++) {
		bool both = span_is_str(over->keys[i].text, "filters") || span_is_any(over->keys[i].text, own);

		size_t j = find_pair(base, over, i);

		if (both || over->items[i].kind != YAML_MAPPING || j == SIZE_MAX || base->items[j].kind != YAML_MAPPING)
			put_pair(&m, &over->keys[i], &over->items[i]);
	}
	if (filters)
		put_pair(&m, &twice, &twice);
	*out =
	    (struct yaml_node){ .kind = YAML_MAPPING, .text = over->text, .n = m.n, .keys = m.keys, .items = m.items };
	return out;
}

static void
refine_objects(struct lookml_project *l, struct lookml_objects *o)
{
	for (size_t i = 0; i < o->nrefinements; i++) {
		struct lookml_object *of = find_object(o, o->refinements[i].name);

		if (of == NULL)
			knowledge_skip(l->k, o->as, knowledge_text(l->k, "+%.*s", SPAN_FMT(o->refinements[i].name)),
			    o->refinements[i].from, "what it refines was not read");
		else if (o->refinements[i].node->kind == YAML_MAPPING) {
			of->node = merge_blocks(l, of->node, o->refinements[i].node, false);
			knowledge_merge(l->k, o->as, of->name);
		}
	}
}

/* Completes the object by what it extends. */
static void
extend_object(struct lookml_project *l, struct lookml_objects *o, struct lookml_object *of, unsigned depth)
{
	static const struct yaml_node empty = { .kind = YAML_MAPPING };
	const struct yaml_node *own = of->node, *base = &empty;

	if (of->state == LOOKML_READING || depth == EXTENDS_MAX) {
		of->state = LOOKML_REFUSED;
		of->why = depth == EXTENDS_MAX ? "it extends others too deeply" : "it extends itself";
	}
	if (of->state != LOOKML_UNREAD)
		return;
	of->state = LOOKML_READING;
	for (size_t i = 0; i < own->n; i++) {
		const struct span *names;
		size_t n = !span_begins(own->keys[i].text, "extends") ? 0 : tree_texts(l->k, &own->items[i], &names);

		for (size_t j = 0; j < n; j++) {
			struct lookml_object *parent = find_object(o, names[j]);

			if (parent != NULL)
				extend_object(l, o, parent, depth + 1);
			if (of->state == LOOKML_REFUSED)
				return;
			if (parent == NULL || parent->state != LOOKML_READY) {
				of->state = LOOKML_REFUSED;
				of->why = (const char *)knowledge_text(l->k, "it extends %.*s, which %s",
				    SPAN_FMT(names[j]), parent == NULL ? "was not read" : "cannot be completed")
					      .p;
				return;
			}
			base = merge_blocks(l, base, parent->node, true);
		}
	}
	if (base != &empty)
		of->node = merge_blocks(l, base, own, true);
	of->state = l->work > WORK_MAX ? LOOKML_REFUSED : LOOKML_READY;
	of->why = "there is too much to merge";
}

/* Keys that change no value and no number. */
#define SHOWN "label", "view_label", "group_label", "group_item_label", "description", "hidden", "alias", \
	"tags", "html", "link", "action", "actions", "drill_fields", "value_format", "value_format_name",	\
	"can_filter", "required_fields", "suggestions", "suggestable", "suggest_explore",	\
	"suggest_dimension", "suggest_persist_for", "full_suggestions", "bypass_suggest_restrictions",	\
	"label_from_parameter", "map_layer_name", "skip_drill_filter", "synonyms", "order_by_field",	\
	"alpha_sort", "allow_fill", "style", "convert_tz", "datatype", "ai_context"

static const char *const dimension_keys[] = { SHOWN, "type", "sql", "case", "primary_key", "timeframes",
    "skip_intervals",
	"string_datatype", NULL };
/* The last ones belong to types that are refused. */
static const char *const measure_keys[] = { SHOWN, "type", "sql", "filters", "allow_approximate_optimization",
	"sql_distinct_key", "percentile", "direction", "list_field", "based_on", "based_on_time", "period", "kind",
	"value_to_date", NULL };

/* Types of dimensions whose values the tool makes. */
static const struct {
	const char	*type, *why;
} made_types[] = {
	{ "tier", "its values are names of tiers that Looker makes" },
	{ "bin", "its values are names of tiers that Looker makes" },
	{ "location", "it is a place, which is two columns" },
	{ "distance", "its value is a distance that Looker computes" },
	{ "duration", "its values are durations that Looker computes, differently for each database" },
};

static const char *
refuse_field(struct lookml_project *l, const struct yaml_node *n, const char *const *known)
{
	struct span datatype = tree_get_text(n, "datatype");

	if (tree_is_said(yaml_get(n, "required_access_grants")))
		return "who may see it is limited, and access grants are not taken";
	if (span_is_word(datatype, "epoch") || span_is_word(datatype, "yyyymmdd"))
		return "its time is kept as a number";
	return views_odd_key(l->k, n, known);
}

/* "case when ... then 'label' ... end" */
static struct span
case_sql(struct lookml_project *l, const struct yaml_node *n)
{
	struct buf out = { 0 };
	struct span text;

	buf_str(&out, "case");
	for (size_t i = 0; i < n->n; i++) {
		const struct yaml_node *item = &n->items[i];

		if (item->kind == YAML_MAPPING && span_is_str(n->keys[i].text, "when")) {
			buf_printf(&out, " when %.*s then ", SPAN_FMT(get_sql(l, item, "sql")));
			buf_quoted(&out, tree_get_text(item, "label"), '\'');
		} else {
			buf_str(&out, " else ");
			buf_quoted(&out, tree_text(item), '\'');
		}
	}
	buf_str(&out, " end");
	text = knowledge_copy(l->k, buf_view(&out));
	buf_fini(&out);
	return text;
}

static void
read_dimension(struct lookml_project *l, struct view_table *v, const char *as, const struct yaml_node *n)
{
	struct view_member *m = views_add_member(&l->s, v, VIEW_DIMENSION, as, n->text);
	const struct yaml_node *cases = yaml_get(n, "case");
	bool group = strcmp(as, "dimension group") == 0;

	if (m == NULL)
		return;
	m->node = n;
	m->type = tree_get_text(n, "type");
	m->sql = get_sql(l, n, "sql");
	m->label = get_said(l, n, "label");
	m->said = get_said(l, n, "description");
	m->key = is_yes(n, "primary_key");
	m->time = group || span_is_word(m->type, "time") || span_begins_word(m->type, "date");
	if (cases != NULL && cases->kind == YAML_MAPPING)
		m->sql = case_sql(l, cases);
	else if (m->sql.len == 0)
		m->sql = knowledge_text(l->k, "${TABLE}.%.*s", SPAN_FMT(m->name));
	m->why = refuse_field(l, n, dimension_keys);
	for (size_t i = 0; i < sizeof(made_types) / sizeof(made_types[0]); i++)
		if (span_begins_word(m->type, made_types[i].type))
			m->why = made_types[i].why;
	if (!group && span_begins_word(m->type, "date_") && !span_is_word(m->type, "date_time") &&
	    !span_is_word(m->type, "date_raw"))
		m->why = "it is a part of a time";
}

static void
read_measure(struct lookml_project *l, struct view_table *v, const char *as, const struct yaml_node *n)
{
	struct view_member *m = views_add_member(&l->s, v, VIEW_MEASURE, as, n->text);

	if (m == NULL)
		return;
	m->node = n;
	m->type = yaml_get(n, "type") != NULL ? tree_get_text(n, "type") : SPAN("string");
	m->sql = get_sql(l, n, "sql");
	m->label = get_said(l, n, "label");
	m->said = get_said(l, n, "description");
	m->why = refuse_field(l, n, measure_keys);
}

static void
skip_field(struct lookml_project *l, struct view_table *v, const char *as, const struct yaml_node *n)
{
	knowledge_skip(l->k, as, knowledge_text(l->k, "%.*s.%.*s", SPAN_FMT(v->name), SPAN_FMT(n->text)), v->from,
	    "it is an input of templates, which are not run");
}

static const struct {
	const char	*key, *as;
	void		(*read)(struct lookml_project *l, struct view_table *v, const char *as,
	    const struct yaml_node *n);
} fields[] = {
	{ "dimension", "dimension", read_dimension },
	{ "dimension_group", "dimension group", read_dimension },
	{ "measure", "measure", read_measure },
	{ "filter", "filter", skip_field },
	{ "parameter", "parameter", skip_field },
};

/* Why a derived table is no query that its SQL says; NULL: it is one.  When Looker makes it again changes nothing. */
static const char *
refuse_derived(struct lookml_project *l, const struct yaml_node *n)
{
	static const char *const known[] = { "sql", "datagroup_trigger", "sql_trigger_value", "sql_trigger",
		"interval_trigger", "persist_for", "persist_with", "indexes", "distribution", "distribution_style",
		"sortkeys", "partition_keys", "cluster_keys", "table_compression", "table_format", "create_options",
		"publish_as_db_view", "materialized_view", "increment_key", "increment_offset", "max_billing_gigabytes",
		NULL };
	const struct yaml_node *explore = yaml_get(n, "explore_source");

	if (explore != NULL)
		return (const char *)knowledge_text(l->k,
		    "it is a native derived table: Looker makes its query, from the explore %.*s",
		    SPAN_FMT(explore->kind == YAML_MAPPING ? explore->text : tree_text(explore)))
		    .p;
	if (yaml_get(n, "sql_create") != NULL || yaml_get(n, "create_process") != NULL)
		return "it is made by statements that write, which are not run";
	return get_sql(l, n, "sql").len == 0 ? "it has no SQL" : views_odd_key(l->k, n, known);
}

static void
read_view(struct lookml_project *l, const struct lookml_object *o)
{
	const struct yaml_node *derived = yaml_get(o->node, "derived_table");
	struct span name = get_sql(l, o->node, "sql_table_name"), schema = SPAN_NONE, table = SPAN_NONE;
	const char *why = o->state == LOOKML_REFUSED ? o->why : NULL;
	struct view_table *v;
	bool plain;

	if (span_is_word(tree_get_text(o->node, "extension"), "required")) {
		knowledge_merge(l->k, "view", o->name);
		return;
	}
	if ((v = views_add(&l->s, o->name, o->from)) == NULL)
		return;
	if (derived != NULL)
		name = get_sql(l, derived, "sql");
	v->label = get_said(l, o->node, "label");
	v->said = get_said(l, o->node, "description");
	if (why == NULL && tree_is_said(yaml_get(o->node, "required_access_grants")))
		why = "who may see it is limited, and access grants are not taken";
	if (why == NULL && derived != NULL)
		why = refuse_derived(l, derived);
	plain = why == NULL && (name.len == 0 || views_table(l->k, name, &schema, &table));
	if (why == NULL && derived == NULL && !plain)
		why = "its table is not named by a plain name";
	if (why != NULL)
		knowledge_skip(l->k, "view", o->name, o->from, "%s", why);
	else if (plain)
		views_place(&l->s, v, schema, table.len > 0 ? table : o->name);
	else
		v->query = name;
	for (size_t i = 0; i < o->node->n; i++)
		for (size_t j = 0; j < sizeof(fields) / sizeof(fields[0]); j++)
			if (o->node->items[i].kind == YAML_MAPPING && span_is_str(o->node->keys[i].text, fields[j].key))
				fields[j].read(l, v, fields[j].as, &o->node->items[i]);
}

/* What is filtered by: a field, perhaps as one of the names of a time, and how its values are compared. */
static const char *
find_filtered(struct lookml_project *l, const struct view_table *home, const struct view_alias *aliases,
    struct span field,
    struct span *reference, enum looker_type *type)
{
	static const struct {
		const char *end;
		enum looker_type type;
	} times[] = { { "_date", LOOKER_TIME }, { "_raw", LOOKER_TIME }, { "_time", LOOKER_TIME },
		{ "_month", LOOKER_MONTH }, { "_quarter", LOOKER_QUARTER }, { "_year", LOOKER_YEAR } };
	const uint8_t *dot = tree_find(field, ".");
	struct span of = dot == NULL ? SPAN_NONE : span_of(field.p, (size_t)(dot - field.p)),
		    name = dot == NULL ? field : span_of(dot + 1, field.len - of.len - 1);
	const struct view_table *v = dot == NULL ? home : views_named(&l->s, aliases, of);
	const struct view_member *m = v == NULL ? NULL : views_member(&l->s, v, name);
	enum looker_type cut = LOOKER_TIME;
	bool time = false;

	for (size_t i = 0; v != NULL && m == NULL && i < sizeof(times) / sizeof(times[0]); i++)
		if (span_ends(name, times[i].end)) {
			m = views_member(&l->s, v, span_of(name.p, name.len - strlen(times[i].end)));
			time = true;
			cut = times[i].type;
		}
	if (m == NULL || m->part != VIEW_DIMENSION || (time && !m->time))
		return (const char *)knowledge_text(l->k, "it filters by %.*s, which is no dimension that was read",
		    SPAN_FMT(field))
		    .p;
	*type = m->time                                                     ? cut :
	    span_is_word(m->type, "yesno")                                  ? LOOKER_YESNO :
	    span_is_word(m->type, "number") || span_is_word(m->type, "int") ? LOOKER_NUMBER :
									      LOOKER_STRING;
	if (*type == LOOKER_STRING && l->folded)
		return "it filters by a text, and the project compares texts in any case";
	*reference = knowledge_text(l->k, "${%.*s%s%.*s}", SPAN_FMT(of), dot != NULL ? "." : "", SPAN_FMT(m->name));
	return NULL;
}

static const char *
put_filter(struct lookml_project *l, const struct view_table *home, const struct view_alias *aliases, struct span field,
    struct span expression, struct buf *out)
{
	struct buf condition = { 0 };
	enum looker_type type;
	struct span reference;
	const char *why = find_filtered(l, home, aliases, field, &reference, &type);

	if (why == NULL && (why = looker_filter(type, expression, reference, &condition)) != NULL)
		why = (const char *)knowledge_text(l->k, "its filter by %.*s, \"%.*s\", %s", SPAN_FMT(field),
		    (int)(expression.len < 80 ? expression.len : 80), (const char *)expression.p, why)
			  .p;
	if (condition.len > 0)
		buf_printf(out, "%s%.*s", out->len > 0 ? " and " : "", SPAN_FMT(buf_view(&condition)));
	buf_fini(&condition);
	return why;
}

/* All parameters "filters" of a block: [field: "expression"], or {field: name value: "expression"}. */
static const char *
put_filters(struct lookml_project *l, const struct view_table *home, const struct view_alias *aliases,
    const struct yaml_node *n, struct buf *out)
{
	const char *why = NULL;

	for (size_t i = 0; n != NULL && i < n->n && why == NULL; i++) {
		const struct yaml_node *list = &n->items[i];
		struct span field = tree_get_text(list, "field");

		if (!span_is_str(n->keys[i].text, "filters"))
			continue;
		if (list->kind != YAML_MAPPING)
			why = "its filters have a form that is not known here";
		else if (field.len > 0 && (list->n == 1 || yaml_get(list, "value") != NULL))
			why = put_filter(l, home, aliases, field, get_sql(l, list, "value"), out);
		else
			for (size_t j = 0; j < list->n && why == NULL; j++)
				why = put_filter(l, home, aliases, list->keys[j].text,
				    expand_constants(l, tree_text(&list->items[j])), out);
	}
	return why;
}

static void
filter_measures(struct lookml_project *l, struct view_table *v)
{
	for (size_t i = 0; i < v->n; i++) {
		struct view_member *m = &v->members[i];
		struct buf filter = { 0 };

		if (m->part == VIEW_MEASURE && m->why == NULL) {
			m->why = put_filters(l, v, NULL, m->node, &filter);
			m->filter = knowledge_copy(l->k, buf_view(&filter));
		}
		buf_fini(&filter);
	}
}

/* Why the join is not one of rows that are equal in columns; NULL: it is one. */
static const char *
refuse_join(const struct yaml_node *n)
{
	static const char *const known[] = { "left_outer", "inner", "full_outer", "", NULL };

	if (yaml_get(n, "sql_where") != NULL)
		return "its sql_where limits the rows of others";
	if (yaml_get(n, "sql") != NULL || yaml_get(n, "sql_table_name") != NULL)
		return "it joins by SQL of its own";
	if (!span_is_any(tree_get_text(n, "type"), known))
		return "it joins all rows with all";
	return NULL;
}

/* The condition of a join, also of one by a foreign key: then to the only column of the key. */
static struct span
join_condition(struct lookml_project *l, const struct view_alias *base, const struct view_table *to,
    const struct yaml_node *n)
{
	struct span on = get_sql(l, n, "sql_on"), foreign = tree_get_text(n, "foreign_key");

	if (on.len > 0 || foreign.len == 0 || to == NULL || to->out == NULL || !tree_is_name(to->out->key))
		return on;
	return memchr(foreign.p, '.', foreign.len) != NULL ?
	    knowledge_text(l->k, "${%.*s} = %.*s.%.*s", SPAN_FMT(foreign), SPAN_FMT(n->text), SPAN_FMT(to->out->key)) :
	    knowledge_text(l->k, "${%.*s.%.*s} = %.*s.%.*s", SPAN_FMT(base->name), SPAN_FMT(foreign), SPAN_FMT(n->text),
		SPAN_FMT(to->out->key));
}

static void
read_join(struct lookml_project *l, const struct lookml_object *o, const struct view_alias *base,
    const struct yaml_node *n)
{
	struct span relationship = tree_get_text(n, "relationship");
	const char *why = refuse_join(n);
	struct view_join j = { .as = "join", .from = o->from, .home = base->view, .aliases = base, .to = n->text,
		.name = knowledge_text(l->k, "%.*s.%.*s", SPAN_FMT(o->name), SPAN_FMT(n->text)),
		.relationship = relationship.len > 0 ? relationship : SPAN("many_to_one") };

	j.on = join_condition(l, base, views_named(&l->s, base, n->text), n);
	if (why != NULL)
		knowledge_skip(l->k, j.as, j.name, j.from, "%s", why);
	else
		views_join(&l->s, &j);
}

/* The view that a part of an explore is of: by another name, or its own. */
static struct view_table *
explored_view(struct lookml_project *l, const struct yaml_node *n, struct span name)
{
	static const char *const keys[] = { "from", "view_name" };

	for (size_t i = 0; i < 2; i++)
		if (tree_get_text(n, keys[i]).len > 0)
			name = tree_get_text(n, keys[i]);
	return views_named(&l->s, NULL, name);
}

/* What the explore always limits its rows to, resolved; *why: it cannot be said. */
static struct span
always_where(struct lookml_project *l, const struct lookml_object *o, const struct view_alias *base, const char **why)
{
	struct span where = get_sql(l, o->node, "sql_always_where");
	struct view_uses uses = { 0 };
	struct buf out = { 0 };
	struct span text;

	*why = NULL;
	if (yaml_get(o->node, "access_filter") != NULL)
		*why = "shows each user rows of their own";
	else if (yaml_get(o->node, "sql_always_having") != NULL)
		*why = "leaves out groups";
	else if (where.len > 0 && (*why = views_resolve(&l->s, base->view, base, where, &uses, &out)) == NULL &&
	    uses.measures > 0)
		*why = "compares measures";
	text = out.len > 0 && *why == NULL ? knowledge_text(l->k, "(%.*s)", SPAN_FMT(buf_view(&out))) : SPAN_NONE;
	if (*why != NULL)
		*why = (const char *)knowledge_text(l->k,
		    "the explore %.*s limits its rows in a way that cannot be said: %s", SPAN_FMT(o->name), *why)
			   .p;
	buf_fini(&out);
	return text;
}

/* The explore as a segment: what it always limits its rows to, and what it does at first. */
static void
add_segment(struct lookml_project *l, const struct lookml_object *o, const struct view_alias *base, struct span limit)
{
	const struct yaml_node *always = yaml_get(o->node, "always_filter");
	struct buf text = { 0 }, resolved = { 0 };
	struct view_uses uses = { 0 };
	const char *why = put_filters(l, base->view, base, always, &text);
	struct knowledge_entry *e;

	if (why == NULL && text.len > 0)
		why = views_resolve(&l->s, base->view, base, buf_view(&text), &uses, &resolved);
	if (why != NULL)
		knowledge_skip(l->k, "explore", o->name, o->from, "its always_filter cannot be said: %s", why);
	else if (limit.len == 0 && resolved.len == 0)
		knowledge_merge(l->k, "explore", o->name);
	else {
		e = knowledge_entry_add(l->k, base->view->out, KNOWLEDGE_SEGMENT, "explore", o->name);
		e->expr = knowledge_text(l->k, "%.*s%s%.*s", SPAN_FMT(limit),
		    limit.len > 0 && resolved.len > 0 ? " and " : "", SPAN_FMT(buf_view(&resolved)));
		e->label = get_said(l, o->node, "label");
		e->said = get_said(l, o->node, "description");
	}
	buf_fini(&text);
	buf_fini(&resolved);
}

/* What the explore says of the rows that measures of its views aggregate. */
static void
note_limit(struct lookml_project *l, const struct lookml_object *o, const struct view_alias *base, struct span limit,
    const char *odd)
{
	struct lookml_limits *at = &l->limits[base->view->row];

	if (limit.len == 0 && odd == NULL)
		at->free = true;
	else if (odd != NULL || (at->limit.len > 0 && !span_is(at->limit, limit)))
		at->odd = odd != NULL ? odd : "explores limit its rows differently";
	else
		at->limit = limit;
	for (const struct view_alias *a = base->next; a != NULL; a = a->next) {
		struct lookml_limits *joined = &l->limits[a->view->row];

		joined->joined = joined->joined || (limit.len == 0 && odd == NULL);
		joined->under = (const char *)knowledge_text(l->k, "%.*s", SPAN_FMT(o->name)).p;
	}
}

static void
read_explore(struct lookml_project *l, const struct lookml_object *o)
{
	struct span from = tree_get_text(o->node, "from"), name = tree_get_text(o->node, "view_name");
	struct view_table *v = explored_view(l, o->node, o->name);
	struct view_alias *base = knowledge_alloc(l->k, sizeof(*base));
	const char *odd;
	struct span limit;

	if (o->state == LOOKML_REFUSED || v == NULL || v->out == NULL) {
		if (v != NULL)
			l->limits[v->row].odd = (const char *)knowledge_text(l->k,
			    "the explore %.*s cannot be completed, and may limit its rows", SPAN_FMT(o->name))
						    .p;
		knowledge_skip(l->k, "explore", o->name, o->from, "%s",
		    o->state == LOOKML_REFUSED ? o->why : "the view that it begins with was not read, or skipped");
		return;
	}
	if (span_is_word(tree_get_text(o->node, "extension"), "required")) {
		knowledge_merge(l->k, "explore", o->name);
		return;
	}
	*base = (struct view_alias){ NULL, from.len == 0 && name.len > 0 ? name : o->name, v };
	for (size_t i = 0; i < o->node->n; i++) {
		const struct yaml_node *n = &o->node->items[i];
		struct view_table *joined;
		struct view_alias *a;

		if (!span_is_str(o->node->keys[i].text, "join") || n->kind != YAML_MAPPING ||
		    (joined = explored_view(l, n, n->text)) == NULL)
			continue;
		a = knowledge_alloc(l->k, sizeof(*a));
		*a = (struct view_alias){ base->next, n->text, joined };
		base->next = a;
	}
	for (size_t i = 0; i < o->node->n; i++)
		if (span_is_str(o->node->keys[i].text, "join") && o->node->items[i].kind == YAML_MAPPING)
			read_join(l, o, base, &o->node->items[i]);
	limit = always_where(l, o, base, &odd);
	note_limit(l, o, base, limit, odd);
	if (odd != NULL)
		knowledge_skip(l->k, "explore", o->name, o->from, "%s", odd);
	else
		add_segment(l, o, base, limit);
	if (v->out->said.len == 0 && span_is(v->name, o->name))
		v->out->said = get_said(l, o->node, "description");
}

/* What limits the measures of each view, by all explores. */
static void
limit_measures(struct lookml_project *l)
{
	for (size_t i = 0; i < l->s.n; i++) {
		const struct lookml_limits *at = &l->limits[i];
		struct view_table *v = l->s.v[i];

		if (at->free || (at->limit.len == 0 && at->odd == NULL && (at->under == NULL || at->joined)))
			continue;
		v->limit = at->limit;
		v->odd = at->odd;
		if (at->limit.len == 0 && at->odd == NULL)
			v->odd = (const char *)knowledge_text(l->k,
			    "the explore %s, which limits its rows, is the only way to it", at->under)
				     .p;
	}
}

int
lookml_read(struct knowledge *k, const struct knowledge_input *in, struct err *err)
{
	struct lookml_project *l = knowledge_alloc(k, sizeof(*l));
	struct lookml_objects *const both[] = { &l->views, &l->explores };

	(void)err;
	*l = (struct lookml_project){ .k = k, 
		.s = { .k = k, .tool = &views_lookml, .text = in->text }, .views.as = "view",
		.explores.as = "explore" };
	for (size_t i = 0; i < in->nfiles; i++)
		read_file(l, &in->files[i]);
	for (size_t b = 0; b < 2; b++) {
		refine_objects(l, both[b]);
		for (size_t i = 0; i < both[b]->n; i++)
			extend_object(l, both[b], &both[b]->v[i], 0);
	}
	for (size_t i = 0; i < l->views.n; i++)
		read_view(l, &l->views.v[i]);
	views_index(&l->s);
	l->limits = knowledge_alloc(k, (l->s.n + 1) * sizeof(*l->limits));
	for (size_t i = 0; i < l->s.n; i++)
		filter_measures(l, l->s.v[i]);
	for (size_t i = 0; i < l->explores.n; i++)
		read_explore(l, &l->explores.v[i]);
	limit_measures(l);
	views_take(&l->s);
	views_free(&l->s);
	for (size_t b = 0; b < 2; b++) {
		table_free(&both[b]->names);
		free(both[b]->v);
		free(both[b]->refinements);
	}
	return 0;
}

/* cube.c - a model of Cube: each cube is a table; views list members of cubes and have nothing of their own. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "workers/import/knowledge/cube.h"
#include "workers/import/knowledge/templates.h"
#include "workers/import/knowledge/views.h"

#define CUBES_MAX	20000
#define EXTENDS_MAX	16	/* cubes that extend cubes that extend ... */

struct cube {
	const struct yaml_node	*node;
	struct span		 name, from;
	struct view_table		*view;
};

struct cube_project {
	struct knowledge	*k;
	struct views		 s;
	size_t			 n, cap;
	struct cube		*v;
	struct table		 names;
};

/* Keys that change no value and no number; Cube writes them in both ways. */
#define SHOWN	"name", "title", "description", "public", "shown", "meta", "format", "currency", "links", "aliases"

static const char *const dimension_keys[] = { SHOWN, "sql", "type", "primary_key", "primaryKey", "case",
    "granularities",
	"suggest_filter_values", "suggestFilterValues", "order", "key", NULL };
static const char *const measure_keys[] = { SHOWN, "sql", "type", "filters", "drill_members", "drillMembers", NULL };
static const char *const segment_keys[] = { SHOWN, "sql", NULL };
static const char *const join_keys[] = { "name", "sql", "relationship", NULL };

static struct cube *
find_cube(const struct cube_project *c, struct span name)
{
	uint64_t hash = hash_of(name);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&c->names, hash, &at)) != TABLE_NONE;)
		if (span_is(c->v[row].name, name))
			return &c->v[row];
	return NULL;
}

static struct span
get_said(const struct yaml_node *n, const char *key)
{
	struct span s = tree_get_text(n, key);

	return template_is(s) ? SPAN_NONE : s;
}

static void
read_file(void *arg, const struct yaml_node *root, struct span path)
{
	struct cube_project *c = arg;
	const struct yaml_node *cubes = yaml_get(root, "cubes"), *views = yaml_get(root, "views");

	for (size_t i = 0; i < yaml_length(cubes); i++) {
		struct span name = tree_get_text(&cubes->items[i], "name");

		if (find_cube(c, name) != NULL || c->n == CUBES_MAX) {
			knowledge_skip(c->k, "cube", name, path, "another one has its name, or there are too many");
			continue;
		}
		c->v = mem_grow(c->v, c->n, &c->cap, sizeof(*c->v));
		table_add(&c->names, hash_of(name), (uint32_t)c->n);
		c->v[c->n++] = (struct cube){ &cubes->items[i], name, path, NULL };
	}
	for (size_t i = 0; i < yaml_length(views); i++)
		knowledge_merge(c->k, "view", tree_get_text(&views->items[i], "name"));
}

/* Models in JavaScript are programs. */
static void
skip_program(struct cube_project *c, const struct knowledge_file *f)
{
	if ((span_ends(f->path, ".js") || span_ends(f->path, ".ts")) &&
	    (tree_find(f->text, "cube(") != NULL || tree_find(f->text, "view(") != NULL))
		knowledge_skip(c->k, "file", f->path, f->path,
		    "it is a program, which is not run; models are read as YAML");
}

/* The value of a key, of the cube or else of what it extends; *why: that cannot be followed. */
static const struct yaml_node *
get_inherited(const struct cube_project *c, const struct cube *of, const char *key, const char **why)
{
	const struct yaml_node *found = NULL;

	for (unsigned depth = 0; of != NULL && found == NULL; depth++) {
		struct span parent = tree_get_text(of->node, "extends");

		if (depth == EXTENDS_MAX) {
			*why = "it extends itself, or others too deeply";
			return NULL;
		}
		found = yaml_get(of->node, key);
		/* "{base}" in new models, "base" in others. */
		if (parent.len > 2 && parent.p[0] == '{' && parent.p[parent.len - 1] == '}')
			parent = span_trim(span_of(parent.p + 1, parent.len - 2));
		of = parent.len == 0 ? NULL : find_cube(c, parent);
		if (parent.len > 0 && of == NULL)
			*why = "what it extends was not read";
	}
	return found;
}

/* "case when ... then 'label' ... end" */
static const char *
case_sql(struct cube_project *c, const struct yaml_node *n, struct span *sql)
{
	const struct yaml_node *whens = yaml_get(n, "when"), *other = yaml_get(n, "else");
	struct buf out = { 0 };

	buf_str(&out, "case");
	for (size_t i = 0; i < yaml_length(whens); i++) {
		buf_printf(&out, " when %.*s then ", SPAN_FMT(tree_get_text(&whens->items[i], "sql")));
		buf_quoted(&out, tree_get_text(&whens->items[i], "label"), '\'');
	}
	if (other != NULL) {
		buf_str(&out, " else ");
		buf_quoted(&out, tree_get_text(other, "label"), '\'');
	}
	buf_str(&out, " end");
	*sql = knowledge_copy(c->k, buf_view(&out));
	buf_fini(&out);
	return yaml_length(whens) == 0 ? "its cases have a form that is not known here" : NULL;
}

/* All conditions of a measure, in parentheses. */
static const char *
read_filters(struct cube_project *c, struct view_member *m, const struct yaml_node *list)
{
	struct buf out = { 0 };
	const char *why = NULL;

	for (size_t i = 0; list != NULL && i < list->n; i++) {
		struct span sql = list->kind == YAML_SEQUENCE ? tree_get_text(&list->items[i], "sql") : SPAN_NONE;

		if (sql.len == 0)
			why = "its filters have a form that is not known here";
		buf_printf(&out, "%s(%.*s)", i > 0 ? " and " : "", SPAN_FMT(sql));
	}
	m->filter = knowledge_copy(c->k, buf_view(&out));
	buf_fini(&out);
	return why;
}

static void
read_dimension(struct cube_project *c, struct view_member *m, const struct yaml_node *n)
{
	static const char *const keys[] = { "primary_key", "primaryKey", NULL },
				*const queries[] = { "sub_query", "subQuery", NULL };
	const struct yaml_node *cases = yaml_get(n, "case");
	bool key;

	m->key = yaml_bool(tree_get_any(n, keys), &key) && key;
	m->time = span_is_str(m->type, "time");
	m->why = tree_is_said(tree_get_any(n, queries)) ? "it is a query for each row, of measures of another cube" :
							  views_odd_key(c->k, n, dimension_keys);
	if (m->why == NULL && (span_is_str(m->type, "geo") || span_is_str(m->type, "switch")))
		m->why = "it is a place, or a choice, and not a value of a row";
	if (m->why == NULL && cases != NULL)
		m->why = case_sql(c, cases, &m->sql);
}

static void
read_measure(struct cube_project *c, struct view_member *m, const struct yaml_node *n)
{
	static const struct {
		const char *key, *why;
	} refused[] = {
		{ "rolling_window", "it has a rolling window: the semantic layer has no running windows" },
		{ "rollingWindow", "it has a rolling window: the semantic layer has no running windows" },
		{ "time_shift", "it is compared with another period: the semantic layer has no offset windows" },
		{ "multi_stage", "it aggregates groups of another query, which no measure does" },
	};

	m->why = views_odd_key(c->k, n, measure_keys);
	for (size_t i = sizeof(refused) / sizeof(refused[0]); i-- > 0;)
		if (tree_is_said(yaml_get(n, refused[i].key)))
			m->why = refused[i].why;
	if (m->why == NULL)
		m->why = read_filters(c, m, yaml_get(n, "filters"));
}

static void
read_segment(struct cube_project *c, struct view_member *m, const struct yaml_node *n)
{
	m->why = views_odd_key(c->k, n, segment_keys);
}

static const struct {
	const char	*list, *as;
	enum view_part	 part;
	void		(*read)(struct cube_project *c, struct view_member *m, const struct yaml_node *n);
} lists[] = {
	{ "dimensions", "dimension", VIEW_DIMENSION, read_dimension },
	{ "measures", "measure", VIEW_MEASURE, read_measure },
	{ "segments", "segment", VIEW_SEGMENT, read_segment },
};

/* The cube's members of a list, then those that it inherits; one of its own name replaces an inherited one. */
static void
read_members(struct cube_project *c, struct view_table *v, const struct cube *of, size_t list, unsigned depth)
{
	const struct yaml_node *items = yaml_get(of->node, lists[list].list);
	struct span parent = tree_get_text(of->node, "extends");

	for (size_t i = 0; i < yaml_length(items); i++) {
		struct span name = tree_get_text(&items->items[i], "name");
		struct view_member *m;
		bool own = false;

		for (size_t j = 0; depth > 0 && j < v->n && !own; j++)
			own = span_is(v->members[j].name, name);
		if (own || (m = views_add_member(&c->s, v, lists[list].part, lists[list].as, name)) == NULL)
			continue;
		m->node = &items->items[i];
		m->type = tree_get_text(m->node, "type");
		m->sql = tree_get_text(m->node, "sql");
		m->label = get_said(m->node, "title");
		m->said = get_said(m->node, "description");
		lists[list].read(c, m, m->node);
	}
	if (parent.len > 2 && parent.p[0] == '{')
		parent = span_trim(span_of(parent.p + 1, parent.len - 2));
	if (parent.len > 0 && depth < EXTENDS_MAX && find_cube(c, parent) != NULL)
		read_members(c, v, find_cube(c, parent), list, depth + 1);
}

/* Why who asks decides which rows a cube has; NULL: it does not. */
static const char *
refuse_cube(const struct yaml_node *access, const struct yaml_node *table)
{
	if (tree_is_said(access))
		return "its access policy limits who sees what of it";
	return table == NULL ? "it has no table" : NULL;
}

static void
read_cube(struct cube_project *c, struct cube *of)
{
	static const char *const tables[] = { "sql_table", "sqlTable", "sql" }, *const policies[] = { "access_policy",
		"accessPolicy" };
	const struct yaml_node *access = NULL, *table = NULL;
	struct span schema, name;
	const char *why = NULL;

	for (size_t i = 0; i < 3 && table == NULL; i++)
		table = get_inherited(c, of, tables[i], &why);
	for (size_t i = 0; i < 2 && access == NULL; i++)
		access = get_inherited(c, of, policies[i], &why);
	if ((of->view = views_add(&c->s, of->name, of->from)) == NULL)
		return;
	if (why == NULL)
		why = refuse_cube(access, table);
	of->view->label = get_said(of->node, "title");
	of->view->said = get_said(of->node, "description");
	if (why != NULL)
		knowledge_skip(c->k, "cube", of->name, of->from, "%s", why);
	else if (views_table(c->k, tree_text(table), &schema, &name))
		views_place(&c->s, of->view, schema, name);
	else
		of->view->query = tree_text(table);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		read_members(c, of->view, of, i, 0);
}

static struct span
relationship_of(const struct yaml_node *n)
{
	static const char *const words[][2] = { { "belongs_to", "many_to_one" }, { "belongsTo", "many_to_one" },
		{ "has_many", "one_to_many" }, { "hasMany", "one_to_many" }, { "has_one", "one_to_one" },
		{ "hasOne", "one_to_one" } };
	struct span s = tree_get_text(n, "relationship");

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (span_is_str(s, words[i][0]))
			return span_str(words[i][1]);
	return s;
}

static void
read_joins(struct cube_project *c, const struct cube *of)
{
	const char *ignored = NULL;
	const struct yaml_node *joins = get_inherited(c, of, "joins", &ignored);

	for (size_t i = 0; i < yaml_length(joins); i++) {
		const struct yaml_node *n = &joins->items[i];
		struct view_alias self = { NULL, of->name, of->view };
		struct view_join j = { .as = "join", .from = of->from, .home = of->view, .aliases = &self,
			.to = tree_get_text(n, "name"), .on = tree_get_text(n, "sql"),
			    .relationship = relationship_of(n) };
		const char *why = of->view->out == NULL ? "its table was skipped" : views_odd_key(c->k, n, join_keys);

		j.name = knowledge_text(c->k, "%.*s.%.*s", SPAN_FMT(of->name), SPAN_FMT(j.to));
		if (why != NULL || j.relationship.len == 0)
			knowledge_skip(c->k, j.as, j.name, j.from, "%s", why != NULL ? why : "it has no relationship");
		else
			views_join(&c->s, &j);
	}
}

int
cube_read(struct knowledge *k, const struct knowledge_input *in, struct err *err)
{
	struct cube_project c = { .k = k, .s = { .k = k, .tool = &views_cube, .text = in->text } };

	(void)err;
	tree_each_file(k, in, read_file, &c);
	for (size_t i = 0; i < in->nfiles; i++)
		skip_program(&c, &in->files[i]);
	for (size_t i = 0; i < c.n; i++)
		read_cube(&c, &c.v[i]);
	views_index(&c.s);
	for (size_t i = 0; i < c.n; i++)
		if (c.v[i].view != NULL)
			read_joins(&c, &c.v[i]);
	views_take(&c.s);
	views_free(&c.s);
	table_free(&c.names);
	free(c.v);
	return 0;
}

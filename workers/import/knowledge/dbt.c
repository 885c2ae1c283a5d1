/*
 * dbt.c - a dbt project: its manifest, or its YAML files and docs blocks alone.
 *
 * Models, seeds, snapshots and the tables of sources describe tables that the scan knows.  Tests say which columns are
 * keys, which values they have and how tables join; a join needs its target to be a key, so tests are read last.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workers/import/knowledge/dbt.h"
#include "workers/import/knowledge/templates.h"
#include "workers/import/knowledge/trees.h"

#define DOCS_MAX	2000	/* further ones are skipped by name: each description is compared with all of them */
#define COLUMNS_MAX	4000	/* of a model that are described; no database has as many */

/* A test that waits until all models are read. */
struct dbt_test {
	struct knowledge_model	*on;
	struct span		 name, column, to, field, from;
	const struct yaml_node	*values, *columns;
};

struct dbt_doc {
	struct span	name, text, from;
	bool		used;
};

struct dbt_exposure {
	const struct yaml_node	*node;
	struct span		 from;
};

struct dbt {
	struct knowledge	*k;
	size_t			 ntests, tests_cap, ndocs, docs_cap, nexposures, exposures_cap;
	struct dbt_test		*tests;
	struct dbt_doc		*docs;
	struct dbt_exposure	*exposures;
	const struct yaml_node	**nodes;	/* tests of a manifest */
	size_t			 nnodes, nodes_cap;
};

static const char *const resources[] = { "model", "seed", "snapshot", "source", NULL };

/* The description; one that is a docs block is that block's text.  A template of another kind says nothing. */
static struct span
read_said(struct dbt *d, const struct yaml_node *n)
{
	struct span said = tree_get_text(n, "description"), before, rest = said;
	struct template_call c;
	struct buf out = { 0 };
	int r;

	while ((r = template_next(&rest, &before, &c)) == 1) {
		buf_span(&out, before);
		for (size_t i = 0; i < d->ndocs && span_is_str(c.name, "doc"); i++)
			if (span_is(d->docs[i].name, c.args[c.nargs > 1 ? 1 : 0])) {
				buf_span(&out, d->docs[i].text);
				d->docs[i].used = true;
				break;
			}
	}
	if (r == 0)
		buf_span(&out, before);
	said = r == 0 ? knowledge_copy(d->k, span_trim(buf_view(&out))) : SPAN_NONE;
	buf_fini(&out);
	/* The manifest has the blocks' texts in place of their names. */
	for (size_t i = 0; i < d->ndocs && said.len > 0; i++)
		d->docs[i].used = d->docs[i].used || span_is(said, d->docs[i].text);
	return said;
}

static void
add_doc(struct dbt *d, struct span name, struct span text, struct span from)
{
	if (d->ndocs == DOCS_MAX) {
		knowledge_skip(d->k, "doc", name, from, "the project has more than %u docs blocks", DOCS_MAX);
		return;
	}
	d->docs = mem_grow(d->docs, d->ndocs, &d->docs_cap, sizeof(*d->docs));
	d->docs[d->ndocs++] = (struct dbt_doc){ name, span_trim(text), from, false };
}

/* The docs blocks of a Markdown file. */
static void
read_blocks(struct dbt *d, const struct knowledge_file *f)
{
	struct span s = f->text;
	const uint8_t *open, *close, *end;

	while ((open = tree_find(s, "{% docs ")) != NULL) {
		s = span_of(open + 8, s.len - (size_t)(open + 8 - s.p));
		close = tree_find(s, "%}");
		end = close == NULL ? NULL : memmem(close, s.len - (size_t)(close - s.p), "{% enddocs %}", 13);
		if (end == NULL)
			return;
		add_doc(d, span_trim(span_of(s.p, (size_t)(close - s.p))),
		    span_of(close + 2, (size_t)(end - close - 2)), f->path);
		s = span_of(end, s.len - (size_t)(end - s.p));
	}
}

/* A key of the node's config, or of the node itself. */
static struct span
config_text(const struct yaml_node *n, const char *key)
{
	struct span s = tree_get_text(yaml_get(n, "config"), key);

	return s.len > 0 ? s : tree_get_text(n, key);
}

static bool
is_disabled(const struct yaml_node *n)
{
	return tree_is_false(yaml_get(yaml_get(n, "config"), "enabled")) || tree_is_false(yaml_get(n, "enabled"));
}

static struct knowledge_entry *
column_of(struct dbt *d, struct knowledge_model *m, struct span name)
{
	struct knowledge_entry *e = knowledge_entry_named(m, KNOWLEDGE_COLUMN, name);

	return e != NULL ? e : knowledge_entry_add(d->k, m, KNOWLEDGE_COLUMN, NULL, name);
}

static struct span
member_name(struct dbt *d, const struct knowledge_model *m, struct span name)
{
	return name.len == 0 ? m->name : knowledge_text(d->k, "%.*s.%.*s", SPAN_FMT(m->name), SPAN_FMT(name));
}

static void
read_column(struct dbt *d, struct knowledge_model *m, const struct yaml_node *c)
{
	struct span name = tree_get_text(c, "name"), said = read_said(d, c);
	struct knowledge_entry *e;

	if (name.len == 0)
		return;
	if (said.len == 0) {
		knowledge_merge(d->k, "column", member_name(d, m, name));
		return;
	}
	e = column_of(d, m, name);
	e->as = "column";
	e->said = said;
}

static void
add_test(struct dbt *d, struct knowledge_model *m, struct span name, struct span column, const struct yaml_node *args,
    struct span from)
{
	d->tests = mem_grow(d->tests, d->ntests, &d->tests_cap, sizeof(*d->tests));
	d->tests[d->ntests++] = (struct dbt_test){
		m, name, column, template_model(d->k, tree_get_text(args, "to")), tree_get_text(args, "field"), from,
		yaml_get(args, "values"), yaml_get(args, "combination_of_columns")
	};
}

/* A test of the YAML files: "unique", or {relationships: {to, field}}, whose arguments may be in a map of their own. */
static void
read_test(struct dbt *d, struct knowledge_model *m, struct span column, const struct yaml_node *t)
{
	const struct yaml_node *args = t->kind == YAML_MAPPING && t->n > 0 ? &t->items[0] : NULL,
			       *inner = yaml_get(args, "arguments");
	struct span name = args != NULL ? t->keys[0].text : tree_text(t);

	if (t->kind == YAML_MAPPING && yaml_get(t, "test_name") != NULL) {
		name = tree_get_text(t, "test_name");
		args = t;
	}
	if (name.len == 0)
		return;
	if (is_disabled(args) || is_disabled(t)) {
		knowledge_skip(d->k, "test", name, m->from, "it is switched off");
		return;
	}
	if (config_text(args, "where").len > 0 || config_text(t, "where").len > 0) {
		knowledge_skip(d->k, "test", name, m->from, "the test on %.*s holds only for some rows",
		    SPAN_FMT(member_name(d, m, column)));
		return;
	}
	if (inner != NULL)
		args = inner;
	add_test(d, m, name, column, args, m->from);
}

static void
read_tests(struct dbt *d, struct knowledge_model *m, struct span column, const struct yaml_node *n)
{
	static const char *const keys[] = { "tests", "data_tests" };

	for (size_t k = 0; k < 2; k++) {
		const struct yaml_node *list = yaml_get(n, keys[k]);

		for (size_t i = 0; i < yaml_length(list); i++)
			read_test(d, m, column, &list->items[i]);
	}
}

static void
read_tags(struct dbt *d, struct knowledge_model *m, const struct yaml_node *n)
{
	const struct yaml_node *tags = yaml_get(yaml_get(n, "config"), "tags");

	m->ntags = tree_texts(d->k, tags != NULL ? tags : yaml_get(n, "tags"), &m->tags);
}

/* What a model, seed, snapshot or source of either form says.  NULL: it is no table. */
static struct knowledge_model *
read_model(struct dbt *d, const char *as, const struct yaml_node *n, struct span name, struct span id, struct span from)
{
	struct span alias = config_text(n, strcmp(as, "source") == 0 ? "identifier" : "alias");
	struct knowledge_model *m;

	if (is_disabled(n)) {
		knowledge_skip(d->k, as, name, from, "it is switched off");
		return NULL;
	}
	if (span_is_str(config_text(n, "materialized"), "ephemeral")) {
		knowledge_skip(d->k, as, name, from, "it is ephemeral: the database has no table of it");
		return NULL;
	}
	m = knowledge_model_add(d->k, as, name, id);
	m->from = from;
	m->table = alias.len > 0 && !template_is(alias) ? alias : tree_get_text(n, "name");
	m->schema = config_text(n, "schema");
	if (template_is(m->schema))
		m->schema = SPAN_NONE;
	m->said = read_said(d, n);
	read_tags(d, m, n);
	return m;
}

static void
read_yaml_model(struct dbt *d, const char *as, const struct yaml_node *n, struct span name, struct span schema,
    struct span from)
{
	const struct yaml_node *columns = yaml_get(n, "columns");
	struct knowledge_model *m;

	if (n->kind != YAML_MAPPING || name.len == 0 || (m = read_model(d, as, n, name, SPAN_NONE, from)) == NULL)
		return;
	/* A custom schema is a part of the real one's name, which only the manifest has. */
	m->schema = schema;
	for (size_t i = 0; i < yaml_length(columns) && i < COLUMNS_MAX; i++) {
		struct span column = tree_get_text(&columns->items[i], "name");

		read_column(d, m, &columns->items[i]);
		read_tests(d, m, column, &columns->items[i]);
	}
	read_tests(d, m, SPAN_NONE, n);
}

static void
read_yaml_source(struct dbt *d, const struct yaml_node *s, struct span from)
{
	const struct yaml_node *tables = yaml_get(s, "tables");
	struct span name = tree_get_text(s, "name"), schema = tree_get_text(s, "schema");

	if (schema.len == 0)
		schema = name;
	for (size_t i = 0; i < yaml_length(tables); i++)
		read_yaml_model(d, "source", &tables->items[i],
		    knowledge_text(d->k, "%.*s.%.*s", SPAN_FMT(name),
			SPAN_FMT(tree_get_text(&tables->items[i], "name"))),
		    template_is(schema) ? SPAN_NONE : schema, from);
}

static void
add_exposure(struct dbt *d, const struct yaml_node *n, struct span from)
{
	d->exposures = mem_grow(d->exposures, d->nexposures, &d->exposures_cap, sizeof(*d->exposures));
	d->exposures[d->nexposures++] = (struct dbt_exposure){ n, from };
}

/* Lists of a YAML file that are another reader's, or describe no table. */
static const struct {
	const char	*key, *as, *why;
} foreign[] = {
	{ "semantic_models", "semantic model", "carrel import-knowledge metricflow reads it" },
	{ "metrics", "metric", "carrel import-knowledge metricflow reads it" },
	{ "saved_queries", "saved query", "carrel import-knowledge metricflow reads it" },
	{ "unit_tests", "unit test", "it tests code, and says nothing of the data" },
	{ "macros", "macro", "macros are never run" },
	{ "analyses", "analysis", "the database has no table of it" },
	{ "groups", "group", "there is no place for groups" },
};

static void
read_yaml(void *arg, const struct yaml_node *root, struct span path)
{
	static const char *const lists[] = { "models", "seeds", "snapshots" };
	struct dbt *d = arg;
	const struct yaml_node *list;

	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; list = yaml_get(root, lists[k]), i < yaml_length(list); i++)
			read_yaml_model(d, resources[k], &list->items[i], tree_get_text(&list->items[i], "name"),
			    SPAN_NONE, path);
	for (size_t i = 0; list = yaml_get(root, "sources"), i < yaml_length(list); i++)
		read_yaml_source(d, &list->items[i], path);
	for (size_t i = 0; list = yaml_get(root, "exposures"), i < yaml_length(list); i++)
		add_exposure(d, &list->items[i], path);
	for (size_t k = 0; k < sizeof(foreign) / sizeof(foreign[0]); k++)
		for (size_t i = 0; list = yaml_get(root, foreign[k].key), i < yaml_length(list); i++)
			knowledge_skip(d->k, foreign[k].as, tree_get_text(&list->items[i], "name"), path, "%s",
			    foreign[k].why);
}

/* "a, b": the models that a list of ids or of ref() names. */
static size_t
models_of(struct dbt *d, const struct yaml_node *list, const struct span **out)
{
	struct span *v = knowledge_alloc(d->k, (yaml_length(list) + 1) * sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < yaml_length(list); i++) {
		struct span id = tree_text(&list->items[i]);
		const struct knowledge_model *m = knowledge_model_called(d->k, id);

		if (m == NULL)
			m = knowledge_model_named(d->k, template_model(d->k, id));
		if (m != NULL)
			v[n++] = m->name;
	}
	*out = v;
	return n;
}

static struct span
join_texts(struct knowledge *k, const struct span *v, size_t n, const char *between)
{
	struct buf b = { 0 };
	struct span s;

	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%.*s", i > 0 ? between : "", SPAN_FMT(v[i]));
	s = knowledge_copy(k, buf_view(&b));
	buf_fini(&b);
	return s;
}

static void
make_exposure(struct dbt *d, const struct dbt_exposure *x)
{
	const struct yaml_node *label = yaml_get(x->node, "label"), *depends = yaml_get(x->node, "depends_on"),
			       *owner = yaml_get(x->node, "owner"), *url = yaml_get(x->node, "url");
	struct knowledge_page *p;
	struct span said, email = tree_get_text(owner, "email");
	struct buf body = { 0 };

	if (is_disabled(x->node)) {
		knowledge_skip(d->k, "exposure", tree_get_text(x->node, "name"), x->from, "it is switched off");
		return;
	}
	said = read_said(d, x->node);
	p = knowledge_page_add(d->k, "exposure", tree_get_text(x->node, "name"), x->from);
	p->title = label != NULL ? tree_text(label) : tree_get_text(x->node, "name");
	p->nmodels = models_of(d,
	    depends != NULL && depends->kind == YAML_MAPPING ? yaml_get(depends, "nodes") : depends, &p->models);
	p->summary =
	    knowledge_text(d->k, "Exposure %.*s: %.*s", SPAN_FMT(tree_get_text(x->node, "type")), SPAN_FMT(p->title));
	if (said.len > 0)
		buf_printf(&body, "%.*s\n\n", SPAN_FMT(said));
	if (tree_text(url).len > 0)
		buf_printf(&body, "- It is at %.*s\n", SPAN_FMT(tree_text(url)));
	if (tree_get_text(owner, "name").len > 0 || email.len > 0)
		buf_printf(&body, "- Owner: %.*s %.*s\n", SPAN_FMT(tree_get_text(owner, "name")), SPAN_FMT(email));
	if (p->nmodels > 0)
		buf_printf(&body, "- Made of: %.*s\n", SPAN_FMT(join_texts(d->k, p->models, p->nmodels, ", ")));
	p->body = knowledge_copy(d->k, span_trim(buf_view(&body)));
	buf_fini(&body);
}

/* A block that describes something is that description; another one is a page. */
static void
make_doc(struct dbt *d, const struct dbt_doc *doc)
{
	struct knowledge_page *p;

	if (span_is_str(doc->name, "__overview__") && tree_find(doc->text, "dbt") != NULL &&
	    tree_find(doc->text, "auto-generated") != NULL)
		knowledge_skip(d->k, "doc", doc->name, doc->from, "it is dbt's own page");
	else if (doc->used || doc->text.len == 0)
		knowledge_merge(d->k, "doc", doc->name);
	else {
		p = knowledge_page_add(d->k, "doc", doc->name, doc->from);
		p->title = doc->name;
		p->body = doc->text;
	}
}

/* The model's rows are identified by these columns; the first test that says so counts. */
static void
make_key(struct dbt *d, struct knowledge_model *m, struct span columns)
{
	if (m->key.len == 0)
		m->key = knowledge_copy(d->k, columns);
}

static void
make_relationship(struct dbt *d, const struct dbt_test *t)
{
	struct knowledge_model *to = knowledge_model_named(d->k, t->to);
	struct knowledge_entry *key = to == NULL ? NULL : knowledge_entry_named(to, KNOWLEDGE_COLUMN, t->field), *e;

	if (to == NULL)
		knowledge_skip(d->k, "test", t->name, t->from, "%.*s leads to %.*s, which is no table of the project",
		    SPAN_FMT(member_name(d, t->on, t->column)), SPAN_FMT(t->to));
	else if (!span_is(to->key, t->field) && (key == NULL || !key->unique))
		knowledge_skip(d->k, "test", t->name, t->from, "no test says that %.*s is unique, so it may be no key",
		    SPAN_FMT(member_name(d, to, t->field)));
	else {
		e = knowledge_entry_add(d->k, t->on, KNOWLEDGE_JOIN, "test", member_name(d, t->on, t->column));
		e->to = to->name;
		e->on = knowledge_text(d->k, "%.*s = %.*s", SPAN_FMT(t->column), SPAN_FMT(t->field));
	}
}

/* Adds what a test says of columns to the model; joins: only relationships, else only the others. */
static void
make_test(struct dbt *d, const struct dbt_test *t, bool joins)
{
	const struct span *columns;
	struct knowledge_entry *e;

	if (span_is_str(t->name, "relationships")) {
		if (joins)
			make_relationship(d, t);
		return;
	}
	if (joins)
		return;
	if (t->column.len > 0 && (span_is_str(t->name, "unique") || span_is_str(t->name, "not_null"))) {
		e = column_of(d, t->on, t->column);
		*(t->name.p[0] == 'u' ? &e->unique : &e->not_null) = true;
		if (e->unique && e->not_null)
			make_key(d, t->on, t->column);
	} else if (t->column.len > 0 && span_is_str(t->name, "accepted_values")) {
		e = column_of(d, t->on, t->column);
		e->nvalues = tree_texts(d->k, t->values, &e->values);
	} else if (span_ends(t->name, "unique_combination_of_columns") && yaml_length(t->columns) > 0)
		make_key(d, t->on, join_texts(d->k, columns, tree_texts(d->k, t->columns, &columns), ","));
	else {
		knowledge_skip(d->k, "test", t->name, t->from,
		    "what it tests of %.*s has no place in the semantic layer",
		    SPAN_FMT(member_name(d, t->on, t->column)));
		return;
	}
	knowledge_merge(d->k, "test", t->name);
}

/* A test of a manifest is a node of its own. */
static void
read_test_node(struct dbt *d, const struct yaml_node *n)
{
	const struct yaml_node *meta = yaml_get(n, "test_metadata"), *args = yaml_get(meta, "kwargs"),
			       *inner = yaml_get(args, "arguments");
	struct span from = tree_get_text(n, "original_file_path"), name = tree_get_text(meta, "name"),
		    column = tree_get_text(n, "column_name"), on = tree_get_text(n, "attached_node");
	const struct span *models;
	struct knowledge_model *m = knowledge_model_called(d->k, on);

	if (inner != NULL)
		args = inner;
	/* Older manifests name the model by ref() alone. */
	if (m == NULL && tree_get_text(args, "model").len > 0) {
		struct span text = tree_get_text(args, "model");
		const uint8_t *call = tree_find(text, "ref("), *end = memrchr(text.p, ')', text.len);
		const uint8_t *last = end == NULL ? NULL : memrchr(text.p, ')', (size_t)(end - text.p));

		if (call == NULL)
			call = tree_find(text, "source(");
		if (last != NULL && call != NULL && last > call)
			m = knowledge_model_named(d->k, template_model(d->k, span_of(call, (size_t)(last + 1 - call))));
		else if (call != NULL && end > call)
			m = knowledge_model_named(d->k, template_model(d->k, span_of(call, (size_t)(end + 1 - call))));
	}
	if (m == NULL && yaml_length(yaml_get(yaml_get(n, "depends_on"), "nodes")) == 1 &&
	    models_of(d, yaml_get(yaml_get(n, "depends_on"), "nodes"), &models) == 1)
		m = knowledge_model_named(d->k, models[0]);
	if (column.len == 0)
		column = tree_get_text(args, "column_name");
	if (meta == NULL || meta->kind != YAML_MAPPING || m == NULL)
		knowledge_skip(d->k, "test", tree_get_text(n, "name"), from,
		    meta == NULL || meta->kind != YAML_MAPPING ? "it is a statement of its own" :
								 "its table was not read");
	else if (is_disabled(n) || config_text(n, "where").len > 0)
		knowledge_skip(d->k, "test", tree_get_text(n, "name"), from, "it holds only for some rows, or is off");
	else
		add_test(d, m, name, column, args, from);
}

static void
read_resource_node(struct dbt *d, const char *as, const struct yaml_node *n, struct span id)
{
	const struct yaml_node *columns = yaml_get(n, "columns");
	struct span name = tree_get_text(n, "name"), source = tree_get_text(n, "source_name");
	struct knowledge_model *m;
	const struct span *above;
	size_t nabove;

	if (source.len > 0)
		name = knowledge_text(d->k, "%.*s.%.*s", SPAN_FMT(source), SPAN_FMT(name));
	if ((m = read_model(d, as, n, name, id, tree_get_text(n, "original_file_path"))) == NULL)
		return;
	m->schema = tree_get_text(n, "schema");
	nabove = tree_texts(d->k, yaml_get(yaml_get(n, "depends_on"), "nodes"), &above);
	m->above = join_texts(d->k, above, nabove, ",");
	for (size_t i = 0; columns != NULL && columns->kind == YAML_MAPPING && i < columns->n && i < COLUMNS_MAX; i++)
		read_column(d, m, &columns->items[i]);
}

static void
read_node(void *arg, const struct manifest_entry *e)
{
	struct dbt *d = arg;
	struct span type = tree_get_text(e->tree, "resource_type");

	if (span_is_str(e->section, "metadata")) {
		if (d->k->project.len == 0)
			d->k->project = tree_get_text(e->tree, "project_name");
		return;
	}
	if (e->tree == NULL || e->tree->kind != YAML_MAPPING) {
		knowledge_skip(d->k, "object", e->key, SPAN_NONE, "it cannot be read: %s",
		    e->fault != NULL ? e->fault : "it is no object");
		return;
	}
	if (span_is_str(e->section, "docs"))
		add_doc(d, tree_get_text(e->tree, "name"), tree_get_text(e->tree, "block_contents"),
		    tree_get_text(e->tree, "original_file_path"));
	else if (span_is_str(e->section, "exposures"))
		add_exposure(d, e->tree, tree_get_text(e->tree, "original_file_path"));
	else if (span_is_str(type, "test")) {
		d->nodes = mem_grow(d->nodes, d->nnodes, &d->nodes_cap, sizeof(*d->nodes));
		d->nodes[d->nnodes++] = e->tree;
	} else if (span_is_any(type, resources)) {
		for (size_t i = 0; resources[i] != NULL; i++)
			if (span_is_str(type, resources[i]))
				read_resource_node(d, resources[i], e->tree, e->key);
	} else
		for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
			if (span_is_str(e->section, foreign[i].key) || i + 1 == sizeof(foreign) / sizeof(foreign[0])) {
				knowledge_skip(d->k, span_is_str(e->section, foreign[i].key) ? foreign[i].as : "node",
				    tree_get_text(e->tree, "name"), tree_get_text(e->tree, "original_file_path"), "%s",
				    span_is_str(e->section, foreign[i].key) ? foreign[i].why :
									      "the database has no table of it");
				break;
			}
}

/* One page says what each table is built from. */
static void
make_lineage(struct dbt *d)
{
	struct knowledge_page *p;
	struct buf body = { 0 };

	for (const struct knowledge_model *m = d->k->models; m != NULL; m = m->next) {
		bool first = true;

		for (struct span s = m->above; s.len > 0;) {
			const uint8_t *comma = memchr(s.p, ',', s.len);
			struct span id = span_of(s.p, comma == NULL ? s.len : (size_t)(comma - s.p));
			const struct knowledge_model *up = knowledge_model_called(d->k, id);

			if (up != NULL) {
				if (first)
					buf_printf(&body, "- `%.*s` is built from ", SPAN_FMT(m->table));
				buf_printf(&body, "%s`%.*s`", first ? "" : ", ", SPAN_FMT(up->table));
				first = false;
			}
			s = comma == NULL ? SPAN_NONE : span_of(comma + 1, s.len - id.len - 1);
		}
		if (!first)
			buf_byte(&body, '\n');
	}
	if (body.len > 0) {
		p = knowledge_page_add(d->k, NULL, SPAN("lineage"), SPAN_NONE);
		p->title = knowledge_text(d->k, "Lineage of %.*s", SPAN_FMT(d->k->project));
		p->summary = SPAN("What each table is built from, upstream and downstream");
		p->body = knowledge_copy(d->k, buf_view(&body));
	}
	buf_fini(&body);
}

int
dbt_read(struct knowledge *k, const struct knowledge_input *in, struct err *err)
{
	/* The blocks come first: descriptions stand for them. */
	static const char *const sections[] = { "nodes", "sources", "exposures", "docs", "semantic_models", "metrics",
		"saved_queries", "unit_tests", NULL };
	struct dbt d = { .k = k };
	int r = 0;

	tree_name_project(k, in);
	for (size_t i = 0; i < in->nfiles; i++)
		if (span_ends(in->files[i].path, ".md"))
			read_blocks(&d, &in->files[i]);
	if (in->manifest >= 0)
		r = manifest_each(k, in->manifest, sections, read_node, &d, err);
	else
		tree_each_file(k, in, read_yaml, &d);
	for (size_t i = 0; i < d.nnodes; i++)
		read_test_node(&d, d.nodes[i]);
	for (size_t i = 0; i < 2 * d.ntests; i++)
		make_test(&d, &d.tests[i % d.ntests], i >= d.ntests);
	for (size_t i = 0; i < d.nexposures; i++)
		make_exposure(&d, &d.exposures[i]);
	/* Descriptions of a manifest may come before the block that they are. */
	for (const struct knowledge_model *m = k->models; m != NULL && in->manifest >= 0; m = m->next)
		for (size_t i = 0; i < d.ndocs; i++) {
			d.docs[i].used = d.docs[i].used || span_is(d.docs[i].text, m->said);
			for (const struct knowledge_entry *e = m->entries; e != NULL && !d.docs[i].used; e = e->next)
				d.docs[i].used = span_is(d.docs[i].text, e->said);
		}
	for (size_t i = 0; i < d.ndocs; i++)
		make_doc(&d, &d.docs[i]);
	make_lineage(&d);
	free(d.tests);
	free(d.docs);
	free(d.exposures);
	free(d.nodes);
	return r;
}

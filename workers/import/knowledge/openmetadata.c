/*
 * openmetadata.c - tables and glossary terms of OpenMetadata, as its API lists them ({"data": [...]}), as its examples
 * hold them ({"tables": [...]}), or one by one.
 */
#include <string.h>

#include "workers/import/knowledge/inventory.h"
#include "workers/import/knowledge/openmetadata.h"

/* "service.database.schema.table" without quotes. */
static struct span
plain_name(struct inventory *c, struct span name)
{
	struct buf out = { 0 };
	struct span s;

	for (size_t i = 0; i < name.len; i++)
		if (name.p[i] != '"')
			buf_byte(&out, name.p[i]);
	s = knowledge_copy(c->k, buf_view(&out));
	buf_fini(&out);
	return s;
}

/* The names of people and teams, of all versions. */
static void
read_owners(struct inventory *c, const struct yaml_node *n, struct span *out)
{
	static const char *const names[] = { "displayName", "name", NULL };
	const struct yaml_node *list = yaml_get(n, "owners"), *one = yaml_get(n, "owner");

	for (size_t i = 0; i < yaml_length(list); i++)
		inventory_list(c, out, tree_text(tree_get_any(&list->items[i], names)));
	inventory_list(c, out, tree_text(tree_get_any(one, names)));
}

/* Classifications are tags; terms of a glossary are told apart. */
static void
read_tags(struct inventory *c, const struct yaml_node *n, struct span *tags, struct span *terms)
{
	const struct yaml_node *list = yaml_get(n, "tags");

	for (size_t i = 0; i < yaml_length(list); i++)
		inventory_list(c, span_is_word(tree_get_text(&list->items[i], "source"), "Glossary") ? terms : tags,
		    tree_get_text(&list->items[i], "tagFQN"));
}

static void
read_column(struct inventory *c, size_t table, const struct yaml_node *n)
{
	struct span name = tree_get_text(n, "name"), constraint = tree_get_text(n, "constraint"),
		    label = tree_get_text(n, "displayName");
	struct knowledge_entry *e;
	struct inventory_field *f;

	if (name.len == 0)
		return;
	f = inventory_field(c, table, name);
	read_tags(c, n, &f->tags, &f->terms);
	e = f->entry;
	e->said = tree_get_text(n, "description");
	e->label = span_is(label, name) ? SPAN_NONE : label;
	e->unique = span_is_word(constraint, "UNIQUE") || span_is_word(constraint, "PRIMARY_KEY");
	e->not_null = span_is_word(constraint, "NOT_NULL") || span_is_word(constraint, "PRIMARY_KEY");
	if (span_is_word(constraint, "PRIMARY_KEY") && c->tables[table].model->key.len == 0)
		c->tables[table].model->key = name;
}

/* "a,b" of a list of names, or of the last parts of fully qualified ones; *table: what is in front of those. */
static struct span
names_of(struct inventory *c, const struct yaml_node *list, struct span *table)
{
	struct span out = SPAN_NONE;

	for (size_t i = 0; i < yaml_length(list); i++) {
		struct span s = plain_name(c, tree_text(&list->items[i]));
		const uint8_t *dot = table == NULL || s.len == 0 ? NULL : memrchr(s.p, '.', s.len);

		if (dot != NULL) {
			*table = span_of(s.p, (size_t)(dot - s.p));
			s = span_of(dot + 1, s.len - table->len - 1);
		}
		out = knowledge_text(c->k, "%.*s%s%.*s", SPAN_FMT(out), i > 0 ? "," : "", SPAN_FMT(s));
	}
	return out;
}

static void
read_constraint(struct inventory *c, size_t table, const struct yaml_node *n)
{
	struct span type = tree_get_text(n, "constraintType"), to = SPAN_NONE, columns, referred;

	columns = names_of(c, yaml_get(n, "columns"), NULL);
	if (span_is_word(type, "PRIMARY_KEY"))
		c->tables[table].model->key = columns;
	else if (span_is_word(type, "UNIQUE") && yaml_length(yaml_get(n, "columns")) == 1)
		inventory_field(c, table, columns)->entry->unique = true;
	else if (span_is_word(type, "FOREIGN_KEY")) {
		referred = names_of(c, yaml_get(n, "referredColumns"), &to);
		inventory_key(c, table, columns, to, referred);
	}
}

static void
read_table(struct inventory *c, const struct yaml_node *n)
{
	const struct yaml_node *columns = yaml_get(n, "columns"), *constraints = yaml_get(n, "tableConstraints");
	struct span whole = plain_name(c, tree_get_text(n, "fullyQualifiedName")), name = tree_get_text(n, "name"),
		    label = tree_get_text(n, "displayName");
	struct knowledge_model *m;
	size_t table;

	if (whole.len == 0)
		whole = name;
	if ((table = inventory_table(c, whole, whole)) == SIZE_MAX)
		return;
	m = c->tables[table].model;
	/* A name may have dots. */
	if (name.len > 0 && name.len + 1 < whole.len) {
		struct span before = span_of(whole.p, whole.len - name.len - 1);
		const uint8_t *dot = memrchr(before.p, '.', before.len);

		m->table = name;
		m->schema = dot == NULL ? before : span_of(dot + 1, before.len - (size_t)(dot + 1 - before.p));
	}
	m->said = tree_get_text(n, "description");
	m->label = span_is(label, name) ? SPAN_NONE : label;
	read_owners(c, n, &c->tables[table].owners);
	read_tags(c, n, &c->tables[table].tags, &c->tables[table].terms);
	for (size_t i = 0; i < yaml_length(columns); i++)
		read_column(c, table, &columns->items[i]);
	for (size_t i = 0; i < yaml_length(constraints); i++)
		read_constraint(c, table, &constraints->items[i]);
}

static void
read_object(struct inventory *c, const struct yaml_node *n)
{
	const struct span *words;
	struct span also = SPAN_NONE, whole = tree_get_text(n, "fullyQualifiedName"), name;
	size_t count;
	bool deleted;

	name = whole.len > 0 ? whole : tree_get_text(n, "name");
	if (yaml_bool(yaml_get(n, "deleted"), &deleted) && deleted)
		knowledge_skip(c->k, "object", name, c->from, "it is deleted");
	else if (yaml_get(n, "columns") != NULL && yaml_get(n, "dashboards") == NULL)
		read_table(c, n);
	else if (yaml_get(n, "glossary") != NULL || yaml_get(n, "synonyms") != NULL) {
		count = tree_texts(c->k, yaml_get(n, "synonyms"), &words);
		for (size_t i = 0; i < count; i++)
			inventory_list(c, &also, words[i]);
		inventory_term(c, "glossary term", name, tree_get_text(n, "displayName"),
		    tree_get_text(n, "description"), also);
	} else if (yaml_get(n, "mutuallyExclusive") != NULL || yaml_get(n, "termCount") != NULL)
		inventory_term(c, "glossary", name, tree_get_text(n, "displayName"), tree_get_text(n, "description"),
		    also);
	else
		inventory_pass(c, SPAN("object"));
}

int
openmetadata_read(struct knowledge *k, const struct knowledge_input *in, struct err *err)
{
	static const char *const sections[] = { "data", "tables", "glossaryTerms", "glossaries", "", NULL };
	struct inventory c = { .k = k };
	int r = inventory_each(&c, in, sections, read_object, err);

	if (k->project.len == 0)
		k->project = SPAN("catalog");
	inventory_end(&c);
	return r;
}

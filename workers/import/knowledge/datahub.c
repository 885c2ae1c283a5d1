/*
 * datahub.c - datasets and glossary terms of DataHub, as its file sink writes them: a list of change events (a snapshot
 * with aspects) and change proposals (one aspect each), in any order.
 */
#include <string.h>

#include "workers/import/knowledge/datahub.h"
#include "workers/import/knowledge/inventory.h"

#define DATASET	"urn:li:dataset:("
#define FIELD	"urn:li:schemaField:("
#define TERM	"urn:li:glossaryTerm:"
#define NODE	"urn:li:glossaryNode:"

/* The text behind the last colon of a URN. */
static struct span
urn_name(struct span urn)
{
	const uint8_t *colon = urn.len == 0 ? NULL : memrchr(urn.p, ':', urn.len);

	return colon == NULL ? urn : span_of(colon + 1, urn.len - (size_t)(colon + 1 - urn.p));
}

/* "dashboard" of urn:li:dashboard:... */
static struct span
urn_kind(struct span urn)
{
	const uint8_t *end = span_begins(urn, "urn:li:") ? memchr(urn.p + 7, ':', urn.len - 7) : NULL;

	return end == NULL ? SPAN("object") : span_of(urn.p + 7, (size_t)(end - urn.p - 7));
}

/* "db.schema.table" of urn:li:dataset:(urn:li:dataPlatform:x,db.schema.table,PROD). */
static struct span
dataset_name(struct span urn)
{
	const uint8_t *first = memchr(urn.p, ',', urn.len), *last = memrchr(urn.p, ',', urn.len);

	return first == NULL || first == last ? SPAN_NONE : span_of(first + 1, (size_t)(last - first - 1));
}

/* The dataset; SIZE_MAX: the URN is not that of a dataset, or there are too many. */
static size_t
find_dataset(struct inventory *c, struct span urn)
{
	struct span name = span_begins(urn, DATASET) ? dataset_name(urn) : SPAN_NONE;

	return name.len == 0 ? SIZE_MAX : inventory_table(c, urn, name);
}

/* A column by its path, "[version=2.0].[type=string].name"; empty: it is within another one. */
static struct span
column_name(struct span path)
{
	const uint8_t *end;

	while (path.len > 0 && path.p[0] == '[' && (end = memchr(path.p, ']', path.len)) != NULL) {
		path = span_of(end + 1, path.len - (size_t)(end + 1 - path.p));
		if (path.len > 0 && path.p[0] == '.')
			path = span_of(path.p + 1, path.len - 1);
	}
	return path.len > 0 && memchr(path.p, '.', path.len) != NULL ? SPAN_NONE : path;
}

/* The names of a list of URNs under this key. */
static void
read_urns(struct inventory *c, const struct yaml_node *list, const char *key, struct span *out)
{
	for (size_t i = 0; i < yaml_length(list); i++)
		inventory_list(c, out, urn_name(tree_get_text(&list->items[i], key)));
}

static void
read_field(struct inventory *c, size_t table, const struct yaml_node *n, bool edited)
{
	struct span name = column_name(tree_get_text(n, "fieldPath")), said = tree_get_any_text(n, "description");
	struct inventory_field *f;

	if (name.len == 0)
		return;
	f = inventory_field(c, table, name);
	read_urns(c, yaml_get(yaml_get(n, "globalTags"), "tags"), "tag", &f->tags);
	read_urns(c, yaml_get(yaml_get(n, "glossaryTerms"), "terms"), "urn", &f->terms);
	if (said.len > 0)
		*(edited ? &f->edited : &f->entry->said) = said;
}

static void
read_foreign_key(struct inventory *c, size_t table, const struct yaml_node *n)
{
	static const char *const keys[] = { "sourceFields", "foreignFields" };
	struct span lists[2] = { SPAN_NONE, SPAN_NONE };

	for (int side = 0; side < 2; side++) {
		const struct yaml_node *list = yaml_get(n, keys[side]);

		for (size_t i = 0; i < yaml_length(list); i++) {
			struct span urn = tree_text(&list->items[i]), name;
			const uint8_t *comma = urn.len == 0 ? NULL : memrchr(urn.p, ',', urn.len);

			if (comma == NULL || !span_begins(urn, FIELD) || !span_ends(urn, ")"))
				continue;
			name = column_name(span_of(comma + 1, urn.len - (size_t)(comma + 1 - urn.p) - 1));
			lists[side] =
			    knowledge_text(c->k, "%.*s%s%.*s", SPAN_FMT(lists[side]), i > 0 ? "," : "", SPAN_FMT(name));
		}
	}
	inventory_key(c, table, lists[0], tree_get_text(n, "foreignDataset"), lists[1]);
}

static void
read_schema(struct inventory *c, size_t table, const struct yaml_node *n)
{
	const struct yaml_node *fields = yaml_get(n, "fields"), *keys = yaml_get(n, "primaryKeys"),
			       *foreign = yaml_get(n, "foreignKeys");
	struct knowledge_model *m = c->tables[table].model;

	for (size_t i = 0; i < yaml_length(fields); i++)
		read_field(c, table, &fields->items[i], false);
	for (size_t i = 0; i < yaml_length(keys) && (i > 0 || m->key.len == 0); i++)
		m->key = knowledge_text(c->k, "%.*s%s%.*s", SPAN_FMT(m->key), i > 0 ? "," : "",
		    SPAN_FMT(column_name(tree_text(&keys->items[i]))));
	for (size_t i = 0; i < yaml_length(foreign); i++)
		read_foreign_key(c, table, &foreign->items[i]);
}

static void
read_edited_schema(struct inventory *c, size_t table, const struct yaml_node *n)
{
	const struct yaml_node *fields = yaml_get(n, "editableSchemaFieldInfo");

	for (size_t i = 0; i < yaml_length(fields); i++)
		read_field(c, table, &fields->items[i], true);
}

static void
read_properties(struct inventory *c, size_t table, const struct yaml_node *n)
{
	struct span said = tree_get_any_text(n, "description");

	if (said.len > 0)
		c->tables[table].model->said = said;
}

static void
read_edited_properties(struct inventory *c, size_t table, const struct yaml_node *n)
{
	c->tables[table].edited = tree_get_any_text(n, "description");
}

static void
read_owners(struct inventory *c, size_t table, const struct yaml_node *n)
{
	read_urns(c, yaml_get(n, "owners"), "owner", &c->tables[table].owners);
}

static void
read_tags(struct inventory *c, size_t table, const struct yaml_node *n)
{
	read_urns(c, yaml_get(n, "tags"), "tag", &c->tables[table].tags);
}

static void
read_terms(struct inventory *c, size_t table, const struct yaml_node *n)
{
	read_urns(c, yaml_get(n, "terms"), "urn", &c->tables[table].terms);
}

/* Aspects of a dataset, by the end of their name in either form: SchemaMetadata, schemaMetadata. */
static const struct {
	const char	*name;
	void		(*read)(struct inventory *c, size_t table, const struct yaml_node *n);
} aspects[] = {
	{ "schemaMetadata", read_schema },
	{ "editableSchemaMetadata", read_edited_schema },
	{ "datasetProperties", read_properties },
	{ "editableDatasetProperties", read_edited_properties },
	{ "ownership", read_owners },
	{ "globalTags", read_tags },
	{ "glossaryTerms", read_terms },
};

static void
read_term(struct inventory *c, const char *as, struct span urn, const struct yaml_node *n)
{
	struct span name = tree_get_any_text(n, "name");

	inventory_term(c, as, urn_name(urn), name, tree_get_any_text(n, "definition"), SPAN_NONE);
}

static void
read_aspect(struct inventory *c, struct span urn, struct span aspect, const struct yaml_node *n)
{
	size_t table = find_dataset(c, urn);

	if (span_begins(urn, TERM) && span_is_word(aspect, "glossaryTermInfo"))
		read_term(c, "glossary term", urn, n);
	else if (span_begins(urn, NODE) && span_is_word(aspect, "glossaryNodeInfo"))
		read_term(c, "glossary", urn, n);
	else if (table != SIZE_MAX)
		for (size_t i = 0; i < sizeof(aspects) / sizeof(aspects[0]); i++)
			if (span_is_word(aspect, aspects[i].name))
				aspects[i].read(c, table, n);
}

/* A snapshot: {"...DatasetSnapshot": {"urn": ..., "aspects": [{"...SchemaMetadata": {...}}]}}. */
static void
read_snapshot(struct inventory *c, const struct yaml_node *n)
{
	const struct yaml_node *snapshot = n->kind == YAML_MAPPING && n->n == 1 ? &n->items[0] : NULL,
			       *list = yaml_get(snapshot, "aspects");
	struct span urn = tree_get_text(snapshot, "urn");

	for (size_t i = 0; i < yaml_length(list); i++) {
		const struct yaml_node *one = &list->items[i];
		const uint8_t *dot = one->kind != YAML_MAPPING || one->n != 1 ?
		    NULL :
		    memrchr(one->keys[0].text.p, '.', one->keys[0].text.len);

		if (dot != NULL)
			read_aspect(c, urn,
			    span_of(dot + 1, one->keys[0].text.len - (size_t)(dot + 1 - one->keys[0].text.p)),
			    &one->items[0]);
	}
}

static void
read_event(struct inventory *c, const struct yaml_node *n)
{
	const struct yaml_node *snapshot = yaml_get(n, "proposedSnapshot"), *aspect = yaml_get(n, "aspect"),
			       *json = yaml_get(aspect, "json");
	struct span urn = tree_get_text(n, "entityUrn"), text = tree_get_text(aspect, "value");
	const char *fault = NULL;

	if (urn.len == 0 && snapshot != NULL && snapshot->kind == YAML_MAPPING && snapshot->n == 1)
		urn = tree_get_text(&snapshot->items[0], "urn");
	if (!span_begins(urn, DATASET) && !span_begins(urn, TERM) && !span_begins(urn, NODE)) {
		inventory_pass(c, urn_kind(urn));
		return;
	}
	if (snapshot != NULL && snapshot->kind == YAML_MAPPING)
		read_snapshot(c, snapshot);
	else if (json == NULL && text.len > 0 && (json = tree_json(c->k, text, &fault)) == NULL)
		knowledge_skip(c->k, "aspect", urn, c->from, "it cannot be read: %s", fault);
	else if (json != NULL)
		read_aspect(c, urn, tree_get_text(n, "aspectName"), json);
}

int
datahub_read(struct knowledge *k, const struct knowledge_input *in, struct err *err)
{
	static const char *const sections[] = { "", NULL };
	struct inventory c = { .k = k };
	int r = inventory_each(&c, in, sections, read_event, err);

	if (k->project.len == 0)
		k->project = SPAN("catalog");
	inventory_end(&c);
	return r;
}

#include <string.h>

#include "base/text/uuid.h"
#include "project/config/config_member.h"
#include "project/config/config_ontologies.h"

#define NAME_MAX_BYTES	256
#define ABOUT_MAX	4096
#define SOURCES_MAX	1000

static const char *const members[] = { "id", "name", "description", "connection", "sources", NULL };

/* A UUID in small letters. */
static const char *
read_id(struct config_reader *r, const struct yaml_node *node, const char *name)
{
	const char *text = config_member_text(r, node, "id", UUID_LENGTH, true, name);
	char id[UUID_LENGTH + 1];

	if (text == NULL)
		return NULL;
	if (uuid_read(span_str(text), id))
		return arena_cstr(r->arena, span_str(id));
	config_issue(r, true, yaml_get(node, "id")->line, name,
	    "expected a UUID as id, like 5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11, found \"%.60s\"", text);
	return NULL;
}

/* Names of sources; "*" among them, or no list at all: all of the connection. */
static void
read_sources(struct config_reader *r, const struct yaml_node *node, struct config_strings *out, const char *name)
{
	const struct yaml_node *list = yaml_get(node, "sources");
	const struct yaml_node *items = list == NULL || list->kind != YAML_SEQUENCE ? list : list->items;
	size_t n = list == NULL || list->kind == YAML_NULL ? 0 : list->kind == YAML_SEQUENCE ? list->n : 1;

	if (list != NULL &&
	    (list->kind == YAML_MAPPING || n > SOURCES_MAX || (list->kind == YAML_SEQUENCE && n == 0))) {
		config_issue(r, true, list->line, name, "expected a list of 1 to %d names of sources, or *, as sources",
		    SOURCES_MAX);
		return;
	}
	if (n > 0 && (out->v = arena_array(r->arena, n, sizeof(*out->v))) == NULL) {
		r->full = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const char *text =
		    items[i].kind != YAML_SCALAR || items[i].text.len == 0 ? NULL : yaml_cstr(r->arena, &items[i]);

		if (text == NULL)
			config_issue(r, true, items[i].line, name, "expected the name of a source, or *, in sources");
		else if (strcmp(text, "*") == 0)
			n = out->n = 0;
		else
			out->v[out->n++] = text;
	}
}

static void
read_ontology(struct config_reader *r, struct config_ontologies *to, const struct yaml_node *node, const char *name)
{
	struct config_ontology *o = &to->v[to->n];

	if (!config_member_keys(r, node, "id, name and connection", name))
		return;
	*o = (struct config_ontology){ .line = node->line };
	(void)config_member_known(r, node, members, name);
	o->id = read_id(r, node, name);
	o->name = config_member_text(r, node, "name", NAME_MAX_BYTES, true, name);
	o->description = config_member_text(r, node, "description", ABOUT_MAX, false, name);
	o->connection = config_member_text(r, node, "connection", NAME_MAX_BYTES, true, name);
	read_sources(r, node, &o->sources, name);
	for (size_t i = 0; i < to->n; i++)
		if (o->id != NULL && strcmp(to->v[i].id, o->id) == 0) {
			config_issue(r, true, node->line, name, "the id %s is another one's too", o->id);
			return;
		}
	to->n += o->id != NULL && o->name != NULL && o->connection != NULL;
}

void
config_ontologies(struct config_reader *r, struct config_ontologies *to, const struct config_key *k,
    const struct yaml_node *node, const char *name)
{
	to->v = node->kind == YAML_NULL ? NULL :
					  config_member_room(r, node, YAML_SEQUENCE, 0, k->high, sizeof(*to->v),
					      "entries with id, name and connection", name);
	for (size_t i = 0; to->v != NULL && i < node->n; i++)
		read_ontology(r, to, &node->items[i], name);
}

void
config_check_ontologies(struct config_reader *r, const struct config *cfg)
{
	for (size_t i = 0; i < cfg->ontologies.n; i++) {
		const struct config_ontology *o = &cfg->ontologies.v[i];
		bool known = false;

		for (size_t k = 0; k < cfg->nconnections; k++)
			known = known || strcmp(cfg->connections[k].id, o->connection) == 0;
		if (!known)
			config_issue(r, true, o->line, "ontologies", "no connection is called \"%.60s\"",
			    o->connection);
	}
}

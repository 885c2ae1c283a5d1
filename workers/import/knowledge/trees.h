/* trees - YAML files of a project, and the objects of a manifest, as trees. */
#pragma once

#include "base/err.h"
#include "project/format/yaml.h"
#include "workers/import/knowledge/knowledge.h"

/* The text of a scalar, trimmed; empty if n is NULL or not a scalar. */
struct span tree_text(const struct yaml_node *n);
struct span tree_get_text(const struct yaml_node *n, const char *key);

/* Where the text first has what; NULL: nowhere. */
const uint8_t *tree_find(struct span text, const char *what);

bool tree_is_false(const struct yaml_node *n);	/* present, and false */
bool tree_is_said(const struct yaml_node *n);	/* present, and not empty */

/* True when s is a name that needs no quotes. */
bool tree_is_name(struct span s);

/* The first key that is not one of known, and whose value is neither empty nor false; NULL if all are known. */
const struct yaml_node *tree_unknown_key(const struct yaml_node *n, const char *const *known);
#define TREE_UNKNOWN	"it says \"%.*s\", which is not known here and could change the number"

/* The value under the first of these keys; NULL: none. */
const struct yaml_node *tree_get_any(const struct yaml_node *n, const char *const *keys);

/* All texts of a list, or the only one, in k's memory. */
size_t tree_texts(struct knowledge *k, const struct yaml_node *n, const struct span **out);

/*
 * Calls fn for the root of each YAML document of the pack.  A document that cannot be parsed is skipped by name; one
 * whose root is not a mapping is passed over.
 */
void tree_each_file(struct knowledge *k, const struct knowledge_input *in,
    void (*fn)(void *arg, const struct yaml_node *root, struct span path), void *arg);

/* The project's name, of the first dbt_project.yml. */
void tree_name_project(struct knowledge *k, const struct knowledge_input *in);

/* Other words than the text of a scalar: {"string": "text"}, as Avro writes one that may be missing. */
struct span tree_get_any_text(const struct yaml_node *n, const char *key);

/* The tree of a JSON text; NULL with *fault: it is not JSON, too deep, or too large for an object. */
const struct yaml_node *tree_json(struct knowledge *k, struct span text, const char **fault);

/* An object of a manifest.  tree NULL: it could not be read, for this reason. */
struct manifest_entry {
	struct span		 section, key;	/* "nodes", "model.shop.orders"; key empty: an element of a list */
	const struct yaml_node	*tree;
	const char		*fault;
};

/*
 * Streams a JSON object of objects: calls fn for each object in one of these sections (which end with NULL), and for
 * "metadata" as a whole.  Other sections are passed over.  A list of objects is a section without a name.  -1 with
 * *err: it is not JSON of that form, or too large.
 */
int manifest_each(struct knowledge *k, int fd, const char *const *sections,
    void (*fn)(void *arg, const struct manifest_entry *e), void *arg, struct err *err);

/* The same of a text.  False: it is not JSON of that form, and fn was not called. */
bool manifest_each_of(struct knowledge *k, struct span text, const char *const *sections,
    void (*fn)(void *arg, const struct manifest_entry *e), void *arg);

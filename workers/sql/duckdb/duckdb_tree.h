/*
 * duckdb_tree - the JSON of a statement's parse tree (json_serialize_sql) as nodes in memory.
 *
 * Values borrow the text; nothing is unescaped until it is asked for.  A text that is no JSON, or nests deeper than
 * DUCKDB_TREE_DEPTH_MAX, is refused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"

#define DUCKDB_TREE_DEPTH_MAX	4000u	/* containers inside each other; an operator takes two */

struct duckdb_node {
	struct span		 key;		/* of a member; with its escapes */
	char			 kind;		/* '{', '[', '"', or 0: a number, true, false, null */
	struct span		 text;		/* as it stands there, quotes included */
	struct duckdb_node	*first, *next;	/* of a container; its neighbour */
};

/* The tree in the arena.  NULL with *err: not JSON, too deep (forbidden_sql), or the arena is full. */
const struct duckdb_node *duckdb_tree_read(struct arena *a, struct span json, struct err *err);

/* The member of an object; NULL: it has none, or node is NULL. */
const struct duckdb_node *duckdb_tree_member(const struct duckdb_node *node, const char *key);

/* A string's value, unescaped into the arena where it has escapes; the empty span for anything else. */
struct span duckdb_tree_string(struct arena *a, const struct duckdb_node *node);

/* The same for a member. */
struct span duckdb_tree_text(struct arena *a, const struct duckdb_node *node, const char *key);

/* The byte of the statement where the node stands; SIZE_MAX: the parser does not say. */
size_t duckdb_tree_place(const struct duckdb_node *node);

bool duckdb_tree_is(const struct duckdb_node *node, const char *literal);

/*
 * yaml - YAML 1.2 core as our files use it, read with libyaml's events into a
 * tree that knows its lines.
 *
 * Scalars stay text: the reader of a key decides its type, so `on`, `no` and
 * `off` are never booleans behind anyone's back.  Anchors, aliases, tags other
 * than !!str, duplicate keys, non-scalar keys and more than one document are
 * refused with their line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"

#define YAML_BYTES_MAX	(16u << 20)	/* a larger file is refused */
#define YAML_DEPTH_MAX	32
#define YAML_NODES_MAX	2000000		/* the manifest of 20,000 tables fits */
#define YAML_SHARED_MAX	200000		/* nodes that aliases and merge keys add to a file */
#define YAML_ANCHORS_MAX 20000		/* of a file */

enum yaml_kind { YAML_NULL, YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_node {
	enum yaml_kind		 kind : 8;
	bool			 quoted;	/* SCALAR: was in quotes or a block, hence always text */
	unsigned		 line;		/* 1-based; 0: a key of yaml_parse_lean() */
	struct span		 text;		/* SCALAR: valid UTF-8, in the arena */
	size_t			 n;		/* SEQUENCE, MAPPING */
	const struct yaml_node	*items;		/* SEQUENCE: n; MAPPING: n values */
	const struct yaml_node	*keys;		/* MAPPING: n scalar keys, same order */
};

/*
 * Parse text.  The tree is in a.  An empty document is a YAML_NULL node.  A
 * plain scalar ~, null, Null, NULL or nothing is YAML_NULL.  Returns NULL with
 * *err ("line 12: …", code ERR_INVALID_ARGUMENTS) when refused.
 */
const struct yaml_node *yaml_parse(struct arena *a, struct span text, struct err *err);

/*
 * The same for a file of others, whose anchors, aliases and merge keys ("<<") are read: an alias is the node that was
 * anchored, shared and not copied, so the tree may be walked but never changed.  It counts with all its nodes, and what
 * aliases add is bounded by YAML_SHARED_MAX.  An alias within its own anchor is refused.
 */
const struct yaml_node *yaml_parse_shared(struct arena *a, struct span text, struct err *err);

/*
 * As yaml_parse() in less memory, for files of many alike mappings that no person wrote: mappings with the same keys
 * share them, and short texts that come again are kept once.  Keys have no lines.
 */
const struct yaml_node *yaml_parse_lean(struct arena *a, struct span text, struct err *err);

/* The value under key; NULL when node is NULL, no mapping, or has no such key. */
const struct yaml_node *yaml_get(const struct yaml_node *node, const char *key);

/* The number of elements of a sequence; 0 if node is NULL or not a sequence. */
size_t yaml_length(const struct yaml_node *node);

/* Typed reads by YAML 1.2 core plus the 1.1 words where a boolean is wanted. */
bool yaml_bool(const struct yaml_node *node, bool *out);
bool yaml_uint(const struct yaml_node *node, unsigned long long *out);

/* The scalar's text as a C string in a; NULL when node is no scalar or holds a NUL. */
const char *yaml_cstr(struct arena *a, const struct yaml_node *node);

/* Append the tree as msgpack: plain scalars that are core booleans, integers, floats become those. */
struct buf;
void yaml_to_mp(const struct yaml_node *node, struct buf *out);

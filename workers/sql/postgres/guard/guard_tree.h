/*
 * guard_tree - a parse tree as libpg_query writes it, in JSON, turned into
 * nodes that can be walked.  The text comes from a parser that read a
 * stranger's statement: every bound is checked, and nothing recurses.
 *
 * A reader of its own: json_read() stops at JSON_DEPTH_MAX levels, and alone takes 14 µs for a tree of 3.6 KB whose
 * nodes are made here in 8.5 µs (libpg_query's parse of the statement: 22 µs).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/table.h"

#define GUARD_TREE_DEPTH_MAX	2048	/* nested JSON containers; an operator in an operand takes two */
#define GUARD_TREE_VALUES_MAX	2000000u

/* Kinds come first: an object with key < GUARD_KINDS is a wrapped node. */
enum guard_key {
	GUARD_OTHER_KIND,		/* a kind without a row in guard_nodes.def */
#define KIND(name)			GUARD_##name,
#define REFUSED(name, it, instead)	GUARD_##name,
#define FIELD(name)
#define BARE(name, of)
#include "workers/sql/postgres/guard/guard_nodes.def"
#undef KIND
#undef REFUSED
#undef FIELD
#undef BARE
	GUARD_KINDS,
	GUARD_OTHER_FIELD = GUARD_KINDS,
#define KIND(name)
#define REFUSED(name, it, instead)
#define FIELD(name)			GUARD_##name,
#define BARE(name, of)			GUARD_##name,
#include "workers/sql/postgres/guard/guard_nodes.def"
#undef KIND
#undef REFUSED
#undef FIELD
#undef BARE
	GUARD_KEYS
};

enum guard_value_type {
	GUARD_VALUE_OBJECT, GUARD_VALUE_ARRAY, GUARD_VALUE_STRING, GUARD_VALUE_NUMBER,
	GUARD_VALUE_TRUE, GUARD_VALUE_FALSE, GUARD_VALUE_NULL
};

#define GUARD_NIL	UINT32_MAX

struct guard_value {
	uint8_t		type;
	uint16_t	key;		/* of a member; elements of arrays have GUARD_OTHER_FIELD */
	uint32_t	next;		/* next sibling; GUARD_NIL: the last one */
	union {
		uint32_t	child;	/* OBJECT, ARRAY: the first child, or GUARD_NIL */
		struct span	text;	/* STRING: unescaped */
		int64_t		number;	/* NUMBER; the trees contain only whole ones */
	};
};

/* Properties of an expression's value (guard_fold.h).  Unknown: bytes 0, no number. */
struct guard_known {
	bool	has_number;
	bool	grows;		/* the size depends on stored data: a length from a column, a recursion */
	double	number, bytes;
	double	times;		/* if bytes is 0: how many copies of a stored value it contains, if several */
	double	most;		/* of an element of a value: the whole may be this one; 0: bytes is all */
	bool	made;		/* from constants and series alone, no stored data */
};

struct guard_tree {
	struct guard_value	*values;	/* values[0] is the root */
	size_t			 n, cap;
	struct table		 names;		/* of members; filled by the first guard_tree_read() */
	struct span		 source;	/* the statement's text, if the caller sets it */
	char			 unknown[64];	/* the first kind without a row */
	/* [value]: for nodes whose size does not follow from their children.  NULL: none. */
	const struct guard_known *known;
	bool			 most;		/* fold for the largest size that an element may have */
};

enum guard_tree_fault {
	GUARD_TREE_OK, GUARD_TREE_BROKEN, GUARD_TREE_TOO_DEEP, GUARD_TREE_TOO_LARGE
};

/* Unescapes strings in place: json is changed, and borrowed until the next read. */
enum guard_tree_fault guard_tree_read(struct guard_tree *t, char *json);

void guard_tree_fini(struct guard_tree *t);

/* The member of an object; GUARD_NIL if it has no such member or v is no object. */
uint32_t guard_tree_get(const struct guard_tree *t, uint32_t v, enum guard_key key);

/* The kind of a wrapped node and, in *body, its fields; GUARD_OTHER_FIELD if v is not one. */
enum guard_key guard_tree_kind(const struct guard_tree *t, uint32_t v, uint32_t *body);

/* The string member of an object; the empty span if absent. */
struct span guard_tree_string(const struct guard_tree *t, uint32_t v, enum guard_key key);

/* The number member of an object.  libpg_query leaves zero out, so a missing member is 0. */
int64_t guard_tree_number(const struct guard_tree *t, uint32_t v, enum guard_key key);

/* The first element of an array member; GUARD_NIL if it is empty or missing. */
uint32_t guard_tree_first(const struct guard_tree *t, uint32_t v, enum guard_key key);

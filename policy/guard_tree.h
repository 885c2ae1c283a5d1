/*
 * guard_tree - a parse tree as libpg_query writes it, JSON, made into nodes
 * that can be walked.  The text comes from a parser that was given a
 * stranger's statement: every bound is checked, nothing recurses.
 */
#ifndef POLICY_GUARD_TREE_H
#define POLICY_GUARD_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define GUARD_TREE_DEPTH_MAX	2048	/* JSON containers; an operator in another's operand takes two */
#define GUARD_TREE_VALUES_MAX	2000000u

/* Kinds first, so that key < GUARD_KINDS says that an object is a wrapped node. */
enum guard_key {
	GUARD_OTHER_KIND,		/* a kind that guard_nodes.def does not name */
#define KIND(name)			GUARD_##name,
#define REFUSED(name, it, instead)	GUARD_##name,
#define FIELD(name)
#define BARE(name, of)
#include "policy/guard_nodes.def"
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
#include "policy/guard_nodes.def"
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
	uint32_t	next;		/* sibling, GUARD_NIL behind the last */
	union {
		uint32_t	child;	/* OBJECT, ARRAY: the first, or GUARD_NIL */
		struct span	text;	/* STRING: without escapes */
		int64_t		number;	/* NUMBER; the trees have only whole ones */
	};
};

/* What is known of a value (guard_fold.h).  Unknown: bytes 0, no number. */
struct guard_known {
	bool	has_number;
	bool	grows;		/* it is made as large as data asks for: a length from a column, a recursion */
	double	number, bytes;
	double	times;		/* bytes 0: how often something that is stored is in it, if more than once */
};

struct guard_tree {
	struct guard_value	*values;	/* values[0] is the root */
	size_t			 n, cap;
	struct span		 source;	/* the statement, if the caller says so */
	char			 unknown[64];	/* the first kind that has no row */
	/* [value]: of nodes whose worth does not follow from what is below them; NULL: nothing. */
	const struct guard_known *known;
};

enum guard_tree_fault {
	GUARD_TREE_OK, GUARD_TREE_BROKEN, GUARD_TREE_TOO_DEEP, GUARD_TREE_TOO_LARGE
};

/* Strings are unescaped in place: json is changed, and borrowed until the next read. */
enum guard_tree_fault guard_tree_read(struct guard_tree *t, char *json);

void guard_tree_fini(struct guard_tree *t);

/* The member of an object; GUARD_NIL when there is none or v is no object. */
uint32_t guard_tree_get(const struct guard_tree *t, uint32_t v, enum guard_key key);

/* The kind of a wrapped node and, in *body, its fields; GUARD_OTHER_FIELD when v is none. */
enum guard_key guard_tree_kind(const struct guard_tree *t, uint32_t v, uint32_t *body);

/* The string member of an object; the empty span when there is none. */
struct span guard_tree_string(const struct guard_tree *t, uint32_t v, enum guard_key key);

/* The number member of an object; 0, which is not written, when there is none. */
int64_t guard_tree_number(const struct guard_tree *t, uint32_t v, enum guard_key key);

/* The first child of the array that is a member; GUARD_NIL when empty or none. */
uint32_t guard_tree_first(const struct guard_tree *t, uint32_t v, enum guard_key key);

#endif

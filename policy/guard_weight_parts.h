/*
 * guard_weight_parts - guard_weight as its own files see it: what names mean
 * (guard_weight_names.c), and what is counted with that (guard_weight.c).
 */
#ifndef POLICY_GUARD_WEIGHT_PARTS_H
#define POLICY_GUARD_WEIGHT_PARTS_H

#include "policy/guard_weight.h"

#define NIL		GUARD_NIL
#define TABLE_COLUMNS	32.0	/* of a table that is not known here */

/* One column of a sub-select's result: what stands for it where it is named. */
struct column {
	struct span		name;
	double			parts;
	struct guard_known	known;
	uint32_t		next;
};

/* Something in FROM. */
struct relation {
	struct span	name;
	uint32_t	columns;	/* first of a list, NIL: none */
	double		ncolumns;
	bool		open;		/* it has columns that are not known here */
	double		rows;		/* at least 1 */
	uint32_t	next;
};

/* What a query comes to. */
struct outcome {
	double		parts, rows, ncolumns;
	uint32_t	columns;
	bool		open;
	bool		stored;		/* as many rows as a table has, or more */
};

enum cte_state { CTE_NEW, CTE_BUSY, CTE_DONE };

struct cte {
	struct span	name;
	uint32_t	node;		/* the fields of the CommonTableExpr */
	uint32_t	outer;		/* the next one that is visible where this is */
	uint32_t	refs;
	uint32_t	select;		/* its SelectStmt, once it is counted */
	bool		resolving;	/* its names are being resolved */
	bool		recursive;	/* it names itself */
	enum cte_state	state;
	struct outcome	out;
};

/* The names visible in one query. */
struct scope {
	struct scope	*outer;
	uint32_t	 relations;
	double		 rows, series;	/* of FROM; of a series among the columns */
	double		 windows;	/* OVER clauses: each makes a step through which all columns pass */
	bool		 filtered, aggregated;
	bool		 stored;	/* rows of tables, nobody knows how many */
};

struct guard_weight {
	struct guard_tree	*t;
	struct column		*columns;
	struct relation		*relations;
	struct cte		*ctes;
	size_t			 ncolumns, column_cap, nrelations, relation_cap, nctes, cte_cap;
	uint32_t		*refers;	/* [value]: 1 + the WITH query that a RangeVar names; 0: none */
	struct guard_known	*known;
	size_t			 cap;		/* of both */
	unsigned		 work, depth;
	unsigned		 inside;	/* of WITH queries and sub-selects in FROM */
	double			 joins;		/* parts */
	double			 joined;	/* bytes that || makes of what follows from constants */
	uint32_t		 recursive;	/* the WITH query that is being counted */
	enum guard_excess	 excess;
	uint32_t		 at;
	double			 size;
	struct guard_memory	 memory;
};

/* A list of columns under construction. */
struct column_list {
	uint32_t	first, last;
	double		n;
};

/* --- the tree ----------------------------------------------------------------------------- */

static inline bool
is_over(const struct guard_weight *w)
{
	return w->excess != GUARD_FITS;
}
/* v itself as a wrapped node's fields or as a bare SelectStmt. */
static inline bool
is_select(const struct guard_tree *t, uint32_t v)
{
	uint16_t key = t->values[v].key;
	uint32_t child = t->values[v].child;

	if (t->values[v].type != GUARD_VALUE_OBJECT)
		return false;
	/* The sides of a join have these names too, and are wrapped. */
	return key == GUARD_SelectStmt || ((key == GUARD_larg || key == GUARD_rarg) && child != NIL &&
	    t->values[child].key >= GUARD_KINDS);
}

static inline bool
is_container(const struct guard_tree *t, uint32_t v)
{
	return t->values[v].type == GUARD_VALUE_OBJECT || t->values[v].type == GUARD_VALUE_ARRAY;
}

static inline bool
has(const struct guard_tree *t, uint32_t v, enum guard_key key)
{
	return guard_tree_get(t, v, key) != NIL;
}

static inline bool
is_true(const struct guard_tree *t, uint32_t v, enum guard_key key)
{
	v = guard_tree_get(t, v, key);
	return v != NIL && t->values[v].type == GUARD_VALUE_TRUE;
}

/* The text of a String node in a list. */
static inline struct span
string_at(const struct guard_tree *t, uint32_t v)
{
	uint32_t body;

	return guard_tree_kind(t, v, &body) == GUARD_String ? guard_tree_string(t, body, GUARD_sval) : span_of("", 0);
}

/* --- guard_weight_names.c ------------------------------------------------------------------ */

/* What is too much, and where; only the first is told. */
void weight_exceed(struct guard_weight *w, enum guard_excess excess, uint32_t at, double size);

/* Two names; comparing is bounded. */
bool weight_same(struct guard_weight *w, struct span a, struct span b);

/* Which WITH query each name means, in one value with all below it; visible: the nearest one that can be meant. */
void weight_resolve(struct guard_weight *w, uint32_t v, uint32_t visible);

struct column_list weight_no_columns(void);
void weight_add_column(struct guard_weight *w, struct column_list *list, struct column c);

/* A copy of a list, with the names in an Alias' colnames for the first of them. */
struct column_list weight_copy_columns(struct guard_weight *w, uint32_t from, uint32_t names);

struct relation *weight_add_relation(struct guard_weight *w, struct scope *s, struct relation r);

/* What stands for a column where it is named: the nearest, or any further out while that is not certain. */
struct column weight_find_column(struct guard_weight *w, const struct scope *s, struct span of, struct span name);

#endif

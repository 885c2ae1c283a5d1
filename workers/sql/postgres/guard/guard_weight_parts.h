/*
 * guard_weight_parts - shared by the files of guard_weight: resolving names
 * (guard_weight_names.c), counting FROM (guard_weight_from.c) and all else
 * (guard_weight.c).
 */
#pragma once

#include "workers/sql/postgres/guard/guard_weight.h"

#define NIL		GUARD_NIL
#define TABLE_COLUMNS	32.0	/* assumed for a table whose columns are not known here */

/* A column of a sub-select's result: the expression that replaces its name. */
struct weight_column {
	struct span		name;
	double			parts;
	struct guard_known	known;
	uint32_t		next;
};

/* A relation in FROM. */
struct relation {
	struct span	name;
	uint32_t	columns;	/* first column of a list; NIL: none */
	double		ncolumns;
	bool		open;		/* it has columns that are not known here */
	double		rows;		/* at least 1 */
	uint32_t	next;
};

/* The result of counting a query. */
struct outcome {
	double		parts, rows, ncolumns;
	uint32_t	columns;
	bool		open;
	bool		stored;		/* as many rows as a table has, or more */
	bool		endless;	/* made from constants that do not tell how many rows there are */
};

enum cte_state { CTE_NEW, CTE_BUSY, CTE_DONE };

struct cte {
	struct span	name;
	uint32_t	node;		/* the fields of the CommonTableExpr */
	uint32_t	outer;		/* the next query that is visible from this one */
	uint32_t	refs;
	uint32_t	select;		/* its SelectStmt, once it is counted */
	bool		resolving;	/* its names are being resolved */
	bool		recursive;	/* it names itself */
	double		steps;		/* of the recursion; INFINITY: unknown */
	enum cte_state	state;
	struct outcome	out;
};

/* The names visible in one query. */
struct weight_scope {
	struct weight_scope	*outer;
	uint32_t	 relations;
	double		 rows, series;	/* rows of FROM; rows of a series in the SELECT list */
	double		 windows;	/* OVER clauses: each adds a plan step with all columns */
	bool		 filtered, aggregated;
	bool		 stored;	/* rows of tables, number unknown */
	bool		 endless;	/* rows of endless results */
	bool		 grouped;	/* it has a GROUP BY */
};

struct guard_weight {
	struct guard_tree	*t;
	struct weight_column		*columns;
	struct relation		*relations;
	struct cte		*ctes;
	size_t			 ncolumns, column_cap, nrelations, relation_cap, nctes, cte_cap;
	uint32_t		*refers;	/* [value]: 1 + the WITH query that a RangeVar names; 0: none */
	struct guard_known	*known;
	size_t			 cap;		/* of both arrays */
	unsigned		 work, depth;
	unsigned		 inside;	/* depth of WITH queries and sub-selects in FROM */
	double			 joins;		/* parts of the join orders so far */
	double			 joined;	/* bytes that || makes of constants */
	bool			 elements;	/* a value may be an element of a larger one */
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

static inline bool
is_over(const struct guard_weight *w)
{
	return w->excess != GUARD_FITS;
}
/* Whether v is a wrapped node's fields or a bare SelectStmt. */
static inline bool
is_select(const struct guard_tree *t, uint32_t v)
{
	uint16_t key = t->values[v].key;
	uint32_t child = t->values[v].child;

	if (t->values[v].type != GUARD_VALUE_OBJECT)
		return false;
	/* The sides of a join have the same two names, but are wrapped. */
	return key == GUARD_SelectStmt ||
	    ((key == GUARD_larg || key == GUARD_rarg) && child != NIL && t->values[child].key >= GUARD_KINDS);
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

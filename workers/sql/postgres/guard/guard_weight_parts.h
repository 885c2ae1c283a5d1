/*
 * guard_weight_parts - shared by the files of guard_weight: resolving names
 * (guard_weight_names.c), counting FROM (guard_weight_from.c) and all else
 * (guard_weight.c).
 */
#ifndef WORKERS_SQL_POSTGRES_GUARD_GUARD_WEIGHT_PARTS_H
#define WORKERS_SQL_POSTGRES_GUARD_GUARD_WEIGHT_PARTS_H

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

/* --- the tree ----------------------------------------------------------------------------- */

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

/* --- guard_weight_names.c ------------------------------------------------------------------ */

/* Notes an excess and its place.  Only the first one is reported. */
void weight_exceed(struct guard_weight *w, enum guard_excess excess, uint32_t at, double size);

/* Compares two names; the number of comparisons is bounded. */
bool weight_same(struct guard_weight *w, struct span a, struct span b);

/*
 * Resolves which WITH query each name means, in one value including its children.  visible: the
 * innermost query in scope.
 */
void weight_resolve(struct guard_weight *w, uint32_t v, uint32_t visible);

struct column_list weight_no_columns(void);
void weight_add_column(struct guard_weight *w, struct column_list *list, struct weight_column c);

/* A copy of a list, with an Alias' colnames as the names of its first columns. */
struct column_list weight_copy_columns(struct guard_weight *w, uint32_t from, uint32_t names);

struct relation *weight_add_relation(struct guard_weight *w, struct weight_scope *s, struct relation r);

/*
 * The expression behind a column where it is named: the nearest one, and those of outer queries
 * while an inner relation with unknown columns may have it.
 */
struct weight_column weight_find_column(struct guard_weight *w, const struct weight_scope *s, struct span of,
    struct span name);

/* --- guard_weight_from.c ------------------------------------------------------------------- */

/* The alias of a relation, and the names of its columns. */
struct span weight_alias_of(const struct guard_tree *t, uint32_t v, struct span otherwise, uint32_t *columns);

/* A result that is computed before it is read: each of its columns is one part. */
uint32_t weight_computed(struct guard_weight *w, uint32_t columns);

/* Count WITH query i, once; its result. */
const struct outcome *weight_count_cte(struct guard_weight *w, struct weight_scope *outer, uint32_t i);

/* Count what FROM, or one item of FROM, names; its columns and rows are added to s.  The parts. */
double weight_count_from(struct guard_weight *w, struct weight_scope *s, uint32_t v);

/* Whether the server computes the WITH query once, instead of at each use. */
bool weight_is_materialised(const struct guard_weight *w, const struct cte *c);

/* --- guard_weight.c ------------------------------------------------------------------------ */

/* The parts of all values below v. */
double weight_count_children(struct guard_weight *w, struct weight_scope *s, uint32_t v);

/* Count the query v, a SelectStmt or its wrapped node. */
struct outcome weight_count_query(struct guard_weight *w, struct weight_scope *outer, uint32_t v);

/* Note a condition, or a function that makes rows, that makes the planner's estimate doubtful: guard_memory.h. */
void weight_doubt_condition(struct guard_weight *w, uint32_t condition);

void weight_doubt_made(struct guard_weight *w, struct span function, double rows);

/* The last part of a function's name. */
struct span weight_function_name(const struct guard_tree *t, uint32_t call);

#endif

/*
 * model - the sources of a connection as a graph for planning queries.
 *
 * Built from the composed sources of project/model/source.h, which must outlive it and not change; rebuilt after
 * each change.  An invalid source, or an unusable join (its ON is not a conjunction of equalities, its target is
 * missing), is a trouble of the model: it breaks only queries that use that source.  Parts that are merely ignored
 * break nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/table.h"
#include "project/model/source.h"
#include "semantic/problem.h"

#define SEM_KEYS_MAX	8	/* columns of one join key */
#define SEM_NONE	UINT32_MAX

/* One equality of an ON: columns of the declaring source and of the target. */
struct sem_pair {
	struct span	local, target;
};

struct sem_join {
	const struct source_join	*declared, *verbs;	/* verbs: the declaration whose verbs count */
	uint32_t			 from, to;	/* nodes; `to` is the alias's node when it has one */
	enum source_relationship	 relationship;	/* from -> to */
	size_t				 npairs;
	struct sem_pair			 pairs[SEM_KEYS_MAX];
};

/* A join in a direction in which it multiplies no rows: at most one target row for each row. */
struct sem_edge {
	uint32_t		 to;
	const struct sem_join	*join;
	bool			 inverse;	/* walked from join->to to join->from */
};

/* A source, or a join alias: the same source under another name. */
struct sem_node {
	struct span		 name;
	struct span		 label;		/* its name in SQL and headers; differs from name when a query named the join */
	const struct source	*source;
	const struct source	*scanned;	/* the scan's entry of its table; NULL: none is known */
	struct span		 table;		/* for dialect_table(); empty: the source is a query */
	bool			 exact;		/* table is spelt as the scan has it */
	uint32_t		 covered_by;	/* the hand-written source of a scanned table; else SEM_NONE */
	uint32_t		 owner;		/* alias: the declaring node; otherwise itself */
	bool			 alias;
	bool			 named;		/* added by a query, see sem_model_name() */
	uint32_t		 component;	/* nodes connected by joins in any direction share it */
	size_t			 nedges;
	const struct sem_edge	*edges;		/* safe ones only */
	struct table		 columns;	/* of source->columns, by name without case; an alias has its source's */
};

struct sem_trouble {
	const struct source	*source;
	enum sem_category	 category;
	const char		*text;		/* what is wrong and what to do, one sentence */
	unsigned		 line;		/* 0: concerns no single line */
	bool			 passed_over;	/* only the faulty part is left out; the rest of the source is usable */
};

struct sem_model;

/* NULL only when the arena is full.  The model keeps pointers to sources. */
struct sem_model *sem_model_new(const struct source *const *sources, size_t n);
void sem_model_free(struct sem_model *m);

size_t sem_model_nodes(const struct sem_model *m);
const struct sem_node *sem_model_node(const struct sem_model *m, uint32_t id);

size_t sem_model_troubles(const struct sem_model *m);
const struct sem_trouble *sem_model_trouble(const struct sem_model *m, size_t i);

/*
 * The first thing wrong with a node's own file, NULL when it is sound: a source
 * that is no source, a join that cannot be used.  Queries that use the source
 * are refused with it; no other query notices.
 */
const struct sem_trouble *sem_node_trouble(const struct sem_model *m, uint32_t node);

/* The node called name: a source, else a join alias that exists once.  SEM_NONE; *ambiguous when several aliases share it. */
uint32_t sem_find_node(const struct sem_model *m, struct span name, bool *ambiguous);

/* The column of a node: exact, else the only one that matches without case.  NULL: none. */
const struct source_column *sem_find_column(const struct sem_node *node, struct span name);
const struct source_measure *sem_find_measure(const struct sem_node *node, struct span name);
const struct source_segment *sem_find_segment(const struct sem_node *node, struct span name);

/* The sources (no aliases) that a bare column or measure name may mean: how many, and the first of them. */
struct sem_owners {
	size_t		n;
	uint32_t	first[SEM_CANDIDATES_MAX];
};

/*
 * Those with the name as it is spelt, else without case.  A scanned source whose
 * table a hand-written one covers owns a column only where no other does;
 * measures are all written by hand.
 */
struct sem_owners sem_owners_of_column(const struct sem_model *m, struct span name);
struct sem_owners sem_owners_of_measure(const struct sem_model *m, struct span name);

/* The only one; SEM_NONE: there are none or several. */
uint32_t sem_only(struct sem_owners owners);

/* True when some source hides a column of this name (case-folded). */
bool sem_is_hidden_word(const struct sem_model *m, struct span name);

/* The node whose table (last dotted part) or name is this; SEM_NONE. */
uint32_t sem_find_table(const struct sem_model *m, struct span name);

/*
 * Shortest ways over safe edges from root to every node.  All arrays have
 * sem_model_nodes() entries and live in a.
 */
struct sem_paths {
	uint32_t		 root;
	uint32_t		*order;		/* the reachable nodes, nearest first; count of them */
	size_t			 count;
	uint32_t		*distance;	/* SEM_NONE: not reachable safely */
	const struct sem_edge	**via;		/* the last edge */
	uint32_t		*parent;	/* the node before */
	uint32_t		*rival;		/* another parent on an equally short way, by another edge; SEM_NONE: none */
};

/* NULL when a is full. */
const struct sem_paths *sem_paths(const struct sem_model *m, struct arena *a, uint32_t root);

/* The hash of a name without case. */
uint64_t model_hash(struct span name);

/* Whether the join leads to at most one row: of `to`, or of `from` when walked backwards. */
bool sem_join_is_safe(const struct sem_join *j, bool inverse);

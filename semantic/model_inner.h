/* model_inner.h - private to model.c and named.c: the structs of a model. */
#ifndef SEMANTIC_MODEL_INNER_H
#define SEMANTIC_MODEL_INNER_H

#include "base/table.h"
#include "semantic/model.h"

/* One owner of a bare name; owners of one name are chained. */
struct name_owner {
	struct span	 name;
	uint32_t	 node, next;
	uint32_t	 last;		/* of the first owner: where its chain ends */
};

struct index {
	struct name_owner	*owners;
	uint32_t	 nowners;
	struct table	 names;		/* of the first owner of each name */
};

struct sem_model {
	struct arena		*arena;
	struct sem_node		*nodes;
	uint32_t		 nnodes, nsources;
	struct sem_join		*joins;
	size_t			 njoins;
	struct sem_trouble	*troubles;
	size_t			 ntroubles, troubles_cap;
	struct index		 by_name, columns, measures, hidden, tables;
};

/* The hash of a name without case. */
uint64_t model_hash(struct span name);

/* scanned.c: fills in the table of every source, and which sources of a scan are covered by hand-written ones. */
void model_find_scanned(struct sem_model *m);

/* Whether the join leads to at most one row: of `to`, or of `from` when walked backwards. */
bool sem_join_is_safe(const struct sem_join *j, bool inverse);

#endif

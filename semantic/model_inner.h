/* model_inner.h - private to model.c and named.c: the structs of a model. */
#pragma once

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
	/* While it is built: */
	struct arena		*scratch;	/* the expression of a join's ON */
	struct table		 known;		/* joins by the nodes that they connect */
};

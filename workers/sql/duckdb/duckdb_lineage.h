/*
 * duckdb_lineage - follows masked and hashed columns through a query, by its parse tree.
 *
 * Statements read views that hold masks and digests in place of the values
 * (duckdb_columns.h), so nothing here keeps a secret.  It refuses what would
 * be answered wrongly from a mask, because the mask is the same for every
 * value: comparing, grouping, ordering, joining and computing.  A masked
 * column may be selected, counted and tested for NULL.  And it tells which
 * columns of a view are masks and digests under another name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "policy/columns.h"

/*
 * The columns of a relation, in their order.  open: more columns, which are not known and not protected, may be
 * among them.
 */
struct duckdb_shape {
	size_t	 n, cap;
	struct duckdb_shape_column {
		struct span		 name;		/* empty: the engine's own for an expression */
		enum columns_action	 action;
	}	*columns;
	bool	 open;
};

/* A relation as statements see it. */
struct duckdb_seen {
	enum {
		DUCKDB_SEEN,
		DUCKDB_SEEN_LATER,	/* a view that was not looked at yet */
		DUCKDB_SEEN_NEVER	/* a view that computes from protected columns or does what no statement may */
	}			 state;
	struct duckdb_shape	 shape;
};

struct duckdb_lineage {
	/* The relation of that name; schema may be empty.  NULL: nothing of it is protected. */
	const struct duckdb_seen *(*find)(void *arg, struct span schema, struct span name);
	void		*arg;
	struct arena	*arena;		/* holds what is found out */
	size_t		 at;		/* the byte of the statement that the error is about; SIZE_MAX: no single one */
	bool		 later;		/* the error is that a relation is DUCKDB_SEEN_LATER */
};

/* The columns of the one statement of that tree, as json_serialize_sql() gives it.  -1 with *err: forbidden_sql. */
int duckdb_lineage_follow(struct duckdb_lineage *l, struct span tree, struct duckdb_shape *shape, struct err *err);

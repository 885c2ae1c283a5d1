/*
 * mysql_lineage - follows columns through the tree of a statement, and puts sub-selects in the place of protected
 * tables.
 *
 * The sub-selects keep the secret (mysql_columns.h).  What is refused besides is what would be answered wrongly:
 * naming a hidden column, doing with a mask what depends on its value (comparing, grouping, ordering, joining,
 * computing), and text functions on a digest.  A masked column may be selected, counted and tested for NULL.
 *
 * WITH queries get names of their own, so that a name taken for one is not a table of the server.
 */
#pragma once

#include "workers/sql/mysql/guard/mysql_columns.h"

/* The columns of a relation, in their order. */
struct mysql_shape {
	size_t	 n, cap;
	struct mysql_shape_column {
		struct span		 name;
		enum columns_action	 action;
	}	*columns;
	bool	 open;	/* a join listed columns of both sides once: the order is not known */
};

/* What callers see of a relation of the catalogue. */
struct mysql_seen {
	const struct mysql_relation	*relation;
	enum columns_action		*actions;	/* of each column */
	bool				 protects;	/* one of them is protected, or a view may read such a table */
	bool				 refused;	/* a view that does more with them than select them */
};

struct mysql_lineage {
	struct arena		*arena;
	size_t			*at;
	struct err		*err;
	/* The relation of that name; NULL if none.  An empty schema is the default one. */
	const struct mysql_seen *(*find)(void *arg, struct span schema, struct span name);
	/* The next relation that has something protected, after one; NULL: before all of them. */
	const struct mysql_seen *(*next)(void *arg, const struct mysql_seen *after);
	void			*arg;
	bool			 reached;	/* a protected relation was replaced */
	bool			 divided;	/* one whose partitions a protected column divides */
	unsigned		 depth, nviews, nwith;
	size_t			 work;
};

/* -1 with ERR_SQL_TOO_LONG: the arena is full, or the work is done that is allowed. */
int mysql_lineage_full(struct mysql_lineage *l);

/* Changes the tree of a statement.  -1 with *err and *at. */
int mysql_lineage_statement(struct mysql_lineage *l, struct mysql_node *tree);

/* The columns of a view, by its definition. */
int mysql_lineage_view(struct mysql_lineage *l, const struct mysql_relation *view, struct mysql_shape *shape);

/* postgres_columns_db - what a column policy means in the database at hand; part of postgres_columns. */
#pragma once

#include <libpq-fe.h>

#include "base/buf.h"
#include "policy/columns.h"
#include "workers/sql/postgres/guard/columns_pg.h"

struct pg_column {
	const char		*name;
	enum columns_action	 action;	/* for the current scopes */
	bool			 readable;	/* the account may read it */
	bool			 uuid;		/* its type is that of digests */
	bool			 tainted;	/* its type runs a function that reads tables */
	bool			 orders;	/* it is in an index with other columns */
	bool			 divides;	/* its values decide in which child a row is stored */
	bool			 counts;	/* its values decide which rows are in a partial index */
	bool			 clusters;	/* the rows are stored in its order */
	bool			 defaults;	/* the catalogue holds its default value */
};

/* The progress of a relation's stand-in. */
enum pg_relation_state { PG_RELATION_NEW, PG_RELATION_UNDER_WAY, PG_RELATION_DONE, PG_RELATION_UNRESOLVED };

/* A relation that a rule may protect.  Its texts are in the catalogue's answer. */
struct pg_relation {
	const char		*schema, *name, *definition;	/* views; else NULL */
	char			 kind;		/* pg_class.relkind */
	bool			 visible;	/* the search path finds it */
	bool			 opaque;	/* a view that calls a function which reads tables, or reads samples */
	bool			 whole_rows;	/* a view that uses whole rows */
	bool			 tainted;	/* its row type runs a function that reads tables */
	bool			 server;	/* in the server's own catalogue */
	bool			 touched;	/* something in it is protected */
	bool			 divider;	/* a protected column decides in which of its children a row is */
	bool			 part;		/* a protected column decides which rows are in it */
	bool			 sorted;	/* the order of its rows reveals a protected column */
	bool			 divided;	/* its plan reveals a protected column: a divider, or a view of one */
	size_t			 first, n;	/* its columns */
	enum pg_relation_state	 state;
	struct buf		 outer, inner;	/* select lists: in a caller's statement; in a view */
	struct buf		 traced;	/* a table's select list in a traced definition */
	struct buf		 source;
	struct err		 why;		/* reason for UNRESOLVED */
};

/* Column a gets the action of column b: partitions, generated columns. */
struct pg_edge {
	size_t	a, b;		/* columns */
	bool	both;
};

/*
 * A column that holds rows of that relation, or counts about it: it is hidden if anything of the
 * relation, or that column, is protected.
 */
struct pg_hold {
	size_t				 holder;	/* column */
	const struct pg_relation	*held;
	size_t				 column;	/* d->ncolumns: any column */
};

/* A partition or an inheriting table, with its parent. */
struct pg_branch {
	struct pg_relation	*child, *parent;
};

/* A view reads this column of a relation, or unknown columns (d->ncolumns). */
struct pg_reading {
	struct pg_relation		*view;
	const struct pg_relation	*read;
	size_t				 column;
};

/* A name of a function, operator or type ('f', 'o', 't') that may read tables. */
struct pg_reader {
	char		 what;
	const char	*name;
};

struct pg_columns_db {
	PGresult		*rows;		/* the catalogue's answer; all texts borrow from it */
	size_t			 nrelations, ncolumns, nedges, nreaders, nreadings, nholds, nbranches, cap;
	struct pg_relation	*relations;	/* sorted by name, then schema */
	struct pg_column	*columns;
	struct pg_edge		*edges;
	struct pg_reader	*readers;	/* sorted */
	struct pg_reading	*readings;
	struct pg_hold		*holds;
	struct pg_branch	*branches;
	const char		*trouble, *trouble_with;	/* why no decision is possible; NULL: none */
	bool			 counts;	/* sizes and plans reveal a protected column */
	bool			 counted;	/* rows are hidden by who asks: counts of all are not shown */
};

/*
 * Takes ownership of rows, the answer to pg_columns_query().  False if nothing has changed; then
 * nothing is forgotten.
 */
bool pg_columns_db_take(struct pg_columns_db *d, PGresult *rows);

void pg_columns_db_fini(struct pg_columns_db *d);

/* Decides again on every column, and forgets all stand-ins. */
void pg_columns_db_decide(struct pg_columns_db *d, const struct columns *policy, uint32_t view);

/* The callbacks of columns_pg_names; arg is the struct pg_columns_db.  relation: only touched ones. */
int pg_columns_db_relation(void *arg, struct span schema, struct span name);
const char *pg_columns_db_refuses(void *arg, enum columns_pg_kind kind, struct span name);

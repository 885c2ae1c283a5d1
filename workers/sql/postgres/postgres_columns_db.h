/* postgres_columns_db - what a column policy means in the database at hand; parts of postgres_columns. */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_COLUMNS_DB_H
#define WORKERS_SQL_POSTGRES_POSTGRES_COLUMNS_DB_H

#include <libpq-fe.h>

#include "base/buf.h"
#include "policy/columns.h"
#include "policy/columns_pg.h"

struct pg_column {
	const char		*name;
	enum columns_action	 action;	/* for the view at hand */
	bool			 readable;	/* by the account */
	bool			 tainted;	/* its type runs a function that reads */
	bool			 orders;	/* others, in an index with them */
	bool			 divides;	/* the rows of its relation among children */
	bool			 counts;	/* the rows of a partial index */
	bool			 clusters;	/* the rows of its relation lie in its order */
	bool			 defaults;	/* the catalogue holds its default */
};

/* How far a relation's stand-in is. */
enum pg_relation_state { PG_RELATION_NEW, PG_RELATION_UNDER_WAY, PG_RELATION_DONE, PG_RELATION_UNRESOLVED };

/* A relation that a rule may protect.  Texts are those of the catalogue. */
struct pg_relation {
	const char		*schema, *name, *definition;	/* views; else NULL */
	char			 kind;		/* pg_class.relkind */
	bool			 visible;	/* found without its schema */
	bool			 opaque;	/* a view that calls a function which reads, or reads samples */
	bool			 whole_rows;	/* a view that names rows as a whole */
	bool			 tainted;	/* the type of its rows runs a function that reads */
	bool			 server;	/* of the server's own catalogue */
	bool			 touched;	/* something in it is protected */
	bool			 divider;	/* a protected column decides in which of its children a row is */
	bool			 part;		/* a protected column decides which rows are in it */
	bool			 sorted;	/* the order of its rows would tell a protected column */
	bool			 divided;	/* its plan would: a divider, or upon one */
	size_t			 first, n;	/* its columns */
	enum pg_relation_state	 state;
	struct buf		 outer, inner;	/* select lists: in a caller's statement, in a view */
	struct buf		 traced;	/* and of a table, in a definition that is traced */
	struct buf		 source;
	struct err		 why;		/* UNRESOLVED */
};

/* a.column follows b.column: partitions and what is generated. */
struct pg_edge {
	size_t	a, b;		/* columns */
	bool	both;
};

/* A column holds rows of, or counts for, that relation: it is hidden when anything of it, or that column, is protected. */
struct pg_hold {
	size_t				 holder;	/* column */
	const struct pg_relation	*held;
	size_t				 column;	/* d->ncolumns: any */
};

/* Partitions and tables that inherit. */
struct pg_branch {
	struct pg_relation	*child, *parent;
};

/* A view reads a relation; of its columns this one, or some (d->ncolumns). */
struct pg_reading {
	struct pg_relation		*view;
	const struct pg_relation	*read;
	size_t				 column;
};

/* A name behind which a function may read tables: 'f', 'o' or 't'. */
struct pg_reader {
	char		 what;
	const char	*name;
};

struct pg_columns_db {
	PGresult		*rows;		/* the catalogue; everything borrows from it */
	size_t			 nrelations, ncolumns, nedges, nreaders, nreadings, nholds, nbranches, cap;
	struct pg_relation	*relations;	/* sorted by name, then schema */
	struct pg_column	*columns;
	struct pg_edge		*edges;
	struct pg_reader	*readers;	/* sorted */
	struct pg_reading	*readings;
	struct pg_hold		*holds;
	struct pg_branch	*branches;
	const char		*trouble, *trouble_with;	/* why nothing can be decided; NULL */
	bool			 counts;	/* sizes and plans tell a protected column */
};

/* Takes rows, the answer to pg_columns_query().  False: they say what was known, and nothing was forgotten. */
bool pg_columns_db_take(struct pg_columns_db *d, PGresult *rows);

void pg_columns_db_fini(struct pg_columns_db *d);

/* Decide on every column anew, and forget all stand-ins. */
void pg_columns_db_decide(struct pg_columns_db *d, const struct columns *policy, uint32_t view);

/* As columns_pg_names has them; arg is the struct pg_columns_db.  relation: only what is touched. */
int pg_columns_db_relation(void *arg, struct span schema, struct span name);
const char *pg_columns_db_refuses(void *arg, enum columns_pg_kind kind, struct span name);

#endif

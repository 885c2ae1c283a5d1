/* postgres_columns_db - what a column policy means in the database at hand; parts of postgres_columns. */
#ifndef WORKERS_SQL_POSTGRES_COLUMNS_DB_H
#define WORKERS_SQL_POSTGRES_COLUMNS_DB_H

#include <libpq-fe.h>

#include "base/buf.h"
#include "policy/columns.h"
#include "policy/columns_pg.h"

struct pg_column {
	const char		*name;
	enum columns_action	 action;	/* for the view at hand */
	bool			 readable;	/* by the account */
	bool			 orders;	/* others, in an index with them */
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
	bool			 touched;	/* something in it is protected */
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
	size_t			 nrelations, ncolumns, nedges, nreaders, nreadings, cap;
	struct pg_relation	*relations;	/* sorted by name, then schema */
	struct pg_column	*columns;
	struct pg_edge		*edges;
	struct pg_reader	*readers;	/* sorted */
	struct pg_reading	*readings;
};

/* The question whose answer pg_columns_db_take() takes; text is to be freed. */
char *pg_columns_db_query(PGconn *conn, const struct columns *policy);

/* Takes rows.  False: they say what was known, and nothing was forgotten. */
bool pg_columns_db_take(struct pg_columns_db *d, PGresult *rows);

void pg_columns_db_fini(struct pg_columns_db *d);

/* Decide on every column anew, and forget all stand-ins. */
void pg_columns_db_decide(struct pg_columns_db *d, const struct columns *policy, uint32_t view);

/* As columns_pg_names has them; arg is the struct pg_columns_db.  relation: only what is touched. */
int pg_columns_db_relation(void *arg, struct span schema, struct span name);
bool pg_columns_db_reads(void *arg, enum columns_pg_kind kind, struct span name);

#endif

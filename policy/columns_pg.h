/*
 * columns_pg - where a PostgreSQL statement names relations that a column
 * policy protects.  Pure: the tree of libpg_query in, places in the text out.
 *
 * Which name means which relation is decided as PostgreSQL does: a name
 * without schema is first the WITH query of that name that is in scope, then
 * what the search path finds.  What is written at these places is replaced
 * before the statement is sent (workers/sql/postgres/postgres_rewrite.h), so that the
 * protected values are not there to be reached by whatever else it says.
 */
#ifndef POLICY_COLUMNS_PG_H
#define POLICY_COLUMNS_PG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

#define COLUMNS_PG_TEXT_MAX	(1u << 20)	/* a statement with everything replaced */

enum columns_pg_kind { COLUMNS_PG_FUNCTION, COLUMNS_PG_OPERATOR, COLUMNS_PG_TYPE };

/* What is known of the database. */
struct columns_pg_names {
	/* The protected relation of that name, -1: it is none.  An empty schema: as the search path finds it. */
	int	(*relation)(void *arg, struct span schema, struct span name);

	/* Why a function of that name, or behind that operator or type, may not run; NULL: it may. */
	const char	*(*refuses)(void *arg, enum columns_pg_kind kind, struct span name);

	void	*arg;
};

/* One place.  Spans borrow from the finder, until its next use. */
struct columns_pg_use {
	size_t		 at;		/* byte at which the name begins */
	unsigned	 parts;		/* names with dots between */
	unsigned	 cut;		/* schema.table.column: leading parts to leave out; else 0 */
	int		 relation;	/* -1 with cut */
	struct span	 name;		/* the relation's */
	bool		 only;		/* ONLY in front */
	bool		 aliased, sampled;
};

struct columns_pg;

struct columns_pg *columns_pg_new(void);

/* Accepts NULL. */
void columns_pg_free(struct columns_pg *p);

/*
 * Every place, in the order of the text.  before: characters in front of sql
 * in what the caller sent, for positions.  -1: ERR_FORBIDDEN_SQL for what
 * cannot be resolved, ERR_INVALID_SQL for what is no statement.
 */
int columns_pg_find(struct columns_pg *p, const struct columns_pg_names *names, struct span sql,
    size_t before, const struct columns_pg_use **uses, size_t *n, struct err *err);

#endif

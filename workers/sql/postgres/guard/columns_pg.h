/*
 * columns_pg - finds the places where a PostgreSQL statement names relations that a
 * column policy protects.  Pure: the tree of libpg_query in, places in the text out.
 *
 * A name is resolved as PostgreSQL does: a name without a schema is first the WITH
 * query of that name that is in scope, then what the search path finds.  The text at
 * these places is replaced before the statement is sent
 * (workers/sql/postgres/postgres_rewrite.h), so that no other part of the statement
 * can reach the protected values.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

#define COLUMNS_PG_TEXT_MAX	(1u << 20)	/* bytes of a statement after the replacement */

enum columns_pg_kind { COLUMNS_PG_FUNCTION, COLUMNS_PG_OPERATOR, COLUMNS_PG_TYPE };

/* A relation as a statement names it; what is not written is empty. */
struct columns_pg_named {
	struct span	catalog, schema, name;
	size_t		position;	/* characters from the start of the caller's text, from 1 */
};

/* The names in the database that matter here. */
struct columns_pg_names {
	/*
	 * The number of the protected relation of that name; -1 if it is not protected.  An empty
	 * schema: resolve by the search path.
	 */
	int	(*relation)(void *arg, struct span schema, struct span name);

	/* Why a function of that name, or one behind that operator or type, may not run.  NULL if it may. */
	const char	*(*refuses)(void *arg, enum columns_pg_kind kind, struct span name);

	/*
	 * Called for every relation that is named, unless it names a WITH query in scope: -1 with *err ends the
	 * search.  May be NULL.
	 */
	int	(*reads)(void *arg, const struct columns_pg_named *relation, struct err *err);

	void	*arg;
};

/* One use.  The spans borrow from the finder until its next use. */
struct columns_pg_use {
	size_t		 at;		/* byte at which the name begins */
	unsigned	 parts;		/* number of names, separated by dots */
	unsigned	 cut;		/* schema.table.column: number of leading names to remove; else 0 */
	int		 relation;	/* number of the protected relation; -1 if cut is set */
	struct span	 name;		/* name of the relation */
	bool		 only;		/* ONLY is written in front */
	bool		 aliased, sampled;
};

struct columns_pg;
struct guard_tree;

struct columns_pg *columns_pg_new(void);

/* Accepts NULL. */
void columns_pg_free(struct columns_pg *p);

/*
 * Finds all places, in the order of the text.  before: number of characters
 * in front of sql in the caller's text, for positions in messages.  -1:
 * ERR_FORBIDDEN_SQL if a name cannot be resolved, ERR_INVALID_SQL if sql is
 * no statement.
 */
int columns_pg_find(struct columns_pg *p, const struct columns_pg_names *names, struct span sql,
    size_t before, const struct columns_pg_use **uses, size_t *n, struct err *err);

/* The tree of the statement that was found in; borrowed until the next use of the finder. */
const struct guard_tree *columns_pg_tree(const struct columns_pg *p);

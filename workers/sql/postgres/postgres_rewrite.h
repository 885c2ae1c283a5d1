/*
 * postgres_rewrite - a statement with every protected relation replaced by a
 * sub-select that yields what may be seen of it.  Pure text: all else stays as
 * it was written, byte for byte.
 */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_REWRITE_H
#define WORKERS_SQL_POSTGRES_POSTGRES_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "policy/columns_pg.h"

/* What stands for a relation: (SELECT <list> FROM <source>). */
struct pg_stand_in {
	const char	*list, *source;
	bool		 sorted;	/* by all that it yields: its own order would tell something */
};

/* A part of the original text and what came in its place; bytes. */
struct pg_piece {
	size_t	from, to;		/* in the original */
	size_t	new_from, new_to;	/* in the rewritten text */
	size_t	at;			/* in the original: the name */
	bool	relation;		/* a stand-in, not something left out */
};

struct pg_rewrite {
	struct buf	 text;
	struct pg_piece	*pieces;	/* in the order of the text */
	size_t		 n, cap;
};

/* (SELECT …), without an alias; sample: TABLESAMPLE … or empty. */
void pg_rewrite_put(struct buf *out, const struct pg_stand_in *s, bool only, struct span sample);

void pg_rewrite_fini(struct pg_rewrite *r);

/* uses as columns_pg_find() gives them for sql.  -1: a name that is spelt in a way not known here. */
int pg_rewrite(struct pg_rewrite *r, struct span sql, const struct columns_pg_use *uses, size_t n,
    void (*stand_in)(void *arg, int relation, struct pg_stand_in *out), void *arg, struct err *err);

/* The byte of the original that byte at of the rewritten text comes from. */
size_t pg_rewrite_origin(const struct pg_rewrite *r, size_t at);

/* Whether the byte at of the rewritten text stands in a stand-in. */
bool pg_rewrite_is_ours(const struct pg_rewrite *r, size_t at);

#endif

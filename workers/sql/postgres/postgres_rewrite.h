/*
 * postgres_rewrite - a statement in which a sub-select replaces every
 * protected relation and returns what the caller may see of it.  Pure text:
 * everything else stays byte for byte.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "workers/sql/postgres/guard/columns_pg.h"

/* The sub-select for a relation: (SELECT <list> FROM <source>). */
struct pg_stand_in {
	const char	*list, *source;
	bool		 sorted;	/* sorted by all its columns: the table's own order would reveal values */
};

/* A part of the original text and its replacement, in bytes. */
struct pg_piece {
	size_t	from, to;		/* in the original */
	size_t	new_from, new_to;	/* in the rewritten text */
	size_t	at;			/* in the original: position of the name */
	bool	relation;		/* a stand-in, not a removed name */
};

struct pg_rewrite {
	struct buf	 text;
	struct pg_piece	*pieces;	/* in the order of the text */
	size_t		 n, cap;
};

/* Writes (SELECT …), without an alias.  sample: TABLESAMPLE … or empty. */
void pg_rewrite_put(struct buf *out, const struct pg_stand_in *s, bool only, struct span sample);

void pg_rewrite_fini(struct pg_rewrite *r);

/* uses: from columns_pg_find() for sql.  -1: a name is spelt in an unknown way. */
int pg_rewrite(struct pg_rewrite *r, struct span sql, const struct columns_pg_use *uses, size_t n,
    void (*stand_in)(void *arg, int relation, struct pg_stand_in *out), void *arg, struct err *err);

/* The byte of the original that byte `at` of the rewritten text comes from. */
size_t pg_rewrite_origin(const struct pg_rewrite *r, size_t at);

/* Whether byte `at` of the rewritten text is in a stand-in. */
bool pg_rewrite_is_ours(const struct pg_rewrite *r, size_t at);

/*
 * postgres_names - which names the server reads as libpg_query does.
 *
 * A policy is applied to the names in libpg_query's tree, which are cut at 63
 * bytes of UTF-8 and folded by the letters of ASCII.  A server with another
 * encoding cuts where its own bytes end, and folds what its language calls a
 * capital letter.  What the two might read differently is refused.
 */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_NAMES_H
#define WORKERS_SQL_POSTGRES_POSTGRES_NAMES_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

struct pg_names {
	bool	 utf8;		/* the server's encoding */
	bool	 single;	/* one byte a character */
	bool	 usual;		/* names have at most 63 bytes */
	char	*folds;		/* characters beyond ASCII that the server folds; owned */
};

/* On a connection that is not yet in pipeline mode. */
int pg_names_open(struct pg_names *n, PGconn *conn, struct err *err);

void pg_names_fini(struct pg_names *n);

/* before: characters in front of sql in what the caller sent, for positions.  -1: ERR_FORBIDDEN_SQL. */
int pg_names_check(const struct pg_names *n, struct span sql, size_t before, struct err *err);

#endif

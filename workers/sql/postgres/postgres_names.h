/*
 * postgres_names - refuses names that the server may read differently from
 * libpg_query.
 *
 * A policy applies to the names in libpg_query's tree, which are truncated at
 * 63 bytes of UTF-8 and folded by ASCII's letters.  A server with another
 * encoding truncates at 63 bytes of that encoding, and folds by its own
 * language's capital letters.
 */
#pragma once

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

struct pg_names {
	bool	 utf8;		/* the server's encoding */
	bool	 single;	/* one byte per character */
	bool	 usual;		/* names have at most 63 bytes */
	char	*folds;		/* non-ASCII characters that the server folds; owned */
};

/* Call on a connection that is not yet in pipeline mode. */
int pg_names_open(struct pg_names *n, PGconn *conn, struct err *err);

void pg_names_fini(struct pg_names *n);

/* before: number of characters in front of sql in the caller's text, for positions.  -1: ERR_FORBIDDEN_SQL. */
int pg_names_check(const struct pg_names *n, struct span sql, size_t before, struct err *err);

/*
 * postgres_guard - the one place every statement for PostgreSQL passes before
 * it is sent.  What it lets through is still only what the server, inside a
 * read-only transaction and wrapped in a WITH query, is willing to run.
 */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_GUARD_H
#define WORKERS_SQL_POSTGRES_POSTGRES_GUARD_H

#include <stddef.h>

#include "base/err.h"
#include "base/span.h"
#include "policy/guard_memory.h"

enum statement_kind {
	STATEMENT_QUERY,	/* SELECT, VALUES, TABLE, WITH: runs wrapped */
	STATEMENT_EXPLAIN,	/* runs bare; inner was checked like a query */
	STATEMENT_SHOW		/* runs bare */
};

struct statement {
	enum statement_kind	kind;
	struct span		text;	/* without a trailing ';'; borrows */
	struct span		inner;	/* EXPLAIN: what is explained */
	size_t			before;	/* characters in front of text in what the caller sent */
	struct span		written;	/* text as the caller wrote it, if the column policy changed it */
	bool			plain;		/* it can leave nothing behind (policy/guard_plain.h) */
	struct guard_memory	memory;		/* what the server keeps in memory for it */
};

/*
 * analyze: EXPLAIN ANALYZE may run what it explains.  -1: ERR_FORBIDDEN_SQL or
 * ERR_INVALID_SQL, naming the construct and the way instead.
 */
int postgres_guard_check(struct span sql, bool analyze, struct statement *st, struct err *err);

/*
 * The guard took a statement but the server did not take it inside a WITH
 * query: name the construct that only works outside, or return NULL.
 */
const char *postgres_guard_culprit(struct span text);

#endif

/*
 * postgres_guard - the check that every statement for PostgreSQL passes
 * before it is sent.  The server then runs what the guard allows in a
 * read-only transaction, a query wrapped in a WITH query.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "base/span.h"
#include "workers/sql/postgres/guard/guard_memory.h"

enum statement_kind {
	STATEMENT_QUERY,	/* SELECT, VALUES, TABLE, WITH: runs wrapped */
	STATEMENT_EXPLAIN,	/* runs unwrapped; inner was checked like a query */
	STATEMENT_SHOW		/* runs unwrapped */
};

struct pg_statement {
	enum statement_kind	kind;
	struct span		text;	/* without a trailing ';'; borrows */
	struct span		inner;	/* EXPLAIN: the explained statement */
	size_t			before;	/* number of characters in front of text in the caller's text */
	struct span		written;	/* the caller's text, if the column policy changed it */
	bool			published;	/* it may read datasets and nothing else */
	bool			plain;		/* it leaves nothing behind (guard/guard_plain.h) */
	struct guard_memory	memory;		/* the parts that the server keeps in memory */
};

/*
 * analyze: EXPLAIN ANALYZE, which runs the explained statement, is allowed.
 * -1: ERR_FORBIDDEN_SQL or ERR_INVALID_SQL, naming the construct and an
 * alternative.
 */
int postgres_guard_check(struct span sql, bool analyze, struct pg_statement *st, struct err *err);

/*
 * For a statement that the guard allows and the server does not accept inside
 * a WITH query: names the construct that only works outside, or returns NULL.
 */
const char *postgres_guard_culprit(struct span text);

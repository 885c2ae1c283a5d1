/*
 * duckdb_guard - decides by its parse tree whether a statement may run.
 *
 * The tree is that of json_serialize_sql() in an empty database in memory, by
 * the parser that reads the statement afterwards.  Allowed is one SELECT of
 * which every node has a known kind, every function is on a list, and every
 * relation is a name of its own WITH clauses, of the database, or one of the
 * listed catalogue views.  So a name never becomes a file, which DuckDB would
 * make of one that it does not know.
 *
 * What the views of the database call is its owner's affair, and bound by the
 * session and the sandbox; under a column policy they are judged like
 * statements (duckdb_columns.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "workers/sql/duckdb/duckdb_names.h"

#define DUCKDB_SETS_MAX	500u	/* set operations of a statement: planning them takes time by their number */

/* The layers that are switched off, one at a time, by an audit. */
enum duckdb_guard_mode { DUCKDB_GUARD_ALL, DUCKDB_GUARD_ONLY_FORM, DUCKDB_GUARD_ONLY_FUNCTIONS };

struct duckdb_guard {
	const struct duckdb_names	*names;
	struct span			 home;		/* of a view: the schema that is searched first; empty: none */
	enum duckdb_guard_mode		 mode;
	bool				 policed;	/* there is a column policy */
	bool				 parameters;	/* placeholders are allowed */
	bool				 published;	/* names are those of datasets, and nothing else may be read */
};

#define DUCKDB_GUARD_NOWHERE	SIZE_MAX

/*
 * Judges the tree; arena holds what is unescaped.  -1 with *err, and *at the
 * byte of the statement that it is about, or DUCKDB_GUARD_NOWHERE.
 */
int duckdb_guard_judge(const struct duckdb_guard *g, struct arena *a, struct span tree, struct span sql, size_t *at,
    struct err *err);

/*
 * What is parsed of a statement: itself, or what it explains (*explained).
 * -1 with *err for an EXPLAIN that would run its statement.
 */
int duckdb_guard_body(struct span sql, struct span *body, bool *explained, struct err *err);

bool duckdb_guard_allows_function(struct span name);

/*
 * sqlite_guard - what a statement may do, asked by SQLite while it compiles:
 * an allow-list of actions and of functions.  Everything else is refused, by
 * name, so that the agent knows what to write instead.
 */
#ifndef WORKERS_SQL_SQLITE_SQLITE_GUARD_H
#define WORKERS_SQL_SQLITE_SQLITE_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/span.h"

enum sqlite_guard_mode {
	GUARD_QUERY,		/* a caller's statement */
	GUARD_INTROSPECT,	/* our own: also the PRAGMAs that describe tables */
	GUARD_ONLY_ACTIONS,	/* an audit: any function may be called */
	GUARD_ONLY_FUNCTIONS,	/* an audit: anything may be done, with the functions of the list */
	GUARD_TRUSTED		/* our own, before and while virtual tables are connected */
};

struct sqlite_columns;

struct sqlite_guard {
	sqlite3			*db;
	enum sqlite_guard_mode	mode;
	bool			denied;		/* since sqlite_guard_reset() */
	bool			protected;	/* what was denied is a column with a policy */
	bool			whole;		/* it is a whole table, where[] is empty */
	const struct sqlite_columns *columns;	/* NULL: no column policy */
	bool			connecting;	/* what was denied is a virtual table's constructor */
	bool			wrapped;	/* since then: a masked or hashed column may be read */
	int			action;
	char			what[128], where[128];
	/* Told of every column that a statement reads while it is compiled; accessor, the view it stands in, may be NULL. */
	void			(*seen)(void *arg, const char *table, const char *column, const char *accessor);
	void			*seen_arg;
};

void sqlite_guard_install(struct sqlite_guard *g, sqlite3 *db);

/* Forget what was denied; before each statement. */
void sqlite_guard_reset(struct sqlite_guard *g);

/* One sentence about what was denied and what to do instead, into out. */
void sqlite_guard_explain(const struct sqlite_guard *g, struct span sql, char *out, size_t cap);

/* Where in sql it stands, in bytes, as far as words tell. */
bool sqlite_guard_place(const struct sqlite_guard *g, struct span sql, size_t *at);

/* True for a function any statement may call. */
bool sqlite_guard_allows_function(const char *name);

/* The n-th PRAGMA that any statement may call as a table-valued function, pragma_<name>; NULL: there are no more. */
const char *sqlite_guard_description(size_t n);

/* True for a virtual-table module that only reads the database it is in. */
bool sqlite_guard_allows_module(struct span name);

#endif

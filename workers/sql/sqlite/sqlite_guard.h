/*
 * sqlite_guard - the actions that a statement may take.  SQLite asks while it compiles; the
 * answer comes from lists of allowed actions and functions.  Everything else
 * is refused by name, so that the agent knows what to write instead.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

#include "base/span.h"

enum sqlite_guard_mode {
	GUARD_QUERY,		/* a caller's statement */
	GUARD_INTROSPECT,	/* our own: also the PRAGMAs that describe tables */
	GUARD_ONLY_ACTIONS,	/* an audit: only the actions are checked */
	GUARD_ONLY_FUNCTIONS,	/* an audit: only the functions are checked */
	GUARD_TRUSTED		/* our own, before and while virtual tables are connected */
};

struct sqlite_columns;

struct sqlite_guard {
	sqlite3			*db;
	enum sqlite_guard_mode	mode;
	bool			denied;		/* since sqlite_guard_reset() */
	bool			protected;	/* a protected column was denied */
	bool			whole;		/* a whole table was denied; where[] is empty */
	const struct sqlite_columns *columns;	/* NULL: no column policy */
	bool			connecting;	/* a virtual table's constructor was denied */
	bool			wrapped;	/* since the reset: a masked or hashed column may be read */
	int			action;
	char			what[128], where[128];
	/*
	 * Called for every column that a statement reads, while it is compiled.  accessor, the view
	 * that reads it, may be NULL.
	 */
	void			(*seen)(void *arg, const char *table, const char *column, const char *accessor);
	void			*seen_arg;
	/*
	 * Whether a statement may read that column; NULL or empty: no particular column.  accessor, the view or WITH
	 * query that reads it, may be NULL.  may_read NULL: everything that the connection serves.
	 */
	bool			(*may_read)(const void *arg, const char *table, const char *column,
				    const char *accessor);
	const void		*may_read_arg;
};

void sqlite_guard_install(struct sqlite_guard *g, sqlite3 *db);

/* Clears the record of denials.  Call before each statement. */
void sqlite_guard_reset(struct sqlite_guard *g);

/* Writes one sentence into out: what was denied and what to do instead. */
void sqlite_guard_explain(const struct sqlite_guard *g, struct span sql, char *out, size_t cap);

/* The place in sql of what was denied, in bytes, as far as words tell. */
bool sqlite_guard_place(const struct sqlite_guard *g, struct span sql, size_t *at);

/* True for a function any statement may call. */
bool sqlite_guard_allows_function(const char *name);

/* The n-th PRAGMA that any statement may call as a table-valued function, pragma_<name>; NULL: end of the list. */
const char *sqlite_guard_description(size_t n);

/* True for a virtual-table module that only reads the database it is in. */
bool sqlite_guard_allows_module(struct span name);

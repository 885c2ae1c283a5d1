/*
 * sqlite_cache - the last statements, compiled: agents and dashboards repeat
 * statements, and compiling takes two thirds of a short query's time.  SQLite
 * recompiles a statement by itself when the schema has changed.
 */
#pragma once

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define SQLITE_CACHE_SIZE	16
#define SQLITE_CACHE_TEXT_MAX	4096	/* longer statements are compiled each time */

struct sqlite_cache {
	uint64_t	clock;
	struct sqlite_cached {
		char		*text;
		size_t		 len;
		uint64_t	 used;
		sqlite3_stmt	*stmt;
	} entries[SQLITE_CACHE_SIZE];
};

/* The statement for this text, reset, or NULL.  The cache keeps ownership. */
sqlite3_stmt *sqlite_cache_get(struct sqlite_cache *cache, struct span text);

/* Stores stmt, compiled from text.  Returns 0 if it is too long: then the caller still owns it, else the cache does. */
int sqlite_cache_put(struct sqlite_cache *cache, struct span text, sqlite3_stmt *stmt);

/* Finalizes all statements. */
void sqlite_cache_clear(struct sqlite_cache *cache);

/*
 * catalog - what introspection finds, in the shape of a scan's table files
 * (ktx's format), streamed table by table.
 */
#ifndef WORKERS_SQL_CATALOG_H
#define WORKERS_SQL_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "workers/sql/result.h"

/* Strings may be any bytes and NULL where the format has null; they are copied at once. */
struct catalog_table {
	const char	*db, *name, *kind, *comment;
	int64_t		 rows;			/* -1: not known */
	const char	*data_version;		/* changes when the rows may have; NULL: nothing tells */
	bool		 unreadable;		/* by this account: described, never sampled */
};

struct catalog_column {
	const char	*name, *native, *normalized, *dimension, *comment;
	bool		 nullable, primary_key;
};

struct catalog_key {
	const char	*column, *to_db, *to_table, *to_column, *constraint;
};

struct catalog {
	struct result	*result;
	struct buf	 columns, keys, warnings, scope, metadata;
	size_t		 ncolumns, nkeys, nwarnings, ntables, total_columns;
	struct catalog_table table;		/* the open one, in arena */
	struct arena	*arena;
	char		 server_version[128];
};

void catalog_begin(struct catalog *cat, struct result *r, struct arena *arena);
void catalog_fini(struct catalog *cat);

/* One table: begin, its columns and keys in any order, end.  end: -1 as call_rows(). */
void catalog_table_begin(struct catalog *cat, const struct catalog_table *table);
void catalog_add_column(struct catalog *cat, const struct catalog_column *column);
void catalog_add_key(struct catalog *cat, const struct catalog_key *key);
int catalog_table_end(struct catalog *cat, struct err *err);

/* A recoverable warning of the scan; table and column may be NULL.  At most CATALOG_WARNINGS_MAX are kept. */
#define CATALOG_WARNINGS_MAX	200
void catalog_warn(struct catalog *cat, const char *code, const char *table, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * A configured enabled_tables entry against a table.  Entries are "name",
 * "db.name" or "catalog.db.name"; a bare name fits any db.  An empty list
 * enables everything.
 */
bool catalog_is_enabled(char *const *enabled, size_t n, const char *db, const char *name);

/* As catalog_is_enabled() for one entry. */
bool catalog_entry_fits(const char *entry, const char *db, const char *name);

#endif

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
#include "policy/columns.h"
#include "workers/sql/result.h"

/* Strings may be any bytes and NULL where the format has null; they are copied at once. */
struct catalog_table {
	const char	*db, *name, *kind, *comment;
	int64_t		 rows;			/* -1: not known */
	const char	*data_version;		/* changes when the rows may have; NULL: nothing tells */
	bool		 unreadable;		/* by this account: described, never sampled */
	const char	*definition;		/* of a view, where it may be shown; else NULL */
};

struct catalog_column {
	const char	*name, *native, *normalized, *dimension, *comment;
	bool		 nullable, primary_key;
	bool		 is_enum;
	size_t		 nlabels;		/* of an enumeration, or of an array's elements; none: they may not be shown */
	const char *const *labels;
};

/* columns: NULL where an expression stands.  definition: where the columns do not say it all, else NULL. */
struct catalog_index {
	const char	*name, *definition;
	bool		 unique, primary;
	size_t		 ncolumns;
	const char *const *columns;
};

struct catalog_key {
	const char	*column, *to_db, *to_table, *to_column, *constraint;
};

/*
 * How much of it is kept: labels of a column (one more says that there are
 * more), bytes of an index's and of a view's statement, and of all of that of one
 * table together.  What does not fit is left out, with a warning.
 */
#define CATALOG_LABELS_MAX	101
#define CATALOG_INDEX_TEXT_MAX	2000
#define CATALOG_VIEW_TEXT_MAX	8000
#define CATALOG_DETAILS_MAX	((size_t)128 * 1024)

struct catalog {
	struct result	*result;
	struct buf	 columns, keys, indexes, warnings, scope, metadata, text;
	size_t		 ncolumns, nkeys, nindexes, nwarnings, ntables, total_columns;
	size_t		 details;		/* bytes of the open table's */
	bool		 cut;			/* some of them did not fit */
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
void catalog_add_index(struct catalog *cat, const struct catalog_index *index);
int catalog_table_end(struct catalog *cat, struct err *err);

/*
 * Two pairs of the metadata: that labels, indexes and definitions were looked
 * at, and under which column policy.
 */
#define CATALOG_DETAILS_PAIRS	2
void catalog_put_details(struct catalog *cat, const struct columns *policy);

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

/*
 * catalog - the structure that introspection finds, in the shape of a scan's
 * table files (ktx's format), streamed table by table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "policy/columns.h"
#include "workers/sql/fingerprint.h"
#include "workers/sql/row_stream.h"

/* Strings may be any bytes, and NULL where the format has null.  They are copied during the call. */
struct catalog_table {
	const char	*db, *name, *kind, *comment;
	int64_t		 rows;			/* -1: unknown */
	const char	*data_version;		/* changes whenever the rows may have changed; NULL: unknown */
	bool		 unreadable;		/* this account may not read it: described, never sampled */
	const char	*definition;		/* of a view, if it may be shown; else NULL */
	bool		 materialized;		/* a view whose rows are stored */
};

struct catalog_column {
	const char	*name, *native, *normalized, *dimension, *comment;
	const char	*bare;			/* the type to show of a protected column; NULL: native */
	bool		 nullable, primary_key;
	bool		 is_enum;
	size_t		 nlabels;		/* of an enumeration or its arrays */
	const char *const *labels;
	const char	*default_text, *generated;	/* expressions; NULL: none, or they may not be shown */
	const char	*identity;		/* "always" or "by default"; NULL: it is no identity column */
};

struct catalog_check {
	const char	*name;		/* may be NULL */
	const char	*expression;	/* NULL: it may not be shown, and the check is left out */
};

/* columns: NULL in place of an expression.  definition: NULL if the columns describe the index completely. */
struct catalog_index {
	const char	*name, *definition;
	bool		 unique, primary;
	size_t		 ncolumns;
	const char *const *columns;
	enum columns_action named;	/* the strictest action on what the definition names besides */
};

/* One column of a foreign key; they follow each other. */
struct catalog_key {
	const char	*column, *to_db, *to_table, *to_column, *constraint;
	bool		 first;		/* of its key */
};

/* Decides by the column policy of everybody: a scan's results are shown to all callers.  -1 with *err. */
typedef int catalog_decide(void *arg, const char *db, const char *table, const char *column,
    enum columns_action *action, struct err *err);

/*
 * Limits: labels of a column (one label more marks a longer list), bytes of the
 * statement of an index, of an expression and of a view, and bytes of all of
 * these of one table together.  The rest is left out, with a warning.
 */
#define CATALOG_LABELS_MAX	101
#define CATALOG_INDEX_TEXT_MAX	2000
#define CATALOG_EXPRESSION_MAX	2000
#define CATALOG_VIEW_TEXT_MAX	8000
#define CATALOG_DETAILS_MAX	((size_t)128 * 1024)
#define CATALOG_PARTITIONS_MAX	1000

struct catalog {
	struct result	*result;
	struct buf	 columns, keys, indexes, checks, partitions, warnings, text;
	struct buf	 scope, metadata;	/* pairs of two maps */
	char		 fingerprint[FINGERPRINT_TEXT];
	size_t		 ncolumns, nkeys, nindexes, nchecks, npartitions, nwarnings, ntables, total_columns;
	size_t		 details;		/* bytes counted for the open table */
	bool		 cut;			/* some details of the open table did not fit */
	struct buf	 primary;		/* where the columns of the primary key say so, a size_t each */
	bool		 hides_primary, hides_key;	/* a column of the primary, the current foreign key */
	size_t		 key_at, key_number;	/* of the current foreign key */
	catalog_decide	*decide;
	void		*decide_arg;
	struct err	 err;			/* of the first decision that failed */
	struct catalog_table table;		/* the open table, copied into arena */
	char		*const *enabled;	/* enabled_tables, and which of its entries name a table */
	size_t		 nenabled;
	bool		*named;
	struct arena	*arena;
	char		 server_version[128];
};

void catalog_begin(struct catalog *cat, struct result *r, struct arena *arena, char *const *enabled, size_t nenabled);
void catalog_fini(struct catalog *cat);

/*
 * From now on columns are told as the policy has them: of a protected one neither default nor labels, of a hidden one
 * nothing.  Keys and indexes with a hidden column are left out: without it they would be other ones.
 */
void catalog_protect(struct catalog *cat, catalog_decide *decide, void *arg);

/* What may be told of a column; of NULL, or without a policy, everything.  One that fails is hidden. */
enum columns_action catalog_action(struct catalog *cat, const char *db, const char *table, const char *column);

/*
 * One table: begin, its columns and keys in any order, end.  catalog_table_end() returns -1 as call_rows() does, or
 * with the error of a decision.
 */
void catalog_table_begin(struct catalog *cat, const struct catalog_table *table);
void catalog_add_column(struct catalog *cat, const struct catalog_column *column);
void catalog_add_key(struct catalog *cat, const struct catalog_key *key);
void catalog_add_index(struct catalog *cat, const struct catalog_index *index);
void catalog_add_check(struct catalog *cat, const struct catalog_check *check);
void catalog_add_partition(struct catalog *cat, const char *name);
int catalog_table_end(struct catalog *cat, struct err *err);

/* Adds a pair: an array of names. */
void catalog_put_names(struct buf *out, const char *key, char *const *names, size_t n);

/*
 * Adds a recoverable warning of the scan; table and column may be NULL.  Only the first
 * CATALOG_WARNINGS_MAX are kept.
 */
#define CATALOG_WARNINGS_MAX	200
void catalog_warn(struct catalog *cat, const char *code, const char *table, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* As catalog_is_enabled(), for a table that there is.  Afterwards entries without one are warned of. */
bool catalog_serves(struct catalog *cat, const char *db, const char *name);
void catalog_warn_missing(struct catalog *cat);

/*
 * Whether enabled_tables of the configuration has an entry for a table.
 * Entries are "name", "db.name" or "catalog.db.name"; a bare name matches any
 * db.  An empty list enables every table.
 */
bool catalog_is_enabled(char *const *enabled, size_t n, const char *db, const char *name);

/* As catalog_is_enabled() for one entry. */
bool catalog_entry_fits(const char *entry, const char *db, const char *name);

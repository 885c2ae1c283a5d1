/*
 * snapshot - reads the scan artifacts of a connection: raw-sources/<connection>/live-database/<syncId>/ (ktx's
 * format).
 *
 * A sync counts if it has a readable scan-report.json; the latest is the last in byte order of its directory name.
 * The files are JSON; results borrow from the given arena.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define SNAPSHOT_FILE_MAX	((size_t)64 << 20)	/* any file but the profile */
/*
 * `details` of the metadata: 1 if labels, indexes and definitions were looked at, 2 if defaults, generated and identity
 * columns and checks were, too.
 */
#define SNAPSHOT_DETAILS	2

#define SNAPSHOT_PROFILE_MAX	((size_t)1 << 30)

enum snapshot_kind { SNAPSHOT_TABLE, SNAPSHOT_VIEW, SNAPSHOT_EXTERNAL, SNAPSHOT_EVENT_STREAM, SNAPSHOT_MATERIALIZED };
enum snapshot_dimension { SNAPSHOT_STRING, SNAPSHOT_NUMBER, SNAPSHOT_TIME, SNAPSHOT_BOOLEAN };

/* "table", "string", … as the files and the tools spell them. */
const char *snapshot_kind_name(enum snapshot_kind kind);
const char *snapshot_dimension_name(enum snapshot_dimension dimension);

/* A view, materialized or not. */
static inline bool
snapshot_is_view(enum snapshot_kind kind)
{
	return kind == SNAPSHOT_VIEW || kind == SNAPSHOT_MATERIALIZED;
}

/* SNAPSHOT_TABLE and SNAPSHOT_STRING for names that are none of these. */
enum snapshot_kind snapshot_kind_of(struct span name);
enum snapshot_dimension snapshot_dimension_of(struct span name);

/* A span with p == NULL is null in the file. */
struct snapshot_column {
	struct span		 name, native_type, normalized_type, comment;
	struct span		 description;	/* resolved from `descriptions`; empty: none */
	enum snapshot_dimension	 dimension;
	bool			 nullable, primary_key;
	size_t			 nsamples;
	struct span		*samples;
	bool			 is_enum;	/* then labels may still be none: they may not be shown */
	size_t			 nlabels;
	struct span		*labels;
	struct span		 default_text, generated, identity;	/* null: none, or it may not be shown */
};

struct snapshot_check {
	struct span	 name, expression;	/* name: may be null */
};

struct snapshot_index {
	struct span	 name, definition;	/* definition: null where the columns say it all */
	bool		 unique, primary;
	size_t		 ncolumns;
	struct span	*columns;		/* null: an expression */
};

struct snapshot_key {
	struct span	from_column, to_catalog, to_db, to_table, to_column, constraint;
};

struct snapshot_table {
	struct span		 catalog, db, name, comment, description;
	enum snapshot_kind	 kind;
	bool			 has_rows;
	int64_t			 rows;		/* estimatedRows */
	size_t			 ncolumns;
	struct snapshot_column	*columns;
	bool			 has_keys;	/* the file lists foreignKeys itself */
	size_t			 nkeys;
	struct snapshot_key	*keys;
	struct span		 definition;	/* of a view; null: none, or it may not be shown */
	size_t			 nindexes;
	struct snapshot_index	*indexes;
	size_t			 nchecks;
	struct snapshot_check	*checks;
	size_t			 npartitions;
	struct span		*partitions;	/* "schema.name" */
};

struct snapshot_head {
	struct span	sync_id, driver, run_id, extracted_at;	/* run_id may be null */
	struct span	fingerprint;	/* of the structure, as carrel's scans note it; null: none */
	bool		has_details;	/* what SNAPSHOT_DETAILS stands for was looked at */
	struct span	column_policy;	/* under this column policy; null: none */
	struct span	tables_dir;	/* sync directory that holds the artifacts; usually sync_id */
};

/*
 * scan-report.json of the sync directory called dir_name.  extracted_at is
 * createdAt, or the time in the sync id, until snapshot_read_connection()
 * finds better.
 */
int snapshot_read_report(struct arena *a, struct span json, const char *dir_name,
    const char *connection, struct snapshot_head *head, struct err *err);

/* Read connection.json: extractedAt, metadata, and the driver if the report has none. */
int snapshot_read_connection(struct arena *a, struct span json, struct snapshot_head *head,
    struct err *err);

/*
 * One file of tables/.  scratch is working space the caller keeps between
 * calls; the table borrows from it, from json and from a.
 */
int snapshot_read_table(struct arena *a, struct buf *scratch, struct span json,
    struct snapshot_table *table, struct err *err);

/* foreign-keys.json: for tables whose own file lists none. */
struct snapshot_keys {
	size_t	n;
	struct snapshot_far_key {
		struct span		table, path;	/* fromTable, fromTablePath (may be null) */
		struct snapshot_key	key;
	} *v;
};
int snapshot_read_keys(struct arena *a, struct span json, struct snapshot_keys *keys, struct err *err);

/* enrichment/descriptions.json: what a model wrote about a table and its columns. */
struct snapshot_text {
	struct span	catalog, db, table, column;	/* column empty: the table itself */
	struct span	text;
};
struct snapshot_texts {
	size_t			 n;
	struct snapshot_text	*v;	/* in file order */
};
int snapshot_read_descriptions(struct arena *a, struct span json, struct snapshot_texts *texts,
    struct err *err);

/* enrichment/relationship-profile.json: the sampled values of columns. */
struct snapshot_profiled {
	struct span	 table, column, type;	/* bare table name; normalized type, else native */
	struct span	 db;			/* null where the file does not say */
	bool		 has_distinct;
	uint64_t	 distinct;
	size_t		 nvalues;
	struct span	*values;
};
struct snapshot_profile {
	bool				 has_sample_rows, has_values_per_column;
	uint64_t			 sample_rows, values_per_column;
	struct span			 profiled_at;		/* null: unknown */
	struct span			 policy;		/* columnPolicy: under which it was made; null: none */
	size_t				 n;
	struct snapshot_profiled	*v;
};
int snapshot_read_profile(struct arena *a, struct span json, struct snapshot_profile *profile,
    struct err *err);

/* Append "catalog.db.name" without nulls; the name alone where the driver has no schemas. */
void snapshot_display(struct span driver, struct span catalog, struct span db, struct span name,
    struct buf *out);

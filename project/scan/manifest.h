/*
 * manifest - the shards semantic-layer/<connection>/_schema/<key>.yaml of a scan: one entry per table with its columns
 * and the joins of its foreign keys.
 *
 * A shard is merged, not rewritten.  The scan owns an entry's table, its columns' names, types, keys and nullability,
 * the description of origin `db`, and joins with `source: formal`; a deep scan adds inferred joins and says which
 * column it found unique (`measured_unique`), which stays until the next one unless the table's columns change.
 * Everything else stays: other descriptions, other joins as long as their tables and columns exist, usage, tags,
 * constraints, unknown keys.  Texts of origin `ai` stay too unless the scan has its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "base/span.h"

#define MANIFEST_LATELY	512u
#define MANIFEST_MODEL_MAX	((size_t)256 << 20)	/* of tables kept; a larger database gets no manifest */

/* A span with p == NULL is null. */
struct manifest_column {
	struct span	name, type, comment;	/* type: string, number, time, boolean */
	bool		primary_key, nullable;
	uint64_t	unique_rows;	/* in as many rows a deep scan found another value each; 0: it did not */
};

struct manifest_key {
	struct span	column, to_catalog, to_db, to_table, to_column, constraint;
};

struct manifest_table {
	struct span		 catalog, db, name, comment;
	size_t			 ncolumns, nkeys;
	struct manifest_column	*columns;
	struct manifest_key	*keys;
};

/* A relationship of as many columns on both sides: from of child names one row of parent by to. */
struct manifest_link {
	const struct manifest_table	*child, *parent;
	size_t				 n;
	const struct span		*from, *to;
	struct span			 constraint;	/* empty: it has no name */
};

/* The tables of one scan, as far as manifests need them. */
struct manifest {
	struct arena		*arena;		/* owned */
	size_t			 n, cap;
	struct manifest_table	*tables;	/* owned; sorted by manifest_close() */
	struct span		 lately[MANIFEST_LATELY]; /* texts in the arena, by hash */
	bool			 full;		/* MANIFEST_MODEL_MAX was reached: of no use any more */
	bool			 measured;	/* unique_rows is of this scan; otherwise a shard's own stays */
	size_t			 nlinks, caplinks;
	struct manifest_link	*links;		/* owned: what was declared, by manifest_close() */
	size_t			 nedges, capedges;
	struct manifest_edge	*edges;		/* owned */
};

void manifest_init(struct manifest *m);
void manifest_fini(struct manifest *m);

/* Add a table in the format of tables/<name>.json. */
void manifest_add(struct manifest *m, const struct mp_value *table);

/* All tables are there: sort them, turn keys into joins.  -1: m is full. */
int manifest_close(struct manifest *m);

/*
 * After manifest_close(): take relationships that a deep scan proved as joins
 * with `source: inferred`.  -1: m is full.
 */
int manifest_infer(struct manifest *m, const struct manifest_link *links, size_t n);

/* The column of t, a table of m, was found unique in all rows. */
void manifest_measured_unique(struct manifest *m, const struct manifest_table *t, struct span column, uint64_t rows);

/* A span with p == NULL for db or catalog: any.  NULL: no such table. */
const struct manifest_table *manifest_find(const struct manifest *m, struct span name, struct span db,
    struct span catalog);

/* Append the key of the shard that table belongs to under driver, made fit for a file name. */
void manifest_shard(struct span driver, const struct manifest_table *table, struct buf *out);

bool manifest_has_column(const struct manifest_table *t, struct span name);

/* The joins of t and of the tables that refer to it: declared ones first, and among these the forward ones. */
const struct manifest_edge *manifest_edges(const struct manifest *m, const struct manifest_table *t, size_t *n);

/*
 * relate - the relationships of a connection's tables: those that the database declares, and those that a deep scan
 * infers from names, types and values and then verifies by SQL (as ktx does, without its model and vectors).
 *
 * Candidates come from names, so their number grows with the columns, not with their square.  The best candidate of a
 * column is tried first; if it holds, the others are not checked.  Results and their order are the same for the same
 * data.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "project/scan/manifest.h"
#include "workers/memory/scan/column_profile.h"

#define RELATE_FILE		"relationships.json"		/* below enrichment/ */
#define RELATE_DIAGNOSTICS_FILE	"relationship-diagnostics.json"
#define RELATE_WIDTH		3	/* columns of a key at most */
#define RELATE_ACCEPT		0.85
#define RELATE_REVIEW		0.55

enum relate_group { RELATE_OTHER, RELATE_INT, RELATE_STRING, RELATE_UUID };

struct relate_column {
	struct span		name, type;
	enum relate_group	group;
	bool			primary;
	uint64_t		rows, nulls, distinct;	/* of the sample */
	struct mp_value		samples;		/* an array; otherwise unknown */
};

/* Rounds to six decimals, so that equal data give equal text. */
static inline double
relate_round(double x)
{
	return (double)(int64_t)(x * 1e6 + 0.5) / 1e6;
}

/* Only tables with a profile take part. */
struct relate_table {
	const struct manifest_table	*m;
	struct span			 version;	/* version of its data; empty: unknown */
	uint64_t			 rows;
	size_t				 ncolumns, nprimary;
	uint64_t			 shape;		/* the same for the same names of columns, in any order */
	bool				 entity;	/* columns of other tables that are no keys name it */
	struct relate_column		*columns;
};

enum relate_status { RELATE_ACCEPTED, RELATE_IN_REVIEW, RELATE_REJECTED, RELATE_SKIPPED };

struct relate_edge {
	uint32_t		child, parent;		/* tables */
	uint32_t		from[RELATE_WIDTH], to[RELATE_WIDTH];	/* columns of each */
	size_t			width;
	const char		*rule;			/* the rule that found it */
	bool			named, own;		/* for its target's table; the key of its own table */
	bool			open;			/* nothing tells it from another target of its column */
	/* overlap < 0: unknown */
	double			name, type, overlap, uniqueness, nulls, structure, target;
	double			score, confidence, pk, fk;
	unsigned		rank;			/* among the candidates of its columns */
	enum relate_status	status;
	const char		*reason;		/* NULL: none */
	bool			told;			/* accepted, and the only join of its tables */
	bool			checked, passed;	/* by SQL, with the following counts */
	uint64_t		child_rows, child_filled, child_distinct, found_rows, found_distinct, parent_filled,
				parent_distinct;
	double			coverage, violations;
};

struct relate {
	const struct manifest		*manifest;
	const struct profile		*profile;
	struct arena			*arena;		/* owned: names folded, columns */
	size_t				 ntables;
	struct relate_table		*tables;
	size_t				 n, cap, nsingle;
	/* Inferred ones; declared ones are the manifest's links.  The first nsingle, of one column each, are sorted by
	 * child, column and rank. */
	struct relate_edge		*edges;
	size_t				 budget, nqueries, nfailed, nreused, ndropped;
};

/* Combines the manifest's tables with the profile.  Both must outlive the result. */
void relate_init(struct relate *r, const struct manifest *m, const struct profile *p);
void relate_fini(struct relate *r);

/* Appends a side of the arguments of the SQL workers' tool "relate". */
void relate_put_side(const struct relate_table *t, const uint32_t *columns, size_t width, const char *key,
    struct buf *out);

/*
 * Adds the accepted ones to the manifest, at most one for each pair of tables: a second one would make queries between
 * them ambiguous. -1: the manifest is full.
 */
int relate_tell(const struct relate *r, struct manifest *m);

struct relate_counts {
	size_t	accepted, review, rejected, skipped;
};
struct relate_counts relate_count(const struct relate *r);

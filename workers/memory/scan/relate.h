/*
 * relate - the relationships of a connection's tables: those the database
 * declares, and those a deep scan infers from names, types and values and then
 * proves by SQL (as ktx does, without its model and vectors).
 *
 * Candidates come from names, so their number grows with the columns, not with
 * their square.  Of a column's candidates the best is tried first, and when it
 * holds the others are not asked about.  Everything comes out in the same
 * order and with the same numbers for the same data.
 */
#ifndef WORKERS_MEMORY_SCAN_RELATE_H
#define WORKERS_MEMORY_SCAN_RELATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "project/manifest.h"
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
	struct mp_value		samples;		/* an array; else none are known */
};

/* Six decimals, so that the same data give the same text. */
static inline double
relate_round(double x)
{
	return (double)(int64_t)(x * 1e6 + 0.5) / 1e6;
}

/* Only tables with a profile take part. */
struct relate_table {
	const struct manifest_table	*m;
	struct span			 version;	/* of its data; empty: not known */
	uint64_t			 rows;
	size_t				 ncolumns, nprimary;
	struct relate_column		*columns;
};

enum relate_status { RELATE_ACCEPTED, RELATE_IN_REVIEW, RELATE_REJECTED, RELATE_SKIPPED };

struct relate_edge {
	uint32_t		child, parent;		/* tables */
	uint32_t		from[RELATE_WIDTH], to[RELATE_WIDTH];	/* columns of each */
	size_t			width;
	const char		*rule;			/* by which it was found */
	double			name, type, overlap, uniqueness, nulls, structure, target;	/* overlap < 0: not known */
	double			score, confidence, pk, fk;
	unsigned		rank;			/* among the candidates of its columns */
	enum relate_status	status;
	const char		*reason;		/* NULL: none */
	bool			told;			/* accepted, and not a repetition of another join */
	bool			checked, passed;	/* by SQL, with these counts */
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
	size_t				 n, cap;
	struct relate_edge		*edges;		/* inferred; declared ones are the manifest's links */
	size_t				 budget, nqueries, nfailed, nreused, ndropped;
};

/* Combines the manifest's tables with the profile.  Both must outlive the result. */
void relate_init(struct relate *r, const struct manifest *m, const struct profile *p);
void relate_fini(struct relate *r);

/* Find candidates.  -1 with *err when the call is over; c may be NULL. */
int relate_find(struct relate *r, struct call *c, struct err *err);

/*
 * Prove them and decide.  A check that fails leaves its candidate to be
 * reviewed; -1 with *err when the call is over.  Progress runs from..to.
 */
int relate_check(struct relate *r, const struct deep *d, unsigned from, unsigned to, struct err *err);

/* Does the database declare a way between the two tables? */
bool relate_is_linked(const struct relate *r, const struct relate_edge *e);

/*
 * Give the manifest the accepted ones that are the only way between their two
 * tables: a second one would make every query between them ambiguous.
 * -1: it is full.
 */
int relate_tell(const struct relate *r, struct manifest *m);

struct relate_counts {
	size_t	accepted, review, rejected, skipped;
};
struct relate_counts relate_count(const struct relate *r);

/* The two artifacts as maps. */
void relate_put(const struct relate *r, const char *connection, struct buf *out);
void relate_put_diagnostics(const struct relate *r, const char *connection, uint64_t at_ms, struct buf *out);

#endif

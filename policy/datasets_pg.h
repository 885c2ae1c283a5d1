/*
 * datasets_pg - may this PostgreSQL statement run where nothing exists but datasets?
 *
 * By the parsed tree: every relation that it names is a dataset, or a WITH query of its own that is in scope there; its
 * functions and types are the server's own, and none of them takes or tells names or numbers of the database's objects.
 * Pure.  guard_pg has judged the statement before.
 */
#ifndef POLICY_DATASETS_PG_H
#define POLICY_DATASETS_PG_H

#include "base/err.h"
#include "base/span.h"
#include "policy/guard_catalogue.h"

/* The forms in which a statement names a dataset. */
enum {
	DATASETS_PG_PLAIN	= 1 << 0,	/* dataset_0f1e2d3c_… */
	DATASETS_PG_DASHES	= 1 << 1	/* "dataset_0f1e2d3c-…" */
};

struct datasets_pg {
	const struct guard_catalogue	*catalogue;
	size_t				 n;
	const struct span		*ids;		/* of the datasets that may be read */
	unsigned			*used;		/* [n]: the forms, filled in */
	size_t				 position;	/* of what was refused, as guard_finding.position */
};

/* before: as for guard_pg_check().  -1: ERR_DATASET_NOT_FOUND, ERR_TABLE_NOT_FOUND, ERR_FORBIDDEN_SQL. */
int datasets_pg_check(struct datasets_pg *d, struct span sql, size_t before, struct err *err);

#endif

/*
 * datasets_pg - whether a PostgreSQL statement uses only datasets.
 *
 * Checks the parsed tree: every relation in it is a dataset, or a WITH query in scope; its functions and types are the
 * server's own, and none of them accepts or reveals names or numbers of database objects.  Pure.  guard_pg has checked
 * the statement before.
 */
#pragma once

#include "base/err.h"
#include "base/span.h"
#include "workers/sql/postgres/guard/guard_catalogue.h"

/* The forms in which a statement names a dataset. */
enum {
	DATASETS_PG_PLAIN	= 1 << 0,	/* dataset_0f1e2d3c_… */
	DATASETS_PG_DASHES	= 1 << 1	/* "dataset_0f1e2d3c-…" */
};

struct datasets_pg {
	const struct guard_catalogue	*catalogue;
	struct columns_pg		*finder;	/* kept from statement to statement */
	size_t				 n;
	const struct span		*ids;		/* of the datasets that may be read */
	unsigned			*used;		/* [n]: the forms, filled in */
	size_t				 position;	/* of what was refused, as guard_finding.position */
};

/* before: as for guard_pg_check().  -1: ERR_DATASET_NOT_FOUND, ERR_TABLE_NOT_FOUND, ERR_FORBIDDEN_SQL. */
int datasets_pg_check(struct datasets_pg *d, struct span sql, size_t before, struct err *err);

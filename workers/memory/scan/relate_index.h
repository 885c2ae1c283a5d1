/* relate_index - tables and columns by name: filled, sorted once, then looked up. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define RELATE_NAMED_MAX	200	/* entries of one name, or beginning, that are found */

struct relate_named {
	struct span	name, db;
	uint32_t	table, column;
	bool		part;		/* these are the last words of the table's name */
};

struct relate_index {
	size_t			 n, cap;
	struct relate_named	*v;
};

/* The name and the schema are borrowed. */
void relate_index_add(struct relate_index *l, struct span name, struct span db, size_t table, size_t column, bool part);

/* Whole names before parts, then by schema, table and column. */
void relate_index_sort(struct relate_index *l);

/* The entries with this name in a sorted index, or those whose longer name begins with it; *n: their number,
 * at most RELATE_NAMED_MAX. */
const struct relate_named *relate_index_find(const struct relate_index *l, struct span name, bool longer, size_t *n);

/* The same of one schema: its entries with this name, which are parts or whole names. */
const struct relate_named *relate_index_near(const struct relate_index *l, struct span name, bool part, struct span db,
    size_t *n);

/* resolve - find a table by a reference: its display name in any form, or an object with some of its parts. */
#pragma once

#include "base/arena.h"
#include "base/mp.h"
#include "workers/search/library/schema.h"

#define RESOLVE_MAX	64	/* tables that fit are listed up to here */

struct resolved {
	size_t				 n;	/* tables that fit; 1: found */
	const struct schema_table	*v[RESOLVE_MAX];
};

/*
 * table is a STR (orders, public.orders, "Sales".[Order Lines], `db`.t, any
 * case, or a display string whose schema has dots) or a MAP {catalog, db,
 * name}; a name alone may be such a string.  A part that is not given, or that
 * the scan does not know, fits anything.  Where letters' case decides between
 * several, it does.
 */
void resolve_table(const struct schema *s, struct arena *a, const struct mp_value *table, struct resolved *out);

/*
 * True when table, a STR, is a column's display string by its form: everything
 * but the last part is one table, *out, and the last part *column.  Whether
 * the table has that column is not asked.
 */
bool resolve_owner(const struct schema *s, struct arena *a, const struct mp_value *table, struct resolved *out,
    struct span *column);

/* The table that the reference is a partition of; NULL: none. */
const struct schema_table *resolve_partition(const struct schema *s, struct arena *a, const struct mp_value *table);

/* A name without the quotes around it, if there are any. */
struct span resolve_unquoted(struct arena *a, struct span name);

/* The name to look for when nothing fits: the last part of what was written. */
struct span resolve_asked(struct arena *a, const struct mp_value *table);

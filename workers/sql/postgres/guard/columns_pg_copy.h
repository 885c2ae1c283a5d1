/*
 * columns_pg_copy - whether a stored query only copies protected columns.
 *
 * A materialized view holds values that were computed earlier, so its rows cannot
 * be replaced by the current ones of its tables: its own columns must be protected,
 * and all of them must be known.  They are known if every protected column is only
 * handed on, unchanged, from SELECT list to SELECT list; the server then tells, by
 * the types, in which columns they end up
 * (workers/sql/postgres/postgres_columns.c).  Columns are compared by name alone: a
 * column of another table with the name of a protected one counts as protected,
 * too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct guard_tree;

/* definition: as pg_get_viewdef() spells it.  names: the protected columns of the tables that it reads. */
bool columns_pg_copies(const struct guard_tree *definition, const struct span *names, size_t n);

/*
 * The same for the columns that are hidden from a view, which is computed again: a null stands for each.  So whole rows
 * and casts in a SELECT list, UNION ALL and columns of these names in other tables do no harm; a condition, DISTINCT or
 * UNION would be answered wrongly.
 * places: where in the text the relations with these columns are named.
 */
bool columns_pg_hands_on(const struct guard_tree *definition, const struct span *names, size_t n, const size_t *places,
    size_t nplaces);

/* Whether the rows that the definition stores are independent of the order of its tables' rows and partitions. */
bool columns_pg_ignores_order(const struct guard_tree *definition);

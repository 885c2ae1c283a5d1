/*
 * columns_pg_copy - whether a stored query only copies what is protected.
 *
 * A materialized view holds values that were computed once, so what stands in
 * the tables now cannot be put in their place: its own columns must be
 * protected instead, and all of them be known.  They are when every protected
 * column is only handed on, as it is, from SELECT list to SELECT list; the
 * server then tells, by their types, in which columns they end up
 * (workers/sql/postgres/postgres_columns.c).  Decided by names: a column of another
 * table that has the name of a protected one counts as protected, too.
 */
#ifndef POLICY_COLUMNS_PG_COPY_H
#define POLICY_COLUMNS_PG_COPY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

/*
 * definition: as pg_get_viewdef() spells it.  names: of the protected columns
 * in the tables that it reads.  False also when it cannot be read.
 */
bool columns_pg_copies(struct span definition, const struct span *names, size_t n);

#endif

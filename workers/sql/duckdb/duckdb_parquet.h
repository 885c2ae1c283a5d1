/*
 * duckdb_parquet - the rows of a statement as a Parquet file, for an export.
 *
 * The library's own COPY is not used: it writes to a path, and neither the guard, nor the session (a transaction that
 * only reads, without external access), nor Landlock, nor the filter of system calls, nor the bound on files lets this
 * process write one.  So the vectors of the statement, which passed all of these and the column policy like any other,
 * are written here, by workers/sql/parquet, and the bytes go the way of rows.
 *
 * A column has the type that the library itself would write, with these exceptions, which are text: whole numbers of
 * 128 bits, of which a file has no type that holds all; INTERVAL, whose parts a file has no room for; TIME WITH TIME
 * ZONE, of which it would lose the zone; UNION, as JSON; BIT, and what the library alone prints.
 */
#pragma once

#include "base/err.h"
#include "base/span.h"
#include "workers/sql/row_stream.h"

struct sql_db;

/*
 * Write the rows of the statement that runs; names: of its columns, msgpack texts, one after the other.  -1 with *err.
 */
int duckdb_parquet_write(struct sql_db *db, struct result *r, struct span names, struct err *err);

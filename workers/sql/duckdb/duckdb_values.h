/*
 * duckdb_values - DuckDB's vectors as cells.  Texts are those of DuckDB's own casts; nested values are JSON text, in
 * which numbers beyond 2^53 and decimals beyond 15 digits are strings.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "workers/sql/duckdb/duckdb_types.h"

/* Whether the row has none; of a NULL type it is not told. */
bool duckdb_values_is_null(struct duck_vector *vector, uint64_t row);

/* Writes a row's value; true if JSON cannot hold its number. */
bool duckdb_values_put(struct buf *out, const struct duckdb_type *type, struct duck_vector *vector, uint64_t row);

/* Appends a value's text; false: it is NULL. */
bool duckdb_values_text(struct buf *out, const struct duckdb_type *type, struct duck_vector *vector, uint64_t row);

/* Appends the text of a result of one row and one column; false for any other result, or NULL. */
bool duckdb_values_put_only(struct buf *out, struct duck_result *result);

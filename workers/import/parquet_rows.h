/*
 * parquet_rows - the rows of a Parquet file, which carrel-sql-duckdb sends (project/import_stream.h).
 *
 * The file has the types of its columns: they are not found out, and the rows are read once.
 */
#pragma once

#include "workers/import/infer.h"
#include "workers/import/rows_records.h"

/*
 * fd: of the stream, not owned; size: bytes of the Parquet file.  columns gets the types, *count the number of rows.
 * NULL: *err.
 */
struct import_rows *parquet_rows_open(int fd, uint64_t size, struct infer_columns *columns, uint64_t *count,
    struct err *err);

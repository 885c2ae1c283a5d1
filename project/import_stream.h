/*
 * import_stream - a Parquet file's rows on their way from carrel-sql-duckdb, which parses the file, to carrel-import,
 * which writes the table.
 *
 * A frame is its length (four bytes, little-endian) and one value of MessagePack.  The first frame is an ARRAY: the
 * number of rows; then the name of each column, its type (as column_type_name() in workers/import/infer.h, or
 * DECIMAL(width,scale)), and whether the type is TEXT because no number holds all digits of the values.  Each further
 * frame is a row: an ARRAY with a NIL, a STR, or for a BLOB a BIN for each column; or NIL for a row of more than
 * IMPORT_STREAM_ROW_MAX bytes.  A frame with a STR says why the file cannot be read, and ends the stream.
 */
#pragma once

#define IMPORT_STREAM_ROW_MAX	((size_t)16 << 20)	/* bytes of a frame */

/* The processor time and the memory that the file's parser may have. */
#define IMPORT_STREAM_SECONDS	1800u
#define IMPORT_STREAM_MEMORY	((uint64_t)1 << 30)

/*
 * A file's frames may have IMPORT_STREAM_RATIO times its bytes, or IMPORT_STREAM_SMALL if that is more: beyond it is a
 * decompression bomb.
 */
#define IMPORT_STREAM_RATIO	1000u
#define IMPORT_STREAM_SMALL	((uint64_t)1 << 30)

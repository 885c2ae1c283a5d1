/*
 * export_rows - writes rows, as they come from a worker, as a file: CSV (RFC 4180) or JSON lines; a Parquet file comes
 * as bytes, which the worker wrote (workers/sql/parquet/parquet.h), and is passed on.
 *
 * Every number is written with all of its digits.  CSV: null is an empty field and an empty text is "", so that they
 * differ; bytes are base64; a cell that a spreadsheet would evaluate as a formula is written unchanged, since the file
 * holds what the database holds.  JSON lines: one object a row, cells as in results (base/json/json_write.h), a number
 * that JSON cannot hold as a string; a name that an earlier column has is followed by the column's number.  Memory is
 * bounded by the names of the columns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

enum export_format { EXPORT_CSV, EXPORT_JSONL, EXPORT_PARQUET, EXPORT_FORMATS };

/* By the ending of a file's name; EXPORT_FORMATS: there is no such format. */
enum export_format export_format_named(struct span ending);
const char *export_format_ending(enum export_format format);	/* "csv" */
const char *export_format_type(enum export_format format);	/* its media type */

/* Zeroed, with the format, to begin. */
struct export_rows {
	enum export_format	 format;
	struct buf		 keys;		/* JSON lines: what is written before each cell, concatenated */
	size_t			*ends;		/* where each of these ends in keys */
	size_t			 n;		/* columns */
	bool			 named;		/* the first row, which is their names, has come */
	uint64_t		 rows;		/* without that one */
};

/*
 * Append an array of rows, which mp_scan() accepted; the first row of all is the names, but of a Parquet file, whose
 * rows are [rows that are complete now, bytes].  False: a row has another shape.
 */
bool export_rows_put(struct export_rows *e, struct span rows, struct buf *out);

void export_rows_fini(struct export_rows *e);

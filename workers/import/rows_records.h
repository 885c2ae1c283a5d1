/*
 * rows_records - the records of a file, one after another, in any format.
 *
 * Every line of the file is in a record, in the header, or said: as a bad record, or in the notes (notes.h).
 *
 * A reader is created by one of the formats (csv.h, json_rows.h, xlsx.h), is read to its end, rewound, and read again:
 * first for the types, then for the values.  A row's data is valid until the next row.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "workers/import/notes.h"

#define ROWS_COLUMNS_MAX	1900u		/* SQLite's own bound is 2,000 */
#define ROWS_RECORD_MAX		((size_t)16 << 20)	/* bytes of one record */
#define ROWS_NAME_MAX		128u		/* bytes of a column's name */

enum field_kind {
	FIELD_NULL,	/* an explicit null of the format */
	FIELD_BARE,	/* unquoted text; empty: null, except in text columns */
	FIELD_QUOTED,	/* quoted text of a format that quotes numbers, too */
	FIELD_STRING	/* a string of a format that distinguishes strings from numbers */
};

struct import_field {
	struct span	text;	/* UTF-8 without NUL */
	enum field_kind	kind;
};

struct import_row {
	uint64_t	 line;	/* first line of the record, from 1 */
	size_t		 n;	/* number of columns so far; missing trailing fields are null */
	struct import_field	*fields;
};

enum rows_next {
	ROWS_ROW,
	ROWS_BAD,	/* an unusable record: line and *reason say which and why; reading continues */
	ROWS_END,
	ROWS_AGAIN,	/* the encoding was wrong so far: rewind and start again */
	ROWS_FAILED	/* the file cannot be read further: *err */
};

/* What the user said of the file. */
enum header_wish { HEADER_GUESS, HEADER_YES, HEADER_NO };

struct rows_wishes {
	uint8_t			 delimiter;	/* 0: found out */
	uint8_t			 decimal;	/* '.' or ','; 0: found out */
	enum header_wish	 header;
	const char		*sheet;		/* the name of a workbook's sheet; NULL: the first visible one */
};

struct import_rows;

struct rows_class {
	enum rows_next	(*next)(struct import_rows *r, struct import_row *row, const char **reason, struct err *err);
	int		(*rewind)(struct import_rows *r, struct err *err);
	void		(*close)(struct import_rows *r);
	/* The names of the columns, empty where the file has none; valid until the next row. */
	const struct span *(*names)(const struct import_rows *r);
	/* Append what was found out about the file: members of a JSON object. */
	void		(*describe)(const struct import_rows *r, struct buf *out);
};

struct import_rows {
	const struct rows_class	*class;
	uint64_t		 done, total;	/* bytes of the file, or of the part that is read, for a progress bar */
	size_t		 columns;	/* known before the first row */
	struct import_notes	notes;
};

static inline enum rows_next
rows_next(struct import_rows *r, struct import_row *row, const char **reason, struct err *err)
{
	return r->class->next(r, row, reason, err);
}

static inline int
rows_rewind(struct import_rows *r, struct err *err)
{
	return r->class->rewind(r, err);
}

static inline void
rows_close(struct import_rows *r)
{
	if (r == NULL)
		return;
	buf_fini(&r->notes.json);
	r->class->close(r);
}

/* The most frequent width of n records; of equally frequent ones the greater.  0 for none. */
size_t rows_usual_width(const size_t *widths, size_t n);

/* Free a list of column names, each from mem_text(). */
void rows_free_names(struct span *names, size_t n);

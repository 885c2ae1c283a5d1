/*
 * rows - the records of a file, one after another, whatever its format.
 *
 * A reader is made by one of the formats (csv.h, json_rows.h, xlsx.h), is read
 * to its end, rewound, and read once more: first for the types, then for the
 * values.  What a row borrows lives until the next one.
 */
#ifndef WORKERS_IMPORT_ROWS_H
#define WORKERS_IMPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

#define ROWS_COLUMNS_MAX	1900u		/* SQLite's own bound is 2,000 */
#define ROWS_RECORD_MAX		((size_t)16 << 20)	/* bytes of one record */
#define ROWS_NAME_MAX		128u		/* bytes of a column's name */

enum field_kind {
	FIELD_NULL,	/* the format says that there is nothing */
	FIELD_BARE,	/* text without quotes; empty: nothing, where the column is no text */
	FIELD_QUOTED,	/* text in quotes of a format that quotes numbers, too */
	FIELD_STRING	/* text of a format that tells it from numbers */
};

struct field {
	struct span	text;	/* UTF-8 without NUL */
	enum field_kind	kind;
};

struct row {
	uint64_t	 line;	/* where it begins, from 1 */
	size_t		 n;	/* columns that are known so far; what a row lacks at its end is null */
	struct field	*fields;
};

enum rows_next {
	ROWS_ROW,
	ROWS_BAD,	/* a record that cannot be taken: line and *reason say which and why; reading goes on */
	ROWS_END,
	ROWS_AGAIN,	/* what came so far was read in the wrong encoding: rewind, and begin anew */
	ROWS_FAILED	/* the file cannot be read any further: *err */
};

struct rows;

struct rows_class {
	enum rows_next	(*next)(struct rows *r, struct row *row, const char **reason, struct err *err);
	int		(*rewind)(struct rows *r, struct err *err);
	void		(*close)(struct rows *r);
};

struct rows {
	const struct rows_class	*class;
	uint64_t		 done, total;	/* bytes, of the file or of its part that is read, for a progress bar */
};

static inline enum rows_next
rows_next(struct rows *r, struct row *row, const char **reason, struct err *err)
{
	return r->class->next(r, row, reason, err);
}

static inline int
rows_rewind(struct rows *r, struct err *err)
{
	return r->class->rewind(r, err);
}

static inline void
rows_close(struct rows *r)
{
	if (r != NULL)
		r->class->close(r);
}

/* How wide most of n records are; of two widths as frequent, the greater.  0 for none. */
size_t rows_usual_width(const size_t *widths, size_t n);

/* Free a list of names of columns, each of them mem_text()'s. */
void rows_free_names(struct span *names, size_t n);

#endif

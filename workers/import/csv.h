/*
 * csv - records of delimited fields: RFC 4180 and its variants.
 *
 * The dialect is detected from the first megabyte: the delimiter and the quote under which most lines have the same
 * number of fields, the lines before the table, and whether the first record names the columns (sniff.c).
 */
#pragma once

#include "workers/import/rows_records.h"
#include "workers/import/source_text.h"

#define CSV_NO_DELIMITER	0xff	/* of a file with one column: no byte of UTF-8 */

struct csv_dialect {
	uint8_t		delimiter;
	uint8_t		quote;		/* 0: none */
	bool		backslash;	/* \" within quotes, besides "" */
	bool		header;		/* the first record names the columns */
	bool		unnamed;	/* but for the first one, whose texts are the names of rows, as R writes them */
	size_t		start;		/* offset of the first record */
	uint64_t	skipped;	/* lines before it */
	size_t		columns;
};

/* A reader over s, which it takes (and closes with source_close()).  NULL: *err. */
struct import_rows *csv_open(struct import_source *s, const struct rows_wishes *wishes, struct err *err);

/* Whether the delimiter of a reader that csv_open() made is the tab. */
bool csv_is_tabbed(const struct import_rows *r);

enum csv_scan {
	CSV_RECORD,
	CSV_PART,	/* the record continues after the text */
	CSV_BROKEN	/* *reason; skip its first line */
};

/* One record of text; `ends`: text reaches the end of the file. */
struct csv_record {
	size_t		 used;		/* bytes, including the line end */
	uint64_t	 lines;		/* line ends in them */
	size_t		 n;
	struct import_field	*fields;	/* borrow from text or scratch */
	size_t		 cap;
	struct buf	 scratch;	/* fields without their escapes */
};

enum csv_scan csv_scan(const struct csv_dialect *d, struct span text, bool ends, struct csv_record *rec,
    const char **reason);
void csv_record_free(struct csv_record *rec);

/* The length of the first line of text with its end. */
size_t csv_line(struct span text);

bool csv_is_blank(const struct csv_record *rec);

/*
 * csv - records of fields between delimiters: RFC 4180 and what programs write instead.
 *
 * The dialect is found from the first megabyte: the delimiter and the quote
 * under which most lines have one number of fields, how many lines before the
 * table are none of it, and whether its first record names the columns.
 */
#ifndef WORKERS_IMPORT_CSV_H
#define WORKERS_IMPORT_CSV_H

#include "workers/import/rows.h"
#include "workers/import/source.h"

struct dialect {
	uint8_t		delimiter;
	uint8_t		quote;		/* 0: none */
	bool		backslash;	/* \" within quotes, besides "" */
	bool		header;		/* the first record names the columns */
	uint64_t	skipped;	/* lines before the table */
	size_t		columns;
};

/*
 * A reader of what s holds; takes s over (source_close() when it is closed).
 * delimiter: 0, or what it is known to be.  NULL: *err.
 */
struct rows *csv_open(struct source *s, uint8_t delimiter, struct err *err);

/* The names that the header gives, columns of them; empty ones are the caller's to name.  They live as long as r. */
const struct span *csv_names(const struct rows *r);

/* --- for csv.c, sniff.c and their tests ---------------------------------------------- */

enum csv_scan {
	CSV_RECORD,
	CSV_PART,	/* the record goes on behind the text's end */
	CSV_BROKEN	/* *reason; its first line is to be passed over */
};

/* One record of text, which holds the whole rest of the file when `ends`. */
struct csv_record {
	size_t		 used;		/* bytes, the line's end included */
	uint64_t	 lines;		/* line ends in them */
	size_t		 n;
	struct field	*fields;	/* borrowed from text or from scratch */
	size_t		 cap;
	struct buf	 scratch;	/* fields whose quotes were doubled */
};

enum csv_scan csv_scan(const struct dialect *d, struct span text, bool ends, struct csv_record *rec,
    const char **reason);
void csv_record_free(struct csv_record *rec);

/* Find the dialect of the file that begins with text.  delimiter: 0, or what it is known to be. */
void csv_sniff(struct span text, bool ends, uint8_t delimiter, struct dialect *d);

#endif

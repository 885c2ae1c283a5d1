/*
 * xlsx_parts.h - private to xlsx.c and xlsx_book.c: a workbook that is being read.
 */
#ifndef WORKERS_IMPORT_XLSX_PARTS_H
#define WORKERS_IMPORT_XLSX_PARTS_H

#include "base/buf.h"
#include "workers/import/packed.h"
#include "workers/import/rows.h"

/* What a cell's number is by its style. */
enum look { LOOK_NUMBER, LOOK_DATE, LOOK_TIME };

struct xlsx {
	struct rows	 rows;
	zip_t		*zip;
	char		*sheet;		/* the part's name */
	struct buf	 strings;	/* the shared ones, one behind the other */
	size_t		*ends;		/* where each ends */
	size_t		 nstrings, strings_cap;
	enum look	*looks;		/* by style */
	size_t		 nlooks, looks_cap;
	bool		 from_1904;

	struct packed_part	 part;
	XML_Parser	 parser;
	bool		 paused, finished;
	const char	*fault;		/* what is wrong with the file */

	/* the row that is being read */
	uint64_t	 number;
	struct buf	 text;
	size_t		*at;		/* of text: where each field ends */
	enum field_kind	*kinds;
	size_t		 n, cap, kinds_cap;
	bool		 complete;

	/* the cell */
	size_t		 column;
	enum { CELL_NUMBER, CELL_SHARED, CELL_TEXT, CELL_FLAG, CELL_ERROR } type;
	size_t		 style;
	bool		 inside;	/* <v> or <t> */
	struct buf	 cell;

	/* the table */
	uint64_t	 first;		/* its first row of values */
	size_t		 columns;
	struct span	*names;
	struct field	*fields;
};

/* --- xlsx_book.c: what the sheet refers to ------------------------------------------------- */

/*
 * Which part the first sheet is, its shared strings, what its styles mean.  -1: the workbook is damaged.
 */
int xlsx_read_book(struct xlsx *x);

/* What the parser was made for. */
struct xlsx *xlsx_owner(void *parser);

struct span xlsx_shared_string(const struct xlsx *x, size_t i);

#endif

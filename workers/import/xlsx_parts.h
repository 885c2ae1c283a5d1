/* xlsx_parts - private to xlsx.c and xlsx_book.c: the state of a workbook reader. */
#ifndef WORKERS_IMPORT_XLSX_PARTS_H
#define WORKERS_IMPORT_XLSX_PARTS_H

#include "base/buf.h"
#include "workers/import/packed.h"
#include "workers/import/rows_records.h"

/* How a cell's style shows its number. */
enum look { LOOK_NUMBER, LOOK_DATE, LOOK_TIME };

struct xlsx {
	struct import_rows	 rows;
	zip_t		*zip;
	char		*sheet;		/* path of the part */
	struct buf	 strings;	/* the shared strings, concatenated */
	size_t		*ends;		/* end offset of each */
	size_t		 nstrings, strings_cap;
	enum look	*looks;		/* by style */
	size_t		 nlooks, looks_cap;
	bool		 from_1904;

	struct packed_part	 part;
	XML_Parser	 parser;
	bool		 paused, finished;
	const char	*fault;		/* what is wrong with the file */

	/* the current row */
	uint64_t	 number;
	struct buf	 text;
	size_t		*at;		/* end offset of each field in text */
	enum field_kind	*kinds;
	size_t		 n, cap, kinds_cap;
	bool		 complete;

	/* the current cell */
	size_t		 column;
	enum { CELL_NUMBER, CELL_SHARED, CELL_TEXT, CELL_FLAG, CELL_ERROR } type;
	size_t		 style;
	bool		 inside;	/* <v> or <t> */
	struct buf	 cell;

	/* the table */
	uint64_t	 first;		/* number of its first data row */
	size_t		 columns;
	struct span	*names;
	struct import_field	*fields;
};

/* --- xlsx_book.c: what the sheet refers to ------------------------------------------------- */

/* Read the path of the first sheet, the shared strings and the styles.  -1: the workbook is damaged. */
int xlsx_read_book(struct xlsx *x);

/* The reader that the parser belongs to. */
struct xlsx *xlsx_owner(void *parser);

struct span xlsx_shared_string(const struct xlsx *x, size_t i);

#endif

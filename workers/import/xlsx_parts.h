/* xlsx_parts - private to xlsx.c and xlsx_book.c: the state of a workbook reader. */
#pragma once

#include "base/buf.h"
#include "workers/import/packed.h"
#include "workers/import/rows_records.h"

/* How a cell's style shows its number; LOOK_ZEROS + n: with zeros in front, n digits at least. */
enum look { LOOK_NUMBER, LOOK_DATE, LOOK_TIME, LOOK_ZEROS };

#define LOOK_ZEROS_MAX	30

#define XLSX_BOMB	"it unpacks to more than 200 times its size, as decompression bombs do"

struct xlsx_sheet {
	char	*name, *id;
	bool	 hidden;
};

struct xlsx {
	struct import_rows	 rows;
	zip_t		*zip;
	struct xlsx_sheet	*sheets;
	size_t		 nsheets, sheets_cap, chosen;
	const char	*wish;		/* the name of the sheet to read; NULL: the first visible one */
	bool		 found;		/* there is one of that name */
	char		*sheet;		/* path of the chosen sheet's part */
	struct buf	 strings;	/* the shared strings, concatenated */
	size_t		*ends;		/* end offset of each */
	size_t		 nstrings, strings_cap;
	uint8_t		*looks;		/* by style: enum look */
	size_t		 nlooks, looks_cap;
	bool		 from_1904;

	struct packed_part	 part;
	XML_Parser	 parser;
	bool		 paused, finished;
	const char	*fault;		/* what is wrong with the file */

	/* the current row */
	uint64_t	 number, ordinal;	/* as the sheet numbers it; as rows follow each other, from 1 */
	struct buf	 text;
	size_t		*at;		/* end offset of each field in text */
	enum field_kind	*kinds;
	size_t		 n, cap, kinds_cap;
	bool		 complete, too_long;

	/* the current cell */
	size_t		 column;
	enum { CELL_NUMBER, CELL_SHARED, CELL_TEXT, CELL_FLAG, CELL_ERROR } type;
	size_t		 style;
	bool		 inside;	/* <v> or <t> */
	bool		 formula, valued;	/* the cell has <f>, and <v> or <t> */
	struct buf	 cell;

	/* cells of the sheet that are null, though something is in them */
	uint64_t	 errors, unsaved;	/* #DIV/0! and the like; formulas without a value */
	bool		 told;

	/* the table */
	uint64_t	 first;		/* ordinal of its first data row */
	bool		 header;
	size_t		 columns;
	struct span	*names;
	struct import_field	*fields;
};

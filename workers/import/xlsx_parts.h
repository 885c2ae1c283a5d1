/*
 * xlsx_parts.h - private to xlsx.c and xlsx_book.c: a workbook that is being read.
 */
#ifndef WORKERS_IMPORT_XLSX_PARTS_H
#define WORKERS_IMPORT_XLSX_PARTS_H

#include <expat.h>
#include <zip.h>

#include "base/buf.h"
#include "workers/import/rows.h"

#define XLSX_STEP	(64 * 1024)	/* bytes of XML at a time */

/* What a cell's number is by its style. */
enum look { LOOK_NUMBER, LOOK_DATE, LOOK_TIME };

/* One file in the zip. */
struct part {
	zip_file_t	*file;
	uint64_t	 size, read;	/* unpacked bytes: as the zip says, and so far */
};

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

	struct part	 part;
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

/* -1: there is no such part. */
int part_open(struct xlsx *x, const char *name, struct part *p);
void part_close(struct part *p);

/* At most XLSX_STEP bytes; 0: the end; -1: broken, or more than anybody's sheet. */
zip_int64_t part_read(struct part *p, void *block);

/* A parser whose handlers get the parser itself, and arg by xlsx_owner(); entities are refused. */
XML_Parser xlsx_parser(void *arg, XML_StartElementHandler start, XML_EndElementHandler end, XML_CharacterDataHandler text);
struct xlsx *xlsx_owner(void *parser);

/* Namespaces are written as prefixes: what counts is behind the colon. */
bool xlsx_is_element(const XML_Char *name, const char *what);

/* NULL: the element has none. */
const char *xlsx_attribute(const XML_Char **attributes, const char *name);

struct span xlsx_shared_string(const struct xlsx *x, size_t i);

#endif

/*
 * xlsx - the first sheet of an Office Open XML workbook (ECMA-376, part 1) as records.
 *
 * Cells are texts, numbers, flags and dates, as their style says; formulas give
 * the value that was saved with them.  Rows above the table and its names are
 * found as for delimited text: the widest run of rows begins with the header.
 */
#ifndef WORKERS_IMPORT_XLSX_H
#define WORKERS_IMPORT_XLSX_H

#include "workers/import/rows.h"

#define XLSX_UNPACKED_MAX	((uint64_t)4 << 30)	/* bytes of one part of the file */
#define XLSX_STRINGS_MAX	((size_t)1 << 30)	/* bytes of the shared strings */

/* fd: seekable, not owned.  NULL: *err. */
struct rows *xlsx_open(int fd, struct err *err);

/* The names of the header, as many as rows have columns; they live as long as r. */
const struct span *xlsx_names(const struct rows *r);

#endif

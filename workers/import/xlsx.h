/*
 * xlsx - the first sheet of an Office Open XML workbook (ECMA-376, part 1) as records.
 *
 * Cells are texts, numbers, flags or dates, as their style tells; formulas have the saved value.  The rows above the
 * table and the header are found as for delimited text: the first row of the usual width begins the table.
 */
#ifndef WORKERS_IMPORT_XLSX_H
#define WORKERS_IMPORT_XLSX_H

#include "workers/import/rows_records.h"

#define XLSX_UNPACKED_MAX	((uint64_t)4 << 30)	/* bytes of one part of the file */
#define XLSX_STRINGS_MAX	((size_t)1 << 30)	/* bytes of the shared strings */

/* fd: seekable, not owned.  NULL: *err. */
struct import_rows *xlsx_open(int fd, struct err *err);

/* The names from the header, one for each column; they live as long as r. */
const struct span *xlsx_names(const struct import_rows *r);

#endif

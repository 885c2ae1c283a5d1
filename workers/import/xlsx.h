/*
 * xlsx - the first visible sheet of an Office Open XML workbook (ECMA-376, part 1) as records.
 *
 * Cells are texts, numbers, flags or dates, as their style tells; formulas have the saved value.  The rows above the
 * table and the header are found as for delimited text: the first row of the usual width begins the table.  Numbers
 * have the digits of the file, except for the 17th that spreadsheets write of a double: 1.1000000000000001 is 1.1.
 */
#pragma once

#include "workers/import/rows_records.h"

#define XLSX_UNPACKED_MAX	((uint64_t)4 << 30)	/* bytes of one part of the file */
#define XLSX_STRINGS_MAX	((size_t)1 << 30)	/* bytes of the shared strings */

/* fd: seekable, not owned.  NULL: *err. */
struct import_rows *xlsx_open(int fd, const struct rows_wishes *wishes, struct err *err);

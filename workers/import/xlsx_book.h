/* xlsx_book - private to xlsx.c: what a sheet of a workbook refers to. */
#pragma once

#include "workers/import/xlsx_parts.h"

/*
 * Read the path of the sheet of x->wish, else of the first visible one (of the first one if all are hidden), the shared
 * strings and the styles.  -1: the workbook cannot be read, x->fault says why, unless it is damaged; or it has no such
 * sheet.
 */
int xlsx_read_book(struct xlsx *x);

/* Set *err to the names of the sheets.  -1 always. */
int xlsx_refuse_sheet(const struct xlsx *x, struct err *err);

/* Decode _x000A_ and its like in the text from there on. */
void xlsx_unescape(struct buf *text, size_t from);

/* The reader that the parser belongs to. */
struct xlsx *xlsx_owner(void *parser);

struct span xlsx_shared_string(const struct xlsx *x, size_t i);

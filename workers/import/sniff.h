/*
 * sniff - detects the dialect of a file of delimited records; see csv.h.
 *
 * The beginning of the file is read once with each delimiter and quote (a trial).  A delimiter is believed if at least
 * half of the records have the same number of fields, two or more, and if the records before the first of them are
 * proved to stand above a table: values hold commas, too, and a file with one column must not be split.  A delimiter
 * that values hold often (':' in times and addresses) must split every record, the first into names.  Of those that are
 * believed the one under which most records are alike wins.  Otherwise the file has one column.
 */
#pragma once

#include "workers/import/csv.h"

/* Detect the dialect of the file that begins with text; columns is 0 if there is no record. */
void csv_sniff(struct span text, bool ends, const struct rows_wishes *wishes, struct csv_dialect *d);

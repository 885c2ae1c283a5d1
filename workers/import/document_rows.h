/* document_rows - the texts of a column, one row in each line. */
#pragma once

#include "workers/import/document_import.h"

/*
 * Read a column's texts from lines of JSON that the owner's command writes: {"keys":["id"]}, the names of the key's
 * columns, possibly empty; [17,"text"] for each row, its key before its text; {"rows":1} at the end.  Before each row's
 * passages row() gets the JSON member that names it: "row":{"id":17}, or "row_number":1.
 */
int document_read_rows(int fd, void (*row)(void *arg, struct span member), chunker_take take, void *arg,
    struct err *err);

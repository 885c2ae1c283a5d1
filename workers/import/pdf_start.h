/* pdf_start - the processes that read a PDF. */
#pragma once

#include "workers/import/pdf.h"

/* Whether the file begins like a PDF. */
bool pdf_is(int fd);

/*
 * Start program on the file.  Call before the own confinement; the program dies with the caller.  -1: *err, a sentence
 * for the person who gave the file.
 */
int pdf_start(struct pdf *pdf, const char *program, int fd, bool best_effort, struct err *err);

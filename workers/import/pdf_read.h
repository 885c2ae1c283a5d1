/* pdf_read - reads pdftotext's output, errors and exit status. */
#pragma once

#include "workers/import/pdf.h"

/* Read all text into c; *pages: the number of pages.  -1 with *err: discard what c got. */
int pdf_read(const struct pdf *pdf, struct chunker *c, uint32_t *pages, struct err *err);

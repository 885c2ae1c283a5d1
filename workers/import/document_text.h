/* document_text - plain text, Markdown and pages, line by line: finds paragraphs and headings. */
#pragma once

#include "workers/import/document_import.h"

/* Read plain text or Markdown from fd into c.  UTF-8, UTF-16 with a byte order mark, else Windows-1252. */
int document_read_text(int fd, bool markdown, struct chunker *c, struct err *err);

/*
 * Read a program's output, UTF-8 with a form feed at the end of each page, which increments *pages.  Fails also after
 * more than bytes_max bytes.
 */
int document_read_pages(int fd, uint64_t bytes_max, struct chunker *c, uint32_t *pages, struct err *err);

/*
 * document_docx - the text of a Word document (Office Open XML, ECMA-376 part 1, chapter 17).
 *
 * Paragraphs in order, table cells one after another, then footnotes and endnotes.  Left out are deletions under
 * review, field codes, and alternate content for older readers.
 */
#pragma once

#include "workers/import/document_import.h"

/* Read DOCX: a zip with word/document.xml.  fd is read from its start. */
int document_read_docx(int fd, struct chunker *c, struct err *err);

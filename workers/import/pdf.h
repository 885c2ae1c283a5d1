/*
 * pdf - the text of a PDF, by poppler's pdftotext.
 *
 * It runs as a process of its own under policy_pdf: the file is its standard input, its text comes through a pipe, and
 * there is nothing that it can write.  What it may take (memory, time) is bounded, and what became of it is told by a
 * third process, which reads nothing of strangers.
 */
#ifndef WORKERS_IMPORT_PDF_H
#define WORKERS_IMPORT_PDF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "workers/import/chunker.h"

#define PDF_PROGRAM		"/usr/bin/pdftotext"
#define PDF_FILE_MAX		((int64_t)256 << 20)	/* bytes; it keeps the file in its memory */
#define PDF_TEXT_MAX		((uint64_t)512 << 20)
#define PDF_MEMORY_MAX		((uint64_t)1 << 30)
#define PDF_COMPUTING_S		120
#define PDF_DEADLINE_S		300

/* Descriptors to read, the owner's to close; -1: none. */
struct pdf {
	int	text;		/* UTF-8; each page ends with a form feed */
	int	complaints;	/* after the text */
	int	status;		/* one int as waitpid() fills it, after both */
};

#define PDF_NONE	((struct pdf){ -1, -1, -1 })

/* Whether the file begins as a PDF does. */
bool pdf_is(int fd);

/*
 * Start program on the file.  Before the caller confines itself; it dies with the caller.  -1: *err says why not, in a
 * sentence for whoever gave the file.
 */
int pdf_start(struct pdf *pdf, const char *program, int fd, bool best_effort, struct err *err);

/* All text into c, *pages: how many there are.  -1: *err says why not; what c got is to be thrown away. */
int pdf_read(const struct pdf *pdf, struct chunker *c, uint32_t *pages, struct err *err);

#endif

/*
 * pdf - the text of a PDF, by poppler's pdftotext.
 *
 * pdftotext runs as a process of its own under policy_pdf: the file is its standard input, its text comes through a
 * pipe, and it can write nothing else.  Memory and time are bounded.  A third process, which reads no foreign data,
 * reports its exit status.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "workers/import/chunker.h"

#define PDF_PROGRAM		"/usr/bin/pdftotext"
#define PDF_FILE_MAX		((int64_t)256 << 20)	/* bytes; pdftotext keeps the file in memory */
#define PDF_TEXT_MAX		((uint64_t)512 << 20)
#define PDF_MEMORY_MAX		((uint64_t)1 << 30)
#define PDF_COMPUTING_S		120
#define PDF_DEADLINE_S		300

/* Descriptors to read, owned by the caller; -1: none. */
struct pdf {
	int	text;		/* UTF-8; each page ends with a form feed */
	int	complaints;	/* standard error, to be read after the text */
	int	status;		/* an int as from waitpid(), to be read last */
};

#define PDF_NONE	((struct pdf){ -1, -1, -1 })

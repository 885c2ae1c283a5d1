/*
 * document_import - writes a file's text as a file of passages for carrel_search:
 * <project>/.carrel/documents/<dataset's id>/<name>.jsonl; docs/datasets.md describes its lines.
 */
#ifndef WORKERS_IMPORT_DOCUMENT_IMPORT_H
#define WORKERS_IMPORT_DOCUMENT_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "workers/import/chunker.h"
#include "workers/import/pdf.h"

enum document_format { DOCUMENT_GUESS, DOCUMENT_MARKDOWN, DOCUMENT_ROWS };

struct document_import {
	int			 fd;		/* the input: seekable, unless it is rows */
	const char		*path;		/* of the output; its directory exists */
	const char		*temporary;	/* the output while it is written, in the same directory */
	const char		*source_file;	/* the name for citations */
	enum document_format	 format;
	const struct pdf	*pdf;		/* the program that reads it; NULL: not a PDF */
	uint64_t		 chunks_max;	/* the maximal number of passages */
};

struct document_report {
	uint32_t	pages;		/* 0: the format has no pages */
	uint64_t	chunks;
};

/* 0: path is the new document, replacing the old one.  -1 with *err: nothing changed. */
int document_write_file(const struct document_import *d, struct document_report *report, struct err *err);

/* The format with this name; DOCUMENT_GUESS: none. */
enum document_format document_format_named(const char *name);

/* Read plain text or Markdown from fd into c.  UTF-8, UTF-16 with a byte order mark, else Windows-1252. */
int document_read_text(int fd, bool markdown, struct chunker *c, struct err *err);

/*
 * Read a program's output, UTF-8 with a form feed at the end of each page, which increments *pages.  Fails also after
 * more than bytes_max bytes.
 */
int document_read_pages(int fd, uint64_t bytes_max, struct chunker *c, uint32_t *pages, struct err *err);

/*
 * Read a column's texts from lines of JSON that the owner's command writes: {"keys":["id"]}, the names of the key's
 * columns, possibly empty; [17,"text"] for each row, its key before its text; {"rows":1} at the end.  Before each row's
 * passages row() gets the JSON member that names it: "row":{"id":17}, or "row_number":1.
 */
int document_read_rows(int fd, void (*row)(void *arg, struct span member), chunker_take take, void *arg,
    struct err *err);

/* Read DOCX: a zip with word/document.xml.  fd is read from its start. */
int document_read_docx(int fd, struct chunker *c, struct err *err);

#endif

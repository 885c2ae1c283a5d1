/*
 * document - a file's text as a file of passages that carrel_search reads:
 * <project>/.carrel/documents/<dataset's id>/<name>.jsonl, whose lines are described in docs/datasets.md.
 */
#ifndef WORKERS_IMPORT_DOCUMENT_H
#define WORKERS_IMPORT_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "workers/import/chunker.h"
#include "workers/import/pdf.h"

enum document_format { DOCUMENT_GUESS, DOCUMENT_MARKDOWN, DOCUMENT_ROWS };

struct document {
	int			 fd;		/* the file: seekable, unless it is rows */
	const char		*path;		/* of what is written; its directory exists */
	const char		*temporary;	/* where it is written first, in the same directory */
	const char		*source_file;	/* as it is cited */
	enum document_format	 format;
	const struct pdf	*pdf;		/* what reads the file; NULL: it is no PDF */
	uint64_t		 chunks_max;	/* for which there is room */
};

struct document_report {
	uint32_t	pages;		/* 0: the format has none */
	uint64_t	chunks;
};

/* 0: path is the new document, in the place of the one before.  -1: *err says why not, and nothing changed. */
int document_write_file(const struct document *d, struct document_report *report, struct err *err);

/* The format with this name, DOCUMENT_GUESS when there is none. */
enum document_format document_format_named(const char *name);

/*
 * The reader of plain text and Markdown: what fd holds into c.  UTF-8, UTF-16 with its mark, else Windows-1252.
 */
int document_read_text(int fd, bool markdown, struct chunker *c, struct err *err);

/*
 * The reader of what a program says, UTF-8 with a form feed at the end of each page; *pages is raised by each.
 * -1 also when there are more than bytes_max.
 */
int document_read_pages(int fd, uint64_t bytes_max, struct chunker *c, uint32_t *pages, struct err *err);

/*
 * The reader of a column's texts, as the owner's command says them in lines of JSON: {"keys":["id"]}, the names of the
 * key's columns, empty when there is no key; [17,"text"] for each row, its key before its text; {"rows":1} at the end.
 * row is told the member of the passages to come that says the row: "row":{"id":17}, or "row_number":1.
 */
int document_read_rows(int fd, void (*row)(void *arg, struct span member), chunker_take take, void *arg,
    struct err *err);

/* The reader of DOCX: a zip with word/document.xml.  fd is read from its start. */
int document_read_docx(int fd, struct chunker *c, struct err *err);

#endif

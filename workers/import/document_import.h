/*
 * document_import - writes a file's text as a file of passages for carrel_search:
 * <project>/.carrel/documents/<dataset's id>/<name>.jsonl; docs/datasets.md describes its lines.
 */
#pragma once

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

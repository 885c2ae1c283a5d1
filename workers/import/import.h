/*
 * import - a file as a table: read once for the types, once for the values.
 */
#ifndef WORKERS_IMPORT_IMPORT_H
#define WORKERS_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define IMPORT_REJECTS	100	/* that the report names; a file has the others */

enum import_format { IMPORT_GUESS, IMPORT_CSV, IMPORT_TSV, IMPORT_JSON, IMPORT_JSONL, IMPORT_XLSX, IMPORT_PARQUET };

struct import {
	int			 fd;		/* the file: seekable */
	enum import_format	 format;	/* IMPORT_GUESS: from what the file begins with */
	const char		*database;	/* path */
	const char		*table;
	bool			 replace, strict;
	int			 rejects_fd;	/* where every reject goes, a line of JSON each; -1: nowhere */

	/* permille of the whole work; called when it changes.  May be NULL. */
	void			(*progress)(void *arg, unsigned permille, const char *what);
	/* Everything is kept from now on: the inside of a JSON object with "rows", "columns" and "rejects". */
	void			(*kept)(void *arg, struct span report);
	void			*arg;
};

/* 0 when kept() was called; -1: *err, and nothing of the file was kept. */
int import_run(const struct import *job, struct err *err);

/* The format with this name, IMPORT_GUESS when there is none. */
enum import_format import_format_named(const char *name);

#endif

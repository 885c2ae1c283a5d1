/* import - imports a file as a table: one pass for the types, one for the values. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "workers/import/encoding.h"
#include "workers/import/rows_records.h"

#define IMPORT_REJECTS	100	/* named in the report; the rejects file has all */

enum import_format {
	IMPORT_GUESS,
#define IMPORT_FORMAT(word, FORMAT)	IMPORT_##FORMAT,
#include "project/import_words.def"
};

struct import {
	int			 fd;		/* the file: seekable; for Parquet a stream (project/import_stream.h) */
	uint64_t		 size;		/* of the Parquet file, in bytes */
	enum import_format	 format;	/* IMPORT_GUESS: decided by the first bytes */
	const char		*database;	/* path */
	const char		*table;
	bool			 replace, strict;
	struct rows_wishes	 wishes;
	const struct encoding_choice	*encoding;	/* NULL: found out */
	const char *const	*types;		/* "COLUMN=word", a word of import_words.def */
	size_t			 ntypes;
	int			 rejects_fd;	/* gets every reject, one line of JSON each; -1: none */

	/* permille of the whole work; called on changes.  May be NULL. */
	void			(*progress)(void *arg, unsigned permille, const char *what);
	/* Called after the commit, with members of a JSON object: rows, columns, rejects, file, skipped, notes. */
	void			(*kept)(void *arg, struct span report);
	void			*arg;
};

/* 0 after kept() was called; -1: *err, and nothing was imported. */
int import_run(const struct import *job, struct err *err);

/* The format with this name; IMPORT_GUESS: none. */
enum import_format import_format_named(const char *name);

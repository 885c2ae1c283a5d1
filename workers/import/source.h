/*
 * source - the bytes of a text file as UTF-8, whatever it was written in.
 *
 * Byte order marks decide; without one a file is UTF-8 until a byte is not.
 * If nothing before that byte was beyond ASCII, the whole file is taken for
 * Windows-1252, and reading has to begin again (SOURCE_AGAIN); otherwise the
 * bytes stay as they are, and dirty says that records have to be looked at.
 */
#ifndef WORKERS_IMPORT_SOURCE_H
#define WORKERS_IMPORT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum encoding { ENCODING_UTF8, ENCODING_UTF16LE, ENCODING_UTF16BE, ENCODING_WINDOWS_1252 };

enum source_more {
	SOURCE_MORE,	/* there are more bytes at the end than before */
	SOURCE_END,	/* there are not: this is all */
	SOURCE_AGAIN,	/* the encoding turned out to be another: rewind */
	SOURCE_FULL,	/* more than ROWS_RECORD_MAX bytes are unread */
	SOURCE_FAILED	/* *err */
};

struct source {
	int		 fd;		/* seekable; not owned */
	enum encoding	 encoding;
	bool		 beyond_ascii;	/* a character of several bytes was seen */
	bool		 ends;		/* the file's last byte was read */
	bool		 dirty;		/* since the last rewind bytes came that are no UTF-8, or NUL */
	size_t		 checked;	/* of text: valid so far */
	struct buf	 text;		/* read and not yet consumed */
	struct buf	 raw;		/* of a character whose rest is still to come */
	uint64_t	 done, total;	/* bytes of the file */
};

/* -1: *err, for what is no regular file. */
int source_open(struct source *s, int fd, struct err *err);
void source_close(struct source *s);

/* From the start; the encoding stays as it was found. */
int source_rewind(struct source *s, struct err *err);

/* Append what comes next to s->text. */
enum source_more source_read(struct source *s, struct err *err);

/* n bytes of s->text are done with. */
void source_consume(struct source *s, size_t n);

#endif

/*
 * source_text - the bytes of a text file as UTF-8, from any encoding.
 *
 * A byte order mark decides; without one a file counts as UTF-8 until an invalid byte.  If only ASCII came before that
 * byte, the whole file is taken for Windows-1252, and must be read again (SOURCE_AGAIN); otherwise the bytes stay, and
 * dirty tells that records must be checked.
 */
#ifndef WORKERS_IMPORT_SOURCE_TEXT_H
#define WORKERS_IMPORT_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum encoding { ENCODING_UTF8, ENCODING_UTF16LE, ENCODING_UTF16BE, ENCODING_WINDOWS_1252 };

enum source_more {
	SOURCE_MORE,	/* bytes were appended */
	SOURCE_END,	/* the end of the file was reached */
	SOURCE_AGAIN,	/* another encoding was detected: rewind */
	SOURCE_FULL,	/* more than ROWS_RECORD_MAX bytes are unread */
	SOURCE_FAILED	/* *err */
};

struct import_source {
	int		 fd;		/* seekable; not owned */
	enum encoding	 encoding;
	bool		 beyond_ascii;	/* a multi-byte character was seen */
	bool		 ends;		/* the last byte of the file was read */
	bool		 dirty;		/* since the last rewind there were invalid bytes or NUL */
	size_t		 checked;	/* length of text that is valid */
	struct buf	 text;		/* read but not consumed yet */
	struct buf	 raw;		/* bytes of an incomplete character */
	uint64_t	 done, total;	/* bytes of the file */
};

/* -1: *err, when fd is not a regular file. */
int source_open(struct import_source *s, int fd, struct err *err);
void source_close(struct import_source *s);

/* Read again from the start, with the detected encoding. */
int source_rewind(struct import_source *s, struct err *err);

/* Read on, and append to s->text. */
enum source_more source_read(struct import_source *s, struct err *err);

/* Drop the first n bytes of s->text. */
void source_consume(struct import_source *s, size_t n);

#endif

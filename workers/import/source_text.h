/*
 * source_text - the bytes of a text file as UTF-8, from any encoding.
 *
 * A byte order mark decides; without one a file counts as UTF-8 until an invalid byte, unless it looks like UTF-16.
 * Then the encoding is guessed (encoding.h), and if it is another one the whole file must be read again (SOURCE_AGAIN).
 * An encoding that was named is never changed.  Bytes that are no text stay, or become the byte 0xff, and dirty tells
 * that records must be checked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "workers/import/encoding.h"
#include "workers/import/notes.h"

enum source_more {
	SOURCE_MORE,	/* bytes were appended */
	SOURCE_END,	/* the end of the file was reached */
	SOURCE_AGAIN,	/* another encoding was detected: rewind */
	SOURCE_FULL,	/* more than ROWS_RECORD_MAX bytes are unread */
	SOURCE_FAILED	/* *err */
};

struct import_source {
	int		 fd;		/* seekable; not owned */
	struct encoding_choice	encoding;
	bool		 decided;	/* by its name, a mark, or a guess */
	uint64_t	 high;		/* offset of the first byte beyond ASCII in the file; UINT64_MAX: none yet */
	bool		 ends;		/* the last byte of the file was read */
	bool		 dirty;		/* since the last rewind there were invalid bytes or NUL */
	size_t		 checked;	/* length of text that is valid */
	struct buf	 text;		/* read but not consumed yet */
	struct buf	 raw;		/* bytes of an incomplete character */
	uint64_t	 done, total;	/* bytes of the file */
};

/* encoding: NULL to detect it.  -1: *err, when fd is not a regular file. */
int source_open(struct import_source *s, int fd, const struct encoding_choice *encoding, struct err *err);
void source_close(struct import_source *s);

/* Read again from the start, with the detected encoding. */
int source_rewind(struct import_source *s, struct err *err);

/* Read on, and append to s->text. */
enum source_more source_read(struct import_source *s, struct err *err);

/* Append the encoding as a member of a JSON object, and the doubt about it to the notes. */
void source_describe(const struct import_source *s, struct buf *out);
void source_doubt(const struct import_source *s, struct import_notes *notes);

/* Drop the first n bytes of s->text. */
void source_consume(struct import_source *s, size_t n);

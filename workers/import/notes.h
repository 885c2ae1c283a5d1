/* notes - what an import says besides its rows: lines that are in no row, and why something is as it is. */
#pragma once

#include <stdint.h>

#include "base/buf.h"

#define NOTES_QUOTED	60	/* bytes of a file's text in a note */

struct import_notes {
	struct buf	json;		/* the elements of a list: {"line", "column", "note"} */
	uint64_t	skipped;	/* lines that are neither in the table nor rejected; blank lines do not count */
};

/* line 0: none; an empty column: none. */
void notes_add(struct import_notes *n, uint64_t line, struct span column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Append t in quotes, valid UTF-8 on one line; what is longer than NOTES_QUOTED ends in an ellipsis. */
void notes_quote(struct buf *out, struct span t);

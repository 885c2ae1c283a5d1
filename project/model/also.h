/*
 * also - other names of a thing in a sentence of its description, for files that must not have other keys than ktx's:
 * "Also called a, b, c."
 *
 * The sentence begins the text or follows another one, in any letter case, and may be in parentheses.  It ends with a
 * full stop, ! or ? before white space, or with the text; a dot inside a name (U.S. revenue) does not end it.  Names
 * are separated by commas, semicolons or "or", with or without quotes.  Pure; results borrow from the text.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

#define ALSO_NAMES_MAX	64u	/* further names of one text are passed over */
#define ALSO_NAME_MAX	100u	/* bytes; what is longer is no name */

struct also {
	struct span	rest;		/* of the text, behind the sentence */
	struct span	names;		/* of the sentence, not yet read */
	unsigned	n;		/* names given out */
};

void also_begin(struct also *also, struct span text);

/* The next name, trimmed; false at the end. */
bool also_next(struct also *also, struct span *name);

/* Append text without such sentences. */
void also_without(struct span text, struct buf *out);

/*
 * kinds - what a thing of every day is a kind of: whoever asks for red looks
 * for a colour.  It goes one way only: colours are not looked for as red.
 */
#ifndef SEARCH_KINDS_H
#define SEARCH_KINDS_H

#include <stddef.h>

#include "base/span.h"

#define KINDS_OF_MAX	4	/* kinds of one thing; it is not of more */

/* What the folded word, in any form, is one of; static, one word each.  Returns how many. */
size_t kinds_of(struct span folded, struct span out[KINDS_OF_MAX]);

#endif

/* spelling - the likelihood that an unknown word is a misspelling of a known one. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "words/text.h"

#define SPELLING_GRAMS_MAX (TEXT_WORD_MAX + 2)

/* Three bytes each, of the word with its beginning and its end; at most TEXT_WORD_MAX bytes of word.  Returns how many. */
size_t spelling_grams(struct span word, uint32_t keys[SPELLING_GRAMS_MAX]);

/*
 * How likely `term` is meant by `word`, given its number of characters; 0: not at all.
 * A misspelling before a beginning.
 */
float spelling_likeness(struct span word, size_t chars, struct span term);

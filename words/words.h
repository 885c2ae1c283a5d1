/* words - the word lists of words.def: words with a function rather than a subject. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

enum word_list {
	WORDS_FUNCTION,		/* carry little in a question: the, of; German ones where they are no English words */
	WORDS_CONTAINER,	/* may precede a table's name: in the table orders */
	WORDS_PARTICLE,		/* what verbs are put together with, behind what they are about: send clothes BACK */
	WORDS_ASKING,		/* say what is to be done with the answers of a long question: sorted by, the number of */
	WORD_LISTS
};

#define WORDS_LONGEST	24	/* bytes */

/* Whether the folded text, a word or several with a blank between them, is in the list. */
bool words_has(enum word_list list, struct span folded);

/* The i-th of the list; NULL behind the last.  For tests. */
const char *words_at(enum word_list list, size_t i);

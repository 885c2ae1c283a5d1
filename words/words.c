#include <stdlib.h>
#include <string.h>

#include "words/words.h"

#define WORDS(list, ...) static const char list##_words[][WORDS_LONGEST] = { __VA_ARGS__ };
#include "words/words.def"
#undef WORDS

static const struct {
	const char	(*v)[WORDS_LONGEST];
	size_t		  n;
} lists[WORD_LISTS] = {
#define WORDS(list, ...) [WORDS_##list] = { list##_words, sizeof(list##_words) / WORDS_LONGEST },
#include "words/words.def"
#undef WORDS
};

static int
by_word(const void *key, const void *element)
{
	const struct span *word = key;
	const char *listed = element;

	return span_cmp(*word, span_of(listed, strnlen(listed, WORDS_LONGEST)));
}

bool
words_has(enum word_list list, struct span folded)
{
	return folded.len <= WORDS_LONGEST &&
	    bsearch(&folded, lists[list].v, lists[list].n, WORDS_LONGEST, by_word) != NULL;
}

const char *
words_at(enum word_list list, size_t i)
{
	return i < lists[list].n ? lists[list].v[i] : NULL;
}

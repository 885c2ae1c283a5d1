/* guess - words of the index that an unknown word of a question may mean; see vocab.h. */
#pragma once

#include "workers/search/index/vocab.h"

/* Words that an unknown word may mean, best first. */
struct vocab_guess {
	uint32_t	term;
	float		likeness;	/* 0..1 */
};
#define VOCAB_GUESSES_MAX	12
size_t vocab_guess(struct vocab *v, struct span word, struct vocab_guess out[VOCAB_GUESSES_MAX]);

/*
 * Insert g into out, n of at most max, best first and then by text; the worst of a full list falls off.  Returns how
 * many there are.
 */
size_t vocab_rank(const struct vocab *v, struct vocab_guess *out, size_t n, size_t max, struct vocab_guess g);

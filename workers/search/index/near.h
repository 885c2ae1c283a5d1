/*
 * near - words of the vocabulary that are like another one by word vectors from a file (words/vectors.h).
 *
 * The vector of each word is looked up once and copied, centred and brought to length one, a byte a dimension, next to
 * the signs of its first numbers.  A word that is asked is compared with all of them by the signs, and by all numbers
 * with those that agree in enough signs to be like it: of two words, the part of signs that differ is the
 * angle between them by pi (Charikar, "Similarity estimation techniques from rounding algorithms", 2002).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "words/vectors.h"
#include "workers/search/index/guess.h"

struct near {
	const struct vectors	*vectors;	/* NULL: none; borrowed, and perhaps still being read */
	uint32_t		 looked_up;	/* words of the vocabulary so far */
	size_t			 n, values_cap, words_cap;
	int8_t			*values;	/* of those that have a vector, its dimensions */
	struct near_word {
		uint32_t	term;
		float		scale;
		uint64_t	signs[2];
	}			*words;
};

/* Look up the words of v that are new, until then.  True: there are more, or the vectors are still being read. */
bool near_step(struct near *n, const struct vocab *v, uint64_t until_ns);

/*
 * The words like `word` that documents have, best first; at least this likeness.  The word itself may be among them.  A
 * function word (the) is like none, and none is like it.
 */
#define NEAR_MAX	12
size_t near_find(const struct near *n, const struct vocab *v, struct span word, float least,
    struct vocab_guess out[NEAR_MAX]);

size_t near_bytes(const struct near *n);
void near_fini(struct near *n);

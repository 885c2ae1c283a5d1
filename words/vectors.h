/*
 * vectors - static word vectors from a file, and vectors of texts made from them.
 *
 * The file is text in the format of word2vec, GloVe and fastText: one word per line, most frequent first, followed by
 * its numbers; the first line may have two numbers (words, dimensions).  A text's vector is the mean of its words'
 * vectors, weighted by the words' rarity (Arora et al., "A simple but tough-to-beat baseline for sentence embeddings",
 * 2017), minus the common mean.  Vectors are kept with one byte per dimension.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "words/names.h"

#define VECTORS_DIMENSIONS_MAX	1024
#define VECTORS_WORDS_MAX	1000000u

struct vectors {
	unsigned	 dimensions;	/* 0: no vectors */
	struct names	 words;
	size_t		 cap;
	int8_t		*values;
	float		*scales;	/* a number is its byte times this */
	float		*mean;		/* the mean of all */
	double		*sum;		/* during reading */
	int		 fd;		/* being read; -1: closed */
	struct buf	 text;
	uint64_t	 line;
	char		*trouble;	/* why they are not usable, or only in part; NULL: no problem */
};

/* vectors_step() reads and closes fd; -1: there is no file. */
void vectors_init(struct vectors *v, int fd);
void vectors_fini(struct vectors *v);

/* Continue reading until then.  True: there is more. */
bool vectors_step(struct vectors *v, uint64_t until_ns);

/* Whether vectors of texts can be made. */
static inline bool
vectors_ready(const struct vectors *v)
{
	return v->dimensions > 0 && v->fd == -1;
}

/* The vector of text, normalised, into out (dimensions).  False: none of its words has a vector. */
bool vectors_of_text(const struct vectors *v, struct span text, float *out);

size_t vectors_bytes(const struct vectors *v);

/*
 * vectors - static word vectors from a file, and the vectors of texts made of them.
 *
 * The file is text, as word2vec, GloVe and fastText write it: a line a word, most frequent first, its numbers behind
 * it; a first line of two numbers (how many, dimensions) may stand in front.  A text's vector is the mean of its
 * words', weighted by how seldom a word is (Arora et al., "A simple but tough-to-beat baseline for sentence
 * embeddings", 2017), less what all words have in common.  Vectors are kept in a byte a dimension.
 */
#ifndef PASSAGES_VECTORS_H
#define PASSAGES_VECTORS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "words/names.h"

#define VECTORS_DIMENSIONS_MAX	1024
#define VECTORS_WORDS_MAX	1000000u

struct vectors {
	unsigned	 dimensions;	/* 0: there are none */
	struct names	 words;
	size_t		 cap;
	int8_t		*values;
	float		*scales;	/* a number is its byte times this */
	float		*mean;		/* what all have in common */
	double		*sum;		/* while they are read */
	int		 fd;		/* being read; -1: not, or wholly */
	struct buf	 text;
	uint64_t	 line;
	char		*trouble;	/* why they cannot be used, or not wholly; NULL: nothing */
};

/* fd is read by vectors_step() and closed; -1: there is no file. */
void vectors_init(struct vectors *v, int fd);
void vectors_fini(struct vectors *v);

/* Read on until then.  True: there is more. */
bool vectors_step(struct vectors *v, uint64_t until_ns);

/* Ready to make vectors of texts? */
static inline bool
vectors_ready(const struct vectors *v)
{
	return v->dimensions > 0 && v->fd == -1;
}

/* The vector of text, of length 1, into out (dimensions).  False: none of its words has one. */
bool vectors_of_text(const struct vectors *v, struct span text, float *out);

size_t vectors_bytes(const struct vectors *v);

#endif

/*
 * terms - the words of documents, numbered by their stems, and their relation to a question's words.
 *
 * A separate vocabulary: documents do not influence the search over the project's data.
 */
#pragma once

#include "workers/search/index/vocab.h"
#include "words/names.h"

struct terms {
	struct vocab	*vocab;		/* words as written */
	struct names	 stems;		/* a term is the number of a stem */
	size_t		 cap;
	uint32_t	*of_word;	/* the term of each word of the vocabulary, plus 1; 0: unknown yet */
};

void terms_init(struct terms *t);
void terms_fini(struct terms *t);

/* The number of a folded word in the vocabulary, and its term. */
uint32_t terms_word(struct terms *t, struct span folded, uint32_t *term);

#define TERMS_ALIKE_MAX	8

struct terms_alike {
	uint32_t	term;
	float		likeness;	/* 0..1 */
	bool		same;		/* a form of the word itself */
};

/*
 * The terms that a folded word of a question may mean: its stem, other forms of its German stem, words that WordNet
 * relates to it, and, if guess is set and nothing else is found, spelling corrections.  Returns their number.
 */
size_t terms_alike(struct terms *t, struct span folded, bool guess, struct terms_alike out[TERMS_ALIKE_MAX]);

size_t terms_bytes(const struct terms *t);

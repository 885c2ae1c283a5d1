/*
 * brief - words of names that may be short for longer ones: lohnabr, kuendfrist,
 * cstmr.  Those that the lexicon knows need not be here; what is left is found
 * by its letters, which stand in the longer word in the same order.
 */
#ifndef SEARCH_BRIEF_H
#define SEARCH_BRIEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define BRIEF_LEAST	3	/* letters of a word that may be short for another */
#define BRIEF_MOST	14

struct brief {
	uint32_t	letters;	/* a bit for each that is in it */
	uint32_t	len;
	uint32_t	term;
};

/* By first letter. */
struct briefs {
	struct brief_list {
		size_t		 n, cap;
		struct brief	*v;
	}		lists[26];
};

void briefs_fini(struct briefs *b);

/* Note a word; false: it cannot be short for another one. */
bool briefs_add(struct briefs *b, uint32_t term, struct span word);

/* Those that may be short for word, by their letters alone: from *at on, the next one's term.  False: none. */
bool briefs_next(const struct briefs *b, struct span word, size_t *at, uint32_t *term);

size_t briefs_bytes(const struct briefs *b);

/* How likely brief is short for word: 0 is not at all, below 1. */
float brief_likeness(struct span brief, struct span word);

/* Letters without a vowel behind the first: ptnt. */
bool brief_is_skeleton(struct span word);

/* The other way round: how likely a skeleton in a question is meant to be word.  0: it is not. */
float brief_expansion(struct span skeleton, struct span word);

#endif

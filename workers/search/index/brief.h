/*
 * brief - abbreviations that are not in the lexicon: lohnabr, kuendfrist, cstmr.  An abbreviation has letters of
 * the longer word in the same order.
 */
#pragma once

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

/* Add a word; false: it cannot be an abbreviation. */
bool briefs_add(struct briefs *b, uint32_t term, struct span word);

/* Possible abbreviations of word, by their letters: from *at on, the next one's term.  False after the last. */
bool briefs_next(const struct briefs *b, struct span word, size_t *at, uint32_t *term);

size_t briefs_bytes(const struct briefs *b);

/* How likely brief is an abbreviation of word, below 1; 0: impossible. */
float brief_likeness(struct span brief, struct span word);

/* Whether there is no vowel after the first letter: ptnt. */
bool brief_is_skeleton(struct span word);

/* The likelihood that a word without vowels in a question means word; 0: impossible. */
float brief_expansion(struct span skeleton, struct span word);

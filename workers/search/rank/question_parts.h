/* question_parts - what question.c and variants.c share; private to them. */
#ifndef SEARCH_QUESTION_PARTS_H
#define SEARCH_QUESTION_PARTS_H

#include "words/lexicon.h"
#include "workers/search/rank/match.h"

/* A new group of q without variants; NULL: no room. */
struct match_group *question_group(struct question *q, struct arena *a, uint32_t words);

/* The word itself in one of its forms; before all others. */
void question_own(struct match_group *g, const struct vocab *v, uint32_t term, float factor);

/* Add a variant of the word; VOCAB_NONE is ignored. */
void question_other(struct match_group *g, const struct vocab *v, uint32_t term, float factor, enum relation relation);

/* The likeness of two words of one lexicon row, by their places in it. */
float question_likeness(enum lexicon_class a, enum lexicon_class b);

/* Make the group of word i: its forms, synonyms and abbreviations. */
void question_add_forms(struct question *q, struct vocab *v, struct arena *a, size_t i);

/* Words in a row that are a phrase of the lexicon, as what it is shortened to. */
void question_add_phrases(struct question *q, struct vocab *v, struct arena *a);

/* All words that carry something, as the whole name of a document. */
void question_add_whole(struct question *q, struct vocab *v, struct arena *a);

/* The whole question as a name and its owner's name. */
void question_add_paths(struct question *q, const struct vocab *v);

/* No document has word i: add words with a similar spelling. */
void question_add_guesses(struct question *q, struct vocab *v, struct arena *a, size_t i);

/* Word i is a compound, but may also be a misspelling of a known word. */
void question_add_misspelt(struct question *q, struct vocab *v, struct arena *a, size_t i);

#endif

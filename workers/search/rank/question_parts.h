/* question_parts - what question.c and variants.c share; private to them. */
#ifndef SEARCH_QUESTION_PARTS_H
#define SEARCH_QUESTION_PARTS_H

#include "workers/search/words/lexicon.h"
#include "workers/search/rank/match.h"

/* A new group of q without variants; NULL: no room. */
struct match_group *question_group(struct question *q, struct arena *a, uint32_t words);

/* The word itself in one of its forms; before all others. */
void question_own(struct match_group *g, const struct vocab *v, uint32_t term, float factor);

/* Another word that stands for it; VOCAB_NONE is none. */
void question_other(struct match_group *g, const struct vocab *v, uint32_t term, float factor, enum relation relation);

/* How like two words of one row of the lexicon are, by how they stand in it. */
float question_likeness(enum lexicon_class a, enum lexicon_class b);

/* The group of word i: its forms, what means the same, what may be short for it. */
void question_add_forms(struct question *q, struct vocab *v, struct arena *a, size_t i);

/* Words in a row that are a phrase of the lexicon, as what it is shortened to. */
void question_add_phrases(struct question *q, struct vocab *v, struct arena *a);

/* All words that carry something, as the whole name of a document. */
void question_add_whole(struct question *q, struct vocab *v, struct arena *a);

/* All of it as a name and whose it is. */
void question_add_paths(struct question *q, const struct vocab *v);

/* Nobody asked knows word i: what is spelt like it. */
void question_add_guesses(struct question *q, struct vocab *v, struct arena *a, size_t i);

/* Word i comes apart, but may as well be a word that is there and one letter away. */
void question_add_misspelt(struct question *q, struct vocab *v, struct arena *a, size_t i);

#endif

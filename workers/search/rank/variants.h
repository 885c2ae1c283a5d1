/*
 * variants - private to this folder: which words of the index stand for a word of the question, and the likeness of
 * each: its forms, words that mean the same, abbreviations; where no document has any of these, words that are spelt
 * alike.  See match.h.
 */
#pragma once

#include "workers/search/rank/question_parts.h"

/* A new group of q without variants; NULL: no room. */
struct match_group *question_add_group(struct question *q, struct arena *a, uint32_t words);

/* Add the word itself, in one of its forms: before all others. */
void group_add_own(struct match_group *g, const struct vocab *v, uint32_t term, float factor);

/* Add what stands for the word, once, with the best likeness it was added with; VOCAB_NONE is ignored. */
void group_add(struct match_group *g, const struct vocab *v, uint32_t term, float factor, enum relation relation);

/* Make the group of word i: its forms, what means the same, and what is short for it. */
void question_add_word(struct question *q, struct vocab *v, struct arena *a, size_t i);

/* Make a group of each phrase of the lexicon: of words in a row that mean something only together. */
void question_add_phrases(struct question *q, struct vocab *v, struct arena *a);

/* Make a group of guesses at word i, which no document has: words that are spelt like it. */
void question_add_guesses(struct question *q, struct vocab *v, struct arena *a, size_t i);

/* The same for word i that comes apart into known words, and may be a misspelt one all the same. */
void question_add_misspelt(struct question *q, struct vocab *v, struct arena *a, size_t i);

/*
 * Make a group of each word with what is like it by word vectors as well, for the semantic list.  The words that no
 * document has come first: where the vocabulary is large, not all have a turn.
 */
void question_add_near(struct question *q, struct vocab *v, struct arena *a);

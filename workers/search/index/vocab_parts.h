/* vocab_parts - what vocab.c and guess.c share; private to them. */
#ifndef WORKERS_SEARCH_INDEX_VOCAB_PARTS_H
#define WORKERS_SEARCH_INDEX_VOCAB_PARTS_H

#include "workers/search/index/grams.h"
#include "workers/search/index/vocab.h"

/* The table of all words. */
const struct grams *vocab_grams(const struct vocab *v);

/* A count for each word, zero between guesses. */
uint8_t *vocab_hits(struct vocab *v);

#endif

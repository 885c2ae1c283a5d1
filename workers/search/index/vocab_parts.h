/* vocab_parts - what vocab.c and guess.c share; private to them. */
#ifndef WORKERS_SEARCH_INDEX_VOCAB_PARTS_H
#define WORKERS_SEARCH_INDEX_VOCAB_PARTS_H

#include "workers/search/index/grams.h"
#include "workers/search/index/vocab.h"

#endif

/* question_parts - what question.c, variants.c and called.c share; private to them. */
#ifndef WORKERS_SEARCH_RANK_QUESTION_PARTS_H
#define WORKERS_SEARCH_RANK_QUESTION_PARTS_H

#include "words/lexicon.h"
#include "workers/search/rank/match.h"

#endif

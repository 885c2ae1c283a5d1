/* question_parts - what question.c, variants.c and called.c share; private to them. */
#pragma once

#include "words/lexicon.h"
#include "workers/search/rank/match.h"

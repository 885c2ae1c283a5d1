/* lexicon_head - which words of a head of several count: while the tables are made, and when a question is read. */
#pragma once

#include "words/lexicon.h"

/* Whether the function words of a head of several words count. */
bool lexicon_is_strict(struct span head);

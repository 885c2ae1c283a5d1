/* superlatives - "the largest depot", of which no number is said: asks by which one. */
#pragma once

#include "ask/plan.h"

/* Ask by what the rows of the source are ranked, for the word at item `word`. */
void superlatives_ask(struct plan *p, size_t word, uint32_t source);

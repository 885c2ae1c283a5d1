/* whole - whole names as one word; see vocab.h. */
#pragma once

#include "workers/search/index/vocab.h"

void vocab_whole_begin(struct vocab_whole *w);
void vocab_whole_add(struct vocab_whole *w, const struct vocab *v, uint32_t term, bool plain);

/* The same for a folded word of a question. */
void vocab_whole_text(struct vocab_whole *w, struct span folded, bool plain);

/* False: the name is empty or too long. */
bool vocab_whole_end(struct vocab_whole *w);

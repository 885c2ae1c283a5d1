/* matched - where the words of a question are in one document; see match.h. */
#pragma once

#include "workers/search/rank/match.h"

const char *relation_name(enum relation r);
const char *match_list_name(enum match_list list);

/* What doc is found by, MATCH_IN() of each: the words, guesses at them, what is like them. */
unsigned match_found_by(const struct question *q, const struct segment *s, uint32_t doc);

/* True when doc holds one of two terms; VOCAB_NONE matches nothing. */
bool match_holds(const struct segment *s, const uint32_t terms[2], uint32_t doc);

/* The field in which doc answers most of q, by the weights of words and fields. */
enum field match_field(const struct question *q, const struct segment *s, uint32_t doc);

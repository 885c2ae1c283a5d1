/*
 * baseline - the ranking of ktx 0.12 (discover_data), to be measured against.
 *
 * Three lists (wiki, semantic layer, raw schema), each by the share of the
 * question's words that are substrings of a field, times the field's weight,
 * fused by reciprocal rank.  Pages come from ktx's wiki search: BM25 over key,
 * summary, body and tags, and a list of its own by substrings.
 */
#ifndef TESTS_RELEVANCE_BASELINE_H
#define TESTS_RELEVANCE_BASELINE_H

#include "workers/search/library.h"

struct baseline;

/* Everything in l, flattened; l must stay as it is. */
struct baseline *baseline_new(struct library *l);
void baseline_free(struct baseline *b);

/* The first max ids, "kind:id", best first; valid until the next question.  Returns how many. */
size_t baseline_ask(struct baseline *b, const char *question, size_t max, const char **ids);

#endif

/*
 * subject - what a definition calls the figure that it defines: whether that
 * is a name, and whether the name says more than the formula holds.  Pure.
 */
#ifndef WORKERS_MEMORY_INGEST_SUBJECT_H
#define WORKERS_MEMORY_INGEST_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "workers/memory/ingest/condition.h"

/* The words without marks of markdown, an article, and words that only ask for the text to be kept. */
struct span subject_plain(struct span s);

/* "Metric", "our key figures": words that announce a name and are no name. */
bool subject_is_label(struct span words);

/* Whether a mark of a footnote stands at what a text calls a figure, markdown and all: "Net*", "Net[1]". */
bool subject_has_footnote(struct span raw);

/* The reason why these words are not a name, as a sentence without full stop; NULL: the words are a name. */
const char *subject_fault(struct span words);

/*
 * What the name says and the formula does not hold, as a sentence without its
 * full stop: an average, distinct things, the last days, a flag of the source.
 * NULL: nothing.  limited: the formula has a condition of its own, which may
 * be what the name says.
 */
const char *subject_misfit(const struct condition_of *of, struct span name, struct span formula, struct span filter,
    bool limited);

/* Where a name goes over into what limits it: "revenue | for paid orders"; its length: nowhere, 0: at once. */
size_t subject_limit(struct span name);

/* Whether the word is a pronoun for something named before: "it", "this". */
bool subject_is_pronoun(struct span word);

#endif

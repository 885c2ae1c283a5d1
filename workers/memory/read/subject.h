/*
 * subject - checks the name of a defined figure: whether it is valid, and whether it promises more than the formula
 * contains.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "workers/memory/read/condition.h"

/* The words without markdown, an article, and words that only ask to keep the text. */
struct span subject_plain(struct span s);

/* "Metric", "our key figures": words that introduce a name. */
bool subject_is_label(struct span words);

/* Whether the name, with its markdown, has a footnote mark: "Net*", "Net[1]". */
bool subject_has_footnote(struct span raw);

/* Whether the words ask, doubt or look back: "maybe", "formerly". */
bool subject_doubts(struct span words);

/* What helps where a formula has no usable name, and two reasons why it has none. */
#define SUBJECT_ADVICE		"; say \"X is defined as ...\""
#define SUBJECT_NAMELESS	"it has no name of its own" SUBJECT_ADVICE
#define SUBJECT_DOUBTS		"its sentence asks, doubts or looks back" SUBJECT_ADVICE

/* Why these words are not a name, as a sentence without full stop; NULL: they are. */
const char *subject_fault(struct span words);

/*
 * What the name promises and the formula lacks, as a sentence without full stop: an average, distinct counting, a
 * period, a flag of the source.  NULL: nothing.  limited: the formula has a condition of its own, which the name may
 * express.
 */
const char *subject_misfit(const struct condition_of *of, struct span name, struct span formula, struct span filter,
    bool limited);

/* The position where conditions begin in a name: "revenue | for paid orders"; its length: nowhere, 0: at the start. */
size_t subject_limit(struct span name);

/* Whether the word is a pronoun for something named before: "it", "this". */
bool subject_is_pronoun(struct span word);

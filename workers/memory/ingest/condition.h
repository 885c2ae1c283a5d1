/*
 * condition - what a text says beside a formula about which rows count.
 *
 * Only what leaves nothing to guess is understood: a condition in SQL, and
 * "without test orders" where exactly one boolean column of the source is
 * called after it.  Whatever else may limit a formula is unknown, and a
 * formula with something unknown beside it is no measure.  Pure.
 */
#ifndef WORKERS_MEMORY_INGEST_CONDITION_H
#define WORKERS_MEMORY_INGEST_CONDITION_H

#include "base/buf.h"
#include "base/span.h"
#include "project/source.h"

enum condition {
	CONDITION_NONE,		/* it limits nothing: a unit, a filler, all of the source */
	CONDITION_TAKEN,	/* appended to the filter */
	CONDITION_UNKNOWN
};

/* The source whose rows are meant; source NULL: only its name is known. */
struct condition_of {
	const struct source	*source;
	struct span		 name;
	struct span		 subject;	/* what is defined, for its abbreviation; may be empty */
	bool			 unscaled;	/* the formula multiplies and divides by no number */
	bool			 cents;		/* it is unscaled and its column counts cents */
};

/*
 * The part of a sentence before or after a formula: ", in euros, without test
 * orders".  With UNKNOWN, *what is the piece that was not understood.
 */
enum condition condition_part(const struct condition_of *of, struct span text, struct buf *filter, struct span *what);

/* A sentence of its own beside a formula: "Test orders do not count."  NONE: it is about something else. */
enum condition condition_sentence(const struct condition_of *of, struct span text, struct buf *filter);

/* Whether a sentence may say which rows count. */
bool condition_suspected(struct span sentence);

/* Whether a sentence speaks of the source's rows by its name. */
bool condition_mentions(const struct condition_of *of, struct span sentence);

/* Whether a sentence next to a formula may take something away from it: "We take them out." */
bool condition_takes_away(struct span sentence);

/* Whether the words of a name ask, doubt or look back: "whether net revenue". */
bool condition_doubts(struct span name);

/* Whether a name says an average or a quotient: "average fee", "fee per order". */
bool condition_divides(struct span name);

/* Where a name goes over into what limits it: "revenue | for paid orders"; its length: nowhere, 0: at once. */
size_t condition_starts(struct span name);

#endif

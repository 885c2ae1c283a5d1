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
#include "workers/memory/ingest/unit.h"

enum condition {
	CONDITION_NONE,		/* no limit: a unit, a filler word, all rows of the source */
	CONDITION_TAKEN,	/* appended to the filter */
	CONDITION_UNKNOWN
};

/* The source whose rows are meant; source NULL: only its name is known. */
struct condition_of {
	const struct source	*source;
	struct span		 name;
	struct span		 subject;	/* what is defined, for its abbreviation; may be empty */
	struct unit_facts	 unit;		/* what the formula is counted in */
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

/* Whether the word abbreviates what is defined: "NR" net revenue; "EU" does not. */
bool condition_abbreviates(const struct condition_of *of, struct span word);

#endif

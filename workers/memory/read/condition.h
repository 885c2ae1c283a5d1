/*
 * condition - reads conditions on rows from the text around a formula.
 *
 * Only unambiguous conditions are understood: a condition in SQL, and "without test orders" if exactly one boolean
 * column of the source has that name.  Any other text that may restrict a formula is UNKNOWN, and then the formula
 * does not become a measure.  Pure.
 */
#pragma once

#include "base/buf.h"
#include "base/span.h"
#include "project/model/source.h"
#include "workers/memory/read/unit.h"

enum condition {
	CONDITION_NONE,		/* no limit: a unit, a filler word, all rows of the source */
	CONDITION_TAKEN,	/* appended to the filter */
	CONDITION_UNKNOWN
};

/* The source whose rows are restricted; source NULL: only its name is known. */
struct condition_of {
	const struct source	*source;
	struct span		 name;
	struct span		 subject;	/* the name being defined, to recognise its abbreviation; may be
                                                 * empty */
	struct unit_facts	 unit;		/* unit of the formula */
};

/*
 * The part of a sentence before or after a formula: ", in euros, without test
 * orders".  With UNKNOWN, *what is the piece that was not understood.
 */
enum condition condition_part(const struct condition_of *of, struct span text, struct buf *filter, struct span *what);

/* A separate sentence next to a formula: "Test orders do not count."  NONE: it is about something else. */
enum condition condition_sentence(const struct condition_of *of, struct span text, struct buf *filter);

/* Whether a sentence may restrict the rows. */
bool condition_suspected(struct span sentence);

/* Whether the word abbreviates the name being defined: "NR" for net revenue; "EU" does not. */
bool condition_abbreviates(const struct condition_of *of, struct span word);

/*
 * unit - what a formula's columns are counted in, and whether a remark such as
 * "in thousands of euros" agrees with the formula.  Pure.
 */
#ifndef WORKERS_MEMORY_INGEST_UNIT_H
#define WORKERS_MEMORY_INGEST_UNIT_H

#include "project/source.h"
#include "workers/memory/ingest/wording.h"

enum unit_of { UNIT_UNKNOWN, UNIT_EUR, UNIT_USD, UNIT_GBP, UNIT_CHF, UNIT_JPY, UNIT_MS, UNIT_SECOND, UNIT_MINUTE,
	UNIT_HOUR, UNIT_DAY, UNIT_MIXED };

struct unit_facts {
	bool		read;		/* false: the formula was not examined */
	bool		unscaled;	/* it multiplies and divides by no number */
	bool		quotient;	/* it divides, or is an average */
	bool		cents;		/* it is unscaled and adds up cents */
	unsigned	zeros;		/* bit n: it holds 1 with n zeros behind it */
	enum unit_of	money, time;	/* what its columns are counted in, as their names and descriptions say */
};

/* source may be NULL: then names alone are looked at. */
void unit_read(const struct source *source, struct span formula, struct unit_facts *out);

/* Whether the words from `from` on say a unit and nothing else. */
bool unit_is(const struct wording *w, size_t from);

/* Whether one of the words is a unit. */
bool unit_within(const struct wording *w);

/* Whether the formula gives the unit that the words say. */
bool unit_fits(const struct unit_facts *f, const struct wording *w);

#endif

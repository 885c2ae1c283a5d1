/*
 * unit - the units of a formula's columns, and whether a remark such as "in thousands of euros" agrees with the
 * formula.  Pure.
 */
#pragma once

#include "project/model/source.h"
#include "workers/memory/read/wording.h"

enum unit_of { UNIT_UNKNOWN, UNIT_EUR, UNIT_USD, UNIT_GBP, UNIT_CHF, UNIT_JPY, UNIT_MS, UNIT_SECOND, UNIT_MINUTE,
	UNIT_HOUR, UNIT_DAY, UNIT_MIXED };

struct unit_facts {
	bool		read;		/* false: the formula was not examined */
	bool		unscaled;	/* it does not multiply or divide by a number */
	bool		quotient;	/* it divides, or is an average */
	bool		cents;		/* it is unscaled and in cents */
	unsigned	zeros;		/* bit n: it contains 1 followed by n zeros */
	enum unit_of	money, time;	/* units of its columns, from their names and descriptions */
};

/* source may be NULL: then only names are used. */
void unit_read(const struct source *source, struct span formula, struct unit_facts *out);

/* Whether the words from `from` on say a unit and nothing else. */
bool unit_is(const struct wording *w, size_t from);

/* Whether one of the words is a unit. */
bool unit_within(const struct wording *w);

/* Whether the formula's result is in the unit of the words. */
bool unit_fits(const struct unit_facts *f, const struct wording *w);

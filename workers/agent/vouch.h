/*
 * vouch - whether a text that a language model wrote about a result says what the result says and nothing else.  Every
 * number in it must be a cell, rounded for display, or one of the figures that are derived here: the sum of a column
 * that may be summed, and the difference, ratio and percentage of two cells that the same sentence names.  Every other
 * word must be part of a name of the result, or one of vouch.def.  So no name, figure, link, markup or instruction
 * gets into an answer that is not in the rows.
 */
#ifndef AGENT_VOUCH_H
#define AGENT_VOUCH_H

#include "base/buf.h"
#include "workers/agent/sheet.h"

#define VOUCH_TEXT_MAX	1200u	/* bytes of a text */
#define VOUCH_ROWS	192u	/* of results with more nothing is vouched for */
#define VOUCH_FACTS	16u

struct vouch_about {
	bool		german;
	bool		derived;	/* the sheet holds shares or differences: nothing else is derived */
	bool		periods;	/* its rows are two periods */
	struct span	granularity;	/* of the column of times: "month"; empty: whatever its cells show */
	size_t		nfacts;
	struct span	facts[VOUCH_FACTS];	/* names that hold for all rows: a condition's value, "Q3 2025" */
};

/* NULL: the text may be shown.  Else what is wrong with it, a sentence in a that quotes the text. */
const char *vouch_text(struct arena *a, const struct vouch_about *about, const struct sheet *s, struct span text);

/* Append all words that a text may have beside the result's own. */
void vouch_put_words(struct buf *out, bool german);

#endif

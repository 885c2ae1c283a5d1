/*
 * vouch - checks that a language model's text about a result contains nothing beyond the result.  Every number must be
 * a cell, rounded for display, or a figure derived here: the sum of an additive column, or the difference, ratio or
 * percentage of two cells that the same sentence names.  Every other word must be part of a name of the result, or in
 * vouch.def.  So no foreign name, figure, link, markup or instruction gets into an answer.
 */
#pragma once

#include "base/buf.h"
#include "workers/agent/data/sheet.h"

#define VOUCH_TEXT_MAX	1200u	/* bytes of a text */
#define VOUCH_ROWS	192u	/* larger results are never vouched for */
#define VOUCH_FACTS	16u

struct vouch_about {
	bool		german;
	bool		derived;	/* the sheet contains shares or differences: derive nothing else */
	bool		periods;	/* the rows are two periods */
	struct span	granularity;	/* of the time column: "month"; empty: as its cells show */
	size_t		nfacts;
	struct span	facts[VOUCH_FACTS];	/* facts that hold for all rows: a condition's value, "Q3 2025" */
};

/* NULL: the text may be shown.  Else a sentence in a that says what is wrong and quotes the text. */
const char *vouch_text(struct arena *a, const struct vouch_about *about, const struct sheet *s, struct span text);

/* Append all words that a text may use in addition to the result's names. */
void vouch_put_words(struct buf *out, bool german);

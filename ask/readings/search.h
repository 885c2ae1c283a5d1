/* search - private to the readings: the search for the chain of rows that reads a question, with one root. */
#pragma once

#include "ask/readings/draft.h"

struct reading_search {
	struct plan		*p;
	unsigned		 steps, row;
	size_t			 first;		/* item of the row at hand */
	const uint64_t		*needed;	/* by row: the letters that have to match */
	bool			 led;		/* a row of HEAD has read the beginning */
	bool			 vain;		/* no chain consumes every item: ends when led is known */
	bool			 found, several;
	struct draft		 best;
	bool			 refused;	/* a draft said why it cannot be answered */
	int			 refused_score;
	enum ask_reason		 reason;
	struct span		 message;
	struct span		 said;		/* what the best draft asks, as text */

	const struct draft	*before;	/* what the rows before the one at hand have understood */

	/* The pattern of the row at hand has matched up to item i. */
	void			(*row_ends)(struct reading_search *s, size_t i, const struct draft_spans *got);
};

#define SEARCH_STEPS_MAX	20000u	/* of one search; a question that needs more is not read */

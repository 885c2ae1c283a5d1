/* answer_text - how an answer of ask_question is written for people: in the language of its question. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "cli/show/view.h"

enum answer_word {
#define WORD(NAME, english, german) ANSWER_WORD_##NAME,
#include "cli/show/answer_text.def"
#undef WORD
	ANSWER_WORDS
};

struct answer_look {
	bool		 german;
	struct span	 granularity;	/* of the periods in the rows; empty: there are none */
	size_t		 nkeys;		/* the first columns of the rows, which name groups */
	uint64_t	 fractions;	/* a bit for each of the first 64 columns: not all of its figures are whole */
};

/* Read what decides how an answer (structuredContent of ask_question) is written.  Borrows from a. */
struct answer_look answer_look_of(struct arena *a, struct view answer);

const char *answer_word(const struct answer_look *look, enum answer_word word);

/* The word for a check's outcome: "not applicable" for not_applicable; one that is not known is itself. */
struct span answer_outcome(const struct answer_look *look, struct span outcome);

/* How a cell is set: text at the left, a figure at the right, nothing faintly. */
enum answer_cell { ANSWER_CELL_TEXT, ANSWER_CELL_FIGURE, ANSWER_CELL_NONE };

/* Append the cell of a column: keys are names, whatever they look like; figures may be strings of many digits. */
enum answer_cell answer_put_cell(const struct answer_look *look, struct view cell, size_t column, struct buf *out);

/*
 * wiki_words - words that a wiki page declares, in tables of this header:
 *
 *	| word | means |
 *	|---|---|
 *	| revenue, turnover | `orders.revenue` |
 *
 * The first column holds one word or phrase, or several between commas; the
 * second names a measure, column, source or join alias in backticks, whatever
 * else it says.  A table in a code block does not count.  Pure; what is returned
 * borrows from the page's body.
 *
 * A page that a run of memory_ingest made, and what a run added to a page, is an agent's text until a person approves
 * it.
 */
#pragma once

#include <stdbool.h>

#include "project/model/wiki.h"

#define WIKI_WORDS_MAX		1000u	/* of one page; further ones are passed over */
#define WIKI_WORD_BYTES_MAX	100u	/* a longer word, or name, is ignored */

struct wiki_words {
	struct span	rest;		/* lines not read yet */
	struct span	words;		/* of the row: not given out yet */
	struct span	word;		/* which all names of the row are given with */
	struct span	names, cell;	/* second cell: not given out for this word; all of it */
	unsigned	n;
	bool		inside, code;	/* of a table's body; of a code block */
	bool		agent;		/* what was read last is an agent's text */
};

void wiki_words_begin(struct wiki_words *w, const struct wiki_page *page);

/* The next word with one name that it stands for; false at the end.  w->agent: an agent declares it. */
bool wiki_words_next(struct wiki_words *w, struct span *word, struct span *means);

/* signals - finds the words and phrases which show that a text is worth keeping.  Pure. */
#ifndef WORKERS_MEMORY_READ_SIGNALS_H
#define WORKERS_MEMORY_READ_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

#define SIGNALS_MAX	16

enum signal_vote { VOTE_WIKI = 1 << 0, VOTE_SEMANTIC = 1 << 1 };

struct signal {
	const char	*name, *reason;
	unsigned	 votes;		/* VOTE_* */
};

/* Fills in the signals of content in a fixed order.  Returns their number. */
size_t signals_read(struct span content, struct signal out[SIGNALS_MAX]);

/* "wiki", "semantic_layer", "both". */
const char *signal_votes_name(unsigned votes);

/* The first place of phrase in text as whole words, ignoring ASCII case; NULL: none. */
const uint8_t *signals_find(struct span text, const char *phrase);

/*
 * Splits a line that defines something: "X is defined as Y", "X means Y", "X = Y" and similar phrases in a few
 * languages.  Both sides are stripped of white space and markdown.  False: the line defines nothing.
 */
bool signals_definition(struct span line, struct span *subject, struct span *meaning);

/* The next defining phrase from `from` on: its position and length. */
bool signals_next_definition(struct span text, size_t from, size_t *at, size_t *width);

#endif

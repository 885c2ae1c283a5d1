/*
 * signals - finds the words, phrases and forms of sentences which show that a text is worth keeping.  A set of signals
 * is a mask of bits, one for each row of the table in signals.c.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"

#define SIGNALS		14u	/* rows */
#define SIGNAL_NAMES	13u	/* the row of what the connection has */

enum signal_vote { VOTE_WIKI = 1 << 0, VOTE_SEMANTIC = 1 << 1, SIGNAL_BOTH = VOTE_WIKI | VOTE_SEMANTIC };

struct signal {
	const char	*name, *reason;
	unsigned	 votes;		/* VOTE_* */
};

/* Whether the connection has a table, column or measure of that name; subject: a sentence is about it. */
typedef bool signals_known(void *arg, struct span name, bool subject);

/* The signals of a text; known may be NULL. */
unsigned signals_read(struct arena *a, struct span content, signals_known *known, void *arg);

/* The signals of one sentence, without SIGNAL_NAMES; a question has none. */
unsigned signals_of_sentence(struct span sentence);

const struct signal *signal_at(unsigned i);

/* The bit of the signal with this name; 0 if none. */
unsigned signal_called(struct span name);

/* "wiki", "semantic_layer", "both". */
const char *signal_votes_name(unsigned votes);

/* The first place of phrase in text as whole words, ignoring ASCII case; NULL: none. */
const uint8_t *signals_find(struct span text, const char *phrase);

/* The next defining phrase from `from` on: its position and length. */
bool signals_next_definition(struct span text, size_t from, size_t *at, size_t *width);

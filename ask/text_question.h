/*
 * text_question - splits questions and names into words, both by the same rules.
 *
 * A word is a run of letters, marks and digits, NFKC-normalised and case-folded.  A number keeps its separators
 * ("10,000", "14.03.2025", "2025-03").  Comparison signs (">=", "=") are words, too.  Blanks, underscores and
 * punctuation separate; a final 's is dropped.  Stems remove plural endings only: "countries" and "country", "Länder"
 * and "Land".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ask/ask.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"

struct ask_token {
	struct span	text;		/* as written */
	struct span	folded;
	struct span	stem;		/* English singular */
	struct span	german;		/* German singular without umlauts */
	bool		number;		/* begins with a digit and holds digits and separators only */
	bool		plural;		/* stem differs */
	bool		capital;	/* begins with an upper-case letter */
	bool		comma;		/* a comma, semicolon or full stop stands before it */
	bool		quoted;		/* between quotation marks */
	bool		contracted;	/* an apostrophe joins it to the word before: the m of "I'm" */
	bool		upper;		/* all capitals, in a text that is not all capitals */
};

/*
 * The words of text, valid UTF-8, at most max; humps: split "netRevenue" into two words, as names are written.  NULL
 * when a is full.  *n is max + 1 when there are more.
 */
struct ask_token *ask_tokens(struct arena *a, struct span text, bool humps, size_t max, size_t *n);

#define ASK_NAME_WORDS_MAX	8u	/* words of a name; a longer one is not indexed */

/* The words of a name; none where it has more than ASK_NAME_WORDS_MAX, or a is full. */
struct ask_words {
	size_t			 n;
	const struct ask_token	*t;
};
struct ask_words ask_words_of(struct arena *a, struct span name, bool humps);
bool ask_words_have(struct ask_words words, struct span stem);

/* The text from the beginning of the first to the end of the last, both of one text. */
static inline struct span
ask_from_to(struct span first, struct span last)
{
	return span_of(first.p, (size_t)(last.p + last.len - first.p));
}

/* Whether the word is one of a list, which blanks separate. */
bool ask_is_any(struct span word, const char *words);

/* The text of the buffer, in a; the buffer is emptied.  Empty when a is full. */
struct span ask_text(struct arena *a, struct buf *b);

/* The text as all its spellings: NFKC, in small letters.  Empty when a is full. */
struct span ask_folded(struct arena *a, struct span text);

/* The stems of n words as one key, "net revenue". */
struct span ask_key(struct arena *a, const struct ask_token *t, size_t n, bool german);

/* The n words as one, "zipcode". */
struct span ask_joined(struct arena *a, const struct ask_token *t, size_t n);

/* The edit distance of the words, at most limit + 1. */
unsigned ask_distance(struct span a, struct span b, unsigned limit);

/* The probe for a text in a column, in any spelling; in a. */
struct ask_probe ask_probe_of(struct arena *a, struct span source, struct span column, struct span text);

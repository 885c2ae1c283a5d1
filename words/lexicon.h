/*
 * lexicon - words that mean the same to people who name and ask for data:
 * abbreviations (cust, qty, hdr), other words for a thing (supplier, vendor)
 * and German ones.  A fixed table of everyday business English; nothing in it
 * knows any one project.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* The relation of a word to the head of its row. */
enum lexicon_class { LEXICON_HEAD, LEXICON_SHORT, LEXICON_OTHER, LEXICON_GERMAN };

#define LEXICON_NONE	UINT16_MAX

/* The tables, lexicon_words.def and so on: one of 0 is left out.  Only tests/relevance changes them, before anything is indexed. */
extern struct lexicon_use {
	float	words, trades, sap, talk, daily;
} lexicon_use;

/* A word of a row. */
struct lexicon_word {
	uint32_t	at;		/* for lexicon_text() */
	uint16_t	row;
	uint8_t		len;
	uint8_t		class;		/* enum lexicon_class */
};

/* The word itself: static, folded. */
struct span lexicon_text(const struct lexicon_word *w);

/*
 * The rows a folded word belongs to, in any form (English or German): up to
 * max members of them, as which it stands there.  Returns how many.
 */
size_t lexicon_find(struct span folded, const struct lexicon_word **out, size_t max);

/* As lexicon_find(), for the word letter for letter. */
size_t lexicon_exact(struct span folded, const struct lexicon_word **out, size_t max);

/*
 * The rows whose head is several words and begins with a form of this one,
 * small words (date OF birth) not counted unless but one would be left (ON
 * hand); up to max.  Returns how many.
 */
size_t lexicon_phrases(struct span folded, uint16_t *rows, size_t max);

/* The row a word in any form is a head of, else one it abbreviates, else any; LEXICON_NONE. */
uint16_t lexicon_row_of(struct span folded);

/* False if the word is unknown, or known only as an ending of German words (lohnst). */
bool lexicon_is_word(struct span folded);

/* All words of a row; its head is the first.  NULL: there is no such row. */
const struct lexicon_word *lexicon_row(uint16_t row, size_t *n);

/* The head of a row, which must exist. */
struct span lexicon_head(uint16_t row);

/* The words of the head when it has several; content: without function words.  At most max; returns how many. */
size_t lexicon_head_words(uint16_t row, bool content, struct span *words, size_t max);

/* The words nearest to a misspelt one, by edits; up to max.  Returns how many; *distance is theirs. */
size_t lexicon_guess(struct span folded, const struct lexicon_word **out, size_t max, unsigned *distance);

/*
 * Take a word written in one apart into words of the lexicon: custmst, orderid,
 * bestellmenge.  At least two pieces, at most max, each in folded or
 * static; 0: it does not come apart.  loose: also when one piece of it is unknown but
 * the whole looks like an abbreviation.
 */
size_t lexicon_split(struct span folded, bool loose, struct span *pieces, size_t max);

/*
 * The words of what a short word stands for, when it is several (kunnr:
 * customer, number), small ones left out; at most max, static.  0: it stands
 * for one, or for nothing known.
 */
size_t lexicon_spell_out(struct span folded, struct span *words, size_t max);

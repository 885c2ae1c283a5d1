/*
 * text - words out of text, the same way for what is indexed and what is asked.
 *
 * Text is split where letters and digits end, at camelCase humps and where
 * letters meet digits; each word is then NFKC-normalised and case-folded.
 * Scripts written without blanks (Han, kana) give overlapping pairs of
 * characters.  order_id, orderId and "Order ID" are the same two words.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

struct text_short;

#define TEXT_WORD_MAX	64	/* bytes of a folded word; the rest of a longer one is dropped */

struct text_word {
	struct span	folded;		/* valid until the next word */
	size_t		at, end;	/* its place in the text, in bytes */
};

struct text_reader {
	struct span	text;
	size_t		at;
	size_t		pair;		/* second half of a pair of characters to begin with, or SIZE_MAX */
	uint8_t		folded[TEXT_WORD_MAX];
};

/* text must be valid UTF-8. */
static inline void
text_begin(struct text_reader *r, struct span text)
{
	r->text = text;
	r->at = 0;
	r->pair = SIZE_MAX;
}

/* The next word; false at the end. */
bool text_next(struct text_reader *r, struct text_word *word);

/* Append all of s folded (NFKC, case), nothing split or dropped: for comparing names and values. */
void text_fold(struct span s, struct buf *out);

/*
 * Append folded text without its marks: accents and dots are dropped, letters of
 * two and with strokes become plain ones (muñoz munoz, łódź lodz).  written:
 * umlauts and å are written out instead (müller mueller).  Marks of scripts
 * other than Latin, Greek and Cyrillic stay.
 */
void text_unaccent(struct span folded, bool written, struct buf *out);

/* True when a and b are equal after folding. */
bool text_is_same(struct span a, struct span b);

/* Nothing but digits? */
bool text_is_number(struct span folded);

/*
 * The English stem of a folded word into out (at least TEXT_WORD_MAX bytes);
 * returns its length.  A word that is not plain a-z, or shorter than three
 * letters, is its own stem.
 */
size_t text_stem(struct span folded, uint8_t *out);

/*
 * The same for German words, umlauts written out or not (verträge, vertraege
 * and vertrag share one).
 */
size_t text_german_stem(struct span folded, uint8_t *out);

/* s with every umlaut written out, or with every written-out one as an umlaut; text has room for twice s. */
struct span text_respell(struct span s, bool out, uint8_t *text);

/* How many single edits (swap of neighbours included) turn a into b; more than max: max + 1. */
unsigned text_distance(struct span a, struct span b, unsigned max);

/*
 * At most max characters of s from byte `from` on, white space collapsed, cut
 * at a character, appended to out.
 */
#define TEXT_SNIPPET_MAX	200
void text_snippet(struct span s, size_t from, size_t max, struct buf *out);

/* text_next_short() wherever the word stands. */
bool text_next_short_anywhere(struct text_reader *r, struct text_short *word);

/*
 * lexicon_tables - the lexicon as it lies in the program: lexicon_make.c writes
 * it while Carrel is built, from the rows of the lexicon_*.def.  Texts are
 * places in one pool, not pointers, so nothing has to be put right when the
 * program starts and the pages are those of the file.  private to workers/search
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/span.h"
#include "words/lexicon.h"
#include "words/text_hash.h"

/* Maps a text to a word; of phrases, to a row. */
struct lexicon_entry {
	uint32_t	at;
	uint16_t	of;
	uint8_t		len;
	uint8_t		more;	/* how many entries with the same text follow */
};

/* The place of the first entry of a text. */
struct lexicon_place {
	uint16_t	mark;	/* lexicon_mark() of the text */
	uint16_t	entry;	/* from 1 on; 0: nothing is here */
};

/* Entries sorted by text, then by what they are of. */
struct lexicon_list {
	const struct lexicon_entry	*entries;
	const struct lexicon_place	*places;	/* by hash, the next free one; at most half are taken */
	uint32_t			 n, nplaces;	/* nplaces is a power of two */
};

extern const char lexicon_pool[];
extern const struct lexicon_word lexicon_words[];	/* row by row, the head first */
extern const uint16_t lexicon_starts[];			/* the first word of every row, and one more */
extern const uint32_t lexicon_nwords, lexicon_nrows;

#define LEXICON_TABLES	5	/* lexicon_words.def, _trades, _sap, _talk, _daily */
extern const uint16_t lexicon_ends[LEXICON_TABLES];	/* the row behind the last one of each */

extern const struct lexicon_list lexicon_by_text;	/* all words */
extern const struct lexicon_list lexicon_by_stem;	/* but short ones, under their stems: German ones by a German one */
extern const struct lexicon_list lexicon_by_first;	/* rows whose head is several words, under the first one's stem */

/*
 * By first byte: words in their order, and entries of by_stem.  Those of byte b
 * are the ones from [b] on, up to [b + 1].
 */
extern const uint16_t lexicon_initials[];
extern const uint16_t lexicon_initial_starts[257], lexicon_stem_starts[257];

#define LEXICON_BEGINNINGS	65536

/* A set of the beginnings of words, one bit for each. */
struct lexicon_set {
	uint64_t	bits[LEXICON_BEGINNINGS / 64];
};

/*
 * How every word begins, by three letters, and how those that stand under an
 * English and under a German stem do: by three where the stem is short, else
 * by four.  Asking a stemmer costs far more than looking here first.
 */
extern const struct lexicon_set lexicon_known, lexicon_english, lexicon_german;

#define LEXICON_SHORT_STEM	4	/* of which an ending may change the fourth letter */

static inline uint16_t
lexicon_mark(uint64_t hash)
{
	return (uint16_t)(hash >> 48);
}

/* The vowel that an umlaut is made from: forms of a German word differ in it (gast, gäste). */
static inline uint8_t
lexicon_without_dots(uint8_t second)
{
	return second == 0xa4 ? 'a' : second == 0xb6 ? 'o' : second == 0xbc ? 'u' : second;
}

/* The bit for the first letters of a word; the same for all its forms. */
static inline uint32_t
lexicon_beginning(struct span s, size_t letters)
{
	uint32_t sum = 0;

	for (size_t i = 0, n = 0; n < letters && i < s.len; n++, i++) {
		bool dotted = s.p[i] == 0xc3 && i + 1 < s.len;

		i += dotted;
		sum = sum * 31 + (dotted ? lexicon_without_dots(s.p[i]) : s.p[i]);
		/* Written out it is the same. */
		i += i + 1 < s.len && s.p[i + 1] == 'e' && (s.p[i] == 'a' || s.p[i] == 'o' || s.p[i] == 'u');
	}
	return sum % LEXICON_BEGINNINGS;
}

static inline bool
lexicon_has(const struct lexicon_set *set, uint32_t beginning)
{
	return (set->bits[beginning / 64] >> beginning % 64 & 1) != 0;
}

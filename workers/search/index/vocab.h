/*
 * vocab - every distinct word of the index, numbered once for all segments.
 *
 * Words with one stem form a ring, so that postings are kept per exact form
 * and a question walks the ring.  Words also are in a trigram index, for
 * misspelt questions.  Numbers are never reused; a word whose last document
 * went stays, with no documents.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/array.h"
#include "words/text.h"
#include "words/text_short.h"

#define VOCAB_NONE	UINT32_MAX

/*
 * High bit of a term's number: the term is matched exactly, without stem and spelling (vocab_add_exact()).  There
 * are ten times as many exact terms as words, and they are read far less, so they have numbers and arrays of their
 * own.
 */
#define VOCAB_EXACT	UINT32_C(0x80000000)

struct vocab;

struct vocab *vocab_new(void);
void vocab_free(struct vocab *v);

/* The number of a folded word of a text, made when it is new; it is stemmed and found by spelling. */
uint32_t vocab_add(struct vocab *v, struct span word);
uint32_t vocab_add_short(struct vocab *v, const struct text_short *word);

/* Prefetch the slot of a word that is about to be added. */
void vocab_soon_short(const struct vocab *v, const struct text_short *word);

/* Add all remaining words of r; their numbers are appended to terms. */
void vocab_add_text(struct vocab *v, struct text_reader *r, struct array_u32 *terms);

/*
 * The number of an exact term: a compound of a name's words (orderid), initials, a whole name.  Only 64 bits of
 * the text are kept.
 */
uint64_t vocab_exact_key(struct span text);
uint32_t vocab_add_exact(struct vocab *v, uint64_t key);

/* Prefetch the slot of an exact term; most are new and lie far from the others. */
void vocab_soon_exact(const struct vocab *v, uint64_t key);

uint32_t vocab_find_exact(const struct vocab *v, struct span text);

/*
 * A whole name is one more word: VOCAB_WHOLE, then its words written in one,
 * by their stems, or by what they plainly mean: the head of their row in the
 * lexicon, without what names are wrapped in (tbl, dim, master).  It is in
 * the postings of exactly the documents that are called so.
 */
#define VOCAB_WHOLE	'='

struct vocab_whole {
	uint8_t	text[TEXT_WORD_MAX];
	size_t	len;
	bool	full;		/* it does not fit */
};

/* The stem of a natural word; borrowed until the next vocab_add(). */
struct span vocab_stem_of(const struct vocab *v, uint32_t term);

/*
 * A word of a name may be several written in one and shortened (custmst): the
 * terms of its pieces, which are added, at most VOCAB_PIECES_MAX; n is 0 when
 * it is one word.  Borrowed until the next vocab_add() or vocab_pieces().
 */
#define VOCAB_PIECES_MAX	4
const uint32_t *vocab_pieces(struct vocab *v, uint32_t term, size_t *n);

/* Whether the pieces are the words of its meaning (kunnr: customer number), not parts of its spelling. */
bool vocab_is_spelled_out(const struct vocab *v, uint32_t term);

/* What a word plainly means: its row's head, else its stem.  Borrowed. */
struct span vocab_meaning(const struct vocab *v, uint32_t term);

/* False when a name with this word has another meaning than the same name with the word's plain meaning. */
bool vocab_is_plain(struct vocab *v, uint32_t term);

/* Whether the word is in WORDS_FUNCTION; the answer is cached. */
bool vocab_is_function(const struct vocab *v, uint32_t term);

/*
 * A word of a name that may be short for `word` (brief.h): from *at on, the
 * next one's term; VOCAB_NONE at the end.
 */
uint32_t vocab_brief(const struct vocab *v, struct span word, size_t *at, float *likeness);

/* VOCAB_NONE: not known. */
uint32_t vocab_find(const struct vocab *v, struct span word);

/* Borrowed until the next vocab_add(); empty for what is found exactly only. */
struct span vocab_text(const struct vocab *v, uint32_t term);

/* The number of words (numbered from 0) and of exact terms (numbered from VOCAB_EXACT). */
uint32_t vocab_count(const struct vocab *v);
uint32_t vocab_count_exact(const struct vocab *v);
size_t vocab_bytes(const struct vocab *v);

/* The number of documents with the term. */
uint32_t vocab_documents(const struct vocab *v, uint32_t term);
void vocab_count_documents(struct vocab *v, uint32_t term, int32_t change);

/*
 * Forms of one stem.  vocab_stem() gives a member of the ring of word's stem
 * (word itself need not be known), VOCAB_NONE if unknown;
 * vocab_next_form() walks on and comes back to where it began.
 */
uint32_t vocab_stem(const struct vocab *v, struct span word);
uint32_t vocab_next_form(const struct vocab *v, uint32_t term);

/* The same for forms of one German stem, umlauts written out or not. */
uint32_t vocab_german(const struct vocab *v, struct span word);
uint32_t vocab_next_german(const struct vocab *v, uint32_t term);

/* Its words by word vectors; near.h has what is done with them. */
struct near *vocab_near(struct vocab *v);

/*
 * One number per term for the builder of a segment, all zero between uses;
 * valid until the next vocab_add() or vocab_add_exact().
 */
struct vocab_scratch {
	uint32_t	*of[2];		/* of words; of exact terms */
};
struct vocab_scratch vocab_scratch(const struct vocab *v);

/* Without a branch: which of the two it is cannot be predicted. */
static inline uint32_t *
vocab_place(const struct vocab_scratch *s, uint32_t term)
{
	return s->of[term >> 31] + (term & ~VOCAB_EXACT);
}

/* The table of all words. */
const struct grams *vocab_grams(const struct vocab *v);

/* A count for each word, zero between guesses. */
uint8_t *vocab_hits(struct vocab *v);

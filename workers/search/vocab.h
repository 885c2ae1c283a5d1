/*
 * vocab - every distinct word of the index, numbered once for all segments.
 *
 * Words with one stem form a ring, so that postings are kept per exact form
 * and a question walks the ring.  Words also stand in a trigram index, for
 * misspelt questions.  Numbers are never reused; a word whose last document
 * went stays, with no documents.
 */
#ifndef SEARCH_VOCAB_H
#define SEARCH_VOCAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define VOCAB_NONE	UINT32_MAX

struct vocab;

struct vocab *vocab_new(void);
void vocab_free(struct vocab *v);

/*
 * The number of a folded word, made when it is new.  natural: a word of a
 * text, to be stemmed and found by spelling; otherwise a name written in one
 * (orderid), found exactly only.
 */
uint32_t vocab_add(struct vocab *v, struct span word, bool natural);

/*
 * A whole name is one more word: this character, then the stems of the name's
 * words written in one.  It stands in the postings of exactly the documents
 * that are called so, in whatever form.
 */
#define VOCAB_WHOLE	'='

/* The stem of a natural word; borrowed until the next vocab_add(). */
struct span vocab_stem_of(const struct vocab *v, uint32_t term);

/* VOCAB_NONE: not known. */
uint32_t vocab_find(const struct vocab *v, struct span word);

/* Borrowed until the next vocab_add(). */
struct span vocab_text(const struct vocab *v, uint32_t term);
uint32_t vocab_count(const struct vocab *v);
size_t vocab_bytes(const struct vocab *v);

/* Documents that hold the term. */
uint32_t vocab_documents(const struct vocab *v, uint32_t term);
void vocab_count_documents(struct vocab *v, uint32_t term, int32_t change);

/*
 * Forms of one stem.  vocab_stem() gives a member of the ring of word's stem
 * (word itself need not be known), VOCAB_NONE when there is none;
 * vocab_next_form() walks on and comes back to where it began.
 */
uint32_t vocab_stem(const struct vocab *v, struct span word);
uint32_t vocab_next_form(const struct vocab *v, uint32_t term);

/* Words that may be meant by one that is not known, best first. */
struct vocab_guess {
	uint32_t	term;
	float		likeness;	/* 0..1 */
};
#define VOCAB_GUESSES_MAX	12
size_t vocab_guess(struct vocab *v, struct span word, struct vocab_guess out[VOCAB_GUESSES_MAX]);

/*
 * One number per term for whoever builds a segment, all zero between uses;
 * valid until the next vocab_add().
 */
uint32_t *vocab_scratch(struct vocab *v);

#endif

/*
 * language - what is known of everyday English: how common a word is, and
 * which words mean the same, are made from it or are what it is a kind of; and
 * which German words mean the same as one that the lexicon has.
 *
 * Common words come from the frequency lists of zxcvbn (Wikipedia, and film
 * and television; MIT), the rest from WordNet 3.0 (its own, free licence) and
 * OpenThesaurus (LGPL): language_make.c writes them into tables while Carrel
 * is built.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* The place of a folded word among all by how common they are, from 1; 0 beyond LANGUAGE_COMMON. */
#define LANGUAGE_COMMON	5000
uint32_t language_rank(struct span folded);

/* Whether the folded text is a word of English as it stands. */
bool language_has(struct span folded);

enum language_link { LANGUAGE_SAME, LANGUAGE_MADE, LANGUAGE_KIND, LANGUAGE_PLAIN, LANGUAGE_LINKS };

struct language_word {
	struct span		text;		/* static */
	float			likeness;	/* 0..1, by how often the word is meant so */
	enum language_link	link;
};

#define LANGUAGE_RELATED_MAX 12

/*
 * The words that WordNet or OpenThesaurus relates a folded word to, or to its plain form if the word itself has none;
 * best first.  Returns how many.
 */
size_t language_related(struct span folded, struct language_word out[LANGUAGE_RELATED_MAX]);

/*
 * The plain form of an irregular form (sold: sell); empty if the form is a word of its own (found, left) or
 * unknown.
 */
struct span language_plain(struct span folded);

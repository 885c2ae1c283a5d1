/* language_tables - what language_make.c writes, for language.c; private to workers/search */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/* Sorted by text; its links are those from `links` on, up to the next word's. */
struct language_entry {
	uint32_t	text, links;
	uint16_t	rank;		/* 0: not among the common ones */
	uint8_t		len;
	bool		german;		/* and no English word */
};

struct language_edge {
	uint16_t	word;		/* in language_entries */
	uint8_t		percent, link;
};

extern const char language_pool[];
extern const struct language_entry language_entries[];	/* and one more */
extern const struct language_edge language_edges[];

/* A number for a letter, in the order of bytes, and for the first two of a text; 0 where there is no letter. */
#define LANGUAGE_LETTERS	28
#define LANGUAGE_PAIRS		(LANGUAGE_LETTERS * LANGUAGE_LETTERS)

static inline unsigned
language_letter(struct span text, size_t i)
{
	uint8_t c = i < text.len ? text.p[i] : 0;

	return c < 'a' ? 0 : c <= 'z' ? c - 'a' + 1u : LANGUAGE_LETTERS - 1;
}

static inline unsigned
language_pair(struct span text)
{
	return language_letter(text, 0) * LANGUAGE_LETTERS + language_letter(text, 1);
}

/* The first entry whose first two letters are that pair; at the end how many entries there are. */
extern const uint16_t language_starts[LANGUAGE_PAIRS + 1];

/* grams - index from three letters in a row to the words that contain them, for misspelt questions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/table.h"

struct gram {
	uint32_t	 key;		/* see spelling_grams() */
	size_t		 n, cap;
	uint32_t	*words;		/* numbers, ascending */
};

struct grams {
	struct table	 table;		/* by key */
	size_t		 cap, entries;
	struct gram	*v;
};

void grams_fini(struct grams *g);

/* Add a word, whose number must be larger than all before. */
void grams_add(struct grams *g, struct span text, uint32_t word);

/* Never NULL: an entry without words when no word has the letters. */
const struct gram *grams_find(const struct grams *g, uint32_t key);

size_t grams_bytes(const struct grams *g);

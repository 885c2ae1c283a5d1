/*
 * recent - a small cache of the term numbers of short words that were looked up lately.  It fits the processor's
 * cache, which the table of the vocabulary does not.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "words/text_hash.h"
#include "words/text_short.h"

#define RECENT_PLACES	16384
#define RECENT_WAYS	3	/* words of a place, which is one line of the cache */

/* A word of zero bytes marks a free way: no word consists of zeroes. */
struct recent_place {
	_Alignas(64) struct {
		uint64_t	low, high;
	}		words[RECENT_WAYS];
	uint32_t	numbers[RECENT_WAYS];
};

struct recent {
	void			*memory;	/* untouched where nothing was put: most of it, for a small vocabulary */
	struct recent_place	*places;	/* in it, on lines */
};

static inline void
recent_init(struct recent *r)
{
	const size_t line = _Alignof(struct recent_place);

	r->memory = mem_new(1, RECENT_PLACES * sizeof(*r->places) + line);
	r->places = (void *)(((uintptr_t)r->memory + line - 1) & ~(uintptr_t)(line - 1));
}

static inline void
recent_fini(struct recent *r)
{
	free(r->memory);
}

static inline size_t
recent_bytes(void)
{
	return RECENT_PLACES * sizeof(struct recent_place);
}

/* The only place at which the word can be. */
static inline struct recent_place *
recent_place(const struct recent *r, const struct text_short *w)
{
	return &r->places[text_hash_mix(w->low * UINT64_C(0x9e3779b97f4a7c15), w->high) % RECENT_PLACES];
}

/* Without a branch on the way that matches: it cannot be predicted. */
static inline bool
recent_find(const struct recent_place *p, const struct text_short *w, uint32_t *number)
{
	size_t at = RECENT_WAYS;

	for (size_t i = 0; i < RECENT_WAYS; i++)
		at = ((p->words[i].low ^ w->low) | (p->words[i].high ^ w->high)) == 0 ? i : at;
	if (at == RECENT_WAYS)
		return false;
	*number = p->numbers[at];
	return true;
}

/* The words that come first are mostly the frequent ones and stay; all later words share the last way. */
static inline void
recent_put(struct recent_place *p, const struct text_short *w, uint32_t number)
{
	size_t i = 0;

	while (i < RECENT_WAYS - 1 && (p->words[i].low | p->words[i].high) != 0)
		i++;
	p->words[i].low = w->low;
	p->words[i].high = w->high;
	p->numbers[i] = number;
}

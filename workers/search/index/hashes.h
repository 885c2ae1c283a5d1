/*
 * hashes - texts numbered in the order they came, of which only 64 bits are
 * kept: for what is asked for as a whole and never shown.
 */
#ifndef SEARCH_HASHES_H
#define SEARCH_HASHES_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define HASHES_NONE	UINT32_MAX

struct hashes {
	size_t	n;
	struct hashes_slot {
		uint64_t	hash;		/* 0: free */
		uint32_t	number;
	}	*slots;				/* open addressing, at most three quarters full */
	size_t	nslots;				/* a power of two */
};

/* What a text is known by; never 0. */
uint64_t hashes_key(struct span s);

/* The number of the text of that key, given to it when it is new. */
uint32_t hashes_add(struct hashes *t, uint64_t key);

/* The key is about to be added or asked for: have the memory where it belongs fetched meanwhile. */
static inline void
hashes_soon(const struct hashes *t, uint64_t key)
{
	if (t->nslots > 0)
		__builtin_prefetch(&t->slots[key & (t->nslots - 1)], 1);
}

/* HASHES_NONE: never seen. */
uint32_t hashes_find(const struct hashes *t, uint64_t key);

size_t hashes_bytes(const struct hashes *t);
void hashes_fini(struct hashes *t);

#endif

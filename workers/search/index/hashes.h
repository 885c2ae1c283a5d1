/*
 * hashes - numbers for texts, in the order they were added.  Only 64 bits of each text are kept: for texts that
 * are looked up as a whole and never shown.
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

/* The key of a text; never 0. */
uint64_t hashes_key(struct span s);

/* The number of the key; a new key gets the next number. */
uint32_t hashes_add(struct hashes *t, uint64_t key);

/* Prefetch the slot of a key that is about to be added or looked up. */
static inline void
hashes_soon(const struct hashes *t, uint64_t key)
{
	if (t->nslots > 0)
		__builtin_prefetch(&t->slots[key & (t->nslots - 1)], 1);
}

/* HASHES_NONE: the key was never added. */
uint32_t hashes_find(const struct hashes *t, uint64_t key);

size_t hashes_bytes(const struct hashes *t);
void hashes_fini(struct hashes *t);

#endif

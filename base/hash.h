/*
 * hash - FNV-1a, 64 bit (Fowler, Noll and Vo), for tables in memory and for short digests of texts.
 * Digests are stored in files, so a value never changes.  Not collision-resistant: a table of
 * untrusted texts compares the texts themselves and is bounded.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/span.h"

#define HASH_START	UINT64_C(0xcbf29ce484222325)

/* The hash h continued with one more byte, or number. */
static inline uint64_t
hash_step(uint64_t h, uint64_t v)
{
	return (h ^ v) * UINT64_C(0x100000001b3);
}

static inline uint64_t
hash_more(uint64_t h, const void *p, size_t n)
{
	const uint8_t *byte = p;

	for (size_t i = 0; i < n; i++)
		h = hash_step(h, byte[i]);
	return h;
}

static inline uint64_t
hash_of(struct span s)
{
	return hash_more(HASH_START, s.p, s.len);
}

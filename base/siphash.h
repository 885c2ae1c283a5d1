/*
 * siphash - SipHash-2-4 with a result of 128 bits (Aumasson and Bernstein): a keyed digest for
 * processes that link no crypto library.  Without the key, which is 16 random bytes, the digest cannot
 * be predicted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY	16
#define SIPHASH_SIZE	16

struct siphash {
	uint64_t	v[4];
	uint8_t		tail[8];	/* bytes of an incomplete word */
	uint64_t	len;
};

/* The message is the concatenation of what siphash_more() is given. */
void siphash_begin(struct siphash *h, const uint8_t key[SIPHASH_KEY]);
void siphash_more(struct siphash *h, const void *p, size_t n);
void siphash_end(struct siphash *h, uint8_t out[SIPHASH_SIZE]);

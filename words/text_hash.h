/*
 * text_hash - 64 bits of a short text, for tables that live in this process or
 * are part of the program; never stored on disk.
 *
 * Built for names and words of a few bytes: read in two overlapping loads, no
 * loop up to sixteen of them.
 */
#pragma once

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "base/span.h"

static inline uint64_t
text_hash_load(const uint8_t *p, size_t len)
{
	uint64_t w = 0;
	uint32_t low, high;

	if (len >= 8) {
		memcpy(&w, p, 8);
		return le64toh(w);
	}
	if (len >= 4) {
		memcpy(&low, p, 4);
		memcpy(&high, p + len - 4, 4);
		return (uint64_t)le32toh(high) << 32 | le32toh(low);
	}
	return len == 0 ? 0 : (uint64_t)p[0] | (uint64_t)p[len / 2] << 8 | (uint64_t)p[len - 1] << 16;
}

static inline uint64_t
text_hash_mix(uint64_t h, uint64_t w)
{
	h = (h ^ w) * UINT64_C(0xff51afd7ed558ccd);
	return h ^ h >> 32;
}

static inline uint64_t
text_hash(struct span s)
{
	uint64_t h = text_hash_mix(UINT64_C(0x9e3779b97f4a7c15), s.len);
	size_t i = 0;

	for (; s.len - i > 16; i += 8)
		h = text_hash_mix(h, text_hash_load(s.p + i, 8));
	/* What is left, or the whole: its beginning and, beyond eight bytes, its end. */
	h = text_hash_mix(h, text_hash_load(s.p + i, s.len - i));
	if (s.len - i > 8)
		h = text_hash_mix(h, text_hash_load(s.p + s.len - 8, 8));
	h *= UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 32;
}

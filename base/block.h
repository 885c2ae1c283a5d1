/*
 * block - compares sixteen bytes at once: the only file with processor-specific instructions.  Everything else uses
 * the compiler's vectors, which work on every processor.  BLOCK_PORTABLE turns the instructions off; the tests
 * test_*_portable check that the results are the same.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(BLOCK_PORTABLE)
#define BLOCK_SSE2
#include <emmintrin.h>
#endif

#define BLOCK	16

typedef uint8_t block16 __attribute__((vector_size(BLOCK)));
typedef uint64_t block16_halves __attribute__((vector_size(BLOCK)));
typedef int8_t block16_signed __attribute__((vector_size(BLOCK)));
typedef int32_t block_sums __attribute__((vector_size(BLOCK)));

/* The BLOCK bytes at p, which need no alignment. */
static inline block16
block_load(const void *p)
{
	block16 v;

	memcpy(&v, p, BLOCK);
	return v;
}

static inline void
block_store(void *p, block16 v)
{
	memcpy(p, &v, BLOCK);
}

static inline block16
block_of(uint8_t c)
{
	return (block16){ c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c };
}

/* All bits of a byte are set if it equals c; the same holds for all functions below. */
static inline block16
block_is(block16 v, uint8_t c)
{
	return (block16)(v == block_of(c));
}

/* Bytes that are at most c. */
static inline block16
block_at_most(block16 v, uint8_t c)
{
	return (block16)(v <= block_of(c));
}

/* Bytes that are less than c, which is ASCII, or not ASCII. */
static inline block16
block_below_or_high(block16 v, uint8_t c)
{
	return (block16)((block16_signed)v < (block16_signed)block_of(c));
}

/* The greater of each two bytes. */
static inline block16
block_max(block16 a, block16 b)
{
#ifdef BLOCK_SSE2
	return (block16)_mm_max_epu8((__m128i)a, (__m128i)b);
#else
	block16 greater = (block16)(a > b);

	return (a & greater) | (b & ~greater);
#endif
}

/* Bit i is the highest bit of byte i: of a comparison, whether byte i passed; of text, whether it is no ASCII. */
static inline unsigned
block_mask(block16 v)
{
#ifdef BLOCK_SSE2
	return (unsigned)_mm_movemask_epi8((__m128i)v);
#else
	/* The product gathers the highest bits of eight bytes in its highest byte. */
	const uint64_t high = UINT64_C(0x8080808080808080), gather = UINT64_C(0x0002040810204081);
	uint64_t half[2] = { 0, 0 };

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(half, &v, BLOCK);
#else
	for (size_t i = 0; i < BLOCK; i++)
		half[i / 8] = half[i / 8] >> 8 | (uint64_t)v[i] << 56;
#endif
	return (unsigned)((half[0] & high) * gather >> 56) | (unsigned)((half[1] & high) * gather >> 56) << 8;
#endif
}

/* Load the n bytes at p, fewer than BLOCK, padded with zeroes; reads nothing beyond. */
static inline block16
block_load_part(const uint8_t *p, size_t n)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t half[2] = { 0, 0 };
	uint32_t first, last;

	/* A copy of n bytes would be a call. */
	if (n >= 8) {
		memcpy(&half[0], p, 8);
		memcpy(&half[1], p + n - 8, 8);
		half[1] = n == 8 ? 0 : half[1] >> 8 * (BLOCK - n);
	} else if (n >= 4) {
		memcpy(&first, p, 4);
		memcpy(&last, p + n - 4, 4);
		half[0] = first | (uint64_t)last << 8 * (n - 4);
	} else
		for (size_t i = 0; i < n; i++)
			half[0] |= (uint64_t)p[i] << 8 * i;
	return (block16)(block16_halves){ half[0], half[1] };
#else
	uint8_t bytes[BLOCK] = { 0 };

	memcpy(bytes, p, n);
	return block_load(bytes);
#endif
}

/* Bit i is set when numbers[i] is x. */
static inline unsigned
block_numbers(const uint32_t numbers[BLOCK], uint32_t x)
{
#ifdef BLOCK_SSE2
	const __m128i *v = (const __m128i *)(const void *)numbers, wanted = _mm_set1_epi32((int)x);
	__m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_loadu_si128(v), wanted),
	    _mm_cmpeq_epi32(_mm_loadu_si128(v + 1), wanted));
	__m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_loadu_si128(v + 2), wanted),
	    _mm_cmpeq_epi32(_mm_loadu_si128(v + 3), wanted));

	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
	unsigned found = 0;

	for (unsigned i = 0; i < BLOCK; i++)
		found |= (unsigned)(numbers[i] == x) << i;
	return found;
#endif
}

/* The products of signed bytes, in four sums. */
static inline block_sums
block_products(block16 a, block16 b)
{
#ifdef BLOCK_SSE2
	__m128i x = (__m128i)a, y = (__m128i)b;
	/* Each byte in the upper half of sixteen bits, then shifted down with its sign. */
	__m128i low = _mm_madd_epi16(_mm_srai_epi16(_mm_unpacklo_epi8(x, x), 8),
	    _mm_srai_epi16(_mm_unpacklo_epi8(y, y), 8));
	__m128i high = _mm_madd_epi16(_mm_srai_epi16(_mm_unpackhi_epi8(x, x), 8),
	    _mm_srai_epi16(_mm_unpackhi_epi8(y, y), 8));

	return (block_sums)_mm_add_epi32(low, high);
#else
	block16_signed x = (block16_signed)a, y = (block16_signed)b;
	block_sums sums = { 0 };

	for (unsigned i = 0; i < BLOCK; i++)
		sums[i / 4] += x[i] * y[i];
	return sums;
#endif
}

/* json_scan.h - what cannot stand in a JSON string as it is, found a block at a time. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Bytes that cannot stand in a JSON string as they are: quote, backslash, controls. */
static inline int
json_is_special(uint8_t c)
{
	return c < 0x20 || c == '"' || c == '\\';
}

#ifdef __SSE2__
#define JSON_BLOCK	16

/* Every bit of the bytes of the block that are special. */
static inline __m128i
json_block_special(__m128i v)
{
	__m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
	__m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
	__m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);

	return _mm_or_si128(_mm_or_si128(quote, slash), control);
}

/* Bit i is set when byte i of the block is special. */
static inline unsigned
json_block_mask(__m128i v)
{
	return (unsigned)_mm_movemask_epi8(json_block_special(v));
}
#endif

/* How many bytes in front of s are not special. */
static inline size_t
json_plain(const uint8_t *s, size_t len)
{
	size_t i = 0;

#ifdef __SSE2__
	for (; len - i >= JSON_BLOCK; i += JSON_BLOCK) {
		unsigned mask = json_block_mask(_mm_loadu_si128((const __m128i *)(const void *)(s + i)));

		if (mask != 0)
			return i + (size_t)__builtin_ctz(mask);
	}
#endif
	while (i < len && !json_is_special(s[i]))
		i++;
	return i;
}

#endif

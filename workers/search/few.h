/* few - where a number stands among a few, all of which are compared at once. */
#ifndef SEARCH_FEW_H
#define SEARCH_FEW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define FEW	16

/* Which of the first n is x; FEW: none is. */
static inline size_t
few_find(const uint32_t few[FEW], size_t n, uint32_t x)
{
#ifdef __SSE2__
	const __m128i *v = (const __m128i *)(const void *)few, wanted = _mm_set1_epi32((int)x);
	__m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_loadu_si128(v), wanted),
	    _mm_cmpeq_epi32(_mm_loadu_si128(v + 1), wanted));
	__m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_loadu_si128(v + 2), wanted),
	    _mm_cmpeq_epi32(_mm_loadu_si128(v + 3), wanted));
	unsigned found = (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high)) & ((1u << n) - 1);

	return found == 0 ? FEW : (size_t)__builtin_ctz(found);
#else
	size_t i = 0;

	while (i < n && few[i] != x)
		i++;
	return i < n ? i : FEW;
#endif
}

#endif

/*
 * text_short - words that fit two registers, as nearly all do: found in a text
 * and compared without a loop over their letters.
 */
#ifndef SEARCH_TEXT_SHORT_H
#define SEARCH_TEXT_SHORT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "workers/search/text.h"

#define TEXT_SHORT_MAX	16

/* A folded word as two numbers: its bytes, zeroes behind them. */
struct text_short {
	uint64_t	low, high;
	size_t		len;
};

static inline struct text_short
text_short_of(struct span folded)
{
	uint8_t bytes[TEXT_SHORT_MAX] = { 0 };
	struct text_short w = { .len = folded.len };

	memcpy(bytes, folded.p, folded.len);
	memcpy(&w.low, bytes, 8);
	memcpy(&w.high, bytes + 8, 8);
	return w;
}

/* text_next_short() wherever the word stands. */
bool text_next_short_anywhere(struct text_reader *r, struct text_short *word);

#ifdef __SSE2__

/* The small letters in front of bytes; false: there are none, or too many, or what follows is no ASCII. */
static inline bool
text_short_take(__m128i bytes, struct text_short *word)
{
	static const uint8_t ones[2 * TEXT_SHORT_MAX] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
	};
	__m128i from_a = _mm_sub_epi8(bytes, _mm_set1_epi8('a'));
	__m128i is_letter = _mm_cmpeq_epi8(_mm_min_epu8(from_a, _mm_set1_epi8('z' - 'a')), from_a);
	size_t len = (size_t)__builtin_ctz(~(unsigned)_mm_movemask_epi8(is_letter));

	if (len == 0 || len == TEXT_SHORT_MAX || (_mm_movemask_epi8(bytes) >> len & 1) != 0)
		return false;
	bytes = _mm_and_si128(bytes, _mm_loadu_si128((const __m128i *)(const void *)(ones + TEXT_SHORT_MAX - len)));
	word->low = (uint64_t)_mm_cvtsi128_si64(bytes);
	word->high = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(bytes, bytes));
	word->len = len;
	return true;
}

/* The n bytes from p on, fewer than sixteen, zeroes behind them; nothing else is looked at. */
static inline __m128i
text_short_rest(const uint8_t *p, size_t n)
{
	uint64_t low = 0, high = 0;
	uint32_t first, last;

	if (n >= 8) {
		memcpy(&low, p, 8);
		memcpy(&high, p + n - 8, 8);
		high = n == 8 ? 0 : high >> 8 * (TEXT_SHORT_MAX - n);
	} else if (n >= 4) {
		memcpy(&first, p, 4);
		memcpy(&last, p + n - 4, 4);
		low = first | (uint64_t)last << 8 * (n - 4);
	} else
		for (size_t i = 0; i < n; i++)
			low |= (uint64_t)p[i] << 8 * i;
	return _mm_set_epi64x((long long)high, (long long)low);
}

#endif

/*
 * As text_next(), for the words that most are: at most fifteen small letters
 * of ASCII with ASCII behind them.  False: the next word is another one, or
 * there is none; it is left to text_next().
 */
static inline bool
text_next_short(struct text_reader *r, struct text_short *word)
{
#ifdef __SSE2__
	size_t left = r->text.len - r->at, blank;
	const uint8_t *p;
	__m128i bytes;

	if (left == 0)
		return false;
	p = r->text.p + r->at;
	blank = *p == ' ' || *p == '_';
	left -= blank;
	bytes = left >= TEXT_SHORT_MAX ? _mm_loadu_si128((const __m128i *)(const void *)(p + blank)) :
	    text_short_rest(p + blank, left);
	if (text_short_take(bytes, word)) {
		r->at += blank + word->len;
		return true;
	}
#endif
	return text_next_short_anywhere(r, word);
}

#endif

#include <string.h>

#include "workers/search/ranking/ranking.h"
#include "workers/search/index/spelling.h"
#include "words/text.h"

#define GRAM_FIRST	0x02	/* pad bytes before and behind a word; never part of one */
#define GRAM_LAST	0x03

size_t
spelling_grams(struct span word, uint32_t keys[SPELLING_GRAMS_MAX])
{
	uint8_t padded[TEXT_WORD_MAX + 4] = { GRAM_FIRST, GRAM_FIRST };
	size_t len = word.len, n = 0;

	memcpy(padded + 2, word.p, len);
	padded[len + 2] = GRAM_LAST;
	for (size_t i = 0; i + 3 <= len + 3; i++)
		keys[n++] = (uint32_t)padded[i] << 16 | (uint32_t)padded[i + 1] << 8 | padded[i + 2];
	return n;
}

/* The same letters in another order. */
static bool
is_swap(struct span a, struct span b)
{
	int balance[256] = { 0 };

	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++) {
		balance[a.p[i]]++;
		balance[b.p[i]]--;
	}
	for (size_t i = 0; i < 256; i++)
		if (balance[i] != 0)
			return false;
	return true;
}

float
spelling_likeness(struct span word, size_t chars, struct span term)
{
	unsigned allowed = chars < 4 ? 0 : chars < 8 ? 1 : 2;
	unsigned d = text_distance(word, term, allowed);

	/* Of four letters one is too many to be another; it may be missing, or two may have changed places. */
	if (d <= allowed && (chars > 4 || d == 0 || word.len != term.len || is_swap(word, term)))
		return 1.0f - (float)d / (float)(chars + 1);
	return chars >= 3 && term.len > word.len && memcmp(term.p, word.p, word.len) == 0 ? ranking.beginning : 0;
}

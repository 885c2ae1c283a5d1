/*
 * text_short - words that fit two registers, as nearly all do: found in a text
 * and compared without a loop over their letters.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/block.h"
#include "words/text.h"

#define TEXT_SHORT_MAX	BLOCK

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

/* The small letters in front of bytes; false: there are none, or too many, or what follows is no ASCII. */
static inline bool
text_short_take(block16 bytes, struct text_short *word)
{
	static const uint8_t ones[2 * TEXT_SHORT_MAX] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
	};
	unsigned letters = block_mask(block_at_most(bytes - block_of('a'), 'z' - 'a'));
	size_t len = (size_t)__builtin_ctz(~letters);

	if (len == 0 || len == TEXT_SHORT_MAX || (block_mask(bytes) >> len & 1) != 0)
		return false;
	bytes &= block_load(ones + TEXT_SHORT_MAX - len);
	memcpy(&word->low, &bytes, 8);
	memcpy(&word->high, (const uint8_t *)&bytes + 8, 8);
	word->len = len;
	return true;
}

/*
 * As text_next(), for the words that most are: at most fifteen small letters
 * of ASCII with ASCII behind them.  False: the next word is another one, or
 * there is no such word; it is left to text_next().
 */
static inline bool
text_next_short(struct text_reader *r, struct text_short *word)
{
	size_t left = r->text.len - r->at, blank;
	const uint8_t *p;
	block16 bytes;

	if (left == 0)
		return false;
	p = r->text.p + r->at;
	blank = *p == ' ' || *p == '_';
	left -= blank;
	bytes = left >= TEXT_SHORT_MAX ? block_load(p + blank) : block_load_part(p + blank, left);
	if (text_short_take(bytes, word)) {
		r->at += blank + word->len;
		return true;
	}
	return text_next_short_anywhere(r, word);
}

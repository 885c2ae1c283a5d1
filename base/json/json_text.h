/*
 * json_text - the lexical rules of JSON: where strings end, and what escapes mean.  All readers share them; each
 * reader decides what it refuses or repairs.
 *
 * The readers, and why there are others than the first:
 *
 *	json_read()		what strangers send, and all that is not named below, into msgpack; strict
 *	json_walk.h		answers and files of which every digit, blank and comment stays as it is, and scans of a
 *				million columns (project/scan/snapshot_plain.h), in a quarter of json_read()'s time
 *	guard_tree.h		parse trees of PostgreSQL, a thousand levels deep and made into nodes in less than
 *				json_read()'s time
 *
 * Documents that Carrel itself composes are cJSON's (base/json/document.h), which reads them after json_read().
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/block.h"

/* Bytes that a JSON string holds only as escapes: quote, backslash, controls. */
static inline int
json_is_special(uint8_t c)
{
	return c < 0x20 || c == '"' || c == '\\';
}

static inline block16
json_block_special(block16 v)
{
	return block_is(v, '"') | block_is(v, '\\') | block_at_most(v, 0x1f);
}

/* The number of bytes at the start of s that are not special. */
static inline size_t
json_plain(const uint8_t *s, size_t len)
{
	size_t i = 0;

	for (; len - i >= BLOCK; i += BLOCK) {
		unsigned mask = block_mask(json_block_special(block_load(s + i)));

		if (mask != 0)
			return i + (size_t)__builtin_ctz(mask);
	}
	while (i < len && !json_is_special(s[i]))
		i++;
	return i;
}

/* The position after the white space at p. */
static inline const uint8_t *
json_skip_space(const uint8_t *p, const uint8_t *end)
{
	if (p == end || *p > ' ')
		return p;
	/* An indentation; tabs and carriage returns are left to the loop below. */
	while (end - p >= BLOCK) {
		block16 v = block_load(p);
		unsigned others = ~block_mask(block_is(v, ' ') | block_is(v, '\n')) & 0xffff;

		p += others == 0 ? BLOCK : __builtin_ctz(others);
		if (others != 0)
			break;
	}
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	return p;
}

/* p is after an opening quote.  Returns the position after the closing one; NULL: none. */
const uint8_t *json_string_end(const uint8_t *p, const uint8_t *end);

/* The character that \c stands for; 0: there is no such escape, or it is \u. */
extern const uint8_t json_escape_letters[256];

static inline uint8_t
json_escape_letter(uint8_t c)
{
	return json_escape_letters[c];
}

/*
 * p is behind "\u".  The character, of two escapes if they are a pair of
 * surrogates, with the bytes they take in *len; -1 where four hexadecimal
 * digits are missing.  A surrogate that is alone is returned as it is.
 */
int32_t json_escape_unicode(const uint8_t *p, const uint8_t *end, size_t *len);

/* Whether the escaped value is a surrogate, not a character. */
static inline int
json_is_surrogate(int32_t c)
{
	return c >= 0xd800 && c <= 0xdfff;
}

/* json_scan.h - what cannot stand in a JSON string as it is, found a block at a time. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/block.h"

/* Bytes that cannot stand in a JSON string as they are: quote, backslash, controls. */
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

/* How many bytes in front of s are not special. */
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

#endif

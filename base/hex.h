/* hex - lower-case hexadecimal digits, eight of four bytes at once: an entry of the audit needs hundreds of them. */
#pragma once

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

static inline void
hex_eight(uint8_t *out, const uint8_t bytes[4])
{
	const uint64_t halves = UINT64_C(0x000f000f000f000f);
	uint64_t n, ten;
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	n = le32toh(word);
	n = (n | n << 16) & UINT64_C(0x0000ffff0000ffff);
	n = (n | n << 8) & UINT64_C(0x00ff00ff00ff00ff);
	n = (n >> 4 & halves) | (n & halves) << 8;
	ten = (n + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
	n = htole64(n + UINT64_C(0x3030303030303030) + ten * ('a' - '0' - 10));
	memcpy(out, &n, sizeof(n));
}

static inline void
hex_put(struct buf *out, const uint8_t *bytes, size_t n)
{
	uint8_t *p = buf_reserve(out, 2 * n), last[4] = { 0 }, digits[8];

	if (p == NULL)
		return;
	for (size_t i = 0; i < n / 4; i++)
		hex_eight(p + 8 * i, bytes + 4 * i);
	if (n % 4 != 0) {
		memcpy(last, bytes + (n - n % 4), n % 4);
		hex_eight(digits, last);
		memcpy(p + 2 * (n - n % 4), digits, 2 * (n % 4));
	}
	out->len += 2 * n;
}

#include "base/utf8.h"

size_t
utf8_bad(const uint8_t *s, size_t len)
{
	size_t i = 0, start;

	while (i < len) {
		uint8_t b = s[i], low = 0x80, high = 0xbf;
		unsigned more;

		if (b < 0x80) {
			/* Thirty-two ASCII bytes at a time: most text is. */
			while (len - i >= 32) {
				uint64_t w[4];

				__builtin_memcpy(w, s + i, 32);
				if ((w[0] | w[1] | w[2] | w[3]) & UINT64_C(0x8080808080808080))
					break;
				i += 32;
			}
			while (i < len && s[i] < 0x80)
				i++;
			continue;
		}
		start = i++;
		if (b < 0xc2 || b > 0xf4)
			return start;
		more = b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3;
		if (b == 0xe0)
			low = 0xa0;
		else if (b == 0xed)
			high = 0x9f;
		else if (b == 0xf0)
			low = 0x90;
		else if (b == 0xf4)
			high = 0x8f;
		for (; more > 0; more--) {
			if (i == len || s[i] < low || s[i] > high)
				return start;
			low = 0x80;
			high = 0xbf;
			i++;
		}
	}
	return len;
}

bool
utf8_valid(const uint8_t *s, size_t len)
{
	return utf8_bad(s, len) == len;
}

void
utf8_put(struct buf *out, uint32_t c)
{
	if (c >= 0x10000) {
		buf_byte(out, (uint8_t)(0xf0 | c >> 18));
		buf_byte(out, (uint8_t)(0x80 | (c >> 12 & 0x3f)));
		buf_byte(out, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
	} else if (c >= 0x800) {
		buf_byte(out, (uint8_t)(0xe0 | c >> 12));
		buf_byte(out, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
	} else if (c >= 0x80)
		buf_byte(out, (uint8_t)(0xc0 | c >> 6));
	buf_byte(out, (uint8_t)(c < 0x80 ? c : 0x80 | (c & 0x3f)));
}

size_t
utf8_cut(const uint8_t *s, size_t len, size_t max)
{
	size_t n = len < max ? len : max;

	if (n == len) {
		/* The end may itself be inside a character that was cut before. */
		size_t back = n;

		while (back > 0 && n - back < 3 && (s[back - 1] & 0xc0) == 0x80)
			back--;
		if (back > 0 && s[back - 1] >= 0xc0) {
			size_t need = s[back - 1] < 0xe0 ? 2 : s[back - 1] < 0xf0 ? 3 : 4;

			if (n - (back - 1) < need)
				return back - 1;
		}
		return n;
	}
	while (n > 0 && (s[n] & 0xc0) == 0x80)
		n--;
	return n;
}

size_t
utf8_prefix(struct span s, size_t characters)
{
	size_t n = 0;

	while (n < s.len && (characters > 0 || (s.p[n] & 0xc0) == 0x80))
		characters -= (s.p[n++] & 0xc0) != 0x80;
	return n;
}

size_t
utf8_count(struct span s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += (s.p[i] & 0xc0) != 0x80;
	return n;
}

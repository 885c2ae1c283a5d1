#include "base/text/percent.h"

#include "base/ascii.h"

bool
percent_is_unreserved(uint8_t c)
{
	return ascii_is_alnum(c) || ascii_is_any(c, "-._~");
}

void
percent_put(struct buf *out, struct span s, bool (*stays)(uint8_t c))
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < s.len; i++) {
		uint8_t c = s.p[i];

		if (stays(c))
			buf_byte(out, c);
		else
			buf_append(out, (char[]){ '%', digits[c >> 4], digits[c & 15] }, 3);
	}
}

int
percent_next(struct span s, size_t *at)
{
	const uint8_t *p = s.p + *at;
	int high, low;

	if (*p != '%') {
		++*at;
		return *p;
	}
	if (s.len - *at < 3 || (high = ascii_hex(p[1])) == -1 || (low = ascii_hex(p[2])) == -1)
		return -1;
	*at += 3;
	return high << 4 | low;
}

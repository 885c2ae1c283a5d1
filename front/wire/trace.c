#include "front/wire/trace.h"

#include <string.h>

#include "base/ascii.h"

#define LENGTH	55u	/* 00-<32>-<16>-<2>; of a later version more may follow behind a dash */

/* False: not n bytes in small hexadecimal digits. */
static bool
read_bytes(const uint8_t *text, uint8_t *out, size_t n)
{
	for (size_t i = 0; i < 2 * n; i++) {
		int digit = text[i] >= 'A' && text[i] <= 'F' ? -1 : ascii_hex(text[i]);

		if (digit < 0)
			return false;
		out[i / 2] = (uint8_t)(i % 2 == 0 ? digit << 4 : out[i / 2] | digit);
	}
	return true;
}

static bool
is_zero(const uint8_t *bytes, size_t n)
{
	while (n > 0 && bytes[n - 1] == 0)
		n--;
	return n == 0;
}

void
trace_read(struct span s, struct trace *t)
{
	uint8_t version, flags;

	memset(t, 0, sizeof(*t));
	if (s.len < LENGTH || (s.len > LENGTH && s.p[LENGTH] != '-') || s.p[2] != '-' || s.p[35] != '-' ||
	    s.p[52] != '-' || !read_bytes(s.p, &version, 1) || !read_bytes(s.p + 53, &flags, 1))
		return;
	/* Of later versions what is known is read; 255 is invalid. */
	if (version == 0xff || (version == 0 && s.len > LENGTH))
		return;
	t->valid = read_bytes(s.p + 3, t->id, sizeof(t->id)) && !is_zero(t->id, sizeof(t->id)) &&
	    read_bytes(s.p + 36, t->parent, sizeof(t->parent)) && !is_zero(t->parent, sizeof(t->parent));
	t->sampled = (flags & 1) != 0;
}

void
trace_print(const struct trace *t, char out[33])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < sizeof(t->id); i++) {
		out[2 * i] = digits[t->id[i] >> 4];
		out[2 * i + 1] = digits[t->id[i] & 15];
	}
	out[32] = '\0';
}

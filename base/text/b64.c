#include "base/text/b64.h"

static const char standard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void
encode_bytes(struct buf *out, struct span s, const char *alphabet, bool pad)
{
	size_t rest = s.len % 3, len = s.len / 3 * 4, i;
	uint8_t *p;

	if (s.len > SIZE_MAX / 4) {
		out->full = true;
		return;
	}
	len += rest == 0 ? 0 : pad ? 4 : rest + 1;
	if (len == 0 || (p = buf_reserve(out, len)) == NULL)
		return;
	for (i = 0; i + 2 < s.len; i += 3) {
		uint32_t n = (uint32_t)s.p[i] << 16 | (uint32_t)s.p[i + 1] << 8 | s.p[i + 2];

		*p++ = (uint8_t)alphabet[n >> 18];
		*p++ = (uint8_t)alphabet[n >> 12 & 63];
		*p++ = (uint8_t)alphabet[n >> 6 & 63];
		*p++ = (uint8_t)alphabet[n & 63];
	}
	if (rest > 0) {
		uint32_t n = (uint32_t)s.p[i] << 16 | (rest == 2 ? (uint32_t)s.p[i + 1] << 8 : 0);

		*p++ = (uint8_t)alphabet[n >> 18];
		*p++ = (uint8_t)alphabet[n >> 12 & 63];
		if (rest == 2)
			*p++ = (uint8_t)alphabet[n >> 6 & 63];
		if (pad)
			memset(p, '=', 3 - rest);
	}
	out->len += len;
}

void
b64_encode(struct buf *out, struct span s)
{
	encode_bytes(out, s, standard, true);
}

void
b64url_encode(struct buf *out, struct span s)
{
	encode_bytes(out, s, url, false);
}

/* The six bits of a digit; 64 if it is no digit. */
static uint32_t
digit(uint8_t c, const char *alphabet)
{
	if (c >= 'A' && c <= 'Z')
		return (uint32_t)c - 'A';
	if (c >= 'a' && c <= 'z')
		return (uint32_t)c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return (uint32_t)c - '0' + 52;
	if (c == (uint8_t)alphabet[62])
		return 62;
	return c == (uint8_t)alphabet[63] ? 63 : 64;
}

/* s has no padding any more. */
static bool
decode_digits(struct buf *out, struct span s, const char *alphabet)
{
	size_t rest = s.len % 4, len = s.len / 4 * 3 + (rest == 0 ? 0 : rest - 1);
	uint32_t n = 0, d;
	uint8_t *p;

	if (rest == 1)
		return false;
	if (len == 0)
		return true;
	if ((p = buf_reserve(out, len)) == NULL)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if ((d = digit(s.p[i], alphabet)) == 64)
			return false;
		n = n << 6 | d;
		if (i % 4 == 3) {
			*p++ = (uint8_t)(n >> 16);
			*p++ = (uint8_t)(n >> 8);
			*p++ = (uint8_t)n;
			n = 0;
		}
	}
	/* Bits that no byte uses must be zero, else two texts would mean the same bytes. */
	if ((rest == 2 && (n & 0x0f) != 0) || (rest == 3 && (n & 0x03) != 0))
		return false;
	if (rest == 2)
		*p = (uint8_t)(n >> 4);
	else if (rest == 3) {
		*p++ = (uint8_t)(n >> 10);
		*p = (uint8_t)(n >> 2);
	}
	out->len += len;
	return true;
}

bool
b64_decode(struct buf *out, struct span s)
{
	size_t pad = 0;

	if (s.len % 4 != 0)
		return false;
	while (pad < 2 && s.len > pad && s.p[s.len - 1 - pad] == '=')
		pad++;
	return decode_digits(out, span_of(s.p, s.len - pad), standard);
}

bool
b64url_decode(struct buf *out, struct span s)
{
	return decode_digits(out, s, url);
}

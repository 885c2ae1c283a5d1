#include "base/json/json_text.h"

const uint8_t *
json_string_end(const uint8_t *p, const uint8_t *end)
{
	for (; p < end; p++) {
		p += json_plain(p, (size_t)(end - p));
		if (p == end)
			break;
		if (*p == '"')
			return p + 1;
		if (*p == '\\')
			p++;
	}
	return NULL;
}

const uint8_t json_escape_letters[256] = {
	['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f',
	['n'] = '\n', ['r'] = '\r', ['t'] = '\t',
};

/* Four hexadecimal digits at p; -1 when they are none. */
static int32_t
json_text_hex(const uint8_t *p, const uint8_t *end)
{
	int32_t n = 0;

	if (end - p < 4)
		return -1;
	for (size_t i = 0; i < 4; i++) {
		uint8_t c = p[i];

		if (c >= '0' && c <= '9')
			n = n << 4 | (c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			n = n << 4 | ((c | 0x20) - 'a' + 10);
		else
			return -1;
	}
	return n;
}

int32_t
json_escape_unicode(const uint8_t *p, const uint8_t *end, size_t *len)
{
	int32_t c = json_text_hex(p, end), low;

	*len = c < 0 ? 0 : 4;
	if (c < 0xd800 || c > 0xdbff || end - p < 10 || p[4] != '\\' || p[5] != 'u')
		return c;
	low = json_text_hex(p + 6, end);
	if (low < 0xdc00 || low > 0xdfff)
		return c;
	*len = 10;
	return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

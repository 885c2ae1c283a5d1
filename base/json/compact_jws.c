#include <string.h>

#include "base/json/compact_jws.h"
#include "base/json/json_read.h"
#include "base/text/b64.h"

bool
compact_split(struct span text, struct span part[COMPACT_PARTS])
{
	for (size_t i = 0; i < COMPACT_PARTS; i++) {
		const uint8_t *dot = text.len == 0 ? NULL : memchr(text.p, '.', text.len);
		size_t n = dot == NULL ? text.len : (size_t)(dot - text.p);

		if ((dot == NULL) != (i == COMPACT_PARTS - 1) || n == 0)
			return false;
		part[i] = span_of(text.p, n);
		if (dot != NULL)
			text = span_of(dot + 1, text.len - n - 1);
	}
	return true;
}

bool
compact_read(struct span part, size_t max, struct buf *out, struct span *value)
{
	struct buf text = BUF_MAX(max);
	size_t at, begin = out->len;
	bool ok =
	    b64url_decode(&text, part) && !text.full && json_read(buf_view(&text), out, &at) == JSON_OK && !out->full;

	buf_wipe(&text);
	*value = span_of(out->p + begin, ok ? out->len - begin : 0);
	return ok;
}

#include "workers/sql/postgres/guard/guard_text.h"

#include <string.h>

uint32_t
guard_text_keep(struct buf *text, struct span name)
{
	uint32_t at = (uint32_t)text->len;

	buf_span(text, name);
	buf_byte(text, '\0');
	return at;
}

struct span
guard_text_at(const struct buf *text, uint32_t at)
{
	return span_str((const char *)text->p + at);
}

size_t
guard_text_first(const struct buf *text, const void *v, size_t n, size_t size, size_t member, struct span name)
{
	size_t low = 0, high = n;
	uint32_t at;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		memcpy(&at, (const char *)v + middle * size + member, sizeof(at));
		if (span_cmp(guard_text_at(text, at), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

static size_t
buf_ceiling(const struct buf *b)
{
	return b->max != 0 ? b->max : SIZE_MAX / 2;
}

uint8_t *
buf_reserve(struct buf *b, size_t n)
{
	size_t want, cap;

	if (b->full)
		return NULL;
	if (n > buf_ceiling(b) || b->len > buf_ceiling(b) - n) {
		b->full = true;
		return NULL;
	}
	want = b->len + n;
	if (want > b->cap || b->p == NULL) {
		cap = b->cap < 256 ? 256 : b->cap;
		while (cap < want)
			cap = cap > SIZE_MAX / 2 ? want : cap * 2;
		/* The inline appends trust cap: it never goes beyond the ceiling. */
		if (cap > buf_ceiling(b))
			cap = buf_ceiling(b);
		b->p = mem_resize(b->p, cap, 1);
		b->cap = cap;
	}
	return b->p + b->len;
}

void
buf_append_slow(struct buf *b, const void *p, size_t n)
{
	uint8_t *at;

	if (n == 0 || (at = buf_reserve(b, n)) == NULL)
		return;
	memcpy(at, p, n);
	b->len += n;
}

void
buf_quoted(struct buf *b, struct span s, uint8_t quote)
{
	buf_byte(b, quote);
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == quote)
			buf_byte(b, quote);
		buf_byte(b, s.p[i]);
	}
	buf_byte(b, quote);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	size_t room = b->p == NULL || b->full ? 0 : b->cap - b->len;
	va_list ap, again;
	uint8_t *at;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(room > 0 ? (char *)b->p + b->len : NULL, room, fmt, ap);
	if (n > 0 && (size_t)n < room)
		b->len += (size_t)n;
	else if (n > 0 && (at = buf_reserve(b, (size_t)n + 1)) != NULL) {
		vsnprintf((char *)at, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
	va_end(ap);
}

void
buf_uint(struct buf *b, uint64_t n)
{
	char digits[24];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	buf_append(b, digits + at, sizeof(digits) - at);
}

const char *
buf_cstr(struct buf *b)
{
	/* The NUL is not content: it may lie one byte beyond cap, and beyond the ceiling. */
	if (b->len == b->cap || b->p == NULL)
		b->p = mem_resize(b->p, b->len + 1, 1);
	b->p[b->len] = '\0';
	return (const char *)b->p;
}

void
buf_consume(struct buf *b, size_t n)
{
	if (n > b->len)
		n = b->len;
	b->len -= n;
	if (b->len > 0 && n > 0)
		memmove(b->p, b->p + n, b->len);
}

void
buf_reset(struct buf *b, size_t keep)
{
	b->len = 0;
	b->full = false;
	if (b->cap > keep) {
		free(b->p);
		b->p = NULL;
		b->cap = 0;
	}
}

void
buf_fini(struct buf *b)
{
	free(b->p);
	b->p = NULL;
	b->len = b->cap = 0;
	b->full = false;
}

void
buf_wipe(struct buf *b)
{
	if (b->p != NULL)
		explicit_bzero(b->p, b->cap);
	buf_fini(b);
}

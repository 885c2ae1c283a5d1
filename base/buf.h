/*
 * buf - a growing run of bytes with a ceiling.
 *
 * Appending never fails loudly: past the ceiling the buffer turns `full`,
 * keeps what it has and ignores the rest, so that a writer checks once, at the
 * end.  Out of memory aborts the process (the supervisor restarts it).
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/span.h"

struct buf {
	uint8_t	*p;
	size_t	 len, cap;
	size_t	 max;		/* ceiling on len; 0 means SIZE_MAX / 2 */
	bool	 full;		/* something did not fit */
};

#define BUF_MAX(n)	((struct buf){ .max = (n) })

/* Make room for n more bytes and return where they go; NULL when full. */
uint8_t *buf_reserve(struct buf *b, size_t n);

void buf_append_slow(struct buf *b, const void *p, size_t n);

static inline void
buf_append(struct buf *b, const void *p, size_t n)
{
	if (n != 0 && n <= b->cap - b->len && !b->full) {
		memcpy(b->p + b->len, p, n);
		b->len += n;
	} else
		buf_append_slow(b, p, n);
}

static inline void
buf_byte(struct buf *b, uint8_t byte)
{
	if (b->len < b->cap && !b->full)
		b->p[b->len++] = byte;
	else
		buf_append_slow(b, &byte, 1);
}

static inline void
buf_span(struct buf *b, struct span s)
{
	buf_append(b, s.p, s.len);
}

static inline void
buf_str(struct buf *b, const char *s)
{
	buf_append(b, s, strlen(s));
}

/* s between two quotes, each quote within it doubled, as SQL writes names and strings. */
void buf_quoted(struct buf *b, struct span s, uint8_t quote);

void buf_printf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* n in decimal. */
void buf_uint(struct buf *b, uint64_t n);

/* The contents; borrowed until the next append, consume or fini. */
static inline struct span
buf_view(const struct buf *b)
{
	return (struct span){ b->p, b->len };
}

/* The contents as a C string: a NUL is kept behind them, not counted. */
const char *buf_cstr(struct buf *b);

/* Drop the first n bytes (n <= len). */
void buf_consume(struct buf *b, size_t n);

/* Empty it, keep the memory unless it holds more than keep bytes. */
void buf_reset(struct buf *b, size_t keep);

/* Give the memory back; the buffer is empty and usable afterwards. */
void buf_fini(struct buf *b);

/* buf_fini() that overwrites the bytes first: for secrets. */
void buf_wipe(struct buf *b);

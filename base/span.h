/*
 * span - borrowed bytes: a pointer and a length, never NUL-terminated.
 *
 * A span owns nothing.  A function that returns one says how long it lives; a
 * caller that keeps it longer copies it (arena_span(), buf_append()).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/ascii.h"

struct span {
	const uint8_t	*p;
	size_t		 len;
};

/* A string literal or array as a span, without its NUL; and the empty span. */
#define SPAN(literal)	((struct span){ (const uint8_t *)(literal), sizeof(literal) - 1 })
#define SPAN_NONE	((struct span){ NULL, 0 })

/* For printf's "%.*s": SPAN_FMT(s) gives both arguments. */
#define SPAN_FMT(s)	((int)(s).len), ((const char *)(s).p)

static inline struct span
span_of(const void *p, size_t len)
{
	return (struct span){ p, len };
}

/* s may be NULL: the empty span. */
static inline struct span
span_str(const char *s)
{
	return (struct span){ (const uint8_t *)s, s == NULL ? 0 : strlen(s) };
}

static inline bool
span_is(struct span a, struct span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

static inline uint64_t
bytes_load(const uint8_t *p)
{
	uint64_t w;

	memcpy(&w, p, 8);
	return w;
}

/* Equal; without a call for what most names and words are, eight to thirty-two bytes. */
static inline bool
bytes_are(const uint8_t *a, const uint8_t *b, size_t n)
{
	uint64_t other;

	if (n < 8 || n > 32)
		return n == 0 || memcmp(a, b, n) == 0;
	other = (bytes_load(a) ^ bytes_load(b)) | (bytes_load(a + n - 8) ^ bytes_load(b + n - 8));
	if (n > 16)
		other |= (bytes_load(a + 8) ^ bytes_load(b + 8)) | (bytes_load(a + n - 16) ^ bytes_load(b + n - 16));
	return other == 0;
}

static inline bool
span_is_str(struct span a, const char *s)
{
	return span_is(a, span_str(s));
}

/* Equal but for the case of ASCII letters: names and keywords of SQL. */
static inline bool
span_is_folded(struct span a, struct span b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (ascii_lower(a.p[i]) != ascii_lower(b.p[i]))
			return false;
	return true;
}

static inline bool
span_is_word(struct span s, const char *word)
{
	return span_is_folded(s, span_str(word));
}

static inline bool
span_begins_word(struct span s, const char *word)
{
	size_t n = strlen(word);

	return s.len >= n && span_is_folded(span_of(s.p, n), span_of(word, n));
}

static inline bool
span_begins(struct span s, const char *with)
{
	size_t n = strlen(with);

	return s.len >= n && memcmp(s.p, with, n) == 0;
}

static inline bool
span_ends(struct span s, const char *with)
{
	size_t n = strlen(with);

	return s.len >= n && memcmp(s.p + s.len - n, with, n) == 0;
}

/* Byte order; a prefix sorts first.  <0, 0, >0. */
static inline int
span_cmp(struct span a, struct span b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int r = n == 0 ? 0 : memcmp(a.p, b.p, n);

	return r != 0 ? r : (a.len > b.len) - (a.len < b.len);
}

static inline bool
span_is_ascii(struct span s)
{
	uint8_t high = 0;

	for (size_t i = 0; i < s.len; i++)
		high |= s.p[i];
	return high < 0x80;
}

/* The same of two struct span, for qsort(). */
int span_order(const void *a, const void *b);

/* Whether s is one of words, a list that NULL ends; with _word whatever the case. */
bool span_is_any(struct span s, const char *const *words);
bool span_is_any_word(struct span s, const char *const *words);

/* Without the white space (ascii_is_space()) at both ends. */
struct span span_trim(struct span s);

/* The first line of *rest, without its newline, and *rest what comes behind it.  False: *rest is empty. */
bool span_line(struct span *rest, struct span *line);

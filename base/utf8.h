/* utf8 - strict UTF-8 (RFC 3629): shortest form, no surrogates, at most U+10FFFF. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

bool utf8_valid(const uint8_t *s, size_t len);

/* The position of the first invalid byte; len: all are valid. */
size_t utf8_bad(const uint8_t *s, size_t len);

/* Append the character c, at most U+10FFFF. */
void utf8_put(struct buf *out, uint32_t c);

/* The number of characters in s, valid UTF-8. */
size_t utf8_count(struct span s);

/* The bytes of the first characters of s, which is valid. */
size_t utf8_prefix(struct span s, size_t characters);

/* The largest n <= max such that s[0..n) does not end inside a character. */
size_t utf8_cut(const uint8_t *s, size_t len, size_t max);

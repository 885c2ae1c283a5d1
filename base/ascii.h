/*
 * ascii - classes of single bytes, of ASCII alone and whatever the locale is.
 * Bytes from 0x80 on belong to none of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool
ascii_is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static inline bool
ascii_is_upper(uint8_t c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool
ascii_is_lower(uint8_t c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool
ascii_is_letter(uint8_t c)
{
	return ascii_is_lower(c | 0x20);
}

static inline bool
ascii_is_alnum(uint8_t c)
{
	return ascii_is_letter(c) || ascii_is_digit(c);
}

/* Letters, digits, "_" and "-": what tokens, names of tools and base64url are made of. */
static inline bool
ascii_is_token(uint8_t c)
{
	return ascii_is_alnum(c) || c == '_' || c == '-';
}

/* Whether c is in set. */
static inline bool
ascii_is_any(uint8_t c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

/* Space, tab, newline, vertical tab, form feed, return. */
static inline bool
ascii_is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline uint8_t
ascii_lower(uint8_t c)
{
	return ascii_is_upper(c) ? c | 0x20 : c;
}

/* The value of a hex digit of either case; -1 for any other byte. */
static inline int
ascii_hex(uint8_t c)
{
	return ascii_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	    c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

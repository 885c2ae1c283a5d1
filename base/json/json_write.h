/* json_write - the writer of answers, from msgpack (base/mp.h), and of strings. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/mp.h"
#include "base/span.h"

/*
 * Append v as compact JSON.  Integers beyond +-(2^53-1) are written as
 * strings, doubles shortest-round-trip (in the form of num_print_double()),
 * NaN and infinities as the strings "NaN", "Infinity", "-Infinity", BIN as
 * {"base64": "..."}: RFC 4648 section 4.  v must have passed mp_scan().
 */
void json_write(struct buf *out, const struct mp_value *v);

/*
 * As json_write(), for a cell of a result row, where an ARRAY of exactly one STR is a decimal number to be written
 * verbatim.  A STR that is not a number or that a double does not hold (json_is_exact()) is written as a string.
 */
void json_write_cell(struct buf *out, const struct mp_value *v);

/* The same, numbers as strings. */
void json_write_cell_text(struct buf *out, const struct mp_value *v);

/*
 * Append s as a JSON string with its quotes.  s is valid UTF-8.  Here and in
 * all that is written, characters that deceive (base/text/safe_text.h) are escapes.
 */
void json_write_string(struct buf *out, struct span s);

/* Append s escaped as the inside of a JSON string, without quotes: JSON text as a string. */
void json_escape(struct buf *out, struct span s);

#define JSON_ESCAPE_MAX	12	/* bytes of the longest escape of a character */
#define JSON_GROWTH	6	/* escaped text is at most this many times as long */

/*
 * Escape the first character of s, which is not empty, for a JSON string, into out.  Returns the escaped length;
 * *took: its length in s. s may be any bytes: an invalid one becomes U+FFFD.
 */
size_t json_escape_character(struct span s, uint8_t out[JSON_ESCAPE_MAX], size_t *took);

/* The number of bytes at the start of s that are ASCII and need no escape. */
size_t json_plain_ascii(struct span s);

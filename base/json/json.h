/*
 * json - the strict reader for input of strangers, and the writer of answers.  RFC 8259, restricted: see json_read().
 *
 * Values in between are msgpack (base/mp.h); there is no tree.
 */
#ifndef BASE_JSON_JSON_H
#define BASE_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/mp.h"
#include "base/span.h"

#define JSON_DEPTH_MAX	32

/* Why a text was refused.  Zero is success; each value has its own test. */
enum json_fault {
	JSON_OK = 0,
	JSON_SYNTAX,		/* not JSON, or it ends too early */
	JSON_TRAILING,		/* something other than white space after the value */
	JSON_TOO_DEEP,		/* more than JSON_DEPTH_MAX containers inside each other */
	JSON_DUPLICATE_KEY,	/* compared after unescaping */
	JSON_BAD_UTF8,		/* in a string */
	JSON_MARKED,		/* a byte-order mark in front */
	JSON_BAD_ESCAPE,	/* unknown escape, lone surrogate, or \u0000 */
	JSON_BAD_NUMBER,	/* does not fit: 1e400, or an integer beyond 64 bits */
	JSON_TOO_LARGE		/* out ran into its ceiling */
};

/*
 * Append the one value in text to out as msgpack.  Refused, never repaired:
 * duplicate keys, lone surrogates, \u0000, invalid UTF-8, control characters
 * in strings, trailing bytes, numbers that do not fit.  An integer token
 * (no '.', no exponent, not "-0") becomes INT/UINT exactly, and so does another
 * number with the value of an integer within 2^53 (10.0, 1e1: integers of JSON
 * Schema 2020-12, 6.1.1); any other number becomes the nearest double.  Never recurses; work is O(n log n) whatever
 * the keys.  On a fault *at is the byte offset of the trouble and out is
 * left at its old length.
 */
enum json_fault json_read(struct span text, struct buf *out, size_t *at);

/* The same, each number as a BIN with the digits of the text: none is too large, and none is rounded. */
enum json_fault json_read_digits(struct span text, struct buf *out, size_t *at);

/* A clause that says what is wrong, for an error message: "duplicate key". */
const char *json_fault_text(enum json_fault fault);

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

/* True when s is exactly one RFC 8259 number. */
bool json_is_number(struct span s);

#define JSON_EXACT_DIGITS 15u /* significant digits that a double always holds */

/* True when s is a number without an exponent that every reader of JSON has exactly. */
bool json_is_exact(struct span s);

#endif

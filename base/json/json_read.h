/* json_read - the strict reader for input of strangers, into msgpack.  RFC 8259, restricted: see json_read(). */
#pragma once

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

/* True when s is exactly one RFC 8259 number. */
bool json_is_number(struct span s);

#define JSON_EXACT_DIGITS 15u /* significant digits that a double always holds */

/* True when s is a number without an exponent that every reader of JSON has exactly. */
bool json_is_exact(struct span s);

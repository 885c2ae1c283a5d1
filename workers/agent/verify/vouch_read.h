/* vouch_read - splits a text for vouch.h into words, digits and marks, and reads the numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum vouch_kind { VOUCH_WORD, VOUCH_DIGITS, VOUCH_MARK };

struct vouch_token {
	enum vouch_kind	 kind;
	bool		 glued;		/* no blank before it */
	bool		 line;		/* first in its line */
	struct span	 text;		/* lower case */
};

/* The tokens of a text, in a.  NULL: more than max, or a is full. */
struct vouch_token *vouch_tokens(struct arena *a, struct span text, size_t max, size_t *n);

struct vouch_number {
	double		 value;
	unsigned	 decimals;	/* digits after the point; negative: zeros before it that rounding left */
	double		 scale;		/* 1000 for "thousand" */
	struct span	 digits;	/* all digits without separators and leading zeros; in a */
};

/*
 * Read the number at the beginning of t, of n tokens; returns its number of tokens.  0: no number, SIZE_MAX: digits
 * that are not a valid number in this language.
 */
size_t vouch_number(struct arena *a, const struct vouch_token *t, size_t n, bool german, struct vouch_number *out);

/*
 * Whether v equals the number, rounded to the digits it shows.  exact: v's own digits without leading zeros, when a
 * double cannot hold them, or empty.
 */
bool vouch_equals(const struct vouch_number *number, double v, struct span exact);

/* vouch_read - a text as the guard of narratives reads it: words, digits and marks, and the numbers that they make. */
#ifndef AGENT_VOUCH_READ_H
#define AGENT_VOUCH_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum vouch_kind { VOUCH_WORD, VOUCH_DIGITS, VOUCH_MARK };

struct vouch_token {
	enum vouch_kind	 kind;
	bool		 glued;		/* nothing stands between it and the token before */
	bool		 line;		/* a line begins with it */
	struct span	 text;		/* folded: small letters */
};

/* The tokens of a text, in a.  NULL: there are more than max, or a is full. */
struct vouch_token *vouch_tokens(struct arena *a, struct span text, size_t max, size_t *n);

struct vouch_number {
	double		 value;
	unsigned	 decimals;	/* digits behind the point; negative powers of ten that were shown */
	double		 scale;		/* 1000 for "thousand" */
	struct span	 digits;	/* all of them, without marks and leading zeros; in a */
};

/*
 * The number that t, of n tokens, begins with: how many tokens it is.  0: there is none, SIZE_MAX: there are digits
 * that are no number as people of this language write it.
 */
size_t vouch_number(struct arena *a, const struct vouch_token *t, size_t n, bool german, struct vouch_number *out);

/*
 * Whether v is what the number says, rounded to the digits that it shows.  exact: v's own digits, without leading
 * zeros, where it has more than a double, or empty.
 */
bool vouch_equals(const struct vouch_number *number, double v, struct span exact);

#endif

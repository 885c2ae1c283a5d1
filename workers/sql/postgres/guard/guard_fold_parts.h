/* guard_fold_parts.h - private to guard_fold*.c: the sizes of values that functions return. */
#pragma once

#include "workers/sql/postgres/guard/guard_fold.h"

#include <math.h>

#define FOLD_TIMES_MAX	4096.0	/* up to this many copies of a stored value in one value are ignored */
#define FOLD_STORED_BYTES	16.0	/* assumed size of a stored value that is copied thousands of times */

#define FOLD_SMALL		64.0	/* what functions without a row make of less is unknown */
#define FOLD_ELEMENT		8.0	/* the least bytes of an element of an array or of a document */
#define FOLD_DIGITS_MAX		131072.0	/* of a numeric */

static inline struct guard_known
fold_of_number(double n)
{
	return (struct guard_known){ .has_number = isfinite(n) != 0, .number = n, .bytes = 8 };
}

/* A number with that many digits, which may be numeric. */
static inline struct guard_known
fold_of_digits(double n, double digits)
{
	struct guard_known k = fold_of_number(n);

	k.bytes = digits > k.bytes ? fmin(digits, FOLD_DIGITS_MAX) : k.bytes;
	return k;
}

static inline struct guard_known
fold_of_power(double a, double b)
{
	return fold_of_digits(pow(a, b), fabs(a) > 0 ? b * fabs(log10(fabs(a))) : 0);
}

/* What an operator or a function that is not known here makes of that many bytes: as much, or something small. */
static inline struct guard_known
fold_of_derived(double bytes, bool grows)
{
	return bytes > FOLD_SMALL ? (struct guard_known){ .bytes = bytes, .grows = grows } : (struct guard_known){ 0 };
}

/* A size in bytes, or, if the bytes are unknown, in copies of a stored value. */
static inline struct guard_known
fold_of_size(double bytes, double times, bool grows)
{
	if (bytes <= 0 && times > FOLD_TIMES_MAX)
		bytes = times * FOLD_STORED_BYTES;
	return (struct guard_known){ .bytes = bytes, .times = bytes > 0 ? 0 : times, .grows = grows };
}

/* The number of copies of a stored value that the value contains, at least one. */
static inline double
fold_times_of(struct guard_known k)
{
	return k.bytes > 0 || k.has_number ? 0 : fmax(k.times, 1);
}

#define FOLD_ARGS_MAX	8u

/* The arguments of a function call, folded. */
struct fold_call {
	unsigned	n;			/* may exceed FOLD_ARGS_MAX, of which the rest are not read */
	bool		most;			/* as of struct guard_tree */
	struct guard_known	args[FOLD_ARGS_MAX];
};

/* Argument i as a number; otherwise if it has none. */
static inline double
fold_number_or(const struct fold_call *c, unsigned i, double otherwise)
{
	return i < c->n && c->args[i].has_number ? c->args[i].number : otherwise;
}

/*
 * decimal - exact decimal numbers of at most 38 digits: the figures of databases, which binary doubles would blur
 * (0.3 - 0.1 is 0.2 here).  units / 10^scale; a number has one form, the one of the smallest scale.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

#define DECIMAL_SCALE_MAX	60u

__extension__ typedef __int128 decimal_units;

struct decimal {
	decimal_units	units;
	unsigned	scale;
};

/* Read "-12.50" or "1.25e-3".  False: text is no number, or it has more digits than fit. */
bool decimal_read(struct span text, struct decimal *out);

/* The decimal of at most 15 significant digits that is nearest to v.  False: not finite, or too large or small. */
bool decimal_of_double(double v, struct decimal *out);
double decimal_double(const struct decimal *d);

/* a - b, a + b.  False: the result does not fit. */
bool decimal_subtract(const struct decimal *a, const struct decimal *b, struct decimal *out);
bool decimal_add(const struct decimal *a, const struct decimal *b, struct decimal *out);

/* Round half away from zero to this scale. */
struct decimal decimal_round(const struct decimal *d, unsigned scale);

/* Append the digits: "-1234.5", without an exponent. */
void decimal_put(struct buf *out, const struct decimal *d);

#define DECIMAL_DIGITS_MAX	(40u + DECIMAL_SCALE_MAX)

/* The digits of the absolute value, without a point: at least one more than the scale.  Returns their number. */
size_t decimal_digits(const struct decimal *d, char digits[DECIMAL_DIGITS_MAX]);

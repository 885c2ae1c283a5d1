/* decimal.c - see decimal.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/decimal.h"
#include "base/json/json.h"

#define DIGITS_MAX	40	/* of a decimal_units */
#define EXPONENT_MAX	999	/* beyond it no number fits */

/* Remove the zeros at the end of the fraction. */
static void
make_shortest(struct decimal *d)
{
	while (d->scale > 0 && d->units % 10 == 0) {
		d->units /= 10;
		d->scale--;
	}
}

/* Multiply by 10^n.  False: no room. */
static bool
widen(decimal_units *units, unsigned n)
{
	while (n-- > 0)
		if (__builtin_mul_overflow(*units, 10, units))
			return false;
	return true;
}

/* The number behind the "e"; at most a little more than EXPONENT_MAX. */
static long
exponent_of(struct span text)
{
	long exponent = 0, sign = 1;
	bool found = false;

	for (size_t i = 0; i < text.len; i++) {
		if (found && text.p[i] == '-')
			sign = -1;
		if (found && ascii_is_digit(text.p[i]) && exponent <= EXPONENT_MAX)
			exponent = 10 * exponent + (text.p[i] - '0');
		found = found || (text.p[i] | 0x20) == 'e';
	}
	return sign * exponent;
}

bool
decimal_read(struct span text, struct decimal *out)
{
	bool point = false, negative = text.len > 0 && text.p[0] == '-';
	struct decimal d = { 0 };
	unsigned zeros = 0; /* at the end of the fraction so far: 1.000 has one digit */
	long scale = 0;

	if (!json_is_number(text))
		return false;
	for (size_t i = negative; i < text.len && (text.p[i] | 0x20) != 'e'; i++) {
		uint8_t c = text.p[i];

		if (c == '.') {
			point = true;
			continue;
		}
		if (point && c == '0') {
			zeros++;
			continue;
		}
		if (!widen(&d.units, zeros + 1) || __builtin_sub_overflow(d.units, c - '0', &d.units))
			return false;
		scale += point ? (long)zeros + 1 : 0;
		zeros = 0;
	}
	scale -= exponent_of(text);
	if (d.units == 0)
		scale = 0;
	if (scale > (long)DECIMAL_SCALE_MAX || scale < -DIGITS_MAX ||
	    !widen(&d.units, scale < 0 ? (unsigned)-scale : 0) ||
	    (!negative && __builtin_sub_overflow(0, d.units, &d.units)))
		return false;
	d.scale = scale > 0 ? (unsigned)scale : 0;
	make_shortest(&d);
	*out = d;
	return true;
}

bool
decimal_of_double(double v, struct decimal *out)
{
	char digits[40];
	int n = isfinite(v) ? snprintf(digits, sizeof(digits), "%.15g", v) : 0;

	return n > 0 && decimal_read(span_of(digits, (size_t)n), out);
}

double
decimal_double(const struct decimal *d)
{
	struct buf digits = { 0 };
	double v;

	decimal_put(&digits, d);
	v = strtod(buf_cstr(&digits), NULL);
	buf_fini(&digits);
	return v;
}

bool
decimal_add(const struct decimal *a, const struct decimal *b, struct decimal *out)
{
	decimal_units one = a->units, two = b->units;
	unsigned scale = a->scale > b->scale ? a->scale : b->scale;

	if (!widen(&one, scale - a->scale) || !widen(&two, scale - b->scale) ||
	    __builtin_add_overflow(one, two, &out->units))
		return false;
	out->scale = scale;
	make_shortest(out);
	return true;
}

bool
decimal_subtract(const struct decimal *a, const struct decimal *b, struct decimal *out)
{
	struct decimal minus = { .scale = b->scale };

	return !__builtin_sub_overflow(0, b->units, &minus.units) && decimal_add(a, &minus, out);
}

struct decimal
decimal_round(const struct decimal *d, unsigned scale)
{
	struct decimal out = *d;
	int last = 0;

	for (; out.scale > scale; out.scale--) {
		last = (int)(out.units % 10);
		out.units /= 10;
	}
	out.units += last >= 5 ? 1 : last <= -5 ? -1 : 0;
	make_shortest(&out);
	return out;
}

size_t
decimal_digits(const struct decimal *d, char digits[DECIMAL_DIGITS_MAX])
{
	char reversed[DECIMAL_DIGITS_MAX];
	decimal_units units = d->units;
	size_t n = 0;

	for (; units != 0 || n <= d->scale; units /= 10) {
		int digit = (int)(units % 10);

		reversed[n++] = (char)('0' + (digit < 0 ? -digit : digit));
	}
	for (size_t i = 0; i < n; i++)
		digits[i] = reversed[n - 1 - i];
	return n;
}

void
decimal_put(struct buf *out, const struct decimal *d)
{
	char digits[DECIMAL_DIGITS_MAX];
	size_t n = decimal_digits(d, digits), whole = n - d->scale;

	buf_str(out, d->units < 0 ? "-" : "");
	buf_append(out, digits, whole);
	buf_str(out, d->scale > 0 ? "." : "");
	buf_append(out, digits + whole, d->scale);
}

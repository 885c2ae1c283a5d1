#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/text/decimal.h"

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

/* The number behind the "e"; at most a little more than EXPONENT_MAX.  False if absent. */
static bool
read_exponent(struct span text, long *out)
{
	bool negative = text.len > 0 && text.p[0] == '-';
	size_t i = text.len > 0 && (negative || text.p[0] == '+');

	*out = 0;
	if (i == text.len)
		return false;
	for (; i < text.len; i++) {
		if (!ascii_is_digit(text.p[i]))
			return false;
		if (*out <= EXPONENT_MAX)
			*out = 10 * *out + (text.p[i] - '0');
	}
	*out = negative ? -*out : *out;
	return true;
}

/* The digits and the point before any exponent, as a negative number; *end: where they end. */
static bool
read_digits(struct span text, size_t at, struct decimal *d, size_t *end)
{
	size_t whole = 0, fraction = 0;
	unsigned zeros = 0; /* at the end of the fraction so far: 1.000 has one digit */
	bool point = false;

	for (; at < text.len && (ascii_is_digit(text.p[at]) || (text.p[at] == '.' && !point)); at++) {
		uint8_t c = text.p[at];

		if (c == '.') {
			point = true;
			continue;
		}
		whole += !point;
		fraction += point;
		if (point && c == '0') {
			zeros++;
			continue;
		}
		if (!widen(&d->units, zeros + 1) || __builtin_sub_overflow(d->units, c - '0', &d->units))
			return false;
		d->scale += point ? zeros + 1 : 0;
		zeros = 0;
	}
	*end = at;
	return whole > 0 && (fraction > 0 || !point);
}

bool
decimal_read(struct span text, struct decimal *out)
{
	bool negative = text.len > 0 && text.p[0] == '-';
	struct decimal d = { 0 };
	long scale, exponent = 0;
	size_t end;

	if (!read_digits(text, negative, &d, &end) ||
	    (end < text.len &&
		((text.p[end] | 0x20) != 'e' ||
		    !read_exponent(span_of(text.p + end + 1, text.len - end - 1), &exponent))))
		return false;
	scale = d.units == 0 ? 0 : (long)d.scale - exponent;
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

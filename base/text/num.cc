// num.cc - see num.h; the one place that uses C++, for Debian's double-conversion.
#include <cmath>
#include <cstdint>
#include <cstring>

#include <double-conversion/double-conversion.h>

#include "base/text/num.h"

using double_conversion::DoubleToStringConverter;
using double_conversion::StringToDoubleConverter;

static const StringToDoubleConverter reader(StringToDoubleConverter::NO_FLAGS, 0.0, 0.0, "", "");

static char *
put(char *o, const char *s, size_t n)
{
	memcpy(o, s, n);
	return o + n;
}

static char *
put_zeros(char *o, size_t n)
{
	memset(o, '0', n);
	return o + n;
}

// Amounts of money and the like: m / 10^places with at most 15 digits in m.
// Such a decimal is the only one of at most 15 digits that reads back as a,
// so without its trailing zeros it is the shortest.  Returns nullptr when a,
// not negative, is not.
static char *
print_short(double a, char *o)
{
	static const struct { double below, power; size_t places; } tries[] = {
		{ 1e9, 1e6, 6 }, { 1e12, 1e3, 3 }, { 1e15, 1, 0 },
	};
	static const char pairs[] =
	    "00010203040506070809101112131415161718192021222324"
	    "25262728293031323334353637383940414243444546474849"
	    "50515253545556575859606162636465666768697071727374"
	    "75767778798081828384858687888990919293949596979899";
	char text[24], *end = text + sizeof(text), *p = end;
	int i = a < tries[0].below ? 0 : a < tries[1].below ? 1 : 2;

	if (!(a < tries[i].below) || (a < 1e-4 && a > 0))
		return nullptr;
	double scaled = a * tries[i].power;
	uint64_t m = static_cast<uint64_t>(scaled + 0.5);
	// The first test spares most numbers the division.
	if (std::fabs(scaled - static_cast<double>(m)) > scaled * 0x1p-51 ||
	    static_cast<double>(m) / tries[i].power != a)
		return nullptr;
	size_t places = tries[i].places;
	// Constant divisors only: dividing by a variable costs more than all the rest.
	if (places == 6 && m % 1000 == 0) {
		m /= 1000;
		places = 3;
	}
	for (; places > 0 && m % 10 == 0; places--)
		m /= 10;
	for (; m >= 100; m /= 100)
		memcpy(p -= 2, pairs + m % 100 * 2, 2);
	memcpy(p -= 2, pairs + m * 2, 2);
	p += *p == '0';
	size_t n = static_cast<size_t>(end - p);
	for (; n <= places; n++)
		*--p = '0';
	o = put(o, p, n - places);
	if (places == 0)
		return o;
	*o++ = '.';
	return put(o, end - places, places);
}

// ECMAScript's Number::toString: n digits, the point behind the first `point`
// of them.  Earlier than there (from 2^53 on, not 1e21) with an exponent: digits
// alone would look like an exact integer, which the shortest ones are not.
static char *
print_digits(const char *digit, int n, int point, bool large, char *o)
{
	size_t len = static_cast<size_t>(n);

	if (n <= point && !large) {
		o = put(o, digit, len);
		return put_zeros(o, static_cast<size_t>(point - n));
	}
	if (0 < point && point < n && !large) {
		o = put(o, digit, static_cast<size_t>(point));
		*o++ = '.';
		return put(o, digit + point, static_cast<size_t>(n - point));
	}
	if (-6 < point && point <= 0) {
		o = put(o, "0.", 2);
		o = put_zeros(o, static_cast<size_t>(-point));
		return put(o, digit, len);
	}
	*o++ = *digit;
	if (n > 1) {
		*o++ = '.';
		o = put(o, digit + 1, len - 1);
	}
	*o++ = 'e';
	*o++ = point > 0 ? '+' : '-';
	unsigned e = static_cast<unsigned>(point > 0 ? point - 1 : 1 - point);
	if (e >= 100)
		*o++ = static_cast<char>('0' + e / 100);
	if (e >= 10)
		*o++ = static_cast<char>('0' + e / 10 % 10);
	*o++ = static_cast<char>('0' + e % 10);
	return o;
}

size_t
num_print_double(double v, char *out)
{
	char digit[DoubleToStringConverter::kBase10MaximalLength + 1];
	int n, point;
	bool sign;
	char *o = out, *end;

	if (std::signbit(v))
		*o++ = '-';
	if ((end = print_short(std::fabs(v), o)) == nullptr) {
		DoubleToStringConverter::DoubleToAscii(std::fabs(v), DoubleToStringConverter::SHORTEST, 0,
		    digit, sizeof(digit), &sign, &n, &point);
		end = print_digits(digit, n, point, std::fabs(v) >= 0x1p53, o);
	}
	return static_cast<size_t>(end - out);
}

bool
num_read_double(const char *s, size_t len, double *v)
{
	int used = 0;

	if (len == 0 || len > 0x7fffffff)
		return false;
	double d = reader.StringToDouble(s, static_cast<int>(len), &used);
	if (static_cast<size_t>(used) != len || !std::isfinite(d))
		return false;
	*v = d;
	return true;
}

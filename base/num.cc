// num.cc - see num.h; the one place that uses C++, for Debian's double-conversion.
#include <cmath>
#include <cstdint>
#include <cstring>

#include <double-conversion/double-conversion.h>

#include "base/num.h"

using double_conversion::DoubleToStringConverter;
using double_conversion::StringToDoubleConverter;

// ECMAScript's form: exponents below 1e-6 and from 1e21 on; but "-0".
static const DoubleToStringConverter printer(DoubleToStringConverter::NO_FLAGS,
    "", "", 'e', -6, 21, 0, 0);
static const StringToDoubleConverter reader(StringToDoubleConverter::NO_FLAGS, 0.0, 0.0, "", "");

// Digits of n, right to left, ending in front of end.  Returns the first.
static char *
print_digits(uint64_t n, char *end)
{
	do {
		*--end = static_cast<char>('0' + n % 10);
		n /= 10;
	} while (n > 0);
	return end;
}

// Amounts of money and the like: m / 10^places with at most 15 digits in m.
// Such a decimal is the only one of at most 15 digits that reads back as v,
// and with the fewest places it is the shortest.  Returns 0 when v is not one.
static size_t
print_short(double v, char *out)
{
	static const double power[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	static const double most = 1e15;	// below it m is exact and the digits unique
	double a = std::fabs(v);
	char text[24], *p, *end = text + sizeof(text);
	uint64_t m;

	if (!(a < most) || (a < 1e-4 && a > 0))
		return 0;
	for (size_t places = 0; places < sizeof(power) / sizeof(power[0]); places++) {
		double scaled = a * power[places];

		if (scaled >= most)
			return 0;
		m = static_cast<uint64_t>(scaled + 0.5);
		// The first test spares most numbers the division.
		if (std::fabs(scaled - static_cast<double>(m)) > scaled * 0x1p-51 ||
		    static_cast<double>(m) / power[places] != a)
			continue;
		p = print_digits(m, end);
		while (static_cast<size_t>(end - p) < places + 1)
			*--p = '0';
		char *at = out;
		if (std::signbit(v))
			*at++ = '-';
		size_t whole = static_cast<size_t>(end - p) - places;
		memcpy(at, p, whole);
		at += whole;
		if (places > 0) {
			*at++ = '.';
			memcpy(at, p + whole, places);
			at += places;
		}
		return static_cast<size_t>(at - out);
	}
	return 0;
}

size_t
num_print_double(double v, char *out)
{
	char text[64];
	size_t len;

	if ((len = print_short(v, out)) != 0)
		return len;
	double_conversion::StringBuilder builder(text, sizeof(text));
	if (!printer.ToShortest(v, &builder))
		return 0;
	len = static_cast<size_t>(builder.position());
	memcpy(out, text, len);
	builder.Finalize();
	return len;
}

bool
num_read_double(const char *s, size_t len, double *v)
{
	int used = 0;

	if (len > 0x7fffffff)
		return false;
	double d = reader.StringToDouble(s, static_cast<int>(len), &used);
	if (static_cast<size_t>(used) != len || len == 0 || !std::isfinite(d))
		return false;
	*v = d;
	return true;
}

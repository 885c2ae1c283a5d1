// libs: carrel_base m
/* test_num.c - doubles as the shortest text that reads back, and back. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/num.h"
#include "tests/unit/harness.h"

static const char *
print(double v)
{
	static char text[64];
	size_t n;

	memset(text, '#', sizeof(text));
	n = num_print_double(v, text);
	assert_true(n > 0 && n < 32);
	/* Nothing was written beyond the 32 bytes that callers give. */
	for (size_t i = 32; i < sizeof(text); i++)
		assert_int_equal(text[i], '#');
	text[n] = '\0';
	return text;
}

static void
known_forms(void **state)
{
	static const struct {
		double v;
		const char *text;
	} rows[] = {
		{ 0.0, "0" },
		{ -0.0, "-0" },
		{ 1.0, "1" },
		{ -1.0, "-1" },
		{ 12.0, "12" },
		{ 0.1, "0.1" },
		{ 0.5, "0.5" },
		{ -2.5, "-2.5" },
		{ 12.34, "12.34" },
		{ 100.25, "100.25" },
		{ 0.05, "0.05" },
		{ 0.001, "0.001" },
		{ 0.0001, "0.0001" },
		{ 0.00001, "0.00001" },
		{ 0.000001, "0.000001" },
		{ 1e-7, "1e-7" },
		{ 1.5e-7, "1.5e-7" },
		{ 123456.789, "123456.789" },
		{ 999999999.999999, "999999999.999999" },
		{ 1e9, "1000000000" },
		{ 1e12, "1000000000000" },
		{ 1e15, "1000000000000000" },
		{ 123456789012.125, "123456789012.125" },
		{ 9007199254740991.0, "9007199254740991" },
		{ 9007199254740993.0, "9.007199254740992e+15" },
		{ 1e20, "1e+20" },
		{ 1152921504606846976.0, "1.152921504606847e+18" },
		{ -1e17, "-1e+17" },
		{ 2251799813685249.5, "2251799813685249.5" },
		{ 1234567890123456.0, "1234567890123456" },
		{ 1e21, "1e+21" },
		{ 1.5e300, "1.5e+300" },
		{ DBL_MAX, "1.7976931348623157e+308" },
		{ DBL_MIN, "2.2250738585072014e-308" },
		{ 4.9406564584124654e-324, "5e-324" },
		{ 1.0 / 3, "0.3333333333333333" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 100.0 / 3, "33.333333333333336" },
		{ -1e-10, "-1e-10" },
		{ -2.2250738585072014e-308, "-2.2250738585072014e-308" },
		{ 5e-324 * 3, "1.5e-323" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(print(rows[i].v), rows[i].text);
}

/* The fewest significant digits with which printf's text reads back. */
static int
shortest_digits(double v)
{
	char text[64];

	for (int digits = 1; digits < 17; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits - 1, v);
		if (strtod(text, NULL) == v)
			return digits;
	}
	return 17;
}

static int
significant_digits(const char *s)
{
	int n = 0, zeros = 0;

	for (; *s != '\0' && *s != 'e'; s++) {
		if (*s < '0' || *s > '9' || (n == 0 && *s == '0'))
			continue;
		zeros = *s == '0' ? zeros + 1 : 0;
		n++;
	}
	return n - zeros;
}

static void
check_shortest(double v)
{
	const char *text = print(v);
	double back;

	if (strtod(text, NULL) != v || !num_read_double(text, strlen(text), &back) || back != v)
		fail_msg("%.17g was printed as %s", v, text);
	if (significant_digits(text) > shortest_digits(v))
		fail_msg("%.17g has a shorter text than %s", v, text);
}

static void
any_bits(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = test_random(&seed);
		double v;

		memcpy(&v, &bits, sizeof(v));
		if (isfinite(v) && v != 0)
			check_shortest(v);
	}
}

/* The short cut for amounts must agree with the slow way, above all next to its edges. */
static void
decimals_and_their_neighbours(void **state)
{
	static const double power[] = { 1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7 };
	uint64_t seed = 11;

	(void)state;
	for (int i = 0; i < 8000; i++) {
		uint64_t m = test_random(&seed) >> (test_random(&seed) % 50 + 10);
		double v = (double)m / power[test_random(&seed) % 8];

		if (v == 0)
			continue;
		check_shortest(v);
		check_shortest(nextafter(v, INFINITY));
		check_shortest(-nextafter(v, 0));
	}
	for (size_t i = 0; i < sizeof(power) / sizeof(power[0]); i++) {
		check_shortest(nextafter(1e15 / power[i], 0));
		check_shortest(1e15 / power[i]);
		check_shortest(nextafter(1e15 / power[i], INFINITY));
	}
}

static void
reads_nearest(void **state)
{
	static const char *const texts[] = {
		"0", "-0", "1", "0.1", "1e0", "1E+5", "1e-5", "123456789012345678901234567890",
		"2.2250738585072011e-308", "9007199254740993", "1.7976931348623157e308", "1e-400",
		"0.30000000000000004", "8.5e22", "179769313486231580793e288",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		double v = -1;

		assert_true(num_read_double(texts[i], strlen(texts[i]), &v));
		assert_memory_equal(&v, &(double){ strtod(texts[i], NULL) }, sizeof(v));
	}
}

static void
reads_no_other(void **state)
{
	static const char *const texts[] = { "", "1e400", "-1e309", "NaN", "Infinity", "1x", " 1", "1 ", "0x10", "e5" };
	double v = 3;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (num_read_double(texts[i], strlen(texts[i]), &v))
			fail_msg("'%s' was read", texts[i]);
	assert_true(v == 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_forms),
		cmocka_unit_test(any_bits),
		cmocka_unit_test(decimals_and_their_neighbours),
		cmocka_unit_test(reads_nearest),
		cmocka_unit_test(reads_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// libs: carrel_base
/* test_clock.c - dates as the C library gives them, without asking it. */
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "tests/unit/harness.h"

static void
as_gmtime_says(void **state)
{
	uint64_t seed = 17;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		/* Up to the year 9999; days one by one first, then anywhere. */
		uint64_t s = i < 100000 ? (uint64_t)i * 86399 : test_random(&seed) % UINT64_C(253402300800);
		time_t t = (time_t)s;
		char ours[25], theirs[25];
		struct tm tm;
		size_t n;

		clock_iso8601(s * 1000 + s % 1000, ours);
		assert_non_null(gmtime_r(&t, &tm));
		n = strftime(theirs, sizeof(theirs), "%Y-%m-%dT%H:%M:%S", &tm);
		snprintf(theirs + n, sizeof(theirs) - n, ".%03uZ", (unsigned)(s % 1000));
		assert_string_equal(ours, theirs);
	}
}

static void
goes_forward(void **state)
{
	uint64_t a = clock_ns(), b = clock_ns();

	(void)state;
	assert_true(b >= a);
	/* 2020 to 2100: the unit is milliseconds. */
	assert_in_range(clock_unix_ms(), UINT64_C(1577836800000), UINT64_C(4102444800000));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_gmtime_says),
		cmocka_unit_test(goes_forward),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

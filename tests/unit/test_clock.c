// libs: carrel_base
/* test_clock.c - dates as the C library gives them, without asking it. */
#include <stdio.h>
#include <time.h>

#include "base/system/clock.h"
#include "base/date.h"
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

/* Day by day over four eras and before 1970: each date is the next one's day before. */
static void
dates_follow_one_another(void **state)
{
	static const unsigned lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	struct date d = { .year = -400, .month = 1, .day = 1 };

	(void)state;
	assert_int_equal(date_days(1970, 1, 1), 0);
	assert_int_equal(date_days(2000, 2, 29), 11016);
	for (int64_t day = date_days(-400, 1, 1), end = date_days(2401, 1, 1); day < end; day++) {
		struct date got = date_of_days(day);
		bool leap = (d.year % 4 == 0 && d.year % 100 != 0) || d.year % 400 == 0;

		if (got.year != d.year || got.month != d.month || got.day != d.day ||
		    date_days(d.year, d.month, d.day) != day)
			fail_msg("day %lld is %lld-%u-%u", (long long)day, (long long)got.year, got.month, got.day);
		if (++d.day > lengths[d.month - 1] + (leap && d.month == 2)) {
			d.day = 1;
			d.month = d.month % 12 + 1;
			d.year += d.month == 1;
		}
	}
}

static void
only_days_of_the_calendar_exist(void **state)
{
	(void)state;
	assert_true(date_exists(2024, 2, 29));
	assert_true(date_exists(2000, 2, 29));
	assert_false(date_exists(1900, 2, 29));
	assert_false(date_exists(2025, 4, 31));
	assert_false(date_exists(2025, 13, 1));
	assert_false(date_exists(2025, 0, 1));
	assert_false(date_exists(2025, 1, 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_days_of_the_calendar_exist),
		cmocka_unit_test(dates_follow_one_another),
		cmocka_unit_test(as_gmtime_says),
		cmocka_unit_test(goes_forward),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

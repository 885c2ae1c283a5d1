// libs: carrel_base m
/* test_decimal.c - exact decimals, cells of results, and numbers and periods as people read them. */
#include <math.h>

#include "base/json/cell.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/text/locale_text.h"
#include "tests/unit/harness.h"

static struct buf text;

static const char *
digits(const struct decimal *d)
{
	buf_reset(&text, SIZE_MAX);
	decimal_put(&text, d);
	return buf_cstr(&text);
}

static void
numbers_are_read_and_written(void **state)
{
	static const char *const cases[][2] = {
		{ "0", "0" }, { "-0", "0" }, { "0.00", "0" }, { "1.50", "1.5" }, { "-0.001", "-0.001" },
		{ "1e5", "100000" }, { "1.25e-3", "0.00125" }, { "100", "100" },
		{ "12345678901234567.89", "12345678901234567.89" },
		{ "1.00000000000000000000000000000000000000000000000", "1" },
		{ "9999999999999999999999999999999999999", "9999999999999999999999999999999999999" },
		{ "-170141183460469231731687303715884105728", "-170141183460469231731687303715884105728" },
		{ "170141183460469231731687303715884105728", NULL }, { "1e39", NULL }, { "1e-61", NULL },
		{ "0.1e-99999999999999999999", NULL }, { "1e99999999999999999999", NULL }, { "0e99999999999", "0" },
		{ "NaN", NULL }, { "", NULL }, { "1.", NULL }, { ".5", NULL }, { "1e", NULL },
		{ "1e+", NULL }, { "1.2.3", NULL }, { "--1", NULL }, { "-", NULL }, { "1 ", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decimal d;

		assert_int_equal(decimal_read(span_str(cases[i][0]), &d), cases[i][1] != NULL);
		if (cases[i][1] != NULL)
			assert_string_equal(digits(&d), cases[i][1]);
	}
}

static void
arithmetic_is_exact(void **state)
{
	static const char *const cases[][4] = { /* a, b, a - b, a + b */
		{ "0.3", "0.1", "0.2", "0.4" }, { "1", "0.05", "0.95", "1.05" }, { "-2.50", "2.5", "-5", "0" },
		{ "9007199254740993", "1", "9007199254740992", "9007199254740994" },
		{ "99999999999999999999999999999999999999", "1e-30", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decimal a, b, c;

		assert_true(decimal_read(span_str(cases[i][0]), &a) && decimal_read(span_str(cases[i][1]), &b));
		assert_int_equal(decimal_subtract(&a, &b, &c), cases[i][2] != NULL);
		if (cases[i][2] != NULL)
			assert_string_equal(digits(&c), cases[i][2]);
		assert_int_equal(decimal_add(&a, &b, &c), cases[i][3] != NULL);
		if (cases[i][3] != NULL)
			assert_string_equal(digits(&c), cases[i][3]);
	}
}

/* Any decimal of 15 digits is a double and back the same. */
static void
doubles_become_their_shortest_decimals(void **state)
{
	uint64_t seed = 5;
	struct decimal d, e;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		d = (struct decimal){ (decimal_units)(test_random(&seed) % UINT64_C(1000000000000000)) -
			    INT64_C(500000000000000),
			(unsigned)(test_random(&seed) % 20) };
		while (d.scale > 0 && d.units % 10 == 0) {
			d.units /= 10;
			d.scale--;
		}
		assert_true(decimal_of_double(decimal_double(&d), &e));
		assert_true(d.units == e.units && (d.scale == e.scale || d.units == 0));
	}
	assert_true(decimal_of_double(0.1 + 0.2, &d));
	assert_string_equal(digits(&d), "0.3");
	assert_false(decimal_of_double(NAN, &d));
	assert_false(decimal_of_double(INFINITY, &d));
	assert_false(decimal_of_double(1e300, &d));
}

static void
cells_are_read_in_one_way(void **state)
{
	static const struct {
		const char *cell;                   /* as JSON */
		const char *decimal, *value, *text; /* decimal NULL: not a number */
	} cases[] = {
		{ "7", "7", "7", "7" },
		{ "-3", "-3", "-3", "-3" },
		{ "1.5", "1.5", "1.5", "1.5" },
		{ "[\"37.62\"]", "37.62", "37.62", "37.62" },
		{ "[\"10.00\"]", "10", "10", "10" },
		{ "[\"1234567890123456\"]", "1234567890123456", "1234567890123456", "1234567890123456" },
		{ "[\"9007199254740993\"]", "9007199254740993", "\"9007199254740993\"", "9007199254740993" },
		{ "[\"12345678901234567.80\"]", "12345678901234567.8", "\"12345678901234567.80\"",
		    "12345678901234567.8" },
		{ "[\"NaN\"]", NULL, "\"NaN\"", "NaN" },
		{ "\"37.62\"", NULL, "\"37.62\"", "37.62" },
		{ "null", NULL, "null", "null" },
		{ "true", NULL, "true", "true" },
		{ "[\"1\",\"2\"]", NULL, "[\"1\",\"2\"]", "[\"1\",\"2\"]" },
		{ "[1]", NULL, "[1]", "[1]" },
		{ "{\"truncated\":true}", NULL, "{\"truncated\":true}", "{\"truncated\":true}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf packed = { 0 }, value = { 0 };
		struct mp_value v;
		struct decimal d;
		size_t at;
		double x;

		assert_int_equal(json_read(span_str(cases[i].cell), &packed, &at), JSON_OK);
		assert_true(mp_value(buf_view(&packed), &v));
		assert_int_equal(cell_decimal(&v, &d), cases[i].decimal != NULL);
		assert_int_equal(cell_number(&v, &x), cases[i].decimal != NULL);
		if (cases[i].decimal != NULL)
			assert_string_equal(digits(&d), cases[i].decimal);
		buf_reset(&text, SIZE_MAX);
		cell_put_text(&text, &v);
		assert_string_equal(buf_cstr(&text), cases[i].text);
		cell_put_value(&value, &v);
		assert_true(mp_value(buf_view(&value), &v));
		buf_reset(&text, SIZE_MAX);
		json_write(&text, &v);
		assert_string_equal(buf_cstr(&text), cases[i].value);
		buf_fini(&packed);
		buf_fini(&value);
	}
}

static void
numbers_are_told_by_the_language(void **state)
{
	static const struct {
		const char *number;
		unsigned decimals;
		const char *english, *german;
	} cases[] = {
		{ "0", 2, "0", "0" },
		{ "1234567", 2, "1,234,567", "1.234.567" },
		{ "-1234.5", 2, "-1,234.50", "-1.234,50" },
		{ "999.995", 2, "1,000.00", "1.000,00" },
		{ "-999.995", 2, "-1,000.00", "-1.000,00" },
		{ "0.126", 2, "0.13", "0,13" },
		{ "0.012", 2, "0.01", "0,01" },
		{ "0.0051234", 2, "0.0051", "0,0051" },
		{ "-0.000012", 2, "-0.000012", "-0,000012" },
		{ "0.00000000000012", 2, "1.2e-13", "1.2e-13" },
		{ "33.3333", 1, "33.3", "33,3" },
		{ "75", 1, "75", "75" },
		{ "12345678901234567.891", 2, "12,345,678,901,234,567.89", "12.345.678.901.234.567,89" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decimal d;

		assert_true(decimal_read(span_str(cases[i].number), &d));
		for (int german = 0; german < 2; german++) {
			buf_reset(&text, SIZE_MAX);
			locale_put_decimal(&text, &d, cases[i].decimals, german);
			assert_string_equal(buf_cstr(&text), german ? cases[i].german : cases[i].english);
		}
	}
	buf_reset(&text, SIZE_MAX);
	locale_put_double(&text, 1e20, 2, false);
	buf_byte(&text, ' ');
	locale_put_double(&text, NAN, 2, false);
	assert_string_equal(buf_cstr(&text), "1e+20 –");
}

static void
periods_are_told_by_the_language(void **state)
{
	static const struct {
		const char *begin, *granularity, *english, *german, *brief;
	} cases[] = {
		{ "2025-01-01", "month", "January 2025", "Januar 2025", "Jan 2025" },
		{ "2025-03-01 00:00:00+01", "month", "March 2025", "März 2025", "Mar 2025" },
		{ "2025-10-01", "quarter", "Q4 2025", "Q4 2025", "Q4 2025" },
		{ "2025-01-01T00:00:00Z", "year", "2025", "2025", "2025" },
		{ "2025-01-06", "week", "week of 6 January 2025", "Woche vom 6. Januar 2025", "6 Jan 2025" },
		{ "2025-12-31", "day", "31 December 2025", "31. Dezember 2025", "31 Dec 2025" },
		{ "2025-12-31 14:00:00", "hour", "31 December 2025, 14:00", "31. Dezember 2025, 14:00",
		    "31 Dec 2025, 14:00" },
		{ "2025-12-31 00:00:00", "hour", "31 December 2025, 00:00", "31. Dezember 2025, 00:00",
		    "31 Dec 2025, 00:00" },
		{ "2025-12-31 14:05:09.25+05:30", "", "31 December 2025, 14:05:09 +05:30",
		    "31. Dezember 2025, 14:05:09 +05:30", "31 Dec 2025, 14:05:09 +05:30" },
		/* Not where such a period begins. */
		{ "2025-02-01", "quarter", "1 February 2025", "1. Februar 2025", "1 Feb 2025" },
		{ "2025-01-02", "month", "2 January 2025", "2. Januar 2025", "2 Jan 2025" },
		/* No dates. */
		{ "2025-01", "month", "2025-01", "2025-01", "2025-01" },
		{ "2025-13-01", "day", "2025-13-01", "2025-13-01", "2025-13-01" },
		{ "infinity", "day", "infinity", "infinity", "infinity" },
		{ "", "day", "", "", "" },
		{ "2025-01-01 BC", "day", "2025-01-01 BC", "2025-01-01 BC", "2025-01-01 BC" },
		{ "2025-01-01 10:00:00+02 BC", "day", "2025-01-01 10:00:00+02 BC", "2025-01-01 10:00:00+02 BC",
		    "2025-01-01 10:00:00+02 BC" },
		{ "2025-01-01 10:0", "day", "2025-01-01 10:0", "2025-01-01 10:0", "2025-01-01 10:0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int way = 0; way < 3; way++) {
			buf_reset(&text, SIZE_MAX);
			locale_put_period(&text, span_str(cases[i].begin), span_str(cases[i].granularity), way == 1,
			    way == 2);
			assert_string_equal(buf_cstr(&text),
			    way == 0     ? cases[i].english :
				way == 1 ? cases[i].german :
					   cases[i].brief);
		}
	assert_string_equal(locale_granularity(SPAN("quarter"), true), "Quartal");
	assert_string_equal(locale_granularity(SPAN("decade"), true), "");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_and_written),
		cmocka_unit_test(arithmetic_is_exact),
		cmocka_unit_test(doubles_become_their_shortest_decimals),
		cmocka_unit_test(cells_are_read_in_one_way),
		cmocka_unit_test(numbers_are_told_by_the_language),
		cmocka_unit_test(periods_are_told_by_the_language),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	buf_fini(&text);
	return r;
}

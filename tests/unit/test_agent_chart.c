// libs: carrel_agent
/* test_agent_chart.c - which picture an answer gets, and that none is made that would not draw. */
#include <stdio.h>

#include "tests/unit/agent_sheet.h"
#include "workers/agent/answer/chart.h"
#include "workers/agent/data/gaps.h"

static struct arena *arena;

static int
set_up(void **state)
{
	(void)state;
	arena = arena_new((size_t)64 << 20);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

/* The specifications as JSON, "" where there is none; *why is the caveat. */
static const char *
spec(const struct chart_about *about, struct sheet *s, const char **why)
{
	struct buf packed = { 0 }, json = { 0 };
	struct chart c[CHART_MAX];
	struct mp_value v;
	struct span caveat;
	const char *text;

	for (size_t i = 0, n = chart_choose(arena, about, s, c, &caveat); i < n; i++) {
		buf_reset(&packed, SIZE_MAX);
		chart_put(&packed, &c[i]);
		assert_true(mp_value(buf_view(&packed), &v));
		assert_int_equal(mp_scan(buf_view(&packed)), MP_OK);
		json_write(&json, &v);
	}
	if (why != NULL)
		*why = arena_cstr(arena, caveat);
	text = arena_cstr(arena, buf_view(&json));
	buf_fini(&packed);
	buf_fini(&json);
	return text;
}

static const struct chart_about plain = { .title = { (const uint8_t *)"Net revenue", 11 } };

static void
no_chart_of_one_figure(void **state)
{
	(void)state;
	assert_string_equal(spec(&plain, sheet_of(arena, "revenue:value:EUR:+", "[[5]]"), NULL), "");
	assert_string_equal(spec(&plain, sheet_of(arena, "region:key revenue:value", "[]"), NULL), "");
	assert_string_equal(spec(&plain, sheet_of(arena, "region:key revenue:value", "[[\"A\",1]]"), NULL), "");
	assert_string_equal(spec(&plain, sheet_of(arena, "region:key revenue:value", "[[\"A\",null],[\"B\",null]]"),
				NULL),
	    "");
}

static void
time_is_a_line(void **state)
{
	(void)state;
	assert_string_equal(spec(&plain,
				sheet_of(arena, "month:time revenue:value:EUR:+",
				    "[[\"2025-01\",1.5],[\"2025-02\",null],[\"2025-03\",3]]"),
				NULL),
	    "{\"type\":\"line\",\"title\":\"Net revenue\",\"xAxisLabel\":\"month\",\"yAxisLabel\":\"revenue (EUR)\","
	    "\"categories\":[\"2025-01\",\"2025-02\",\"2025-03\"],\"series\":[{\"label\":\"revenue\",\"data\":[1.5,"
	    "null,3]}]}");
	/* A second dimension becomes series, with gaps where there are no rows. */
	assert_holds(spec(&plain,
			 sheet_of(arena, "month:time region:key revenue:value::+",
			     "[[\"01\",\"A\",1],[\"01\",\"B\",2],[\"02\",\"B\",3]]"),
			 NULL),
	    "\"series\":[{\"label\":\"B\",\"data\":[2,3]},{\"label\":\"A\",\"data\":[1,null]}]");
}

/* Time runs evenly: a period without a row is a gap, unless most of them are. */
static void
missing_periods_are_gaps(void **state)
{
	static const struct {
		const char *granularity, *rows, *chart;
	} cases[] = {
		{ "day", "[[\"2024-02-27\",1],[\"2024-02-28\",2],[\"2024-03-01\",3]]",
		    "\"28 Feb 2024\",\"29 Feb 2024\",\"1 Mar "
		    "2024\"],\"series\":[{\"label\":\"n\",\"data\":[1,2,null,3]}]" },
		{ "week", "[[\"2024-12-23 00:00:00\",1],[\"2025-01-06 00:00:00\",3]]", "\"data\":[1,null,3]" },
		{ "month", "[[\"2024-11-01\",1],[\"2025-01-01\",3]]",
		    "[\"Nov 2024\",\"Dec 2024\",\"Jan 2025\"],\"series\":[{\"label\":\"n\",\"data\":[1,null,3]}]" },
		{ "quarter", "[[\"2024-07-01\",1],[\"2025-01-01\",3]]", "[\"Q3 2024\",\"Q4 2024\",\"Q1 2025\"]" },
		{ "year", "[[\"2020-01-01\",1],[\"2022-01-01\",3]]", "[\"2020\",\"2021\",\"2022\"]" },
		{ "month", "[[\"2020-01-01\",1],[\"2025-01-01\",3]]", "\"data\":[1,3]" },
		{ "month", "[[\"2025-03-01\",1],[\"2025-01-01\",3]]", "\"data\":[1,3]" },
		{ "month", "[[\"then\",1],[\"2025-01-01\",3]]", "\"data\":[1,3]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sheet *s = sheet_of(arena, "t:time n:value::+", cases[i].rows), even;

		s->columns[0].granularity = span_str(cases[i].granularity);
		even = *gaps_fill(arena, s);
		assert_holds(spec(&plain, &even, NULL), cases[i].chart);
	}
}

static struct sheet *
crossed(unsigned series, bool additive)
{
	struct buf rows = { 0 };
	struct sheet *s;

	buf_byte(&rows, '[');
	for (unsigned month = 1; month <= 2; month++)
		for (unsigned i = 0; i < series; i++)
			buf_printf(&rows, "%s[\"0%u\",\"S%u\",%u]", rows.len > 1 ? "," : "", month, i, 100 + i);
	buf_byte(&rows, ']');
	s = sheet_of(arena, additive ? "month:time s:key n:value::+" : "month:time s:key n:value", buf_cstr(&rows));
	buf_fini(&rows);
	return s;
}

static void
many_series_share_one(void **state)
{
	const char *text, *why;

	(void)state;
	text = spec(&plain, crossed(8, true), &why);
	assert_lacks(text, "Other");
	text = spec(&plain, crossed(12, true), &why);
	/* The seven largest stay; S0 to S4 are 100+…+104. */
	assert_holds(text, "{\"label\":\"Other\",\"data\":[510,510]}");
	assert_holds(text, "\"label\":\"S11\"");
	assert_lacks(text, "\"S4\"");
	/* What cannot be added up has no group of the others. */
	assert_string_equal(spec(&plain, crossed(12, false), &why), "");
	assert_holds(why, "too many groups");
}

static void
shares_are_a_pie(void **state)
{
	static const struct chart_about share = { .title = { (const uint8_t *)"S", 1 }, .share = true };
	static const char columns[] = "plan:key revenue:value:EUR:+ total:value:EUR:+ share:value:%";

	(void)state;
	assert_string_equal(spec(&share, sheet_of(arena, columns, "[[\"Pro\",3,4,75],[\"Basic\",1,4,25]]"), NULL),
	    "{\"type\":\"pie\",\"title\":\"S\",\"xAxisLabel\":\"plan\",\"yAxisLabel\":\"revenue (EUR)\","
	    "\"slices\":[{\"label\":\"Pro\",\"value\":3},{\"label\":\"Basic\",\"value\":1}]}");
	/* A negative part, or more than six, are bars of the parts alone. */
	assert_holds(spec(&share, sheet_of(arena, columns, "[[\"Pro\",-3,4,75],[\"Basic\",1,4,25]]"), NULL),
	    "\"type\":\"bar\"");
	assert_holds(spec(&share,
			 sheet_of(arena, columns,
			     "[[\"a\",1,7,1],[\"b\",1,7,1],[\"c\",1,7,1],[\"d\",1,7,1],[\"e\",1,7,1],[\"f\",1,7,1],["
			     "\"g\",1,7,1]]"),
			 NULL),
	    "\"series\":[{\"label\":\"revenue\",\"data\":[1,1,1,1,1,1,1]}]");
}

static void
other_rows_are_bars(void **state)
{
	static const struct chart_about ranking = { .title = { (const uint8_t *)"R", 1 }, .ranking = true };

	(void)state;
	assert_holds(spec(&plain, sheet_of(arena, "region:key n:value", "[[\"A\",1],[null,2]]"), NULL),
	    "\"categories\":[\"A\",\"(none)\"],\"series\":[{\"label\":\"n\",\"data\":[1,2]}],\"layout\":\"vertical\"");
	assert_holds(spec(&ranking, sheet_of(arena, "region:key n:value", "[[\"A\",1],[\"B\",2]]"), NULL),
	    "\"layout\":\"horizontal\"");
	assert_holds(spec(&plain, sheet_of(arena, "region:key n:value", "[[\"A name of 16 let\",1],[\"B\",2]]"), NULL),
	    "\"layout\":\"horizontal\"");
}

static struct sheet *
bars(unsigned n, bool additive)
{
	struct buf rows = { 0 };
	struct sheet *s;

	buf_byte(&rows, '[');
	for (unsigned i = 0; i < n; i++)
		buf_printf(&rows, "%s[\"K%u\",%u]", i > 0 ? "," : "", i, i + 1);
	buf_byte(&rows, ']');
	s = sheet_of(arena, additive ? "k:key n:value::+" : "k:key n:value", buf_cstr(&rows));
	buf_fini(&rows);
	return s;
}

static void
bars_are_at_most_fifty(void **state)
{
	const char *text, *why;
	struct chart c[CHART_MAX];
	struct span caveat;

	(void)state;
	chart_choose(arena, &plain, bars(50, true), c, &caveat);
	assert_int_equal(c->ncategories, 50);
	chart_choose(arena, &plain, bars(60, true), c, &caveat);
	assert_int_equal(c->ncategories, 50);
	assert_true(span_is_str(c->categories[49], "Other"));
	assert_true(c->series[0].data[49] == 66); /* 1 + … + 11 */
	assert_int_equal(caveat.len, 0);
	text = spec(&plain, bars(60, false), &why);
	assert_string_equal(text, "");
	assert_holds(why, "too many groups");
}

static void
labels_are_short_and_told_apart(void **state)
{
	struct sheet *s = sheet_of(arena, "k:key n:value",
	    "[[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaX\",1],[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaY\",2],["
	    "\"äöüäöüäöüäöüäöüäöüäöüäöüäöü\",3]]");
	struct chart c[CHART_MAX];
	struct span caveat;

	(void)state;
	assert_int_equal(chart_choose(arena, &plain, s, c, &caveat), 1);
	assert_int_equal(c->type, CHART_BAR);
	assert_true(span_is_str(c->categories[0], "aaaaaaaaaaaaaaaaaaaaaaaa…"));
	assert_true(span_is_str(c->categories[1], "aaaaaaaaaaaaaaaaaaa… (2)"));
	assert_true(span_is_str(c->categories[2], "äöüäöüäöüäöüäöüäöüäöüäöü…"));
}

static void
two_figures_in_relation_are_points(void **state)
{
	static const struct chart_about relation = { .title = { (const uint8_t *)"R", 1 }, .relation = true },
					both = { .title = { (const uint8_t *)"x and y by k", 12 }, .measures = 7 };

	(void)state;
	assert_holds(spec(&relation,
			 sheet_of(arena, "k:key x:value:EUR y:value", "[[\"a\",1,2],[\"b\",2,null],[\"c\",3,4]]"),
			 NULL),
	    "\"points\":[{\"x\":1,\"y\":2,\"label\":\"a\"},{\"x\":3,\"y\":4,\"label\":\"c\"}]");
	/* Two figures of one unit are two series of bars otherwise; of two units, two charts. */
	assert_holds(spec(&plain, sheet_of(arena, "k:key x:value:EUR y:value:EUR", "[[\"a\",1,2],[\"b\",2,3]]"), NULL),
	    "\"series\":[{\"label\":\"x\",\"data\":[1,2]},{\"label\":\"y\",\"data\":[2,3]}]");
	assert_holds(spec(&plain, sheet_of(arena, "k:key x:value:EUR y:value:USD", "[[\"a\",1,2],[\"b\",2,3]]"), NULL),
	    "\"title\":\"X: Net revenue\",\"xAxisLabel\":\"k\",\"yAxisLabel\":\"x (EUR)\",\"categories\":[\"a\",\"b\"],"
	    "\"series\":[{\"label\":\"x\",\"data\":[1,2]}],\"layout\":\"vertical\"}"
	    "{\"type\":\"bar\",\"title\":\"Y: Net revenue\"");
	/* Of a title that names both figures, each has its own. */
	assert_holds(spec(&both, sheet_of(arena, "k:key x:value:EUR y:value", "[[\"a\",1,2],[\"b\",2,3]]"), NULL),
	    "\"title\":\"X by k\"");
}

static const struct chart_about grouped = { .title = { (const uint8_t *)"net revenue", 11 }, .by_size = true };

static void
bars_are_in_an_order(void **state)
{
	static const struct chart_about periods = { .title = { (const uint8_t *)"P", 1 }, .reversed = true };

	(void)state;
	assert_holds(spec(&grouped,
			 sheet_of(arena, "k:key n:value", "[[\"a\",1],[\"b\",[\"2.50\"]],[\"c\",null],[\"\",-3]]"),
			 NULL),
	    "\"title\":\"Net "
	    "revenue\",\"xAxisLabel\":\"k\",\"yAxisLabel\":\"n\",\"categories\":[\"b\",\"a\",\"(empty)\"],"
	    "\"series\":[{\"label\":\"n\",\"data\":[2.5,1,-3]}]");
	/* Keys that are numbers have their own order. */
	assert_holds(spec(&grouped, sheet_of(arena, "k:key n:value", "[[1,1],[2,2]]"), NULL), "\"data\":[1,2]");
	/* Not those of keys of rows. */
	assert_holds(spec(&grouped, sheet_of(arena, "k:id n:value", "[[1,1],[2,2]]"), NULL), "\"data\":[2,1]");
	assert_holds(spec(&periods, sheet_of(arena, "k:key n:value", "[[\"2025\",1],[\"2024\",2]]"), NULL),
	    "\"categories\":[\"2024\",\"2025\"]");
	assert_holds(spec(&grouped,
			 sheet_of(arena, "k:key j:key n:value::+",
			     "[[\"a\",\"x\",1],[\"a\",\"y\",1],[\"b\",\"x\",5],[\"b\",\"y\",7]]"),
			 NULL),
	    "\"categories\":[\"b\",\"a\"],\"series\":[{\"label\":\"y\",\"data\":[7,1]},{\"label\":\"x\",\"data\":[5,1]}"
	    "]");
}

/* Eleven names of ten letters have no room below upright bars. */
static void
labels_have_room(void **state)
{
	struct buf rows = { 0 };

	(void)state;
	for (unsigned i = 0; i < 11; i++)
		buf_printf(&rows, "%s[\"category%02u\",%u]", i > 0 ? "," : "[", i, i + 1);
	buf_byte(&rows, ']');
	assert_holds(spec(&plain, sheet_of(arena, "k:key n:value", buf_cstr(&rows)), NULL),
	    "\"layout\":\"horizontal\"");
	buf_fini(&rows);
}

/* Decimals come as texts in a list. */
static void
decimals_are_drawn_as_numbers_are(void **state)
{
	const char *why, *one = spec(&plain, sheet_of(arena, "k:key n:value", "[[\"a\",22.77],[\"b\",9]]"), NULL);

	(void)state;
	assert_string_equal(spec(&plain, sheet_of(arena, "k:key n:value", "[[\"a\",[\"22.77\"]],[\"b\",[\"9.00\"]]]"),
				&why),
	    one);
	assert_string_equal(why, "");
	assert_string_equal(spec(&plain, sheet_of(arena, "k:key wait:value", "[[\"a\",\"1 day\"],[\"b\",\"2 days\"]]"),
				&why),
	    "");
	assert_string_equal(why, "No chart is drawn: wait is not a number.");
}

/* Digits that a number of JSON does not hold stand beside it; sums of them are exact, too. */
static void
long_numbers_keep_their_digits(void **state)
{
	const struct chart_about share = { .title = SPAN("Meters"), .share = true }, relation = { .relation = true };

	(void)state;
	assert_holds(spec(&plain,
			 sheet_of(arena, "region:key meter:value",
			     "[[\"A\",9007199254740993],[\"B\",7],[\"C\",[\"12345678901234567.25\"]]]"),
			 NULL),
	    "\"data\":[9.007199254740992e+15,7,1.2345678901234568e+16],\"digits\":[\"9007199254740993\",null,"
	    "\"12345678901234567.25\"]");
	assert_holds(spec(&share, sheet_of(arena, "region:key meter:value::+", "[[\"A\",9007199254740993],[\"B\",7]]"),
			 NULL),
	    "{\"label\":\"A\",\"value\":9.007199254740992e+15,\"digits\":\"9007199254740993\"},"
	    "{\"label\":\"B\",\"value\":7}");
	assert_holds(spec(&relation,
			 sheet_of(arena, "region:key x:value y:value",
			     "[[\"A\",9007199254740993,1],[\"B\",7,9007199254740995],[\"C\",7,2]]"),
			 NULL),
	    "{\"x\":9.007199254740992e+15,\"xDigits\":\"9007199254740993\",\"y\":1,\"label\":\"A\"},"
	    "{\"x\":7,\"y\":9.007199254740996e+15,\"digits\":\"9007199254740995\",\"label\":\"B\"}");
	assert_lacks(spec(&plain, sheet_of(arena, "region:key x:value", "[[\"A\",9007199254740991],[\"B\",0.1]]"),
			 NULL),
	    "digits");
}

static void
periods_are_told_as_people_write_them(void **state)
{
	struct sheet *s = sheet_of(arena, "month:time n:value", "[[\"2025-01-01\",1],[\"2025-03-01 00:00:00+00\",2]]");

	(void)state;
	s->columns[0].granularity = SPAN("month");
	assert_holds(spec(&plain, s, NULL), "\"categories\":[\"Jan 2025\",\"Mar 2025\"]");
	s->german = true;
	assert_holds(spec(&plain, s, NULL), "\"categories\":[\"Jan 2025\",\"Mär 2025\"]");
}

/* Whatever the rows are: every series has a figure or a gap for each category, labels differ, slices are not negative.
 */
static void
every_chart_draws(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		static const char *const columns[] = { "k:key n:value::+", "k:key j:key n:value", "t:time n:value::+",
			"t:time k:key n:value::+", "k:key n:value:EUR:+ m:value:EUR",
			"k:key n:value::+ total:value::+ p:value:%" };
		const struct chart_about about = { .title = SPAN("T"),
			.ranking = round % 2 == 0,
			.by_size = round % 4 == 1,
			.share = round % 6 == 5,
			.relation = round % 5 == 0 };
		const char *of = columns[round % 6];
		size_t n = test_random(&seed) % 80;
		struct buf rows = { 0 };
		struct chart made[CHART_MAX], c;
		struct span why;
		struct sheet *s;

		buf_byte(&rows, '[');
		for (size_t i = 0; i < n; i++) {
			buf_str(&rows, i > 0 ? ",[" : "[");
			for (const char *p = of; p != NULL; p = strchr(p, ' ') == NULL ? NULL : strchr(p, ' ') + 1) {
				const char *role = strchr(p, ':') + 1;

				if (p != of)
					buf_byte(&rows, ',');
				if (test_random(&seed) % 20 == 0)
					buf_str(&rows, "null");
				else if (*role == 'v')
					buf_printf(&rows, "%d",
					    (int)(test_random(&seed) % 200) - (round % 3 == 0 ? 50 : 0));
				else
					buf_printf(&rows, "\"a long name of a group %u\"",
					    (unsigned)(test_random(&seed) % 70));
			}
			buf_byte(&rows, ']');
		}
		buf_byte(&rows, ']');
		s = sheet_of(arena, of, buf_cstr(&rows));
		buf_fini(&rows);
		if (chart_choose(arena, &about, s, made, &why) == 0)
			continue;
		c = made[0];
		assert_true(c.nseries > 0 && c.nseries <= CHART_SERIES_MAX && c.ncategories > 0);
		for (size_t i = 0; i < c.ncategories; i++) {
			assert_true(c.categories[i].len > 0);
			for (size_t j = 0; j < i; j++)
				assert_false(span_is(c.categories[i], c.categories[j]));
			for (size_t k = 0; c.type == CHART_PIE && k < c.nseries; k++)
				assert_true(c.series[k].data[i] >= 0);
		}
		assert_true(c.type != CHART_BAR || c.ncategories <= CHART_CATEGORIES_MAX);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_chart_of_one_figure),
		cmocka_unit_test(time_is_a_line),
		cmocka_unit_test(missing_periods_are_gaps),
		cmocka_unit_test(many_series_share_one),
		cmocka_unit_test(shares_are_a_pie),
		cmocka_unit_test(other_rows_are_bars),
		cmocka_unit_test(bars_are_at_most_fifty),
		cmocka_unit_test(labels_are_short_and_told_apart),
		cmocka_unit_test(two_figures_in_relation_are_points),
		cmocka_unit_test(bars_are_in_an_order),
		cmocka_unit_test(labels_have_room),
		cmocka_unit_test(decimals_are_drawn_as_numbers_are),
		cmocka_unit_test(long_numbers_keep_their_digits),
		cmocka_unit_test(periods_are_told_as_people_write_them),
		cmocka_unit_test(every_chart_draws),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

// libs: carrel_agent m
/* test_agent_narrate.c - answers in words: every figure is a cell, as it is displayed. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json/cell.h"
#include "tests/unit/agent_sheet.h"
#include "workers/agent/answer/narrate.h"

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

static const char *
told(enum narrate_form form, bool german, const char *columns, const char *rows)
{
	struct narrate_about about = { .form = form, .german = german, .interpretation = SPAN("what was meant") };
	struct buf out = { 0 };
	const char *text;

	narrate(&out, &about, sheet_of(arena, columns, rows));
	text = arena_cstr(arena, buf_view(&out));
	buf_fini(&out);
	return text;
}

static void
figures_are_grouped_and_rounded(void **state)
{
	static const struct {
		const char *json, *english, *german;
	} rows[] = {
		{ "0", "0", "0" },
		{ "7", "7", "7" },
		{ "1234567", "1,234,567", "1.234.567" },
		{ "-1234.5", "-1,234.50", "-1.234,50" },
		{ "0.126", "0.13", "0,13" },
		{ "0.000012", "0.000012", "0,000012" },
		{ "[\"37.62\"]", "37.62", "37,62" },
		{ "[\"1234.50\"]", "1,234.50", "1.234,50" },
		{ "[\"1.005\"]", "1.01", "1,01" },
		{ "[\"NaN\"]", "NaN", "NaN" },
		{ "\"2025-03-31 14:05:09+02\"", "31 March 2025, 14:05:09 +02", "31. März 2025, 14:05:09 +02" },
		{ "\"1 day 02:00:00\"", "1 day 02:00:00", "1 day 02:00:00" },
		{ "\"99999\"", "99999", "99999" },
		{ "1e20", "1e+20", "1e+20" },
		{ "[\"12345678901234567.89\"]", "12,345,678,901,234,567.89", "12.345.678.901.234.567,89" },
		{ "9007199254740993", "9,007,199,254,740,993", "9.007.199.254.740.993" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf json = { 0 }, out = { 0 };
		struct sheet *s;

		buf_printf(&json, "[[%s]]", rows[i].json);
		s = sheet_of(arena, "n:value", buf_cstr(&json));
		narrate_figure(&out, sheet_cell(s, 0, 0), &s->columns[0], false);
		buf_str(&out, " / ");
		s->columns[0].unit = SPAN("EUR");
		narrate_figure(&out, sheet_cell(s, 0, 0), &s->columns[0], true);
		assert_holds(buf_cstr(&out), rows[i].english);
		assert_holds(buf_cstr(&out), rows[i].german);
		assert_holds(buf_cstr(&out), " EUR");
		buf_fini(&json);
		buf_fini(&out);
	}
}

/* A whole figure beside others with fractions has its zeros; beside whole ones it has none. */
static void
figures_of_a_column_are_alike(void **state)
{
	static const struct {
		const char *rows, *first;
	} cases[] = { { "[[3627],[10059.7]]", "3,627.00" }, { "[[[\"3627.00\"]],[[\"10059.70\"]]]", "3,627.00" },
		{ "[[3627.0],[0.5]]", "3,627.00" }, { "[[3627],[10059]]", "3,627" }, { "[[null],[0.5]]", "–" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sheet *s = sheet_of(arena, "n:value", cases[i].rows);
		struct buf out = { 0 };

		sheet_note_fractions(s);
		narrate_figure(&out, sheet_cell(s, 0, 0), &s->columns[0], false);
		assert_string_equal(buf_cstr(&out), cases[i].first);
		buf_fini(&out);
	}
}

static void
each_form_has_its_sentences(void **state)
{
	(void)state;
	assert_string_equal(told(NARRATE_SCALAR, false, "net_revenue:value:EUR:+", "[[1234.5]]"),
	    "**net revenue: 1,234.50 EUR**\n\nComputed: what was meant. By rules; no language model took part.");
	assert_string_equal(told(NARRATE_SCALAR, true, "Umsatz:value:EUR:+", "[[1234.5]]"),
	    "**Umsatz: 1.234,50 EUR**\n\nBerechnet: what was meant. Nach Regeln; kein Sprachmodell war beteiligt.");
	assert_holds(told(NARRATE_SCALAR, false, "revenue:value:EUR", "[[null]]"), "**revenue:** nothing was found.");
	assert_holds(told(NARRATE_GROUPS, false, "region:key n:value", "[]"), "**n:** nothing was found.");
	assert_holds(told(NARRATE_GROUPS, false, "region:key n:value", "[[\"North\",3],[null,4]]"),
	    "- (none): 4\n- North: 3");
	assert_holds(told(NARRATE_TIME, false, "month:time n:value", "[[\"01\",3],[\"02\",9],[\"03\",1],[\"04\",5]]"),
	    "From 3 (01) to 5 (04).\nHighest: 02 with 9.\nLowest: 03 with 1.");
	assert_holds(told(NARRATE_GROUPS, false, "region:key net:value:EUR rate:value:%", "[[\"North\",3,7]]"),
	    "- North: net 3 EUR; rate 7 %\n");
	assert_holds(told(NARRATE_TIME, false, "m:time n:value r:value",
			 "[[\"1\",3,1],[\"2\",9,1],[\"3\",1,1],[\"4\",5,1]]"),
	    "- 1: n 3; r 1\n- 2: n 9; r 1");
	assert_holds(told(NARRATE_SHARE, false, "plan:key n:value total:value share:value:%", "[[\"Pro\",3,4,75]]"),
	    "- Pro: 75 % (3 of 4)");
	assert_holds(told(NARRATE_SHARE, false, "n:value total:value share:value:%", "[[1,3,33.3333]]"),
	    "**33.3 %** of n: 1 of 3");
	assert_holds(told(NARRATE_COMPARE, false, "side:key n:value:EUR difference:value:EUR p:value:%",
			 "[[\"2024\",4,null,null],[\"2025\",5,1,25]]"),
	    "- 2024: 4 EUR\n- 2025: 5 EUR\nDifference: 1 EUR (25 %).");
	assert_holds(told(NARRATE_COMPARE, false, "side:key n:value d:value p:value:%",
			 "[[\"a\",0,null,null],[\"b\",5,5,null]]"),
	    "Difference: 5.");
	assert_holds(told(NARRATE_LIST, false, "measure:key", "[[\"net_revenue\"]]"), "- net\\_revenue");
}

/* Groups are told by their size, rows without a figure last; keys that are numbers in their own order. */
static void
groups_are_told_by_size(void **state)
{
	(void)state;
	assert_holds(told(NARRATE_GROUPS, false, "k:key n:value:percent",
			 "[[\"a\",null],[\"b\",2],[\"c\",[\"10.00\"]],[\"\",2]]"),
	    "- c: 10 %\n- b: 2 %\n- (empty): 2 %\n- a: –");
	assert_holds(told(NARRATE_GROUPS, false, "k:key n:value", "[[1,1],[2,2]]"), "- 1: 1\n- 2: 2");
	assert_holds(told(NARRATE_RANKING, false, "k:key n:value", "[[\"a\",1],[\"b\",2]]"), "- a: 1\n- b: 2");
	assert_holds(told(NARRATE_SHARE, false, "k:key n:value t:value p:value:%", "[[\"a\",1,4,25],[\"b\",3,4,75]]"),
	    "- b: 75 % (3 of 4)\n- a: 25 % (1 of 4)");
}

/* A count of no data is no bold 0. */
static void
a_period_without_data_is_no_zero(void **state)
{
	struct narrate_about about = { .form = NARRATE_SCALAR, .uncovered = SPAN("The data end on 1 May.") };
	struct buf out = { 0 };

	(void)state;
	narrate(&out, &about, sheet_of(arena, "n:value", "[[0]]"));
	assert_holds(buf_cstr(&out), "**n:** nothing is known. The data end on 1 May.");
	buf_reset(&out, SIZE_MAX);
	narrate(&out, &about, sheet_of(arena, "n:value", "[[3]]"));
	assert_holds(buf_cstr(&out), "**n: 3**");
	buf_reset(&out, SIZE_MAX);
	about.form = NARRATE_GROUPS;
	narrate(&out, &about, sheet_of(arena, "k:key n:value", "[]"));
	assert_holds(buf_cstr(&out), "**n:** nothing is known. The data end on 1 May.");
	buf_fini(&out);
}

/* A cell may not become markup of the text it stands in. */
static void
names_are_no_markup(void **state)
{
	const char *text;

	(void)state;
	text = told(NARRATE_GROUPS, false, "region:key n:value", "[[\"[x](http://e)\",3],[\"**b**\\n# c\",4]]");
	assert_holds(text, "- \\[x\\](http://e): 3");
	assert_holds(text, "- \\*\\*b\\*\\* \\# c: 4");
}

/* Whether some cell is displayed as this number. */
static bool
is_a_cell(const struct sheet *s, double v)
{
	for (size_t i = 0; i < s->nrows * s->ncolumns; i++) {
		double cell;

		if (cell_number(&s->cells[i], &cell) && fabs(cell - v) <= 0.0501)
			return true;
	}
	return false;
}

/* Every number in every text is a cell. */
static void
every_number_is_a_cell(void **state)
{
	static const struct {
		enum narrate_form form;
		const char *columns;
	} kinds[] = {
		{ NARRATE_SCALAR, "n:value:EUR" },
		{ NARRATE_SCALAR, "n:value m:value" },
		{ NARRATE_GROUPS, "k:key n:value" },
		{ NARRATE_RANKING, "k:key n:value:EUR" },
		{ NARRATE_TIME, "t:time n:value" },
		{ NARRATE_TIME, "t:time k:key n:value" },
		{ NARRATE_SHARE, "k:key n:value t:value p:value:%" },
		{ NARRATE_SHARE, "n:value t:value p:value:%" },
		{ NARRATE_COMPARE, "k:key n:value d:value p:value:%" },
		{ NARRATE_LIST, "k:key" },
	};
	uint64_t seed = 3;
	unsigned seen = 0;

	(void)state;
	for (unsigned round = 0; round < 500; round++) {
		size_t kind = round % (sizeof(kinds) / sizeof(kinds[0])), n = test_random(&seed) % 20;
		const char *of = kinds[kind].columns, *text;
		struct buf rows = { 0 };

		buf_byte(&rows, '[');
		for (size_t i = 0; i < n; i++) {
			buf_str(&rows, i > 0 ? ",[" : "[");
			for (const char *p = of; p != NULL; p = strchr(p, ' ') == NULL ? NULL : strchr(p, ' ') + 1) {
				buf_str(&rows, p != of ? "," : "");
				if (test_random(&seed) % 20 == 0)
					buf_str(&rows, "null");
				else if (strchr(p, ':')[1] == 'v')
					buf_printf(&rows, "%.3f",
					    (double)(int64_t)(test_random(&seed) % 2000000) / 7 - 50000);
				else
					buf_printf(&rows, "\"group %c\"", (char)('a' + test_random(&seed) % 20));
			}
			buf_byte(&rows, ']');
		}
		buf_byte(&rows, ']');
		text = told(kinds[kind].form, false, of, buf_cstr(&rows));
		for (const char *p = text; *p != '\0';) {
			char digits[64];
			size_t len = 0;

			if (!isdigit((unsigned char)*p)) {
				p++;
				continue;
			}
			if (p > text && p[-1] == '-')
				digits[len++] = '-';
			for (; (isdigit((unsigned char)*p) ||
				   ((*p == ',' || *p == '.') && isdigit((unsigned char)p[1]))) &&
			     len < 60;
			     p++)
				if (*p != ',')
					digits[len++] = *p;
			digits[len] = '\0';
			if (!is_a_cell(sheet_of(arena, of, buf_cstr(&rows)), strtod(digits, NULL)))
				fail_msg("%s is no cell: %s\n%s", digits, text, buf_cstr(&rows));
			seen++;
		}
		buf_fini(&rows);
	}
	assert_true(seen > 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_grouped_and_rounded),
		cmocka_unit_test(figures_of_a_column_are_alike),
		cmocka_unit_test(each_form_has_its_sentences),
		cmocka_unit_test(groups_are_told_by_size),
		cmocka_unit_test(a_period_without_data_is_no_zero),
		cmocka_unit_test(names_are_no_markup),
		cmocka_unit_test(every_number_is_a_cell),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

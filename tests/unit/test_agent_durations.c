// libs: carrel_agent
/* test_agent_durations.c - intervals as figures. */
#include "base/json/cell.h"
#include "tests/unit/agent_sheet.h"
#include "workers/agent/data/durations.h"

static struct arena *arena;

static int
set_up(void **state)
{
	(void)state;
	arena = arena_new((size_t)1 << 20);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

static void
reads_intervals_of_fixed_length(void **state)
{
	static const struct {
		const char *text, *seconds;
	} cases[] = { { "00:00:00", "0" }, { "04:05:06.7", "14706.7" }, { "376:10:00", "1354200" },
		{ "1 day 02:30:00", "95400" }, { "-3 days +04:05:06", "-244494" }, { "2 days", "172800" },
		{ "-00:00:01.25", "-1.25" }, { "1 day -02:00:00", "79200" }, { "1 mon", NULL },
		{ "1 year 2 mons 3 days", NULL }, { "", NULL }, { "infinity", NULL }, { "1 day x", NULL },
		{ "12:30", NULL }, { "1:2:3:4", NULL }, { "1 days 2", NULL }, { "::", NULL }, { "01:00:00 day", NULL },
		{ "99999999999999999999 days", NULL } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = { 0 };
		struct decimal d;
		bool is = duration_read(span_str(cases[i].text), &d);

		if (is)
			decimal_put(&out, &d);
		if (is != (cases[i].seconds != NULL) || (is && strcmp(buf_cstr(&out), cases[i].seconds) != 0))
			fail_msg("\"%s\" is read as %s", cases[i].text, is ? buf_cstr(&out) : "nothing");
		buf_fini(&out);
	}
}

/* The rows of one query by a key, their second column an interval. */
static struct data_rows
rows_of(const char *rows)
{
	struct sheet *s = sheet_of(arena, "region:key took:value", rows);

	return (struct data_rows){ .ncolumns = 2, .nrows = s->nrows, .cells = s->cells, .intervals = { false, true } };
}

static void
takes_the_largest_unit_that_fits(void **state)
{
	static const struct {
		const char *rows, *unit, *first;
	} cases[] = { { "[[\"A\",\"2 days\"],[\"B\",\"1 day 24:00:00\"]]", "days", "2" },
		{ "[[\"A\",\"1 day 01:00:00\"],[\"B\",null]]", "hours", "25" },
		{ "[[\"A\",\"01:10:00\"],[\"B\",\"2 days\"]]", "minutes", "70" },
		{ "[[\"A\",\"01:10:00.5\"],[\"B\",\"2 days\"]]", "seconds", "4200.5" },
		{ "[[\"A\",\"01:10:00\"],[\"B\",\"1 mon\"]]", "", "01:10:00" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ask_query q = { .nmeasures = 1, .ndimensions = 1 };
		struct data_rows r = rows_of(cases[i].rows);
		struct buf out = { 0 };

		durations_take(arena, &r, 1);
		durations_scale(arena, &q, &r, 1);
		cell_put_text(&out, data_cell(&r, 0, 1));
		assert_string_equal(buf_cstr(&out), cases[i].first);
		assert_string_equal(arena_cstr(arena, q.measures[0].unit), cases[i].unit);
		buf_fini(&out);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_intervals_of_fixed_length),
		cmocka_unit_test(takes_the_largest_unit_that_fits),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

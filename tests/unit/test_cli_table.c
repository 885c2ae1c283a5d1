// libs: carrel_cli
/* test_cli_table - columns aligned by what is seen, wide ones squeezed, nothing a terminal would obey. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cli/show/table_text.h"
#include "cli/show/term.h"

static const char *const headers[] = { "NAME", "N", NULL };

static void
prints(struct text_table *t, unsigned width, bool colour, const char *expected)
{
	struct buf out = { 0 };

	table_print(t, width, colour, &out);
	assert_string_equal(buf_cstr(&out), expected);
	buf_fini(&out);
}

static void
aligns_by_columns_on_screen(void **state)
{
	struct text_table *t = table_new(*state, headers);

	table_row(t);
	table_cell(t, span_str("größe"));
	table_cell_number(t, span_str("7"));
	table_row(t);
	table_cell(t, span_str("東京"));
	table_cell_number(t, span_str("1234"));
	table_row(t);
	table_cell(t, span_str("e\xcc\x81")); /* e and a combining acute: one column */
	table_cell_number(t, span_str("10"));
	prints(t, 0, false,
	    "NAME      N\n"
	    "größe     7\n"
	    "東京   1234\n"
	    "e\xcc\x81        10\n");
}

static void
squeezes_the_widest(void **state)
{
	struct text_table *t = table_new(*state, headers);

	table_row(t);
	table_cell(t, span_str("a rather long name of something"));
	table_cell(t, span_str("short"));
	prints(t, 20, false,
	    "NAME           N\n"
	    "a rather lon…  short\n");
}

static void
too_wide_rows_become_blocks(void **state)
{
	static const char *const three[] = { "FIRST", "N", "THIRD", NULL };
	struct text_table *t = table_new(*state, three);

	for (unsigned i = 0; i < 2; i++) {
		table_row(t);
		table_cell(t, span_str("twelve chars"));
		table_cell_number(t, span_str("7"));
		table_cell(t, span_str("a text that goes on"));
	}
	prints(t, 24, false,
	    "-- 1 --\nFIRST  twelve chars\nN      7\nTHIRD  a text that goes…\n"
	    "\n-- 2 --\nFIRST  twelve chars\nN      7\nTHIRD  a text that goes…\n");
}

static void
wide_characters_are_never_halved(void **state)
{
	struct text_table *t = table_new(*state, headers);

	table_row(t);
	table_cell(t, span_str("東京東京東京東京"));
	table_cell(t, span_str("x"));
	prints(t, 14, false,
	    "NAME         N\n"
	    "東京東京東…  x\n");
}

static void
shows_control_characters(void **state)
{
	struct buf safe = { 0 };

	(void)state;
	table_safe(SPAN("a\033[31mb\r\n\t\x7f\xc2\x9b"), false, &safe);
	assert_string_equal(buf_cstr(&safe), "a\\x1b[31mb\\r\\n\\t\\x7f\\x9b");
	buf_reset(&safe, 4096);
	table_safe(SPAN("line\n\ttwo\033"), true, &safe);
	assert_string_equal(buf_cstr(&safe), "line\n\ttwo\\x1b");
	buf_reset(&safe, 4096);
	/* A right-to-left override, a line separator, bytes that are no UTF-8. */
	table_safe(SPAN("\xe2\x80\xae"
			"x\xe2\x80\xa8\xff\xc3"),
	    false, &safe);
	assert_string_equal(buf_cstr(&safe), "\\u202ex\\u2028\\xff\\xc3");
	buf_fini(&safe);
}

static void
long_cells_end_in_an_ellipsis(void **state)
{
	struct text_table *t = table_new(*state, NULL);
	struct buf out = { 0 }, cell = { 0 };

	for (unsigned i = 0; i < 5000; i++)
		buf_byte(&cell, 'x');
	table_column(t, span_str("h"));
	table_row(t);
	table_cell(t, buf_view(&cell));
	table_print(t, 0, false, &out);
	assert_int_equal(table_width(buf_view(&out)), 1 + TABLE_CELL_MAX); /* newlines have no width */
	buf_fini(&cell);
	buf_fini(&out);
}

static void
whole_and_as_csv(void **state)
{
	static const char *const three[] = { "a", "b,c", "d", NULL };
	struct buf out = { 0 }, cell = { 0 };
	struct text_table *t;

	table_whole(true);
	t = table_new(*state, three);
	for (unsigned i = 0; i < 5000; i++)
		buf_byte(&cell, 'x');
	table_row(t);
	table_cell(t, buf_view(&cell));
	table_print(t, 0, false, &out);
	assert_non_null(memmem(out.p, out.len, cell.p, cell.len));
	buf_reset(&out, SIZE_MAX);
	t = table_new(*state, three);
	table_row(t);
	table_cell(t, SPAN("one \"quoted\"\nline"));
	table_cell_number(t, SPAN("1.5"));
	table_cell_faint(t, SPAN("NULL"));
	table_row(t);
	table_cell(t, SPAN(""));
	table_cell(t, SPAN(" padded"));
	table_cell(t, SPAN("a\tb"));
	table_csv(t, &out);
	assert_string_equal(buf_cstr(&out),
	    "a,\"b,c\",d\r\n\"one \"\"quoted\"\"\nline\",1.5,\r\n\"\",\" padded\",a\tb\r\n");
	table_whole(false);
	buf_fini(&cell);
	buf_fini(&out);
}

static void
colours_only_when_asked(void **state)
{
	struct text_table *t = table_new(*state, headers);

	table_row(t);
	table_cell(t, span_str("a"));
	table_cell_faint(t, span_str("NULL"));
	prints(t, 0, false, "NAME  N\na     NULL\n");
	prints(t, 0, true,
	    TERM_BOLD "NAME" TERM_PLAIN "  " TERM_BOLD "N" TERM_PLAIN "\n"
		      "a     " TERM_FAINT "NULL" TERM_PLAIN "\n");
}

static void
rows_may_be_short_or_long(void **state)
{
	struct text_table *t = table_new(*state, headers);

	table_row(t);
	table_cell(t, span_str("only"));
	table_row(t);
	for (unsigned i = 0; i < 5; i++)
		table_cell(t, span_str("x"));
	assert_int_equal(table_rows(t), 2);
	prints(t, 0, false, "NAME  N\nonly\nx     x\n");
}

static int
begin(void **state)
{
	*state = arena_new(1 << 24);
	return 0;
}

static int
end(void **state)
{
	arena_free(*state);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(aligns_by_columns_on_screen, begin, end),
		cmocka_unit_test_setup_teardown(squeezes_the_widest, begin, end),
		cmocka_unit_test_setup_teardown(too_wide_rows_become_blocks, begin, end),
		cmocka_unit_test_setup_teardown(wide_characters_are_never_halved, begin, end),
		cmocka_unit_test_setup_teardown(shows_control_characters, begin, end),
		cmocka_unit_test_setup_teardown(long_cells_end_in_an_ellipsis, begin, end),
		cmocka_unit_test_setup_teardown(whole_and_as_csv, begin, end),
		cmocka_unit_test_setup_teardown(colours_only_when_asked, begin, end),
		cmocka_unit_test_setup_teardown(rows_may_be_short_or_long, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_span.c - words, lines and ends of borrowed bytes. */
#include <stdlib.h>

#include "base/span.h"
#include "tests/unit/harness.h"

static const char *const words[] = { "day", "week", NULL };

static void
case_is_folded_for_ascii_alone(void **state)
{
	(void)state;
	assert_true(span_is_folded(SPAN("Straße"), SPAN("sTRAßE")));
	assert_false(span_is_folded(SPAN("\xc3\x84"), SPAN("\xc3\xa4")));
	assert_false(span_is_folded(SPAN("[a"), SPAN("{a")));
	assert_true(span_is_folded(span_of(NULL, 0), SPAN("")));
	/* Bytes behind a NUL count. */
	assert_false(span_is_folded(SPAN("a\0b"), SPAN("a\0c")));
	assert_true(span_begins_word(SPAN("TRUE,"), "true"));
	assert_false(span_begins_word(SPAN("TRU"), "true"));
}

static void
one_of_a_list(void **state)
{
	(void)state;
	assert_true(span_is_any(SPAN("week"), words));
	assert_false(span_is_any(SPAN("Week"), words));
	assert_false(span_is_any(SPAN("weeks"), words));
	assert_false(span_is_any(SPAN(""), words));
	assert_true(span_is_any_word(SPAN("WEEK"), words));
	assert_false(span_is_any_word(SPAN("month"), words));
}

static void
white_space_at_the_ends(void **state)
{
	(void)state;
	assert_true(span_is_str(span_trim(SPAN(" \t a b\r\n\v\f")), "a b"));
	assert_true(span_is_str(span_trim(SPAN("\xc2\xa0")), "\xc2\xa0"));
	assert_int_equal(span_trim(SPAN(" \n ")).len, 0);
	assert_int_equal(span_trim(span_of(NULL, 0)).len, 0);
}

static void
line_after_line(void **state)
{
	struct span rest = SPAN("one\n\ntwo\r\nthree"), line;

	(void)state;
	assert_true(span_line(&rest, &line) && span_is_str(line, "one"));
	assert_true(span_line(&rest, &line) && span_is_str(line, ""));
	assert_true(span_line(&rest, &line) && span_is_str(line, "two\r"));
	assert_true(span_line(&rest, &line) && span_is_str(line, "three"));
	assert_false(span_line(&rest, &line));
	rest = SPAN("last\n");
	assert_true(span_line(&rest, &line) && span_is_str(line, "last"));
	assert_false(span_line(&rest, &line));
}

static void
byte_order(void **state)
{
	struct span v[] = { SPAN("b"), SPAN("ab"), SPAN(""), SPAN("a"), SPAN("\xff") };

	(void)state;
	qsort(v, 5, sizeof(v[0]), span_order);
	assert_true(span_is_str(v[0], "") && span_is_str(v[1], "a") && span_is_str(v[2], "ab"));
	assert_true(span_is_str(v[3], "b") && span_is_str(v[4], "\xff"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_is_folded_for_ascii_alone),
		cmocka_unit_test(one_of_a_list),
		cmocka_unit_test(white_space_at_the_ends),
		cmocka_unit_test(line_after_line),
		cmocka_unit_test(byte_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

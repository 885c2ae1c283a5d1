/* test_sql_quote.c - where quoted text ends, rule by rule. */
#include "base/text/sql_quote.h"
#include "tests/unit/harness.h"

static void
assert_end(const char *text, uint8_t close, enum sql_quote_rule rule, size_t end)
{
	size_t got = sql_quote_end(span_str(text), 0, close, rule);

	if (got != end)
		fail_msg("%s ends at %zu instead of %zu", text, got, end);
	/* Without its last byte it does not end, unless that byte made two quotes of one. */
	if (end > 1 && (rule == SQL_QUOTE_PLAIN || (uint8_t)text[end - 2] != close))
		assert_int_equal(sql_quote_end(span_of(text, end - 1), 0, close, rule), 0);
}

static void
quotes(void **state)
{
	(void)state;
	assert_end("'a' b", '\'', SQL_QUOTE_DOUBLED, 3);
	assert_end("''", '\'', SQL_QUOTE_DOUBLED, 2);
	assert_end("'", '\'', SQL_QUOTE_DOUBLED, 0);
	assert_end("'it''s' 'b'", '\'', SQL_QUOTE_DOUBLED, 7);
	assert_end("''''", '\'', SQL_QUOTE_DOUBLED, 4);
	assert_end("'''", '\'', SQL_QUOTE_DOUBLED, 0);
	assert_end("'a\\' b'", '\'', SQL_QUOTE_DOUBLED, 4);
	assert_end("'a\\' b'", '\'', SQL_QUOTE_ESCAPES, 7);
	assert_end("'a\\\\' b'", '\'', SQL_QUOTE_ESCAPES, 5);
	assert_end("'a\\", '\'', SQL_QUOTE_ESCAPES, 0);
	assert_end("'a\\'", '\'', SQL_QUOTE_ESCAPES, 0);
	assert_end("\"a\"\"b\".c", '"', SQL_QUOTE_DOUBLED, 6);
	assert_end("[a]]", ']', SQL_QUOTE_PLAIN, 3);
	assert_end("[a", ']', SQL_QUOTE_PLAIN, 0);
	assert_int_equal(sql_quote_end(SPAN("x = 'y'"), 4, '\'', SQL_QUOTE_DOUBLED), 7);
}

static void
dollars(void **state)
{
	(void)state;
	assert_int_equal(sql_dollar_tag(SPAN("$$"), 0), 2);
	assert_int_equal(sql_dollar_tag(SPAN("x $tag_1$ y"), 2), 7);
	assert_int_equal(sql_dollar_tag(SPAN("$\xc3\xa4$"), 0), 4);
	assert_int_equal(sql_dollar_tag(SPAN("$1$"), 0), 0);
	assert_int_equal(sql_dollar_tag(SPAN("$a"), 0), 0);
	assert_int_equal(sql_dollar_tag(SPAN("$"), 0), 0);
	assert_int_equal(sql_dollar_tag(SPAN("$a b$"), 0), 0);
	assert_int_equal(sql_dollar_end(SPAN("$$a$$b"), 0), 5);
	assert_int_equal(sql_dollar_end(SPAN("$$$$"), 0), 4);
	assert_int_equal(sql_dollar_end(SPAN("$$$"), 0), 0);
	assert_int_equal(sql_dollar_end(SPAN("$a$ $b$ $$ $a$;"), 0), 14);
	assert_int_equal(sql_dollar_end(SPAN("$a$ $b$"), 0), 0);
	assert_int_equal(sql_dollar_end(SPAN("$1$ $1$"), 0), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotes),
		cmocka_unit_test(dollars),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

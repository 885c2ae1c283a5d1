/* test_percent.c - which bytes are encoded, and what is read back. */
#include "base/ascii.h"
#include "base/text/percent.h"
#include "tests/unit/harness.h"

static bool
is_letter(uint8_t c)
{
	return ascii_is_letter(c);
}

static bool
is_zero(uint8_t c)
{
	return c == 0;
}

static void
put_is(const char *text, bool (*stays)(uint8_t c), const char *expected)
{
	struct buf out = { .max = 0 };

	percent_put(&out, span_str(text), stays);
	assert_true(span_is_str(buf_view(&out), expected));
	buf_fini(&out);
}

static void
test_put(void **state)
{
	(void)state;
	put_is("", percent_is_unreserved, "");
	put_is("Az09-._~", percent_is_unreserved, "Az09-._~");
	put_is("a b+c%/\xc3\xa9", percent_is_unreserved, "a%20b%2Bc%25%2F%C3%A9");
	put_is("a1-b", is_letter, "a%31%2Db");
}

/* Every byte comes back, whether it was encoded or not; at the end everything has been read. */
static void
test_both_ways(void **state)
{
	bool (*const rules[])(uint8_t) = { percent_is_unreserved, is_letter, is_zero };

	(void)state;
	for (size_t r = 0; r < sizeof(rules) / sizeof(rules[0]); r++) {
		struct buf out = { .max = 0 };
		uint8_t all[256];
		size_t at = 0;

		for (size_t i = 0; i < 256; i++)
			all[i] = (uint8_t)i;
		percent_put(&out, span_of(all, 256), rules[r]);
		for (int i = 0; i < 256; i++)
			assert_int_equal(percent_next(buf_view(&out), &at), i);
		assert_int_equal(at, out.len);
		buf_fini(&out);
	}
}

static void
test_next(void **state)
{
	static const char *const broken[] = { "%", "%4", "%4g", "%g4", "%%41", "% 1", "%-1", "%0x" };
	size_t at = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++, at = 0)
		assert_int_equal(percent_next(span_str(broken[i]), &at), -1);
	assert_int_equal(percent_next(SPAN("%c3%A9"), &at), 0xc3);
	assert_int_equal(percent_next(SPAN("%c3%A9"), &at), 0xa9);
	at = 0;
	assert_int_equal(percent_next(span_of("%41", 2), &at), -1); /* nothing behind the end is read */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put),
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

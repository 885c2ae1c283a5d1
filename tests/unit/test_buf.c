// libs: carrel_base
/* test_buf.c - growing buffers and their ceiling. */
#include "tests/unit/harness.h"

static void
grows(void **state)
{
	struct buf b = BUF_MAX(0);

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_byte(&b, (uint8_t)i);
	assert_int_equal(b.len, 100000);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(b.p[i], (uint8_t)i);
	buf_fini(&b);
	assert_int_equal(b.len, 0);
	buf_str(&b, "again");
	assert_buf(&b, "again");
	buf_fini(&b);
}

/* Whatever way the bytes come, the ceiling holds to the byte. */
static void
ceiling_to_the_byte(void **state)
{
	static const size_t ceilings[] = { 1, 5, 255, 256, 257, 300, 1000, 4097 };

	(void)state;
	for (size_t i = 0; i < sizeof(ceilings) / sizeof(ceilings[0]); i++) {
		struct buf bytes = BUF_MAX(ceilings[i]), pieces = BUF_MAX(ceilings[i]);

		for (size_t n = 0; n < 5000; n++)
			buf_byte(&bytes, 'x');
		assert_int_equal(bytes.len, ceilings[i]);
		assert_true(bytes.full);
		for (size_t n = 0; n < 1000; n++)
			buf_append(&pieces, "abcde", 5);
		assert_int_equal(pieces.len, ceilings[i] / 5 * 5);
		assert_true(pieces.full);
		/* Once full it stays as it is, even for what would fit. */
		buf_byte(&pieces, 'x');
		assert_int_equal(pieces.len, ceilings[i] / 5 * 5);
		buf_fini(&bytes);
		buf_fini(&pieces);
	}
}

static void
reserve_refuses(void **state)
{
	struct buf b = BUF_MAX(1000);

	(void)state;
	assert_non_null(buf_reserve(&b, 1000));
	assert_int_equal(b.len, 0);
	assert_null(buf_reserve(&b, 1001));
	assert_true(b.full);
	buf_reset(&b, 0);
	assert_false(b.full);
	assert_null(buf_reserve(&b, SIZE_MAX));
	buf_fini(&b);
}

static void
cstr_is_not_content(void **state)
{
	struct buf b = BUF_MAX(4);

	(void)state;
	assert_string_equal(buf_cstr(&b), "");
	assert_int_equal(b.len, 0);
	buf_str(&b, "abcd");
	assert_string_equal(buf_cstr(&b), "abcd");
	buf_byte(&b, 'e');
	assert_string_equal(buf_cstr(&b), "abcd");
	buf_fini(&b);
}

static void
consume(void **state)
{
	struct buf b = BUF_MAX(0);

	(void)state;
	buf_str(&b, "0123456789");
	buf_consume(&b, 4);
	assert_buf(&b, "456789");
	buf_consume(&b, 0);
	assert_buf(&b, "456789");
	buf_consume(&b, 6);
	assert_int_equal(b.len, 0);
	buf_consume(&b, 6);
	assert_int_equal(b.len, 0);
	buf_fini(&b);
}

static void
reset_gives_back(void **state)
{
	struct buf b = BUF_MAX(0);
	size_t cap;

	(void)state;
	assert_non_null(buf_reserve(&b, 5000));
	cap = b.cap;
	buf_reset(&b, cap);
	assert_int_equal(b.cap, cap);
	buf_reset(&b, cap - 1);
	assert_int_equal(b.cap, 0);
	assert_null(b.p);
	buf_fini(&b);
}

static void
printf_and_wipe(void **state)
{
	struct buf b = BUF_MAX(0);

	(void)state;
	buf_printf(&b, "%s=%d;", "n", 42);
	buf_printf(&b, "%0300d", 0);
	assert_int_equal(b.len, 5 + 300);
	assert_memory_equal(b.p, "n=42;000", 8);
	/* A text one byte shorter than the room, and one as long as it. */
	for (size_t less = 1; less <= 1; less--) {
		size_t before = b.len, n = b.cap - b.len - less;

		buf_printf(&b, "%0*d", (int)n, 7);
		assert_int_equal(b.len, before + n);
		assert_int_equal(b.p[b.len - 1], '7');
		buf_consume(&b, n);
	}
	b.len = 0;
	buf_uint(&b, 0);
	buf_uint(&b, UINT64_MAX);
	assert_string_equal(buf_cstr(&b), "018446744073709551615");
	buf_wipe(&b);
	assert_null(b.p);
	assert_int_equal(b.len, 0);
}

static void
nothing_is_nothing(void **state)
{
	struct buf b = BUF_MAX(0);

	(void)state;
	buf_append(&b, NULL, 0);
	buf_span(&b, span_of(NULL, 0));
	buf_str(&b, "");
	assert_int_equal(b.len, 0);
	assert_false(b.full);
	buf_fini(&b);
}

static void
quotes_are_doubled(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_quoted(&b, SPAN("a\"b'c\"\""), '"');
	assert_string_equal(buf_cstr(&b), "\"a\"\"b'c\"\"\"\"\"");
	buf_reset(&b, 64);
	buf_quoted(&b, span_of(NULL, 0), '\'');
	assert_string_equal(buf_cstr(&b), "''");
	buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows),
		cmocka_unit_test(ceiling_to_the_byte),
		cmocka_unit_test(reserve_refuses),
		cmocka_unit_test(cstr_is_not_content),
		cmocka_unit_test(consume),
		cmocka_unit_test(reset_gives_back),
		cmocka_unit_test(printf_and_wipe),
		cmocka_unit_test(nothing_is_nothing),
		cmocka_unit_test(quotes_are_doubled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// libs: carrel_base
/* test_utf8.c - exactly the encodings of RFC 3629, and cuts between characters. */
#include "base/utf8.h"
#include "tests/unit/harness.h"

/* Encode c; 0 for what has no encoding. */
static size_t
encode(uint32_t c, uint8_t out[4])
{
	if (c < 0x80) {
		out[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (uint8_t)(0xc0 | c >> 6);
		out[1] = (uint8_t)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (uint8_t)(0xe0 | c >> 12);
		out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		out[2] = (uint8_t)(0x80 | (c & 0x3f));
		return c >= 0xd800 && c <= 0xdfff ? 0 : 3;
	}
	out[0] = (uint8_t)(0xf0 | c >> 18);
	out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
	out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	out[3] = (uint8_t)(0x80 | (c & 0x3f));
	return c <= 0x10ffff ? 4 : 0;
}

static void
every_character(void **state)
{
	uint8_t bytes[4];

	(void)state;
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		size_t n = encode(c, bytes);

		if (n == 0) {
			assert_false(utf8_valid(bytes, 3));
			continue;
		}
		if (!utf8_valid(bytes, n))
			fail_msg("U+%04X is refused", (unsigned)c);
		/* No proper prefix is valid. */
		for (size_t cut = 1; cut < n; cut++)
			if (utf8_valid(bytes, cut))
				fail_msg("a part of U+%04X is accepted", (unsigned)c);
	}
}

/* All byte strings of up to three bytes: as many are valid as there are characters. */
static void
nothing_else(void **state)
{
	size_t ones = 0, twos = 0, threes = 0;

	(void)state;
	for (uint32_t n = 0; n < 1u << 24; n++) {
		uint8_t b[3] = { (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n };

		if (n < 256)
			ones += utf8_valid(b + 2, 1);
		if (n < 65536)
			twos += utf8_valid(b + 1, 2);
		if ((b[0] & 0xf0) == 0xe0)
			threes += utf8_valid(b, 3);
	}
	assert_int_equal(ones, 128);
	assert_int_equal(twos, 128 * 128 + (0x800 - 0x80));
	assert_int_equal(threes, 0x10000 - 0x800 - 0x800);
}

static void
four_byte_refusals(void **state)
{
	static const char *const bad[] = {
		"\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff\x80\x80\x80",
		"\xf8\x88\x80\x80", "\xf0\x90\x80", "\xf0\x90\x80\x7f",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(utf8_valid((const uint8_t *)bad[i], strlen(bad[i])));
}

/* The eight-bytes-at-a-time path finds the same place. */
static void
where_it_is_bad(void **state)
{
	uint8_t text[64];

	(void)state;
	for (size_t at = 0; at < sizeof(text); at++) {
		memset(text, 'a', sizeof(text));
		text[at] = 0xc0;
		assert_int_equal(utf8_bad(text, sizeof(text)), at);
	}
	memset(text, 'a', sizeof(text));
	assert_int_equal(utf8_bad(text, sizeof(text)), sizeof(text));
	assert_int_equal(utf8_bad((const uint8_t *)"ab\xe2\x82", 4), 2);
}

static void
cut(void **state)
{
	const uint8_t *s = (const uint8_t *)"a\xc3\xa9\xe2\x82\xac\xf0\x9f\x93\x96z";
	static const size_t expect[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11 };

	(void)state;
	for (size_t max = 0; max <= 12; max++)
		assert_int_equal(utf8_cut(s, 11, max), expect[max]);
	/* The text itself may have been cut inside a character before. */
	assert_int_equal(utf8_cut(s, 2, 100), 1);
	assert_int_equal(utf8_cut(s, 5, 100), 3);
	assert_int_equal(utf8_cut(s, 9, 100), 6);
	assert_int_equal(utf8_cut(s, 9, 9), 6);
	assert_int_equal(utf8_cut(NULL, 0, 0), 0);
}

static void
count(void **state)
{
	(void)state;
	assert_int_equal(utf8_count(SPAN("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x93\x96z")), 5);
	assert_int_equal(utf8_count(span_of(NULL, 0)), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_character),
		cmocka_unit_test(nothing_else),
		cmocka_unit_test(four_byte_refusals),
		cmocka_unit_test(where_it_is_bad),
		cmocka_unit_test(cut),
		cmocka_unit_test(count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

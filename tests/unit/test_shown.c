/* test_shown.c - what does not look like what it is, is shown as what it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/text/safe_text.h"
#include "base/utf8.h"

static void
escaped(const char *text, bool lines, const char *wanted)
{
	struct buf out = { .max = 0 };

	safe_text_escape(&out, span_str(text), lines);
	assert_string_equal(buf_cstr(&out), wanted);
	buf_fini(&out);
}

static void
stripped(const char *text, bool lines, const char *wanted)
{
	struct buf out = { .max = 0 };

	safe_text_strip(&out, span_str(text), lines);
	assert_string_equal(buf_cstr(&out), wanted);
	buf_fini(&out);
}

static void
test_texts(void **state)
{
	(void)state;
	escaped("Größe 数量 \xf0\x9f\x98\x80", false, "Größe 数量 \xf0\x9f\x98\x80");
	escaped("a\033[31mb\a\177", false, "a\\x1b[31mb\\x07\\x7f");
	escaped("a\xc2\x9b"
		"31mb",
	    false, "a\\x9b31mb");
	escaped("a\xe2\x80\xae"
		"b\xe2\x81\xa6",
	    false, "a\\u202eb\\u2066");
	escaped("one\ntwo\r\tthree", true, "one\ntwo\\r\tthree");
	escaped("one\ntwo", false, "one\\ntwo");
	escaped("pay\xe2\x80\x8droll \xef\xbb\xbf\xc2\xad.", false, "pay\\u200droll \\ufeff\\u00ad.");
	escaped("\xf3\xa0\x81\x81", false, "\\u{e0041}");
	escaped("bad \xff\xc2", false, "bad \\xff\\xc2");
	/* Persian and families need their joiners */
	escaped("می\xe2\x80\x8cخواهم", false, "می\xe2\x80\x8cخواهم");
	stripped("Total\xe2\x80\xae"
		 "lrg\xe2\x80\xac\nadded\033[2J\xff",
	    false, "Totallrg added [2J");
	stripped("one\ntwo\xe2\x80\xa8three\r", true, "one\ntwo three ");
}

static void
test_every_character(void **state)
{
	struct buf json = { .max = 0 }, back = { .max = 0 }, text = { .max = 0 }, shown = { .max = 0 };

	(void)state;
	for (uint32_t c = 1; c < 0x110000; c++) {
		uint8_t s[4];
		size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, at;
		struct mp_value v;
		uint32_t got = 0;

		if (c >= 0xd800 && c < 0xe000)
			continue;
		for (size_t i = n; i-- > 1;)
			s[i] = (uint8_t)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
		s[0] = (uint8_t)(n == 1 ? c : ((0xf00u >> n & 0xff) | c >> 6 * (n - 1)));
		assert_true(utf8_valid(s, n));
		assert_true((safe_text_hidden(s, n, &got) != 0) == (c > 0x7f && safe_text_deceives(c)));
		/* in JSON it is an escape that reads back as the same */
		json.len = back.len = text.len = shown.len = 0;
		buf_append(&text, "0123456789abcde", c % 16);
		buf_append(&text, s, n);
		buf_append(&text, "0123456789abcdefghij", c % 7);
		json_write_string(&json, buf_view(&text));
		if (safe_text_deceives(c))
			assert_null(memmem(json.p, json.len, s, n));
		assert_int_equal(json_read(buf_view(&json), &back, &at), JSON_OK);
		assert_true(mp_value(buf_view(&back), &v));
		assert_true(span_is(v.s, buf_view(&text)));
		safe_text_escape(&shown, span_of(s, n), false);
		assert_true((shown.len > 1 && shown.p[0] == '\\') == safe_text_deceives(c));
	}
	buf_fini(&json);
	buf_fini(&back);
	buf_fini(&text);
	buf_fini(&shown);
}

/* One long text in which every character stands, at each place of a block in turn, is what its characters are. */
static void
test_every_character_in_one_text(void **state)
{
	struct buf text = { .max = 0 }, json = { .max = 0 }, expect = { .max = 0 };

	(void)state;
	for (size_t shift = 0; shift < 16; shift += 5) {
		text.len = json.len = expect.len = 0;
		buf_append(&text, "abcdefghijklmnop", shift);
		for (uint32_t c = 1; c < 0x110000; c++) {
			uint8_t s[4];
			size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

			if (c >= 0xd800 && c < 0xe000)
				continue;
			for (size_t i = n; i-- > 1;)
				s[i] = (uint8_t)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
			s[0] = (uint8_t)(n == 1 ? c : ((0xf00u >> n & 0xff) | c >> 6 * (n - 1)));
			buf_append(&text, s, n);
			buf_str(&text, c % 3 == 0 ? "ö" : "");
		}
		for (size_t at = 0, took; at < text.len; at += took) {
			uint8_t escape[JSON_ESCAPE_MAX];

			buf_append(&expect, escape,
			    json_escape_character(span_of(text.p + at, text.len - at), escape, &took));
		}
		json_escape(&json, buf_view(&text));
		assert_int_equal(json.len, expect.len);
		assert_memory_equal(json.p, expect.p, expect.len);
	}
	buf_fini(&text);
	buf_fini(&json);
	buf_fini(&expect);
}

/* Wherever it stands: at the ends of blocks and slabs, in text of any script, near the ceiling of the buffer. */
static void
test_places_in_json(void **state)
{
	static const char *const fills[] = { "x", "ö", "数", "\"", "\n" };
	static const char mark[] = "\xe2\x80\xae";
	struct buf text = { .max = 0 }, back = { .max = 0 };

	(void)state;
	for (size_t f = 0; f < sizeof(fills) / sizeof(fills[0]); f++)
		for (size_t lead = 0; lead < 2100; lead += lead < 70 || lead > 1000 ? 1 : 37) {
			struct buf out = { .max = lead % 3 == 0 ? 16384 : 0 };
			struct mp_value v;
			size_t at;

			text.len = back.len = 0;
			for (size_t i = 0; i < lead; i++)
				buf_str(&text, fills[f]);
			buf_str(&text, mark);
			buf_str(&text, "tail");
			json_write_string(&out, buf_view(&text));
			assert_false(out.full);
			assert_null(memmem(out.p, out.len, mark, 3));
			assert_int_equal(json_read(buf_view(&out), &back, &at), JSON_OK);
			assert_true(mp_value(buf_view(&back), &v));
			assert_true(span_is(v.s, buf_view(&text)));
			buf_fini(&out);
		}
	buf_fini(&text);
	buf_fini(&back);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_every_character),
		cmocka_unit_test(test_every_character_in_one_text),
		cmocka_unit_test(test_places_in_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

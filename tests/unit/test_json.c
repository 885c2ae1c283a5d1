// libs: carrel_base m
/* test_json.c - the strict reader, fault by fault, the writer, form by form, and the walk. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/json/json_walk.h"
#include "base/text/safe_text.h"
#include "base/utf8.h"
#include "tests/unit/harness.h"

/* Read text from a block of exactly its size; out is emptied first. */
static enum json_fault
read_text(const char *text, size_t len, struct buf *out, size_t *at)
{
	char *copy = malloc(len > 0 ? len : 1);
	enum json_fault fault;

	assert_non_null(copy);
	memcpy(copy, text, len);
	out->len = 0;
	fault = json_read(span_of(copy, len), out, at);
	free(copy);
	return fault;
}

/* text, read and written again. */
static void
assert_round(const char *text, const char *expect)
{
	struct buf mp = BUF_MAX(0), out = BUF_MAX(0);
	struct mp_value v;
	size_t at;

	if (read_text(text, strlen(text), &mp, &at) != JSON_OK)
		fail_msg("%s was refused at %zu", text, at);
	assert_int_equal(mp_scan(buf_view(&mp)), MP_OK);
	assert_true(mp_value(buf_view(&mp), &v));
	json_write(&out, &v);
	assert_string_equal(buf_cstr(&out), expect);
	buf_fini(&mp);
	buf_fini(&out);
}

static void
assert_refused(const char *text, size_t len, enum json_fault expect, size_t where)
{
	struct buf out = BUF_MAX(0);
	enum json_fault fault;
	size_t at = 999;

	buf_str(&out, "before");
	fault = json_read(span_of(text, len), &out, &at);
	if (fault != expect || at != where)
		fail_msg("%.*s: fault %d at %zu, expected %d at %zu", (int)len, text, (int)fault, at, (int)expect,
		    where);
	assert_buf(&out, "before");
	assert_int_equal(read_text(text, len, &out, &at), expect);
	buf_fini(&out);
}

#define REFUSED(literal, fault, where)	assert_refused(literal, sizeof(literal) - 1, fault, where)

/* --- reading ---------------------------------------------------------------- */

static void
reads_values(void **state)
{
	(void)state;
	assert_round("null", "null");
	assert_round(" true ", "true");
	assert_round("\t\r\n false", "false");
	assert_round("\"\"", "\"\"");
	assert_round("[]", "[]");
	assert_round("{ }", "{}");
	assert_round("[1, [2, {\"a\": []}], {\"b\": {\"c\": null}}]", "[1,[2,{\"a\":[]}],{\"b\":{\"c\":null}}]");
	assert_round("{\"\":1,\" \":2,\"a\":3,\"A\":4}", "{\"\":1,\" \":2,\"a\":3,\"A\":4}");
	assert_round("[[],[[]],{}]", "[[],[[]],{}]");
}

static void
reads_numbers(void **state)
{
	(void)state;
	assert_round("[0,-1,9007199254740991,-9007199254740991]", "[0,-1,9007199254740991,-9007199254740991]");
	assert_round("18446744073709551615", "\"18446744073709551615\"");
	assert_round("-9223372036854775808", "\"-9223372036854775808\"");
	assert_round("[0.1,1e2,1E+2,100e-2,-0,-0.0,1.50]", "[0.1,100,100,1,-0,-0,1.5]");
	assert_round("1e-400", "0");
}

/* An integer is an integer however it is written; everything else is a double. */
static void
number_classes(void **state)
{
	static const struct {
		const char *text;
		enum mp_class class;
	} rows[] = {
		{ "0", MP_UINT },
		{ "7", MP_UINT },
		{ "-7", MP_INT },
		{ "-0", MP_FLOAT },
		{ "1.0", MP_UINT },
		{ "1e1", MP_UINT },
		{ "-10.0", MP_INT },
		{ "0.0", MP_UINT },
		{ "-0.0", MP_FLOAT },
		{ "1e-400", MP_UINT },
		{ "9007199254740991.0", MP_UINT },
		{ "9007199254740992.0", MP_FLOAT },
		{ "1e300", MP_FLOAT },
		{ "1.5", MP_FLOAT },
		{ "18446744073709551615", MP_UINT },
		{ "-9223372036854775808", MP_INT },
		{ "9223372036854775808", MP_UINT },
	};
	struct buf out = BUF_MAX(0);
	struct mp_value v;
	size_t at;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(read_text(rows[i].text, strlen(rows[i].text), &out, &at), JSON_OK);
		assert_true(mp_value(buf_view(&out), &v));
		assert_int_equal(v.class, rows[i].class);
	}
	buf_fini(&out);
}

static void
reads_strings(void **state)
{
	(void)state;
	assert_round("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\"");
	assert_round("\"\\u0041\\u00e9\\u20AC\\ud83d\\udcd6\"", "\"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x93\x96\"");
	assert_round("\"\\u0001\\u001f\\u007f\"", "\"\\u0001\\u001f\\u007f\"");
	assert_round("\"plain \xc3\xa9 text \xf0\x9f\x93\x96 longer than a block\"",
	    "\"plain \xc3\xa9 text \xf0\x9f\x93\x96 longer than a block\"");
	assert_round("{\"a\\u0062\":\"x\\ny\"}", "{\"ab\":\"x\\ny\"}");
	assert_round("\"\\uffff\\udbff\\udfff\"", "\"\xef\xbf\xbf\xf4\x8f\xbf\xbf\"");
}

static void
refuses_syntax(void **state)
{
	(void)state;
	REFUSED("", JSON_SYNTAX, 0);
	REFUSED("  ", JSON_SYNTAX, 2);
	REFUSED("nul", JSON_SYNTAX, 0);
	REFUSED("True", JSON_SYNTAX, 0);
	REFUSED("[1,]", JSON_SYNTAX, 3);
	REFUSED("[,1]", JSON_SYNTAX, 1);
	REFUSED("[1 2]", JSON_SYNTAX, 3);
	REFUSED("[1", JSON_SYNTAX, 2);
	REFUSED("[1}", JSON_SYNTAX, 2);
	REFUSED("{\"a\":1]", JSON_SYNTAX, 6);
	REFUSED("{\"a\":1,}", JSON_SYNTAX, 7);
	REFUSED("{\"a\"}", JSON_SYNTAX, 4);
	REFUSED("{\"a\" 1}", JSON_SYNTAX, 5);
	REFUSED("{a:1}", JSON_SYNTAX, 1);
	REFUSED("{1:1}", JSON_SYNTAX, 1);
	REFUSED("{\"a\":}", JSON_SYNTAX, 5);
	REFUSED("'a'", JSON_SYNTAX, 0);
	REFUSED("\"open", JSON_SYNTAX, 5);
	REFUSED("\"open\\", JSON_SYNTAX, 6);
	REFUSED("\"a\nb\"", JSON_SYNTAX, 2);
	REFUSED("\"a\0b\"", JSON_SYNTAX, 2);
	REFUSED("\"escaped\\n\x1f\"", JSON_SYNTAX, 10);
	REFUSED("[01]", JSON_SYNTAX, 2);
	REFUSED("-", JSON_SYNTAX, 0);
	REFUSED("+1", JSON_SYNTAX, 0);
	REFUSED(".5", JSON_SYNTAX, 0);
	REFUSED("1.", JSON_SYNTAX, 0);
	REFUSED("1.e5", JSON_SYNTAX, 0);
	REFUSED("1e", JSON_SYNTAX, 0);
	REFUSED("1e+", JSON_SYNTAX, 0);
	REFUSED("NaN", JSON_SYNTAX, 0);
	REFUSED("-Infinity", JSON_SYNTAX, 0);
	REFUSED("[1/**/]", JSON_SYNTAX, 2);
	REFUSED("\x0c"
		"1",
	    JSON_SYNTAX, 0);
	REFUSED("]", JSON_SYNTAX, 0);
	REFUSED("[]]", JSON_TRAILING, 2);
}

static void
refuses_trailing(void **state)
{
	(void)state;
	REFUSED("1 2", JSON_TRAILING, 2);
	REFUSED("{} {}", JSON_TRAILING, 3);
	REFUSED("null\0", JSON_TRAILING, 4);
	REFUSED("\"a\"x", JSON_TRAILING, 3);
	REFUSED("12abc", JSON_TRAILING, 2);
}

static void
refuses_depth(void **state)
{
	char text[2 * JSON_DEPTH_MAX + 8];
	struct buf out = BUF_MAX(0);
	size_t at;

	(void)state;
	memset(text, '[', JSON_DEPTH_MAX);
	memset(text + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
	assert_int_equal(read_text(text, 2 * JSON_DEPTH_MAX, &out, &at), JSON_OK);
	memset(text, '[', JSON_DEPTH_MAX + 1);
	memset(text + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
	assert_refused(text, 2 * JSON_DEPTH_MAX + 2, JSON_TOO_DEEP, JSON_DEPTH_MAX);
	/* Siblings are not depth. */
	assert_int_equal(read_text("[[[]],[[]],[[]]]", 16, &out, &at), JSON_OK);
	buf_fini(&out);
}

static void
refuses_duplicates(void **state)
{
	(void)state;
	REFUSED("{\"a\":1,\"a\":1}", JSON_DUPLICATE_KEY, 7);
	REFUSED("{\"a\":1,\"b\":2,\"\\u0061\":3}", JSON_DUPLICATE_KEY, 13);
	REFUSED("{\"\":1,\"\":2}", JSON_DUPLICATE_KEY, 6);
	REFUSED("[{\"x\":{\"k\":{\"k\":1},\"k\":2}}]", JSON_DUPLICATE_KEY, 19);
	assert_round("{\"a\":{\"a\":{\"a\":1}}}", "{\"a\":{\"a\":{\"a\":1}}}");
	assert_round("[{\"a\":1},{\"a\":2}]", "[{\"a\":1},{\"a\":2}]");
}

/* Objects beyond the linear comparison, the inline keys, and both nested. */
static void
duplicates_among_many(void **state)
{
	static const size_t sizes[] = { 15, 16, 17, 18, 31, 32, 33, 64, 1000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct buf text = BUF_MAX(0), out = BUF_MAX(0);
		size_t at, where, n = sizes[i];

		buf_str(&text, "{\"first\":{\"inner\":[{\"k0\":1}]},");
		for (size_t k = 0; k < n; k++)
			buf_printf(&text, "\"k%zu\":{\"k%zu\":1},", k * 7919 % 10007, k);
		where = text.len;
		buf_printf(&text, "\"k%zu\":0}", n / 2 * 7919 % 10007);
		assert_int_equal(json_read(buf_view(&text), &out, &at), JSON_DUPLICATE_KEY);
		assert_int_equal(at, where);
		assert_int_equal(out.len, 0);
		/* The same without the last member. */
		text.len = where - 1;
		buf_byte(&text, '}');
		assert_int_equal(json_read(buf_view(&text), &out, &at), JSON_OK);
		assert_int_equal(mp_scan(buf_view(&out)), MP_OK);
		buf_fini(&text);
		buf_fini(&out);
	}
}

static void
refuses_bad_utf8(void **state)
{
	(void)state;
	REFUSED("\"\xff\"", JSON_BAD_UTF8, 1);
	REFUSED("\"abc\xc0\x80\"", JSON_BAD_UTF8, 4);
	REFUSED("\"\xed\xa0\x80\"", JSON_BAD_UTF8, 1);
	REFUSED("\"x\\n\xc3\"", JSON_BAD_UTF8, 4);
	REFUSED("{\"\xe2\x82\":1}", JSON_BAD_UTF8, 2);
	REFUSED("\"\xc3\\u00a9\"", JSON_BAD_UTF8, 1);
	REFUSED("\xef\xbb\xbf{}", JSON_MARKED, 0);
}

static void
refuses_bad_escapes(void **state)
{
	(void)state;
	REFUSED("\"\\x\"", JSON_BAD_ESCAPE, 1);
	REFUSED("\"ab\\u0000\"", JSON_BAD_ESCAPE, 3);
	REFUSED("\"\\u12g4\"", JSON_BAD_ESCAPE, 1);
	REFUSED("\"\\u12", JSON_BAD_ESCAPE, 1);
	REFUSED("\"\\ud800\"", JSON_BAD_ESCAPE, 1);
	REFUSED("\"\\udc00\"", JSON_BAD_ESCAPE, 1);
	REFUSED("\"\\ud800\\u0041\"", JSON_BAD_ESCAPE, 1);
	REFUSED("\"\\ud800\\ud800\"", JSON_BAD_ESCAPE, 1);
	REFUSED("\"\\ud83d\\n\"", JSON_BAD_ESCAPE, 1);
	REFUSED("\"\\ud83d", JSON_BAD_ESCAPE, 1);
	REFUSED("\"\\U0041\"", JSON_BAD_ESCAPE, 1);
}

static void
refuses_numbers_that_do_not_fit(void **state)
{
	(void)state;
	REFUSED("1e400", JSON_BAD_NUMBER, 0);
	REFUSED("[-1e309]", JSON_BAD_NUMBER, 1);
	REFUSED("18446744073709551616", JSON_BAD_NUMBER, 0);
	REFUSED("-9223372036854775809", JSON_BAD_NUMBER, 0);
	REFUSED("[1,99999999999999999999999999999999]", JSON_BAD_NUMBER, 3);
}

static void
refuses_too_large(void **state)
{
	static const char text[] = "{\"key\":[1,2,3,\"a longer string\",\"with \\n escape\",{\"a\":1.5}]}";
	struct buf whole = BUF_MAX(0);
	size_t at;

	(void)state;
	assert_int_equal(json_read(SPAN(text), &whole, &at), JSON_OK);
	for (size_t max = 1; max < whole.len; max++) {
		struct buf out = BUF_MAX(max);

		assert_int_equal(json_read(SPAN(text), &out, &at), JSON_TOO_LARGE);
		assert_int_equal(out.len, 0);
		assert_false(out.full);
		buf_fini(&out);
	}
	buf_fini(&whole);
}

/* Every prefix of a text is refused, from inside its bytes. */
static void
prefixes(void **state)
{
	static const char text[] =
	    "{\"a\":[1,-2.5e3,true,false,null,\"x\\u00e9\\ud83d\\udcd6\xc3\xa9\\n\"],\"b\":{\"c\":{}}}";
	struct buf out = BUF_MAX(0);
	size_t at;

	(void)state;
	assert_int_equal(read_text(text, sizeof(text) - 1, &out, &at), JSON_OK);
	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		assert_int_not_equal(read_text(text, n, &out, &at), JSON_OK);
		assert_true(at <= n);
		assert_int_equal(out.len, 0);
	}
	buf_fini(&out);
}

static void
fault_texts(void **state)
{
	(void)state;
	for (int i = JSON_OK; i <= JSON_TOO_LARGE; i++)
		for (int j = JSON_OK; j < i; j++)
			assert_string_not_equal(json_fault_text((enum json_fault)i),
			    json_fault_text((enum json_fault)j));
}

/* --- writing ---------------------------------------------------------------- */

static void
assert_cell(struct buf *mp, const char *as_cell, const char *as_value)
{
	struct buf out = BUF_MAX(0);
	struct mp_value v;

	assert_int_equal(mp_scan(buf_view(mp)), MP_OK);
	assert_true(mp_value(buf_view(mp), &v));
	json_write_cell(&out, &v);
	assert_string_equal(buf_cstr(&out), as_cell);
	out.len = 0;
	json_write(&out, &v);
	assert_string_equal(buf_cstr(&out), as_value);
	buf_fini(&out);
	mp->len = 0;
}

static void
writes_cells(void **state)
{
	struct buf b = BUF_MAX(0);

	(void)state;
	mp_put_nil(&b);
	assert_cell(&b, "null", "null");
	mp_put_bool(&b, false);
	assert_cell(&b, "false", "false");
	mp_put_int(&b, -42);
	assert_cell(&b, "-42", "-42");
	mp_put_uint(&b, UINT64_C(9007199254740991));
	assert_cell(&b, "9007199254740991", "9007199254740991");
	mp_put_uint(&b, UINT64_C(9007199254740992));
	assert_cell(&b, "\"9007199254740992\"", "\"9007199254740992\"");
	mp_put_int(&b, INT64_MIN);
	assert_cell(&b, "\"-9223372036854775808\"", "\"-9223372036854775808\"");
	mp_put_uint(&b, UINT64_MAX);
	assert_cell(&b, "\"18446744073709551615\"", "\"18446744073709551615\"");
	mp_put_double(&b, NAN);
	assert_cell(&b, "\"NaN\"", "\"NaN\"");
	mp_put_double(&b, INFINITY);
	assert_cell(&b, "\"Infinity\"", "\"Infinity\"");
	mp_put_double(&b, -INFINITY);
	assert_cell(&b, "\"-Infinity\"", "\"-Infinity\"");
	mp_put_double(&b, 0.1);
	assert_cell(&b, "0.1", "0.1");
	mp_put_bin(&b, SPAN("\x00\xff\x10"));
	assert_cell(&b, "{\"base64\":\"AP8Q\"}", "{\"base64\":\"AP8Q\"}");
	mp_put_array(&b, 1);
	mp_put_cstr(&b, "123456789012345678901234567890.50");
	assert_cell(&b, "\"123456789012345678901234567890.50\"", "[\"123456789012345678901234567890.50\"]");
	mp_put_array(&b, 1);
	mp_put_cstr(&b, "-12345678901234.50");
	assert_cell(&b, "\"-12345678901234.50\"", "[\"-12345678901234.50\"]");
	mp_put_array(&b, 1);
	mp_put_cstr(&b, "-0.00012345678901234");
	assert_cell(&b, "-0.00012345678901234", "[\"-0.00012345678901234\"]");
	mp_put_array(&b, 1);
	mp_put_cstr(&b, "1e5");
	assert_cell(&b, "\"1e5\"", "[\"1e5\"]");
	mp_put_array(&b, 1);
	mp_put_cstr(&b, "NaN");
	assert_cell(&b, "\"NaN\"", "[\"NaN\"]");
	mp_put_array(&b, 1);
	mp_put_cstr(&b, "1\",\"x\":[2");
	assert_cell(&b, "\"1\\\",\\\"x\\\":[2\"", "[\"1\\\",\\\"x\\\":[2\"]");
	mp_put_array(&b, 2);
	mp_pair_cstr(&b, "1", "2");
	assert_cell(&b, "[\"1\",\"2\"]", "[\"1\",\"2\"]");
	mp_put_array(&b, 0);
	assert_cell(&b, "[]", "[]");
	mp_put_map(&b, 2);
	mp_pair_bool(&b, "truncated", true);
	mp_put_cstr(&b, "n");
	mp_put_array(&b, 1);
	mp_put_cstr(&b, "5");
	assert_cell(&b, "{\"truncated\":true,\"n\":[\"5\"]}", "{\"truncated\":true,\"n\":[\"5\"]}");
	buf_fini(&b);
}

/* Every count of digits, next to each power of ten. */
static void
writes_integers(void **state)
{
	struct buf mp = BUF_MAX(0), out = BUF_MAX(0);
	char text[32];
	struct mp_value v;
	uint64_t p = 1;

	(void)state;
	for (int i = 0; i < 16; i++, p *= 10)
		for (uint64_t n = p - 1; n <= p + 1 && n < UINT64_C(1) << 53; n++) {
			mp.len = out.len = 0;
			mp_put_uint(&mp, n);
			assert_true(mp_value(buf_view(&mp), &v));
			json_write(&out, &v);
			snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
			assert_string_equal(buf_cstr(&out), text);
		}
	buf_fini(&mp);
	buf_fini(&out);
}

/* Every kind of cell of a column whose numbers are strings. */
static void
writes_cells_as_text(void **state)
{
	static const struct {
		const char *mp;
		size_t n;
		const char *json;
	} rows[] = {
#define CELL(bytes, json)	{ bytes, sizeof(bytes) - 1, json }
		CELL("\x07", "\"7\""),
		CELL("\xff", "\"-1\""),
		CELL("\xcf\x00\x20\x00\x00\x00\x00\x00\x01", "\"9007199254740993\""),
		CELL("\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00", "\"1.5\""),
		CELL("\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00", "\"NaN\""),
		CELL("\x91\xa4"
		     "1.50",
		    "\"1.50\""),
		CELL("\xc0", "null"),
		CELL("\xc3", "true"),
		CELL("\xa1x", "\"x\""),
		CELL("\xc4\x01\xff", "{\"base64\":\"/w==\"}"),
		CELL("\x92\x01\x02", "[1,2]"),
		CELL("\x90", "[]"),
		CELL("\x81\xa9truncated\xc3", "{\"truncated\":true}"),
#undef CELL
	};
	struct mp_value v;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf out = BUF_MAX(0);

		assert_true(mp_value(span_of((const uint8_t *)rows[i].mp, rows[i].n), &v));
		json_write_cell_text(&out, &v);
		assert_string_equal(buf_cstr(&out), rows[i].json);
		buf_fini(&out);
	}
}

/* The character text begins with, and its size; 0 when it begins with none. */
static uint32_t
one_character(struct span text, size_t *size)
{
	for (size_t n = 2; n <= 4 && n <= text.len; n++)
		if (utf8_valid(text.p, n)) {
			uint32_t c = text.p[0] & (0xffu >> (n + 1));

			for (size_t i = 1; i < n; i++)
				c = c << 6 | (text.p[i] & 63u);
			*size = n;
			return c;
		}
	*size = 1;
	return 0;
}

static void
put_units(struct buf *out, uint32_t c)
{
	if (c >= 0x10000)
		buf_printf(out, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
		    (unsigned)(0xdc00 + (c & 0x3ff)));
	else
		buf_printf(out, "\\u%04x", (unsigned)c);
}

/* Byte by byte, the slow and obvious way. */
static void
escape_plainly(struct buf *out, struct span s)
{
	static const char *const shorts[] = { "\b", "\\b", "\t", "\\t", "\n", "\\n", "\f", "\\f", "\r", "\\r",
		"\"", "\\\"", "\\", "\\\\" };

	for (size_t i = 0, size; i < s.len; i += size) {
		size_t j = 0, n = sizeof(shorts) / sizeof(shorts[0]);
		uint32_t c;

		size = 1;
		while (j < n && (uint8_t)shorts[j][0] != s.p[i])
			j += 2;
		if (j < n)
			buf_str(out, shorts[j + 1]);
		else if (s.p[i] < 0x20 || s.p[i] == 0x7f)
			buf_printf(out, "\\u%04x", s.p[i]);
		else if (s.p[i] >= 0x80 && (c = one_character(span_of(s.p + i, s.len - i), &size)) != 0 &&
		    safe_text_deceives(c))
			put_units(out, c);
		else
			buf_append(out, s.p + i, size);
	}
}

/* What is next to one another in code as well as in looks; pieces of characters; what needs an escape anyway. */
static const char *const pieces[] = {
	"a", "plain text, more than a block of it", "\"", "\\", "\n", "\x01", "\x7f", "\xc3\xa4", "\xc2\xa9", "\xc2\xa0", "\xc2\xad", "\xc2\x85",
	"\xc2\x9f", "\xcd\x8f", "\xcd\x8e", "\xd8\x9c", "\xd8\xa7", "\xd9\x9c", "\xe1\x85\x9f", "\xe1\x85\x9e", "\xe1\x9e\xb4", "\xe1\xa0\x8e",
	"\xe2\x80\x8b", "\xe2\x80\x93", "\xe2\x80\xae", "\xe2\x81\xa0", "\xe2\x82\xac", "\xe3\x85\xa4", "\xe3\x85\xa3", "\xe3\x81\x82", "\xe6\x97\xa5",
	"\xef\xbb\xbf", "\xef\xbc\x8c", "\xef\xbe\xa0", "\xef\xbf\xb9", "\xef\xbf\xbd", "\xf0\x9b\xb2\xa0", "\xf0\x9d\x85\xb3", "\xf0\x9f\x98\x80",
	"\xf3\xa0\x81\x81", "\xf3\xb0\x80\x80", "\xf0\x82\x80\x8b", "\xe2\x80", "\xe2", "\xc2", "\xf3\xa0", "\x80", "\xff", "\xe2\x28\xa1", "\xd8",
};

/* By blocks, byte by byte and into what is nearly full: the same, whatever the text, and wherever in it. */
static void
escapes_what_deceives(void **state)
{
	uint64_t seed = 17;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct buf text = BUF_MAX(0), expect = BUF_MAX(0), out = BUF_MAX(0), exact, string = BUF_MAX(0);
		size_t long_one = i % 40 == 0 ? 400 : 12, n = test_random(&seed) % long_one,
		       few = test_random(&seed) % 8 + 1;
		struct span cut;
		uint8_t *alone;

		for (size_t j = 0; j < n; j++)
			buf_str(&text,
			    pieces[test_random(&seed) % few == 0 ?
				    test_random(&seed) % (sizeof(pieces) / sizeof(pieces[0])) :
				    test_random(&seed) % 2]);
		/* slabs end between characters: what is none may be cut there */
		if (text.len > 900 && !utf8_valid(text.p, text.len))
			text.len = 900;
		escape_plainly(&expect, buf_view(&text));
		json_escape(&out, buf_view(&text));
		if (!span_is(buf_view(&out), buf_view(&expect)))
			fail_msg("%s\nis not\n%s", buf_cstr(&out), buf_cstr(&expect));
		exact = BUF_MAX(expect.len + 1);
		json_escape(&exact, buf_view(&text));
		assert_true(span_is(buf_view(&exact), buf_view(&expect)));
		/* in an allocation of its own, so that a sanitizer sees what is looked at behind it */
		alone = malloc(text.len + 1);
		assert_non_null(alone);
		memcpy(alone, text.len > 0 ? text.p : (const uint8_t *)"", text.len);
		cut = span_of(alone, text.len);
		json_write_string(&string, cut);
		assert_int_equal(string.len, expect.len + 2);
		assert_true(span_is(span_of(string.p + 1, expect.len), buf_view(&expect)));
		free(alone);
		buf_fini(&text);
		buf_fini(&expect);
		buf_fini(&out);
		buf_fini(&exact);
		buf_fini(&string);
	}
}

/* Specials at every place of a block, lengths around blocks and slabs, ceilings near and far. */
static void
escapes(void **state)
{
	uint64_t seed = 13;

	(void)state;
	for (int i = 0; i < 6000; i++) {
		size_t len =
		    i < 80 ? (size_t)i : test_random(&seed) % 40 + (i % 50 == 0 ? 1015 : 0) + (i % 77 == 0 ? 2040 : 0);
		struct buf expect = BUF_MAX(0), out = BUF_MAX(0), tight, quoted = BUF_MAX(0);
		uint8_t *s = malloc(len > 0 ? len : 1);
		unsigned dense = (unsigned)(test_random(&seed) % 30) + 1;
		size_t plain = 0;

		assert_non_null(s);
		for (size_t j = 0; j < len; j++)
			s[j] = (uint8_t)(test_random(&seed) % dense == 0 ? test_random(&seed) % 0x80 : 'a' + j % 26);
		while (plain < len && s[plain] >= ' ' && s[plain] < 0x7f && s[plain] != '"' && s[plain] != '\\')
			plain++;
		assert_int_equal(json_plain_ascii(span_of(s, len)), plain);
		escape_plainly(&expect, span_of(s, len));
		json_escape(&out, span_of(s, len));
		assert_true(span_is(buf_view(&out), buf_view(&expect)));
		json_write_string(&quoted, span_of(s, len));
		assert_int_equal(quoted.len, expect.len + 2);
		assert_int_equal(quoted.p[0], '"');
		assert_true(span_is(span_of(quoted.p + 1, expect.len), buf_view(&expect)));
		assert_int_equal(quoted.p[quoted.len - 1], '"');
		/* A ceiling that just suffices, and one that just does not. */
		if (expect.len > 0) {
			tight = BUF_MAX(expect.len);
			json_escape(&tight, span_of(s, len));
			assert_true(span_is(buf_view(&tight), buf_view(&expect)));
			assert_false(tight.full);
			buf_fini(&tight);
		}
		if (expect.len > 1) {
			tight = BUF_MAX(expect.len - 1);
			json_escape(&tight, span_of(s, len));
			assert_true(tight.full);
			assert_memory_equal(tight.p, expect.p, tight.len);
			buf_fini(&tight);
		}
		free(s);
		buf_fini(&expect);
		buf_fini(&out);
		buf_fini(&quoted);
	}
}

/* The empty span may have no address at all. */
static void
nothing(void **state)
{
	const struct span none = { NULL, 0 };
	struct buf out = BUF_MAX(0);
	struct mp_value v;
	size_t at = 99;

	(void)state;
	assert_int_equal(json_read(none, &out, &at), JSON_SYNTAX);
	assert_int_equal(at, 0);
	assert_int_equal(mp_scan(none), MP_TRUNCATED);
	assert_false(mp_value(none, &v));
	assert_false(json_is_number(none));
	json_escape(&out, none);
	mp_put_str(&out, none);
	mp_put_bin(&out, none);
	json_write_string(&out, none);
	assert_buf(&out, "\xa0\xc4\x00\"\"");
	json_write_string(&out, none);
	assert_buf(&out, "\xa0\xc4\x00\"\"\"\"");
	buf_fini(&out);
}

static void
number_or_not(void **state)
{
	static const char *const yes[] = { "0", "-0", "12", "-12.50", "1e5", "1E-5", "0.0",
		"123456789012345678901234567890" };
	static const char *const no[] = { "", "-", "01", "1.", ".5", "+1", "1e", "NaN", "1 ", " 1", "0x1", "1,2",
		"--1" };

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		assert_true(json_is_number(span_str(yes[i])));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		assert_false(json_is_number(span_str(no[i])));
}

static void
deepest_value_is_written(void **state)
{
	uint8_t deep[MP_DEPTH_MAX + 1];
	struct buf out = BUF_MAX(0);
	struct mp_value v;

	(void)state;
	memset(deep, 0x91, sizeof(deep));
	deep[MP_DEPTH_MAX] = 0x07;
	assert_int_equal(mp_scan(span_of(deep, sizeof(deep))), MP_OK);
	assert_true(mp_value(span_of(deep, sizeof(deep)), &v));
	json_write(&out, &v);
	assert_int_equal(out.len, 2 * MP_DEPTH_MAX + 1);
	assert_int_equal(out.p[MP_DEPTH_MAX], '7');
	buf_fini(&out);
}

/* The parts of a walk by which a reader takes values itself. */
static void
walks_to_values(void **state)
{
	const struct span text =
	    SPAN("{ \"a\" :\t\r\n                     \"plain text of some length\" , \"b\":[true, nul]}");
	struct json_walk w = { .text = text };
	struct json_member m = { 0 };
	struct span s;

	(void)state;
	assert_true(json_walk_takes(&w, SPAN("{")));
	assert_false(json_walk_ends(&w, true));
	json_walk_key(&w, &m);
	assert_true(span_is(span_of(text.p + m.key, m.key_end - m.key), SPAN("\"a\"")));
	assert_true(json_walk_plain(&w, &s) && span_is(s, SPAN("plain text of some length")));
	json_walk_comma(&w, true, &m);
	assert_int_equal(text.p[m.comma], ',');
	json_walk_key(&w, &m);
	assert_false(json_walk_plain(&w, &s));
	assert_true(json_walk_takes(&w, SPAN("[")));
	assert_false(json_walk_ends(&w, false));
	assert_true(json_walk_takes(&w, SPAN("true")));
	json_walk_comma(&w, false, &m);
	assert_false(w.bad || json_walk_takes(&w, SPAN("null")));
	assert_true(json_walk_takes(&w, SPAN("nul")) && json_walk_ends(&w, false) && json_walk_ends(&w, true));
	assert_int_equal(w.at, text.len);
	assert_false(json_walk_plain(&w, &s) || json_walk_takes(&w, SPAN("}")));
}

static void
plain_strings(void **state)
{
	static const struct {
		const char *text;
		bool plain;
	} rows[] = {
		{ "\"\"", true },
		{ "\"a\"", true },
		{ "\"\xc3\xa4 sixteen and more\"", true },
		{ "\"a\\n\"", false },
		{ "\"a\nb\"", false },
		{ "\"open", false },
		{ "\"sixteen and more, open", false },
		{ "\"", false },
		{ "", false },
		{ "a", false },
		{ "12", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = strlen(rows[i].text);
		uint8_t *copy = malloc(len > 0 ? len : 1);
		struct json_walk w = { .text = span_of(copy, len) };
		struct span s = { 0 };

		assert_non_null(copy);
		memcpy(copy, rows[i].text, len);
		assert_int_equal(json_walk_plain(&w, &s), rows[i].plain);
		assert_int_equal(w.at, rows[i].plain ? len : 0);
		assert_true(!rows[i].plain || s.len == len - 2);
		free(copy);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_values),
		cmocka_unit_test(reads_numbers),
		cmocka_unit_test(number_classes),
		cmocka_unit_test(reads_strings),
		cmocka_unit_test(refuses_syntax),
		cmocka_unit_test(refuses_trailing),
		cmocka_unit_test(refuses_depth),
		cmocka_unit_test(refuses_duplicates),
		cmocka_unit_test(duplicates_among_many),
		cmocka_unit_test(refuses_bad_utf8),
		cmocka_unit_test(refuses_bad_escapes),
		cmocka_unit_test(refuses_numbers_that_do_not_fit),
		cmocka_unit_test(refuses_too_large),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(fault_texts),
		cmocka_unit_test(writes_cells),
		cmocka_unit_test(writes_integers),
		cmocka_unit_test(escapes),
		cmocka_unit_test(writes_cells_as_text),
		cmocka_unit_test(escapes_what_deceives),
		cmocka_unit_test(nothing),
		cmocka_unit_test(number_or_not),
		cmocka_unit_test(deepest_value_is_written),
		cmocka_unit_test(walks_to_values),
		cmocka_unit_test(plain_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

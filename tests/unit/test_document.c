/*
 * test_document.c - what is written comes back, what json_read() refuses never reaches cJSON, and no secret stays in
 * memory that is free again.
 */
#include <stdlib.h>

#include "base/json/document.h"
#include "base/json/json_read.h"
#include "tests/unit/harness.h"

#define NAME	"Gr\xc3\xb6\xc3\x9f" "e \"\\\n\x01\x7f \xe2\x80\xae \xf0\x9f\x99\x82"

#define SECRET	"crlmcp_7fKq2LmX_0123456789abcdef"
#include "tests/unit/freed.h"

static void
secrets_are_wiped(void **state)
{
	struct buf text = { 0 }, texts = { 0 };
	char long_one[4096];
	struct mp_value value;
	cJSON *document;

	(void)state;
	memset(long_one, 'x', sizeof(long_one));
	memcpy(long_one, SECRET, sizeof(SECRET) - 1);
	mp_put_array(&texts, 40);
	for (size_t i = 0; i < 40; i++)
		mp_put_str(&texts, SPAN(SECRET));
	assert_true(mp_value(buf_view(&texts), &value));
	watched = true;
	document = document_new();
	document_put_text(document, "text", SECRET);
	document_put_span(document, "span", SPAN(SECRET));
	document_put_span(document, "long", span_of(long_one, sizeof(long_one)));
	document_put_json(document, "json", SPAN("\"" SECRET "\""));
	document_put_value(document, "texts", &value);
	document_finish(&text, document);
	assert_non_null(document = document_read(buf_view(&text)));
	assert_string_equal(document_text(document, "text", ""), SECRET);
	document_free(document);
	buf_wipe(&text);
	watched = false;
	buf_fini(&texts);
	assert_int_equal(left_behind, 0);
}

static void
comes_back(void **state)
{
	cJSON *document = document_new(), *list, *element;
	struct buf text = { 0 };
	size_t n = 0;

	(void)state;
	document_put_text(document, "name", NAME);
	document_put_uint(document, "port", 65535);
	document_put_uint(document, "at", 1793912345678);
	document_put_uint(document, "most", 999999999999999);
	document_put_bool(document, "yes", true);
	list = document_put_list(document, "list");
	document_put_text(list, NULL, "one");
	document_put_text(document_put_object(list, NULL), "key", "two");
	for (int lines = 0; lines < 2; lines++) {
		cJSON *back;

		text.len = 0;
		document_write(&text, document, lines != 0);
		assert_null(memmem(text.p, text.len, "\xe2\x80\xae", 3));
		assert_null(memchr(text.p, 0x7f, text.len));
		assert_non_null(memmem(text.p, text.len, "\xf0\x9f\x99\x82", 4));
		assert_int_equal(memchr(text.p, '\n', text.len) != NULL, lines);
		assert_non_null(back = document_read(buf_view(&text)));
		assert_true(cJSON_Compare(document, back, true));
		document_free(back);
	}
	assert_string_equal(document_text(document, "name", ""), NAME);
	assert_int_equal(document_uint(document, "at", 0), 1793912345678);
	assert_int_equal(document_uint(document, "most", 0), 999999999999999);
	assert_true(document_bool(document, "yes", false));
	cJSON_ArrayForEach(element, document_list(document, "list")) n += document_element_text(element) != NULL;
	assert_int_equal(n, 1);
	document_free(document);
	buf_fini(&text);
}

/* What is composed to be sent has any bytes in its texts, and keeps its order. */
static void
is_composed(void **state)
{
	cJSON *document = document_new(), *list;
	struct buf packed = { 0 }, text = { 0 };
	struct mp_value value;
	size_t at;

	(void)state;
	assert_int_equal(json_read(SPAN("[1.50,{\"k\":null}]"), &packed, &at), JSON_OK);
	assert_true(mp_value(buf_view(&packed), &value));
	document_put_span(document, "text", SPAN("a\0\x01\xff\"\xc3\xa9"));
	document_put_texts(document, "texts", "x", "y", NULL);
	list = document_put_list(document, "list");
	document_put_span(list, NULL, SPAN(""));
	document_put_value(list, NULL, &value);
	document_put_json(list, NULL, SPAN("{\"as\": \"it is\"}"));
	document_finish(&text, document);
	assert_buf(&text,
	    "{\"text\":\"a\\u0000\\u0001\xef\xbf\xbd\\\"\xc3\xa9\",\"texts\":[\"x\",\"y\"],"
	    "\"list\":[\"\",[1.5,{\"k\":null}],{\"as\": \"it is\"}]}");
	buf_fini(&packed);
	buf_fini(&text);
}

static void
members_have_types(void **state)
{
	cJSON *d = document_read(SPAN("{\"a\":\"1\",\"b\":-1,\"c\":1.5,\"d\":1e15,\"e\":null,\"Yes\":true,\"o\":{}}"));

	(void)state;
	assert_non_null(d);
	assert_int_equal(document_uint(d, "a", 7), 7);
	assert_int_equal(document_uint(d, "b", 7), 7);
	assert_int_equal(document_uint(d, "c", 7), 7);
	assert_int_equal(document_uint(d, "d", 7), 7);
	assert_int_equal(document_uint(d, "none", 7), 7);
	assert_string_equal(document_text(d, "b", "none"), "none");
	assert_string_equal(document_text(d, "e", "none"), "none");
	/* keys are compared letter by letter */
	assert_false(document_bool(d, "yes", false));
	assert_true(document_bool(d, "Yes", false));
	assert_true(document_bool(d, "a", true));
	assert_null(document_list(d, "o"));
	assert_null(document_list(d, "a"));
	document_free(d);
}

static void
refuses(void **state)
{
	static const char *const texts[] = {
		"", "null", "[]", "\"text\"", "{", "{} x", "{\"a\":1,\"a\":2}",
		"{\"a\":\"\\u0000\"}", "{\"a\":\"\xff\"}",
		"{\"a\":1e999}", "{\"a\":01}", "{\"a\":'b'}", "\xef\xbb\xbf{}", "{\"a\":\"\\ud800\"}"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (document_read(span_str(texts[i])) != NULL)
			fail_msg("%s was read", texts[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_are_wiped),
		cmocka_unit_test(comes_back),
		cmocka_unit_test(is_composed),
		cmocka_unit_test(members_have_types),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

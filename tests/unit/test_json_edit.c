// libs: carrel_project carrel_base
/* test_json_edit.c - other people's JSON files survive a member put in and taken out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "project/format/json_edit.h"

static const char *const keys[] = { "mcpServers", "carrel" };
static const struct json_edit_path path = { 2, keys };
static const char value[] = "{\"type\":\"http\",\"url\":\"http://127.0.0.1:7878/mcp\"}";

static void
set_writes(void **state)
{
	static const struct {
		const char *before, *after;
	} cases[] = {
		{ "",
		    "{\n  \"mcpServers\": {\n    \"carrel\": {\n      \"type\": \"http\",\n"
		    "      \"url\": \"http://127.0.0.1:7878/mcp\"\n    }\n  }\n}\n" },
		{ "{\"a\": 1}",
		    "{\"a\": 1, \"mcpServers\": {\"carrel\": {\"type\": \"http\", \"url\": "
		    "\"http://127.0.0.1:7878/mcp\"}}}" },
		{ "{\n\t\"mcpServers\": {\n\t\t\"x\": {\"url\": \"u\"}\n\t},\n\t\"z\": [1,2]\n}\n",
		    "{\n\t\"mcpServers\": {\n\t\t\"x\": {\"url\": \"u\"},\n\t\t\"carrel\": {\n\t\t\t\"type\": "
		    "\"http\",\n"
		    "\t\t\t\"url\": \"http://127.0.0.1:7878/mcp\"\n\t\t}\n\t},\n\t\"z\": [1,2]\n}\n" },
		{ "{\"mcpServers\": {\"carrel\": {\"url\": \"old\"}, \"b\": 2}}",
		    "{\"mcpServers\": {\"carrel\": {\"type\": \"http\", \"url\": \"http://127.0.0.1:7878/mcp\"}, "
		    "\"b\": 2}}" },
		{ "{\n  \"a\": 1 // one\n}\n",
		    "{\n  \"a\": 1, // one\n  \"mcpServers\": {\n    \"carrel\": {\n      \"type\": \"http\",\n"
		    "      \"url\": \"http://127.0.0.1:7878/mcp\"\n    }\n  }\n}\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = { 0 };
		struct err err;

		assert_int_equal(json_edit_set(span_str(cases[i].before), path, span_str(value), true, &out, &err), 0);
		assert_string_equal(buf_cstr(&out), cases[i].after);
		buf_fini(&out);
	}
}

/* In, twice, and out again: byte for byte what it was. */
static void
in_and_out(void **state)
{
	static const char *const texts[] = {
		"{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\", \"args\": [\"a\", \"b\"]}\n  }\n}\n",
		"{\"mcpServers\":{\"other\":{}}}",
		"{\r\n  \"mcpServers\": {\r\n    \"other\": null\r\n  }\r\n}",
		"{ \"mcpServers\": {} }\n",
		"{\n\t\"z\": 1.50e3,\n\t\"mcpServers\": {\n\t\t\"b\": \"\\u00e9\\\"}\",\n\t\t\"a\": [ ]\n\t},\n\t\"y\": {}\n}",
		"// head\n{\n  /* servers */\n  \"mcpServers\": {\n    \"other\": {}, // keep\n    \"last\": 1 // and this\n  },\n}\n// tail\n",
		"{\n  \"mcpServers\": {\n    \"other\": {},\n  },\n}\n",
		"\xef\xbb\xbf{\"mcpServers\": {\"a\": 1}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct buf once = { 0 }, twice = { 0 }, back = { 0 };
		struct span found;
		struct err err = { .code = ERR_NONE };

		if (json_edit_set(span_str(texts[i]), path, span_str(value), true, &once, &err) != 0)
			fail_msg("%s: %s", texts[i], err.message);
		assert_int_equal(json_edit_get(buf_view(&once), path, true, &found, &err), 1);
		assert_int_equal(json_edit_set(buf_view(&once), path, found, true, &twice, &err), 0);
		assert_int_equal(json_edit_remove(buf_view(&once), path, true, &back, &err), 0);
		assert_string_equal(buf_cstr(&back), texts[i]);
		assert_int_equal(json_edit_get(buf_view(&back), path, true, &found, &err), 0);
		buf_fini(&once);
		buf_fini(&twice);
		buf_fini(&back);
	}
}

static void
what_came_later_stays(void **state)
{
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(
	    json_edit_remove(SPAN("{\n  \"mcpServers\": {\n    \"a\": 1,\n    \"carrel\": {},\n    \"b\": 2\n  }\n}"),
		path, false, &out, &err),
	    0);
	assert_string_equal(buf_cstr(&out), "{\n  \"mcpServers\": {\n    \"a\": 1,\n    \"b\": 2\n  }\n}");
	buf_reset(&out, SIZE_MAX);
	assert_int_equal(json_edit_remove(SPAN("{\"mcpServers\": {\"carrel\": 1, \"b\": 2}}"), path, false, &out, &err),
	    0);
	assert_string_equal(buf_cstr(&out), "{\"mcpServers\": { \"b\": 2}}");
	buf_fini(&out);
}

static void
broken_is_refused(void **state)
{
	static const char *const texts[] = {
		"{", "[]", "{\"a\": 1,}", "{\"a\" 1}", "{\"a\": 01}", "{\"a\": nul}", "{'a': 1}", "{\"a\": \"\n\"}", "{} x",
		"{\"a\": 1 \"b\": 2}", "// c\n{}", "{\"mcpServers\": []}", "{\"mcpServers\": {}, \"mcpServers\": {}}",
		"{\"a\": \"\xff\"}", "{\"a\": [1, 2,]}", "{\"a\": \"\\x\"}", "null", "{\"a\": }", "{,}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct buf out = { 0 };
		struct err err = { .code = ERR_NONE };

		if (json_edit_set(span_str(texts[i]), path, span_str(value), false, &out, &err) != -1)
			fail_msg("taken: %s", texts[i]);
		assert_true(err.message[0] != '\0');
		assert_int_equal(out.len, 0);
		buf_fini(&out);
	}
}

/* JSON that is no object is not called broken. */
static void
other_values_are_named(void **state)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{ "[]", "a list" },
		{ " [1, {}]\n", "a list" },
		{ "\"x\"", "a text" },
		{ "17", "a single value" },
		{ "null", "a single value" },
		{ "[1,", "not valid JSON (line 1)" },
		{ "{\n\"a\": }", "not valid JSON (line 2)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf out = { 0 };
		struct err err = { .code = ERR_NONE };

		assert_int_equal(json_edit_set(span_str(rows[i].text), path, span_str(value), false, &out, &err), -1);
		if (strstr(err.message, rows[i].said) == NULL)
			fail_msg("%s: %s", rows[i].text, err.message);
		buf_fini(&out);
	}
}

static void
depth_is_bounded(void **state)
{
	struct buf text = { 0 }, out = { 0 };
	struct err err;

	(void)state;
	buf_str(&text, "{\"a\":");
	for (unsigned i = 0; i < 100000; i++)
		buf_byte(&text, '[');
	assert_int_equal(json_edit_set(buf_view(&text), path, span_str(value), false, &out, &err), -1);
	buf_fini(&text);
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_writes), cmocka_unit_test(in_and_out), cmocka_unit_test(what_came_later_stays),
		cmocka_unit_test(broken_is_refused), cmocka_unit_test(other_values_are_named),
		cmocka_unit_test(depth_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// libs: carrel_cli
/* test_cli_view - JSON answers read as text: members, steps, digits kept, broken text refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cli/show/view.h"

static void
holds_text(struct view v, const char *expected)
{
	struct buf text = { 0 };

	view_text(v, &text);
	assert_string_equal(buf_cstr(&text), expected);
	buf_fini(&text);
}

static void
finds_members(void **state)
{
	struct view v = view_of(SPAN(" {\"a\": {\"b\": [1, 2.50, \"x\"]}, \"c\": null, \"d\": true} "));

	(void)state;
	assert_int_equal(v.kind, VIEW_OBJECT);
	assert_int_equal(view_count(view_get(v, "a.b")), 3);
	assert_int_equal(view_get(v, "c").kind, VIEW_NULL);
	assert_true(view_true(view_get(v, "d")));
	assert_int_equal(view_get(v, "a.x").kind, VIEW_NONE);
	assert_int_equal(view_get(v, "c.b").kind, VIEW_NONE);
	assert_int_equal(view_get(view_get(v, "nothing"), "b").kind, VIEW_NONE);
}

static void
keeps_every_digit(void **state)
{
	struct view_iter it = view_iter(view_of(SPAN("[1.50, 123456789012345678901234567890, -0, 1e999]")));
	static const char *const expected[] = { "1.50", "123456789012345678901234567890", "-0", "1e999" };
	struct view v;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_true(view_next(&it, &v));
		assert_int_equal(v.kind, VIEW_NUMBER);
		holds_text(v, expected[i]);
	}
	assert_false(view_next(&it, &v));
}

static void
unescapes_strings(void **state)
{
	(void)state;
	holds_text(view_of(SPAN("\"a\\n\\t\\\"\\\\\\/b\"")), "a\n\t\"\\/b");
	holds_text(view_of(SPAN("\"\\u00e9\\u20ac\\ud83d\\ude00\"")), "é€😀");
	/* A half surrogate is no character. */
	holds_text(view_of(SPAN("\"\\ud83dx\"")), "\xef\xbf\xbdx");
}

static void
brackets_in_strings_are_text(void **state)
{
	struct view v = view_of(SPAN("{\"a\":\"}]\\\"{\",\"b\":[\"]\",1]}"));

	(void)state;
	holds_text(view_get(v, "a"), "}]\"{");
	assert_int_equal(view_count(view_get(v, "b")), 2);
}

static void
refuses_what_is_no_json(void **state)
{
	static const char *const broken[] = { "", " ", "{", "[1", "\"abc", "\"abc\\", "{\"a\":1} x", "nonsense",
		"{\"a\":\"", "[\"\\", "]", "[1,]", "[1 2]", "{\"a\" 1}", "[01]", "[1.]", "//\n1" };

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		/* Its own allocation, so that a sanitizer sees a read past the end. */
		size_t len = strlen(broken[i]);
		uint8_t *copy = malloc(len + 1);
		struct view v;

		assert_non_null(copy);
		memcpy(copy, broken[i], len);
		copy = realloc(copy, len > 0 ? len : 1);
		v = view_of(span_of(copy, len));
		if (v.kind != VIEW_NONE)
			fail_msg("accepted: %s", broken[i]);
		free(copy);
	}
	assert_int_equal(view_of((struct span){ NULL, 0 }).kind, VIEW_NONE);
}

static void
numbers_with_defaults(void **state)
{
	struct view v = view_of(SPAN("{\"n\":42,\"f\":0.25,\"neg\":-3,\"s\":\"7\"}"));

	(void)state;
	assert_int_equal(view_uint(view_get(v, "n"), 9), 42);
	assert_int_equal(view_uint(view_get(v, "neg"), 9), 9);
	assert_int_equal(view_uint(view_get(v, "s"), 9), 9);
	assert_true(view_number(view_get(v, "f"), 9) == 0.25);
	assert_true(view_number(view_get(v, "none"), 9) == 9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_members),
		cmocka_unit_test(keeps_every_digit),
		cmocka_unit_test(unescapes_strings),
		cmocka_unit_test(brackets_in_strings_are_text),
		cmocka_unit_test(refuses_what_is_no_json),
		cmocka_unit_test(numbers_with_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// libs: carrel_base
/* test_err.c - the error table is total and its texts are cut cleanly. */
#include "base/err.h"
#include "base/utf8.h"
#include "tests/unit/harness.h"

static void
every_code_has_a_row(void **state)
{
	(void)state;
	for (int i = 1; i <= ERR_CODE_MAX; i++) {
		enum err_code code = (enum err_code)i;

		assert_non_null(err_name(code));
		assert_true(strlen(err_text(code)) > 0);
		assert_in_range(err_http(code), 400, 599);
		/* Names are unique: each leads back to its own number. */
		assert_int_equal(err_from_name(err_name(code)), i);
	}
}

static void
highest_number_is_the_last(void **state)
{
	int highest = 0;

	(void)state;
#define ERROR(NAME, number, code, http, text)	if (number > highest) highest = number;
#include "base/err.def"
#undef ERROR
	assert_int_equal(highest, ERR_CODE_MAX);
}

static void
unknown_is_internal(void **state)
{
	(void)state;
	assert_string_equal(err_name((enum err_code)9999), "internal_error");
	assert_string_equal(err_name(ERR_NONE), "internal_error");
	assert_int_equal(err_http((enum err_code) - 1), 500);
	assert_int_equal(err_from_name("no_such_error"), ERR_NONE);
}

static void
set_and_detail(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(err_set(&e, ERR_BUSY, "all %u workers are busy", 3u), -1);
	assert_int_equal(e.code, ERR_BUSY);
	assert_string_equal(e.message, "all 3 workers are busy");
	assert_string_equal(e.detail, "");
	assert_int_equal(err_detail(&e, "pid %d", 17), -1);
	assert_string_equal(e.detail, "pid 17");
	assert_int_equal(e.code, ERR_BUSY);
	assert_int_equal(err_set(NULL, ERR_BUSY, "nobody listens"), -1);
	assert_int_equal(err_detail(NULL, "nobody listens"), -1);
}

static void
cut_between_characters(void **state)
{
	char text[3000];
	struct err e;

	(void)state;
	for (size_t shift = 0; shift < 4; shift++) {
		size_t n = 0;

		while (n < shift)
			text[n++] = 'x';
		while (n < sizeof(text) - 5) {
			memcpy(text + n, "\xf0\x9f\x93\x96", 4);
			n += 4;
		}
		text[n] = '\0';
		err_set(&e, ERR_INTERNAL, "%s", text);
		assert_true(strlen(e.message) > sizeof(e.message) - 5);
		assert_true(utf8_valid((const uint8_t *)e.message, strlen(e.message)));
		err_detail(&e, "%s", text);
		assert_true(strlen(e.detail) > sizeof(e.detail) - 5);
		assert_true(utf8_valid((const uint8_t *)e.detail, strlen(e.detail)));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_has_a_row),
		cmocka_unit_test(highest_number_is_the_last),
		cmocka_unit_test(unknown_is_internal),
		cmocka_unit_test(set_and_detail),
		cmocka_unit_test(cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

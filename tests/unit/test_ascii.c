/* test_ascii.c - the classes are those of the C locale, for every byte. */
#include <ctype.h>

#include "base/ascii.h"
#include "tests/unit/harness.h"

static void
as_in_the_c_locale(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++) {
		uint8_t byte = (uint8_t)c;

		assert_int_equal(ascii_is_digit(byte), isdigit(c) != 0);
		assert_int_equal(ascii_is_upper(byte), isupper(c) != 0);
		assert_int_equal(ascii_is_lower(byte), islower(c) != 0);
		assert_int_equal(ascii_is_letter(byte), isalpha(c) != 0);
		assert_int_equal(ascii_is_alnum(byte), isalnum(c) != 0);
		assert_int_equal(ascii_is_space(byte), isspace(c) != 0);
		assert_int_equal(ascii_lower(byte), tolower(c));
		assert_int_equal(ascii_hex(byte) != -1, isxdigit(c) != 0);
	}
	for (int n = 0; n < 16; n++) {
		assert_int_equal(ascii_hex((uint8_t) "0123456789abcdef"[n]), n);
		assert_int_equal(ascii_hex((uint8_t) "0123456789ABCDEF"[n]), n);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_in_the_c_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

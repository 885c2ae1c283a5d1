// libs: carrel_words
/* test_passwords.c - which passwords are taken for common ones, and which are not. */
#include "tests/unit/harness.h"
#include "words/passwords.h"

static void
common_ones(void **state)
{
	static const char *const rows[] = { "password", "PassWord", "123456qwerty", "passwordpassword", "Password2024!",
		"password1234", "!!password!!", "passwordpass", "123456789012", "aaaaaaaaaaaa", "abcabcabcabcabc",
		"adminadminadmin", "qwertyuiop12", "Dragon!Dragon!", "%%passwo", "trustno1trustno1", "1q2w3e4r5t6y" };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!passwords_is_common(span_str(rows[i])))
			fail_msg("%s is not common", rows[i]);
}

static void
others(void **state)
{
	static const char *const rows[] = { "", "correct horse battery", "correcthorsebatterystaple",
		"long enough to do", "password of the house", "god7381936402183", "vX4!9-zq+2Lm",
		"a\npassword\nb", "\n", "12345\n1234" };
	char much[PASSWORDS_LONGEST + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (passwords_is_common(span_str(rows[i])))
			fail_msg("%s is common", rows[i]);
	memset(much, 'a', sizeof(much));
	assert_true(passwords_is_common(span_of((uint8_t *)much, PASSWORDS_LONGEST)));
	assert_false(passwords_is_common(span_of((uint8_t *)much, PASSWORDS_LONGEST + 1)));
}

/* The list is there, whole. */
static void
ten_thousand(void **state)
{
	size_t n = 0;

	(void)state;
	for (const char *p = passwords_table; *p != '\0'; p++)
		n += *p == '\n';
	assert_int_equal(n, 10001);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(common_ones),
		cmocka_unit_test(others),
		cmocka_unit_test(ten_thousand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

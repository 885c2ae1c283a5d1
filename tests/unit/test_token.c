// libs: carrel_policy carrel_base
/* test_token.c - the form of connectivity tokens. */
#include "policy/token.h"
#include "tests/unit/harness.h"

#define SECRET	"0123456789abcdef0123456789abcdef"

static void
test_form(void **state)
{
	static const struct {
		const char *text;
		bool any, own; /* of any prefix, of "crlmcp" */
	} rows[] = {
		{ "crlmcp_aaaaaaaa_" SECRET, true, true },
		{ "crlmcp_Za9Za9Za_" SECRET, true, true },
		{ "ab_aaaaaaaa_" SECRET, true, false },
		{ "shop2_aaaaaaaa_" SECRET, true, false },
		{ "abcdefghijklmnop_aaaaaaaa_" SECRET, true, false },
		{ "abcdefghijklmnopq_aaaaaaaa_" SECRET, false, false },
		{ "a_aaaaaaaa_" SECRET, false, false },
		{ "2b_aaaaaaaa_" SECRET, false, false },
		{ "Crlmcp_aaaaaaaa_" SECRET, false, false },
		{ "crlmcp_aaaaaaa_" SECRET, false, false },
		{ "crlmcp_aaaaaaa-_" SECRET, false, false },
		{ "crlmcp_aaaaaaaa_" SECRET "0", false, false },
		{ "crlmcp_aaaaaaaa_0123456789abcdeF0123456789abcdef", false, false },
		{ "crlmcp_aaaaaaaa_0123456789abcdeg0123456789abcdef", false, false },
		{ "crlmcp-aaaaaaaa_" SECRET, false, false },
		{ "crlmcp_aaaaaaaa-" SECRET, false, false },
		{ "crlmcp__aaaaaaa_" SECRET, false, false },
		{ "_aaaaaaaa_" SECRET, false, false },
		{ "crlmcp", false, false },
		{ "crlmcp_", false, false },
		{ "", false, false },
		{ "static", false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(policy_token_is(NULL, span_str(rows[i].text)), rows[i].any);
		assert_int_equal(policy_token_is("crlmcp", span_str(rows[i].text)), rows[i].own);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_form) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// libs: carrel_front
/* test_brief.c - which clients get one line of text with structuredContent. */
#include "tests/unit/harness.h"

#include "front/calls/brief.h"

static void
clients_by_name_and_version(void **state)
{
	static const struct {
		const char *client;
		bool reads;
	} rows[] = {
		{ "claude-code 2.1.197", true },
		{ "claude-code 2.1.198", true },
		{ "claude-code 2.10.0", true },
		{ "claude-code 10.0.0", true },
		{ "claude-code 2.1.196", false },
		{ "claude-code 1.9.900", false },
		{ "claude-code 2.1.197-beta", false },
		{ "claude-code 2.1", false },
		{ "claude-code 2.1.1970000000000000000000", false },
		{ "claude-code ", false },
		{ "claude-code", false },
		{ "claude-coder 2.1.197", false },
		{ "my claude-code 2.1.197", false },
		{ "Claude-Code 2.1.197", false },
		{ "codex-mcp-client 0.169.0", true },
		{ "codex-mcp-client 0.168.9", false },
		{ "opencode 1.18.33", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(brief_reads_structured(span_str(rows[i].client)), rows[i].reads);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clients_by_name_and_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// libs: carrel_front carrel_base
/* test_trace.c - which traceparent is a trace (W3C Trace Context). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "front/wire/trace.h"

#define ID	"0af7651916cd43dd8448eb211c80319c"
#define PARENT	"b7ad6b7169203331"

static void
good(void **state)
{
	static const struct {
		const char *text;
		bool sampled;
	} rows[] = {
		{ "00-" ID "-" PARENT "-01", true },
		{ "00-" ID "-" PARENT "-00", false },
		{ "00-" ID "-" PARENT "-03", true },
		{ "cc-" ID "-" PARENT "-01", true },
		{ "cc-" ID "-" PARENT "-01-what-comes-later", true },
	};
	struct trace t;
	char id[33];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		trace_read(span_str(rows[i].text), &t);
		if (!t.valid || t.sampled != rows[i].sampled)
			fail_msg("%s is not read", rows[i].text);
		trace_print(&t, id);
		assert_string_equal(id, ID);
		assert_memory_equal(t.parent, "\xb7\xad\x6b\x71\x69\x20\x33\x31", 8);
	}
}

static void
bad(void **state)
{
	static const char *const rows[] = { "", "00-" ID "-" PARENT, "00-" ID "-" PARENT "-1",
		"ff-" ID "-" PARENT "-01",
		"00-" ID "-" PARENT "-01-more", "cc-" ID "-" PARENT "-01x", "00_" ID "-" PARENT "-01",
		"00-00000000000000000000000000000000-" PARENT "-01", "00-" ID "-0000000000000000-01",
		"00-0AF7651916CD43DD8448EB211C80319C-" PARENT "-01", "0g-" ID "-" PARENT "-01",
		"00-" ID "-" PARENT "-0x", "00-0af7651916cd43dd8448eb211c80319 -" PARENT "-01" };
	struct trace t = { .valid = true };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		trace_read(span_str(rows[i]), &t);
		if (t.valid)
			fail_msg("%s is taken", rows[i]);
	}
	trace_read(SPAN_NONE, &t);
	assert_false(t.valid);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

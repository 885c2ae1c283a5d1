// libs: carrel_project carrel_base
/* test_describe.c - which of several descriptions is shown. */
#include "tests/unit/harness.h"

#include "base/json/json_read.h"
#include "project/scan/describe.h"

static const struct {
	const char	*text, *best;
} rows[] = {
	{ "{\"db\": \"d\", \"ai\": \"a\", \"user\": \"u\"}", "u" },
	{ "{\"db\": \"d\", \"ai\": \"a\", \"dbt\": \"t\"}", "a" },
	{ "{\"db\": \"d\", \"dbt\": \"t\"}", "t" },
	{ "{\"other\": \"o\", \"db\": \"d\"}", "d" },
	{ "{\"z\": \"first\", \"b\": \"second\"}", "first" },
	{ "{\"user\": \"  \", \"z\": \" x \"}", "x" },
	{ "{\"user\": {\"a\": 1}}", "" },
	{ "{}", "" }, { "[]", "" }, { "\" plain \"", "plain" },
};

static void
origins_have_an_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *a = arena_new(1 << 16);
		struct buf b = { 0 };
		struct mp_value v;
		struct span s;
		size_t at;

		assert_int_equal(json_read(span_str(rows[i].text), &b, &at), JSON_OK);
		assert_true(mp_value(buf_view(&b), &v));
		s = describe_mp(&v);
		if (!span_is_str(s, rows[i].best))
			fail_msg("%s: JSON gives \"%.*s\"", rows[i].text, SPAN_FMT(s));
		/* JSON is YAML, so both readers can be held to one table. */
		s = describe_yaml(yaml_parse(a, span_str(rows[i].text), NULL));
		if (!span_is_str(s, rows[i].best))
			fail_msg("%s: YAML gives \"%.*s\"", rows[i].text, SPAN_FMT(s));
		buf_fini(&b);
		arena_free(a);
	}
	assert_int_equal(describe_yaml(NULL).len, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(origins_have_an_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

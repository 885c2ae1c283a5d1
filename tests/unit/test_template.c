// libs: carrel_front
/* test_template.c - values in pages are text, wherever they stand. */
#include "front/oauth/oauth_authorize.h"
#include "front/wire/template.h"
#include "policy/scopes.h"
#include "tests/unit/harness.h"

static void
values_are_escaped(void **state)
{
	struct template_value values[] = { { .name = "x", .text = SPAN("<a href=\"'&{{y}}") },
		{ .name = "y", .text = SPAN("never") } };
	struct buf out = { .max = 0 };

	(void)state;
	template_put(&out, "[{{x}}|{{z}}]{{", &(struct template_row){ values, 2 });
	assert_buf(&out, "[&lt;a href=&quot;&#39;&amp;{{y}}|]{{");
	buf_fini(&out);
}

static void
sections(void **state)
{
	struct template_value one[] = { { .name = "n", .text = SPAN("1") }, { .name = "t", .text = SPAN("yes") } };
	struct template_value two[] = { { .name = "n", .text = SPAN("2") } };
	struct template_row rows[] = { { one, 2 }, { two, 1 } };
	struct template_value values[] = {
		{ .name = "rows", .rows = rows, .nrows = 2 }, { .name = "none", .rows = rows, .nrows = 0 },
		{ .name = "full", .text = SPAN("f") }, { .name = "empty" },
	};
	struct buf out = { .max = 0 };

	(void)state;
	template_put(&out,
	    "{{#rows}}<{{n}}{{#t}}!{{/t}}{{full}}>{{/rows}}{{#none}}x{{/none}}{{^none}}N{{/none}}"
	    "{{#full}}({{full}}){{/full}}{{#empty}}x{{/empty}}{{^empty}}E{{/empty}}",
	    &(struct template_row){ values, 4 });
	assert_buf(&out, "<1!f><2f>N(f)E");
	buf_fini(&out);
}

/* Nobody is asked to allow what is not said in a sentence. */
static void
every_scope_has_a_sentence(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 32; bit++)
		assert_int_equal(oauth_scope_sentence(1u << bit) != NULL, (POLICY_SCOPES_ALL >> bit & 1) != 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_escaped),
		cmocka_unit_test(sections),
		cmocka_unit_test(every_scope_has_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// libs: carrel_base
/* test_json_put.c - pieces of JSON become whole: commas, lists, members of a buffer of their own. */
#include "base/json/json_read.h"
#include "base/json/json_put.h"
#include "tests/unit/harness.h"

static void
commas_stand_between_values(void **state)
{
	struct buf out = { 0 }, members = { 0 }, packed = { 0 };
	size_t at;

	(void)state;
	buf_str(&out, "data: ");
	json_put_object(&out, NULL);
	json_put_members(&out, buf_view(&members));
	json_put_cstr(&out, "a\"b", "x,");
	json_put_cstr(&out, "none", NULL);
	json_put_list(&out, "list");
	json_put_uint(&out, NULL, 1);
	json_put_bool(&out, NULL, false);
	json_put_list(&out, NULL);
	json_end_list(&out);
	json_put_object(&out, NULL);
	json_end_object(&out);
	json_put_known(&out, NULL, false, 7);
	json_put_raw(&out, NULL, SPAN("1.5"));
	json_end_list(&out);
	json_put_str(&members, "c", SPAN("{["));
	json_put_known(&members, "d", true, 2);
	json_put_members(&out, buf_view(&members));
	json_put_key(&out, "e");
	buf_str(&out, "{}");
	json_end_object(&out);
	assert_string_equal(buf_cstr(&out),
	    "data: {\"a\\\"b\":\"x,\",\"none\":null,\"list\":[1,false,[],{},null,1.5],\"c\":\"{[\",\"d\":2,\"e\":{}}");
	assert_int_equal(json_read(span_of(out.p + 6, out.len - 6), &packed, &at), JSON_OK);
	buf_fini(&out);
	buf_fini(&members);
	buf_fini(&packed);
}

/* A line of its own, and another behind it. */
static void
lines_follow_each_other(void **state)
{
	struct buf out = { 0 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		json_put_object(&out, NULL);
		json_put_uint(&out, "i", i);
		json_end_object(&out);
		buf_byte(&out, '\n');
	}
	assert_string_equal(buf_cstr(&out), "{\"i\":0}\n{\"i\":1}\n");
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_stand_between_values),
		cmocka_unit_test(lines_follow_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

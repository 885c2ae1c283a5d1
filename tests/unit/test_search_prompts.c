// libs: carrel_test_support carrel_project carrel_ipc carrel_base
/* test_search_prompts.c - the confined worker's prompts, and what it completes. */
#include "tests/unit/search_rig.h"

#include "project/format/atomic.h"

#define GET(name, arguments)	"{\"name\":\"" name "\",\"arguments\":{" arguments "}}"

static void
prompts_are_listed(void **state)
{
	const char *list;

	(void)state;
	list = rig_call("prompts_list", "{}");
	assert_holds(list, "\"name\":\"analyze\",\"title\":");
	assert_holds(list, "\"name\":\"explain_table\"");
	assert_holds(list, "\"name\":\"define_metric\"");
	assert_lacks(rig_call("prompts_list", "{\"basic\":true}"), "\"title\"");
}

static void
a_question_is_quoted(void **state)
{
	const char *text;

	(void)state;
	text = rig_call("prompt_get", GET("analyze", "\"question\":\"How much\\nin Q1?\""));
	assert_holds(text, "\\n\\n> How much\\n> in Q1?\\n\\n");
	assert_holds(text, "several connections");
	text = rig_call("prompt_get", GET("analyze", "\"question\":\"q\",\"connection\":\"local\""));
	assert_holds(text, "The connection is \\\"local\\\" (sqlite).");
}

static void
a_table_comes_with_its_description(void **state)
{
	const char *text;

	(void)state;
	text = rig_call("prompt_get", GET("explain_table", "\"table\":\"public.orders\",\"connection\":\"warehouse\""));
	assert_holds(text, "\"type\":\"resource\",\"resource\":{\"uri\":\"carrel://schema/warehouse/public.orders\"");
	/* only one connection has such a table */
	text = rig_call("prompt_get", GET("explain_table", "\"table\":\"Inventory\""));
	assert_holds(text, "carrel://schema/local/inventory");
}

static void
a_metric_is_compared_with_what_exists(void **state)
{
	(void)state;
	assert_holds(rig_call("prompt_get", GET("define_metric", "\"metric\":\"total\",\"meaning\":\"all of it\"")),
	    "> all of it\\n");
}

static void
wrong_prompts_are_refused(void **state)
{
	(void)state;
	rig_fail("prompt_get", GET("nope", ""), "invalid_arguments", "there are analyze, explain_table, define_metric");
	rig_fail("prompt_get", GET("", ""), "invalid_arguments", "There is no prompt");
	rig_fail("prompt_get", GET("analyze", ""), "invalid_arguments", "needs the argument \"question\"");
	rig_fail("prompt_get", GET("analyze", "\"question\":\"\""), "invalid_arguments", "needs the argument");
	rig_fail("prompt_get", GET("analyze", "\"question\":\"q\",\"foo\":\"x\""), "invalid_arguments",
	    "no argument \"foo\"; it takes question, connection");
	rig_fail("prompt_get", GET("analyze", "\"question\":\"q\",\"connection\":\"x\""), "connection_not_found",
	    "warehouse");
	rig_fail("prompt_get", GET("explain_table", "\"table\":\"nope\",\"connection\":\"local\""), "table_not_found",
	    "nope");
	rig_fail("prompt_get", GET("explain_table", "\"table\":\"nope\""), "invalid_arguments", "name the connection");
}

/* --- completion -------------------------------------------------------------------------- */

/* The values for an argument, one a line, then "total N" and "more". */
static const char *
complete(const char *ref, const char *name, const char *value, const char *context)
{
	static struct buf out;
	struct buf args = { 0 }, answer = { 0 };
	struct mp_value v, completion, values, one;
	struct mp_iter it;
	size_t at;

	buf_printf(&args,
	    "{\"ref\":{%s},\"argument\":{\"name\":\"%s\",\"value\":\"%s\"},\"context\":{\"arguments\":{%s}}}", ref,
	    name, value, context);
	assert_int_equal(json_read(span_str(rig_call("complete", buf_cstr(&args))), &answer, &at), JSON_OK);
	assert_true(mp_value(buf_view(&answer), &v));
	assert_true(mp_get(&v, "completion", &completion));
	assert_true(mp_get(&completion, "values", &values));
	out.len = 0;
	it = mp_iter(&values);
	while (mp_next(&it, &one))
		buf_printf(&out, "%.*s\n", SPAN_FMT(one.s));
	buf_printf(&out, "total %llu", (unsigned long long)mp_get_uint(&completion, "total", 999));
	if (mp_get_bool(&completion, "hasMore", false))
		buf_str(&out, " more");
	buf_fini(&args);
	buf_fini(&answer);
	return buf_cstr(&out);
}

#define PROMPT(name)	"\"type\":\"ref/prompt\",\"name\":\"" name "\""
#define TEMPLATE(uri)	"\"type\":\"ref/resource\",\"uri\":\"carrel://" uri "\""

static void
every_variable_is_completed(void **state)
{
	(void)state;
	assert_string_equal(complete(TEMPLATE("wiki/{key}"), "key", "ref", ""), "refund-policy\ntotal 1");
	assert_string_equal(complete(TEMPLATE("schema/{connection}/{table}"), "connection", "", ""),
	    "local\nwarehouse\ntotal 2");
	assert_string_equal(complete(TEMPLATE("semantic-layer/{connection}/{source}"), "connection", "WARE", ""),
	    "warehouse\ntotal 1");
	assert_holds(complete(TEMPLATE("semantic-layer/{connection}/{source}"), "source", "cust", ""),
	    "customer_summary\n");
	assert_holds(complete(TEMPLATE("schema/{connection}/{table}"), "table", "", "\"connection\":\"local\""),
	    "inventory\nwarehouses\ntotal 2");
	assert_lacks(complete(TEMPLATE("schema/{connection}/{table}"), "table", "", "\"connection\":\"warehouse\""),
	    "inventory");
	assert_string_equal(complete(TEMPLATE("schema/{connection}/{table}"), "table", "", "\"connection\":\"x\""),
	    "total 0");
}

static void
arguments_of_prompts_are_completed(void **state)
{
	(void)state;
	assert_string_equal(complete(PROMPT("analyze"), "connection", "l", ""), "local\ntotal 1");
	assert_string_equal(complete(PROMPT("explain_table"), "table", "inv", "\"connection\":\"local\""),
	    "inventory\ntotal 1");
	/* what begins a part comes before what is inside of one */
	assert_holds(complete(PROMPT("explain_table"), "table", "ORD", ""), "public.order");
	/* nothing holds it, so what comes near it */
	assert_holds(complete(PROMPT("explain_table"), "table", "invnetory", ""), "inventory\n");
	/* there is nothing to complete in a question */
	assert_string_equal(complete(PROMPT("analyze"), "question", "How", ""), "total 0");
}

static void
what_cannot_be_completed_is_refused(void **state)
{
	static const char *const args[] = {
		"{\"ref\":{" PROMPT("nope") "},\"argument\":{\"name\":\"x\",\"value\":\"\"}}",
		"{\"ref\":{" PROMPT("analyze") "},\"argument\":{\"name\":\"x\",\"value\":\"\"}}",
		"{\"ref\":{" TEMPLATE("nope/{x}") "},\"argument\":{\"name\":\"x\",\"value\":\"\"}}",
		"{\"ref\":{" TEMPLATE("wiki/revenue") "},\"argument\":{\"name\":\"key\",\"value\":\"\"}}",
		"{\"ref\":{" TEMPLATE("wiki/{key}") "},\"argument\":{\"name\":\"x\",\"value\":\"\"}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++)
		rig_fail("complete", args[i], "invalid_arguments", " no ");
}

/* --- many values -------------------------------------------------------------------------- */

static int
crowd(void **state)
{
	char name[64];

	(void)state;
	rig_make_project();
	rig_mkdir("wiki/global");
	for (int i = 0; i < 250; i++) {
		snprintf(name, sizeof(name), "wiki/global/page-%03d.md", i);
		rig_write(name, "text\n");
	}
	rig_start(rig_project, "[]");
	return 0;
}

static int
clear(void **state)
{
	(void)state;
	rig_stop();
	return atomic_remove(AT_FDCWD, rig_project, NULL);
}

static void
a_hundred_values_are_given_and_all_are_counted(void **state)
{
	const char *values;

	(void)state;
	values = complete(TEMPLATE("wiki/{key}"), "key", "", "");
	assert_holds(values, "page-000\n");
	assert_holds(values, "page-099\n");
	assert_lacks(values, "page-100\n");
	assert_holds(values, "total 250 more");
}

int
main(void)
{
#define SHOP(test)	cmocka_unit_test_setup_teardown(test, shop, stop)
	const struct CMUnitTest tests[] = {
		SHOP(prompts_are_listed),
		SHOP(a_question_is_quoted),
		SHOP(a_table_comes_with_its_description),
		SHOP(a_metric_is_compared_with_what_exists),
		SHOP(wrong_prompts_are_refused),
		SHOP(every_variable_is_completed),
		SHOP(arguments_of_prompts_are_completed),
		SHOP(what_cannot_be_completed_is_refused),
		cmocka_unit_test_setup_teardown(a_hundred_values_are_given_and_all_are_counted, crowd, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

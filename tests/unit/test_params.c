// libs: carrel_front
/* test_params.c - Mcp-Param-* headers: what a schema may declare, and what a request must then agree with. */
#include "base/json/json_read.h"
#include "front/calls/params.h"
#include "tests/unit/harness.h"

static struct buf packed[2];

static struct mp_value
value(unsigned i, const char *json)
{
	struct mp_value v;
	size_t at;

	buf_reset(&packed[i], SIZE_MAX);
	assert_int_equal(json_read(span_str(json), &packed[i], &at), JSON_OK);
	assert_true(mp_value(buf_view(&packed[i]), &v));
	return v;
}

static const char schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
    "\"count\":{\"type\":\"integer\",\"x-mcp-header\":\"Count\"},"
    "\"place\":{\"type\":\"object\",\"properties\":{\"dry\":{\"type\":\"boolean\",\"x-mcp-header\":\"Dry\"}}}}}";

/* NULL when the header lines agree with the arguments. */
static const char *
check(const char *args, const char *fields)
{
	struct mp_value s = value(0, schema), a = value(1, args);
	static char said[PARAMS_PROBLEM_MAX];
	struct params p;

	assert_null(params_read(&s, &p));
	assert_int_equal(p.n, 3);
	return params_check(&p, &a, span_str(fields), said);
}

#define AGREES(args, fields)	assert_null(check(args, fields))
#define DIFFERS(args, fields)	assert_non_null(check(args, fields))

static void
agreement(void **state)
{
	(void)state;
	AGREES("{}", "Host: localhost\r\n");
	AGREES("{\"region\":null}", "Mcp-Param-Region: anything\r\n");
	AGREES("{\"region\":\"eu\"}", "mcp-param-REGION: \t eu \r\n\r\n");
	AGREES("{\"region\":\"Hello\"}", "Host: x\r\nMcp-Param-Region: =?base64?SGVsbG8=?=\r\n");
	AGREES("{\"region\":\"=?base64?SGVsbG8=\"}", "Mcp-Param-Region: =?base64?SGVsbG8=\r\n");
	AGREES("{\"region\":\"\"}", "Mcp-Param-Region:\r\n");
	AGREES("{\"count\":42}", "Mcp-Param-Count: 42.0\r\n");
	AGREES("{\"count\":-7}", "Mcp-Param-Count: -7\r\n");
	AGREES("{\"place\":{\"dry\":true}}", "Mcp-Param-Dry: true\r\n");
	AGREES("{\"place\":{}}", "");
	AGREES("{\"place\":5}", "");

	DIFFERS("{\"region\":\"eu\"}", "Host: localhost\r\n");
	DIFFERS("{\"region\":\"eu\"}", "Mcp-Param-Regions: eu\r\n");
	DIFFERS("{\"region\":\"eu\"}", "X-Mcp-Param-Region: eu\r\n");
	DIFFERS("{\"region\":\"eu\"}", "Mcp-Param-Region: EU\r\n");
	DIFFERS("{\"region\":\"eu\"}", "Mcp-Param-Region: eu\r\nMcp-Param-Region: eu\r\n");
	DIFFERS("{\"region\":\"Hello\"}", "Mcp-Param-Region: =?base64?SGVsbG8?=\r\n");
	DIFFERS("{\"region\":\"Hello\"}", "Mcp-Param-Region: =?base64?SGVs!!!bG8=?=\r\n");
	DIFFERS("{\"region\":\"Hello\"}", "Mcp-Param-Region: =?BASE64?SGVsbG8=?=\r\n");
	DIFFERS("{\"region\":\"Hello\"}", "Mcp-Param-Region: =?base64?//8=?=\r\n"); /* no UTF-8 */
	DIFFERS("{\"count\":42}", "Mcp-Param-Count: 43\r\n");
	DIFFERS("{\"count\":42}", "Mcp-Param-Count: 42x\r\n");
	DIFFERS("{\"count\":1}", "Mcp-Param-Count: true\r\n");
	DIFFERS("{\"place\":{\"dry\":true}}", "Mcp-Param-Dry: True\r\n");
}

#define REFUSED(text) do {							\
	struct mp_value s = value(0, "{\"type\":\"object\",\"properties\":{" text "}}");	\
	struct params p;							\
	assert_non_null(params_read(&s, &p));					\
} while (0)

static void
declarations(void **state)
{
	(void)state;
	REFUSED("\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\"}");
	REFUSED("\"a\":{\"type\":\"string\",\"x-mcp-header\":\"Two Words\"}");
	REFUSED("\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\\r\\nB\"}");
	REFUSED("\"a\":{\"type\":\"string\",\"x-mcp-header\":5}");
	REFUSED("\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}");
	REFUSED("\"a\":{\"x-mcp-header\":\"A\"}");
	REFUSED(
	    "\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},\"b\":{\"type\":\"string\",\"x-mcp-header\":\"a\"}");
	REFUSED("\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}");
	REFUSED("\"a\":{\"anyOf\":[{\"type\":\"string\",\"x-mcp-header\":\"A\"}]}");
}

static int
end(void **state)
{
	(void)state;
	buf_fini(&packed[0]);
	buf_fini(&packed[1]);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agreement),
		cmocka_unit_test(declarations),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}

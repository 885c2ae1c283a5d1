// libs: carrel_front
/* test_jsonrpc.c - the envelope, and ids given back as they came. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "front/wire/jsonrpc.h"

static struct buf parsed;

static enum json_fault
read_text(const char *text, struct rpc *rpc)
{
	struct mp_value v;
	enum json_fault fault;
	size_t at;

	buf_reset(&parsed, SIZE_MAX);
	fault = json_read(span_str(text), &parsed, &at);
	if (fault == JSON_OK) {
		assert_true(mp_value(buf_view(&parsed), &v));
		rpc_read(&v, rpc);
	}
	return fault;
}

#define RPC	"\"jsonrpc\":\"2.0\","

static void
test_kinds(void **state)
{
	static const struct {
		const char *text;
		enum rpc_kind kind;
	} rows[] = {
		{ "{" RPC "\"id\":1,\"method\":\"ping\"}", RPC_REQUEST },
		{ "{" RPC "\"id\":0,\"method\":\"ping\",\"params\":{}}", RPC_REQUEST },
		{ "{" RPC "\"id\":\"\",\"method\":\"ping\"}", RPC_REQUEST },
		{ "{" RPC "\"method\":\"notifications/initialized\"}", RPC_NOTIFICATION },
		{ "{" RPC "\"id\":1,\"result\":{}}", RPC_RESPONSE },
		{ "{" RPC "\"id\":1,\"error\":{}}", RPC_RESPONSE },
		{ "{" RPC "\"id\":null,\"method\":\"ping\"}", RPC_INVALID },
		{ "{" RPC "\"id\":1.5,\"method\":\"ping\"}", RPC_INVALID },
		{ "{" RPC "\"id\":1.0,\"method\":\"ping\"}", RPC_REQUEST },
		{ "{" RPC "\"id\":true,\"method\":\"ping\"}", RPC_INVALID },
		{ "{" RPC "\"id\":{},\"method\":\"ping\"}", RPC_INVALID },
		{ "{" RPC "\"id\":1,\"method\":1}", RPC_INVALID },
		{ "{" RPC "\"id\":1}", RPC_INVALID },
		{ "{" RPC "\"result\":{}}", RPC_INVALID },
		{ "{" RPC "\"id\":1,\"method\":\"ping\",\"params\":[]}", RPC_INVALID },
		{ "{\"id\":1,\"method\":\"ping\"}", RPC_INVALID },
		{ "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", RPC_INVALID },
		{ "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", RPC_INVALID },
		{ "1", RPC_INVALID },
		{ "\"x\"", RPC_INVALID },
		{ "null", RPC_INVALID },
	};
	struct rpc rpc;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(read_text(rows[i].text, &rpc), JSON_OK);
		if (rpc.kind != rows[i].kind)
			fail_msg("%s: %d", rows[i].text, rpc.kind);
		if (rpc.kind == RPC_INVALID)
			assert_non_null(rpc.problem);
	}
}

static void
test_ids_come_back(void **state)
{
	static const char *const ids[] = {
		"0", "-1", "4294967296", "9007199254740993", "9223372036854775807", "-9223372036854775808",
		"18446744073709551615", "\"\"", "\"0\"", "\"listen:0\"", "\"a\\\"b\\\\c\"", "\"\xc3\xa9\"",
	};
	struct buf text = { .max = 0 }, out = { .max = 0 };
	struct rpc rpc;

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		buf_reset(&text, SIZE_MAX);
		buf_reset(&out, SIZE_MAX);
		buf_printf(&text, "{" RPC "\"id\":%s,\"method\":\"m\"}", ids[i]);
		assert_int_equal(read_text(buf_cstr(&text), &rpc), JSON_OK);
		rpc_put_id(&out, &rpc.id);
		assert_string_equal(buf_cstr(&out), ids[i]);
	}
	buf_fini(&text);
	buf_fini(&out);
}

static void
test_long_id(void **state)
{
	struct buf text = { .max = 0 };
	struct rpc rpc;

	(void)state;
	buf_str(&text, "{" RPC "\"method\":\"m\",\"id\":\"");
	for (int i = 0; i <= JSONRPC_ID_MAX; i++)
		buf_byte(&text, 'x');
	buf_str(&text, "\"}");
	assert_int_equal(read_text(buf_cstr(&text), &rpc), JSON_OK);
	assert_int_equal(rpc.kind, RPC_INVALID);
	assert_int_equal(rpc.id.class, MP_NIL);
	buf_fini(&text);
}

/* Texts that are refused before there is an envelope: each code the attack list asks for. */
static void
test_refused_texts(void **state)
{
	static const struct {
		const char *text;
		int code;
	} rows[] = {
		{ "{" RPC "\"id\":1,\"method\":\"tools/call\",\"method\":\"tools/list\"}", RPC_INVALID_REQUEST },
		{ "{" RPC "\"id\":1,\"method\":\"\xc0\xaf\"}", RPC_PARSE },
		{ "{" RPC "\"id\":1,\"method\":\"tools/list\\u0000/evil\"}", RPC_PARSE },
		{ "{" RPC "\"id\":1e400,\"method\":\"server/discover\"}", RPC_PARSE },
		{ "{" RPC "\"id\":1,\"method\":\"m\"} x", RPC_PARSE },
		{ "{", RPC_PARSE },
		{ "", RPC_PARSE },
	};
	struct rpc rpc;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum json_fault fault = read_text(rows[i].text, &rpc);

		assert_int_not_equal(fault, JSON_OK);
		assert_int_equal(rpc_code_of_fault(fault), rows[i].code);
	}
}

static void
test_errors(void **state)
{
	struct buf out = { .max = 0 };

	(void)state;
	rpc_put_error(&out, SPAN("7"), -32602, "a \"b\"", SPAN("{\"x\":1}"));
	assert_string_equal(buf_cstr(&out),
	    "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32602,"
	    "\"message\":\"a \\\"b\\\"\",\"data\":{\"x\":1}}}");
	buf_reset(&out, SIZE_MAX);
	rpc_put_error(&out, SPAN(""), -32700, "m", SPAN(""));
	assert_string_equal(buf_cstr(&out), "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"m\"}}");
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_ids_come_back),
		cmocka_unit_test(test_long_id),
		cmocka_unit_test(test_refused_texts),
		cmocka_unit_test(test_errors),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	buf_fini(&parsed);
	return failed;
}

// libs: carrel_front
/*
 * fuzz_jsonrpc.c - a body from its bytes to the era's verdict: what comes out
 * is JSON again, and ids come back as the same value.
 */
#include <stdlib.h>

#include "front/mcp/mcp_http.h"
#include "tests/fuzz/fuzz.h"

static void
check_id(const struct mp_value *id)
{
	struct buf text = { .max = 0 }, again = { .max = 0 };
	struct mp_value back;
	size_t at;

	rpc_put_id(&text, id);
	if (json_read(buf_view(&text), &again, &at) != JSON_OK || !mp_value(buf_view(&again), &back) ||
	    !span_is(back.raw, id->raw))
		abort();
	buf_fini(&text);
	buf_fini(&again);
}

static void
check_era(const struct rpc *rpc)
{
	struct http_request q = { .field = { [HTTP_PROTOCOL_VERSION] = SPAN("2026-07-28"),
		[HTTP_MCP_METHOD] = rpc->method, [HTTP_MCP_NAME] = SPAN("=?base64?eA==?=") } };
	struct mcp_refusal refusal = { .code = 0 };
	struct buf error = { .max = 0 }, again = { .max = 0 };
	size_t at;

	if (!mcp_has_claim(&rpc->params))
		return;
	if (!mcp_http_check(&q, rpc, &refusal)) {
		rpc_put_error(&error, SPAN("1"), refusal.code, refusal.message, buf_view(&refusal.data));
		if (json_read(buf_view(&error), &again, &at) != JSON_OK)
			abort();
	}
	buf_fini(&refusal.data);
	buf_fini(&error);
	buf_fini(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf parsed = { .max = 0 }, name = { .max = 0 };
	struct mp_value message;
	struct rpc rpc;
	size_t at;

	(void)params_decode(span_of(data, size), &name);
	if (json_read(span_of(data, size), &parsed, &at) == JSON_OK) {
		if (!mp_value(buf_view(&parsed), &message))
			abort();
		rpc_read(&message, &rpc);
		if (rpc.kind == RPC_INVALID && rpc.problem == NULL)
			abort();
		if (rpc.id.class != MP_NIL)
			check_id(&rpc.id);
		if (rpc.kind == RPC_REQUEST)
			check_era(&rpc);
	}
	buf_fini(&parsed);
	buf_fini(&name);
	return 0;
}

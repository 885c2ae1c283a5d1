/*
 * mcp_http.c - MCP over HTTP: the era of a message, and each era's checks of headers and sessions.  The first check
 * that fails decides the answer.
 */
#include "front/conn_write.h"
#include "front/http_transport.h"
#include "front/legacy_http.h"
#include "front/mcp_handlers.h"
#include "front/mcp_http.h"
#include "front/mcp_modern.h"
#include "front/metering.h"

void
http_error(struct conn *c, int status, const struct mp_value *id, int code, const char *message)
{
	struct http_reply r = { .status = status, .type = "application/json" };
	struct buf body = { .max = 0 }, text = { .max = 0 };

	c->front->figures.refused++;
	metering_refusal(c->front, ERR_INVALID_ARGUMENTS);
	if (id != NULL)
		rpc_put_id(&text, id);
	rpc_put_error(&body, buf_view(&text), code, message, SPAN_NONE);
	conn_reply(c, &r, buf_view(&body));
	buf_fini(&body);
	buf_fini(&text);
}

void
http_accepted(struct conn *c)
{
	struct http_reply r = { .status = 202 };

	conn_reply(c, &r, SPAN_NONE);
}

enum header_era
http_header_era(const struct http_request *q)
{
	struct span value = q->field[HTTP_PROTOCOL_VERSION];
	enum mcp_revision revision;

	if (value.p == NULL)
		return HEADER_ABSENT;
	revision = mcp_revision_of(value);
	if (revision == MCP_REVISIONS)
		return HEADER_UNKNOWN;
	return revision == MCP_2026_07_28 ? HEADER_MODERN : HEADER_LEGACY;
}

/* --- modern ----------------------------------------------------------------------------------- */

static void
serve_modern(struct conn *c, const struct http_request *q, struct principal *who, const struct rpc *rpc)
{
	struct mcp_headers headers = {
		q->field[HTTP_PROTOCOL_VERSION], q->field[HTTP_MCP_METHOD], q->field[HTTP_MCP_NAME]
	};
	struct mcp_refusal refusal = { .status = 0 };
	struct exchange *x = http_exchange(c, who, MCP_2026_07_28, &rpc->id);

	mcp_modern_check(rpc, &headers, &refusal);
	if (refusal.status != 0)
		mcp_error(x, refusal.status, refusal.code, refusal.message, buf_view(&refusal.data));
	else {
		mcp_modern_client(x, &rpc->meta);
		x->fields = q->fields;
		if (!mcp_dispatch(x, rpc->method, &rpc->params))
			mcp_error(x, 404, RPC_METHOD_NOT_FOUND, "there is no such method", SPAN_NONE);
	}
	buf_fini(&refusal.data);
}

/* --- both eras ------------------------------------------------------------------------------- */

static void
serve_request(struct conn *c, const struct http_request *q, struct principal *who, const struct rpc *rpc)
{
	struct mp_value version;

	if (mcp_has_claim(&rpc->meta, &version)) {
		serve_modern(c, q, who, rpc);
		return;
	}
	switch (http_header_era(q)) {
	case HEADER_MODERN:
		if (span_is_str(rpc->method, "initialize"))
			http_error(c, 400, &rpc->id, RPC_HEADER_MISMATCH,
			    "initialize is not part of the revision that MCP-Protocol-Version names");
		else
			http_error(c, 400, &rpc->id, RPC_INVALID_PARAMS,
			    "_meta[\"io.modelcontextprotocol/protocolVersion\"] is missing");
		break;
	case HEADER_UNKNOWN:
		http_error(c, 400, &rpc->id, RPC_INVALID_REQUEST, "this MCP-Protocol-Version is not supported");
		break;
	default:
		legacy_request(c, q, who, rpc);
		break;
	}
}

/* No modern notification has an effect: over HTTP a client cancels by closing the connection. */
static void
serve_notification(struct conn *c, const struct http_request *q, struct principal *who, const struct rpc *rpc)
{
	struct mp_value version;

	if (mcp_has_claim(&rpc->meta, &version) || http_header_era(q) == HEADER_MODERN)
		http_accepted(c);
	else
		legacy_notification(c, q, who, rpc);
}

static void
serve_response(struct conn *c, const struct http_request *q, struct principal *who,
    const struct mp_value *message)
{
	if (http_header_era(q) == HEADER_MODERN)
		http_error(c, 400, NULL, RPC_INVALID_REQUEST, "a response is not expected here");
	else
		legacy_response(c, q, who, message);
}

bool
http_parse_message(struct conn *c, struct span body, struct buf *parsed, struct mp_value *message)
{
	enum json_fault fault;
	size_t at;

	fault = json_read(body, parsed, &at);
	if (fault == JSON_OK && mp_value(buf_view(parsed), message))
		return true;
	http_error(c, 400, NULL, rpc_code_of_fault(fault), json_fault_text(fault));
	return false;
}

static void
serve_message(struct conn *c, const struct http_request *q, struct principal *who, const struct mp_value *message)
{
	struct rpc rpc;

	if (message->class == MP_ARRAY) {
		legacy_batch(c, q, who, message);
		return;
	}
	rpc_read(message, &rpc);
	switch (rpc.kind) {
	case RPC_REQUEST:
		serve_request(c, q, who, &rpc);
		break;
	case RPC_NOTIFICATION:
		serve_notification(c, q, who, &rpc);
		break;
	case RPC_RESPONSE:
		serve_response(c, q, who, message);
		break;
	case RPC_INVALID:
		http_error(c, 400, &rpc.id, RPC_INVALID_REQUEST, rpc.problem);
		break;
	}
}

void
mcp_http_post(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct buf parsed = { .max = 0 };
	struct mp_value message;

	if (http_parse_message(c, body, &parsed, &message))
		serve_message(c, q, who, &message);
	buf_fini(&parsed);
}

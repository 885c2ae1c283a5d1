/*
 * mcp_http.c - see mcp_http.h: exchanges on connections, the era of a message, and each era's checks of headers.  The
 * first check that fails decides the answer.
 */
#include "front/mcp/audit_requests.h"
#include "front/http/caller.h"
#include "front/http/conn_write.h"
#include "front/mcp/era.h"
#include "front/mcp/mcp_handlers.h"
#include "front/mcp/mcp_http.h"
#include "front/calls/metering.h"

/* Turn the response into an event stream. */
static void
begin_stream(struct conn *c, const struct exchange *x)
{
	conn_stream_begin(c);
	c->front->legacy->stream_begin(c, x);
}

void
http_slow(struct conn *c)
{
	const struct exchange *x = TAILQ_FIRST(&c->exchanges);

	if (x == NULL || c->mode != MODE_SINGLE || !c->accepts_stream)
		return;
	begin_stream(c, x);
	conn_flush(c);
}

static void
put_answer(struct conn *c, struct span answers, const struct mcp_answer *a)
{
	if (c->stream != NULL)
		c->front->legacy->stream_put(c->stream, answers, a);
	else
		conn_stream_put(c, SPAN("event: message\n"), a);
}

static void
end_if_last(struct conn *c)
{
	if (TAILQ_EMPTY(&c->exchanges) && !c->batching) {
		conn_stream_end(c);
		if (c->stream != NULL)
			c->front->legacy->stream_finish(c->stream);
	}
	conn_flush(c);
}

static const struct transport http_transport;

void
http_take(struct conn *c, struct exchange *x)
{
	x->transport = &http_transport;
	x->client = c;
	TAILQ_INSERT_TAIL(&c->exchanges, x, of_client);
	c->state = CONN_SERVING;
}

struct exchange *
http_exchange(struct conn *c, struct principal *who, enum mcp_revision revision,
    const struct mp_value *id)
{
	struct exchange *x = exchange_new(c->front, &http_transport, c, who, revision, id);

	exchange_trace(x, &c->trace);
	http_take(c, x);
	conn_timer(c, c->mode == MODE_SINGLE && c->accepts_stream ? TIMER_SLOW : TIMER_NONE);
	return x;
}

static void
http_answer(struct exchange *x, const struct mcp_answer *a)
{
	struct conn *c = x->client;

	TAILQ_REMOVE(&c->exchanges, x, of_client);
	if (c->dead) {
		result_free(a->result);
		return;
	}
	if (c->mode == MODE_SINGLE && !c->accepts_json && c->accepts_stream && a->status == 200)
		begin_stream(c, x);
	if (c->mode == MODE_SINGLE) {
		conn_answer(c, a);
		return;
	}
	put_answer(c, buf_view(&x->id), a);
	end_if_last(c);
}

static bool
http_can_notify(const struct exchange *x)
{
	const struct conn *c = x->client;

	return !c->dead && (c->accepts_stream || c->mode == MODE_STREAM) && c->mode != MODE_ARRAY &&
	    out_pending(&c->out) < CONN_NOTIFY_MAX;
}

static bool
http_notify(struct exchange *x, struct span message)
{
	struct conn *c = x->client;
	bool outlives = x->session.known;

	if (c->mode == MODE_SINGLE)
		begin_stream(c, x);
	put_answer(c, SPAN_NONE, &(struct mcp_answer){ .before = message });
	conn_flush(c);
	return outlives || !c->dead;
}

/* The client cancelled by message: end the event stream without a response. */
static void
http_withdraw(struct exchange *x)
{
	struct conn *c = x->client;

	TAILQ_REMOVE(&c->exchanges, x, of_client);
	if (c->dead)
		return;
	if (c->mode == MODE_SINGLE)
		conn_stream_begin(c);
	end_if_last(c);
}

static void
http_cut(struct exchange *x)
{
	conn_drop(x->client);
}

static struct subscriber *
http_subscriber(struct exchange *x)
{
	return x->front->legacy->subscriber(x);
}

bool
http_address(const struct exchange *x, char out[ADDRESS_TEXT_MAX])
{
	caller_put_address(x->client, out);
	return true;
}

static const struct transport http_transport = {
	.sessions = true, .surface = AUDIT_SURFACE_MCP, .address = http_address,
	.answer = http_answer, .notify = http_notify,
	.can_notify = http_can_notify, .withdraw = http_withdraw, .cut = http_cut,
	.subscriber = http_subscriber,
};

/* The connection is lost.  Legacy requests continue without the connection; modern requests are cancelled. */
void
http_lost(struct conn *c)
{
	struct exchange *x;

	if (c->stream != NULL)
		c->front->legacy->stream_break(c->stream);
	while ((x = TAILQ_FIRST(&c->exchanges)) != NULL) {
		TAILQ_REMOVE(&c->exchanges, x, of_client);
		if (x->session.known && x->transport == &http_transport)
			exchange_orphan(x);
		else
			exchange_abandon(x);
	}
}

void
http_batch_begin(struct conn *c)
{
	c->batching = true;
	if (c->accepts_stream)
		conn_stream_begin(c);
	else
		conn_array_begin(c);
}

void
http_batch_end(struct conn *c)
{
	c->batching = false;
	if (!c->dead)
		end_if_last(c);
}

void
http_error(struct conn *c, int status, const struct mp_value *id, int code, const char *message)
{
	struct http_reply r = { .status = status, .type = "application/json" };
	struct buf body = { .max = 0 }, text = { .max = 0 };

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

/* The parameter that Mcp-Name must repeat, for the methods that have one. */
static const char *
named_by(struct span method)
{
	if (span_is_str(method, "tools/call") || span_is_str(method, "prompts/get"))
		return "name";
	if (span_is_str(method, "resources/read"))
		return "uri";
	if (span_is_str(method, "tasks/get") || span_is_str(method, "tasks/update") ||
	    span_is_str(method, "tasks/cancel"))
		return "taskId";
	return NULL;
}

static bool
check_name(const struct http_request *q, const struct rpc *rpc, struct mcp_refusal *r)
{
	const char *member = named_by(rpc->method);
	struct span header = q->field[HTTP_MCP_NAME];
	struct buf decoded = { .max = 16384 };
	struct mp_value v;
	bool same;

	if (member == NULL || !mp_get(&rpc->params, member, &v) || v.class != MP_STR)
		return true;
	if (header.p == NULL)
		return mcp_refuse(r, RPC_HEADER_MISMATCH, "the Mcp-Name header is missing");
	same = params_decode(header, &decoded) && span_is(buf_view(&decoded), v.s);
	buf_fini(&decoded);
	return same || mcp_refuse(r, RPC_HEADER_MISMATCH, "the Mcp-Name header does not agree with the body");
}

bool
mcp_http_check(const struct http_request *q, const struct rpc *rpc, struct mcp_refusal *r)
{
	struct span version = q->field[HTTP_PROTOCOL_VERSION], method = q->field[HTTP_MCP_METHOD], claimed;

	if (!mcp_check_meta(&rpc->meta, &claimed, r))
		return false;
	if (version.p != NULL && !span_is(version, claimed))
		return mcp_refuse(r, RPC_HEADER_MISMATCH,
		    "the MCP-Protocol-Version header does not agree with the body");
	if (method.p != NULL && !span_is(method, rpc->method))
		return mcp_refuse(r, RPC_HEADER_MISMATCH, "the Mcp-Method header does not agree with the body");
	if (!mcp_check_version(claimed, r))
		return false;
	if (version.p == NULL)
		return mcp_refuse(r, RPC_HEADER_MISMATCH, "the MCP-Protocol-Version header is missing");
	if (method.p == NULL)
		return mcp_refuse(r, RPC_HEADER_MISMATCH, "the Mcp-Method header is missing");
	return check_name(q, rpc, r);
}

static void
serve_modern(struct conn *c, const struct http_request *q, struct principal *who, const struct rpc *rpc)
{
	struct mcp_refusal refusal = { .code = 0 };
	struct exchange *x = http_exchange(c, who, MCP_2026_07_28, &rpc->id);

	if (!mcp_http_check(q, rpc, &refusal))
		mcp_error(x, 400, refusal.code, refusal.message, buf_view(&refusal.data));
	else {
		exchange_accept(x, &rpc->meta);
		x->fields = q->fields;
		if (!mcp_dispatch(x, rpc->method, &rpc->params))
			mcp_error(x, 404, RPC_METHOD_NOT_FOUND, "there is no such method", SPAN_NONE);
	}
	buf_fini(&refusal.data);
}

static void
serve_request(struct conn *c, const struct http_request *q, struct principal *who, const struct rpc *rpc)
{
	if (mcp_has_claim(&rpc->meta)) {
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
		c->front->legacy->request(c, q, who, rpc);
		break;
	}
}

/* No modern notification has an effect: over HTTP a client cancels by closing the connection. */
static void
serve_notification(struct conn *c, const struct http_request *q, struct principal *who, const struct rpc *rpc)
{
	if (mcp_has_claim(&rpc->meta) || http_header_era(q) == HEADER_MODERN)
		http_accepted(c);
	else
		c->front->legacy->notification(c, q, who, rpc);
}

static void
serve_response(struct conn *c, const struct http_request *q, struct principal *who,
    const struct mp_value *message)
{
	if (http_header_era(q) == HEADER_MODERN)
		http_error(c, 400, NULL, RPC_INVALID_REQUEST, "a response is not expected here");
	else
		c->front->legacy->response(c, q, who, message);
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
		c->front->legacy->batch(c, q, who, message);
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

static void
serve_post(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct buf parsed = { .max = 0 };
	struct mp_value message;

	if (http_parse_message(c, body, &parsed, &message))
		serve_message(c, q, who, &message);
	buf_fini(&parsed);
}

void
mcp_http_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	if (q->method == HTTP_POST)
		serve_post(c, q, who, body);
	else if (q->method == HTTP_GET)
		c->front->legacy->get(c, q, who);
	else
		c->front->legacy->delete (c, q, who);
}

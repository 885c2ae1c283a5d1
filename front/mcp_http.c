/*
 * mcp_http.c - MCP over HTTP: which era a message is of, and what each asks
 * of headers and sessions (the ladder of mcp-facts 1.2, earliest failure wins).
 */
#include "base/clock.h"
#include "front/ask.h"
#include "front/conn.h"

#define BATCH_MAX	100u	/* messages in one batch; beyond: 400 */

#define NOTHING		((struct span){ NULL, 0 })

/* An error that no exchange carries: id (may be of class MP_NIL) as far as it is known. */
static void
reply_error(struct conn *c, int status, const struct mp_value *id, int code, const char *message)
{
	struct http_reply r = { .status = status, .type = "application/json" };
	struct buf body = { .max = 0 }, text = { .max = 0 };

	c->front->figures.refused++;
	if (id != NULL)
		rpc_put_id(&text, id);
	rpc_put_error(&body, buf_view(&text), code, message, NOTHING);
	conn_reply(c, &r, buf_view(&body));
	buf_fini(&body);
	buf_fini(&text);
}

static void
reply_accepted(struct conn *c)
{
	struct http_reply r = { .status = 202 };

	conn_reply(c, &r, NOTHING);
}

/* What the MCP-Protocol-Version header says. */
enum header_era { HEADER_ABSENT, HEADER_LEGACY, HEADER_MODERN, HEADER_UNKNOWN };

static enum header_era
header_era(const struct http_request *q)
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

/* The session a legacy message belongs to.  False: the refusal was sent. */
static bool
check_session(struct conn *c, const struct http_request *q, struct principal *who,
    const struct mp_value *id, struct session *session)
{
	struct span given = q->field[HTTP_SESSION_ID];

	if (given.p == NULL) {
		reply_error(c, 400, id, RPC_INVALID_REQUEST,
		    "the Mcp-Session-Id header is missing; initialize opens a session");
		return false;
	}
	if (!session_check(c->front->sessions, given, span_str(who->id), clock_unix_ms() / 1000, session)) {
		reply_error(c, 404, id, RPC_INVALID_REQUEST,
		    "there is no such session, or it has ended; initialize opens a new one");
		return false;
	}
	return true;
}

/* --- modern ----------------------------------------------------------------------------------- */

static void
serve_modern(struct conn *c, const struct http_request *q, struct principal *who, const struct rpc *rpc)
{
	struct mcp_headers headers = {
		q->field[HTTP_PROTOCOL_VERSION], q->field[HTTP_MCP_METHOD], q->field[HTTP_MCP_NAME]
	};
	struct mcp_refusal refusal = { .status = 0 };
	struct exchange *x = conn_exchange(c, who, MCP_2026_07_28, &rpc->id);

	mcp_modern_check(rpc, &headers, &refusal);
	if (refusal.status != 0)
		mcp_error(x, refusal.status, refusal.code, refusal.message, buf_view(&refusal.data));
	else {
		mcp_modern_client(x, &rpc->params);
		if (!mcp_dispatch(x, rpc->method, &rpc->params))
			mcp_error(x, 404, RPC_METHOD_NOT_FOUND, "there is no such method", NOTHING);
	}
	buf_fini(&refusal.data);
}

/* --- legacy ------------------------------------------------------------------------------------ */

static void
dispatch_legacy(struct exchange *x, const struct rpc *rpc)
{
	if (!mcp_dispatch(x, rpc->method, &rpc->params))
		mcp_error(x, 200, RPC_METHOD_NOT_FOUND, "there is no such method", NOTHING);
}

static struct exchange *
legacy_exchange(struct conn *c, struct principal *who, const struct session *session,
    const struct mp_value *id)
{
	struct exchange *x = conn_exchange(c, who, (enum mcp_revision)session->revision, id);

	memcpy(x->session, session->body, SESSION_BODY);
	x->has_session = true;
	x->can = session->can;
	x->notices = session->notices;
	return x;
}

static void
serve_legacy(struct conn *c, const struct http_request *q, struct principal *who, const struct rpc *rpc)
{
	struct session session;

	if (span_is_str(rpc->method, "initialize"))
		dispatch_legacy(conn_exchange(c, who, MCP_LATEST_LEGACY, &rpc->id), rpc);
	else if (check_session(c, q, who, &rpc->id, &session))
		dispatch_legacy(legacy_exchange(c, who, &session, &rpc->id), rpc);
}

/* notifications/cancelled of a session; everything else needs no action yet. */
static void
notice(struct conn *c, const struct rpc *rpc, const struct session *session)
{
	struct exchange *x;

	if (span_is_str(rpc->method, "notifications/cancelled") &&
	    (x = exchange_find(c->front, NULL, session->body, &rpc->params)) != NULL)
		exchange_withdraw(x);
}

static void
serve_notification(struct conn *c, const struct http_request *q, struct principal *who,
    const struct rpc *rpc)
{
	struct mp_value version;
	struct session session;
	enum header_era era = header_era(q);

	if (mcp_has_claim(&rpc->params, &version) || era == HEADER_MODERN ||
	    (era != HEADER_UNKNOWN && q->field[HTTP_SESSION_ID].p == NULL)) {
		reply_accepted(c);
		return;
	}
	if (era == HEADER_UNKNOWN) {
		reply_error(c, 400, NULL, RPC_INVALID_REQUEST, "this MCP-Protocol-Version is not supported");
		return;
	}
	if (!check_session(c, q, who, NULL, &session))
		return;
	notice(c, rpc, &session);
	reply_accepted(c);
}

static void
serve_request(struct conn *c, const struct http_request *q, struct principal *who, const struct rpc *rpc)
{
	struct mp_value version;

	if (mcp_has_claim(&rpc->params, &version)) {
		serve_modern(c, q, who, rpc);
		return;
	}
	switch (header_era(q)) {
	case HEADER_MODERN:
		if (span_is_str(rpc->method, "initialize"))
			reply_error(c, 400, &rpc->id, RPC_HEADER_MISMATCH,
			    "initialize is not part of the revision that MCP-Protocol-Version names");
		else
			reply_error(c, 400, &rpc->id, RPC_INVALID_PARAMS,
			    "_meta[\"io.modelcontextprotocol/protocolVersion\"] is missing");
		break;
	case HEADER_UNKNOWN:
		reply_error(c, 400, &rpc->id, RPC_INVALID_REQUEST, "this MCP-Protocol-Version is not supported");
		break;
	default:
		serve_legacy(c, q, who, rpc);
		break;
	}
}

/* A client's answer to a request of ours. */
static void
serve_response(struct conn *c, const struct http_request *q, struct principal *who,
    const struct mp_value *message)
{
	struct session session;

	if (header_era(q) == HEADER_MODERN)
		reply_error(c, 400, NULL, RPC_INVALID_REQUEST, "a response is not expected here");
	else if (!check_session(c, q, who, NULL, &session))
		return;
	else if (ask_answered(c->front, NULL, session.body, message))
		reply_accepted(c);
	else
		reply_error(c, 400, NULL, RPC_INVALID_REQUEST, "nothing was asked under this id, or no answer is waited for any more");
}

/* --- batches: sessions of 2025-03-26 only --------------------------------------------------------- */

static const char *
check_batch(const struct mp_value *batch, const struct http_request *q)
{
	struct mp_iter it = mp_iter(batch);
	struct mp_value message, params, version;

	if (batch->n == 0)
		return "a batch must not be empty";
	if (batch->n > BATCH_MAX)
		return "a batch may hold 100 messages";
	if (header_era(q) == HEADER_MODERN)
		return "batches are not part of this revision";
	while (mp_next(&it, &message))
		if (mp_get(&message, "params", &params) && mcp_has_claim(&params, &version))
			return "batches are not part of this revision";
	return NULL;
}

static void
serve_batched(struct conn *c, struct principal *who, const struct mp_value *message,
    const struct session *session)
{
	struct exchange *x;
	struct rpc rpc;

	rpc_read(message, &rpc);
	switch (rpc.kind) {
	case RPC_REQUEST:
		x = legacy_exchange(c, who, session, &rpc.id);
		if (span_is_str(rpc.method, "initialize"))
			mcp_error(x, 200, RPC_INVALID_REQUEST, "initialize must not be part of a batch", NOTHING);
		else
			dispatch_legacy(x, &rpc);
		break;
	case RPC_INVALID:
		x = legacy_exchange(c, who, session, &rpc.id);
		mcp_error(x, 200, RPC_INVALID_REQUEST, rpc.problem, NOTHING);
		break;
	case RPC_NOTIFICATION:
		notice(c, &rpc, session);
		break;
	case RPC_RESPONSE:
		ask_answered(c->front, NULL, session->body, message);
		break;
	}
}

static void
serve_batch(struct conn *c, const struct http_request *q, struct principal *who,
    const struct mp_value *batch)
{
	const char *problem = check_batch(batch, q);
	struct mp_iter it = mp_iter(batch);
	struct session session;
	struct mp_value message;
	bool answers = false;

	if (problem == NULL && q->field[HTTP_SESSION_ID].p == NULL)
		problem = "a batch needs a session of 2025-03-26";
	if (problem != NULL) {
		reply_error(c, 400, NULL, RPC_INVALID_REQUEST, problem);
		return;
	}
	if (!check_session(c, q, who, NULL, &session))
		return;
	if (session.revision != MCP_2025_03_26) {
		reply_error(c, 400, NULL, RPC_INVALID_REQUEST, "batches are not part of this session's revision");
		return;
	}
	while (mp_next(&it, &message)) {
		struct rpc rpc;

		rpc_read(&message, &rpc);
		answers |= rpc.kind == RPC_REQUEST || rpc.kind == RPC_INVALID;
	}
	if (answers)
		conn_batch_begin(c);
	it = mp_iter(batch);
	while (!c->dead && mp_next(&it, &message))
		serve_batched(c, who, &message, &session);
	if (answers)
		conn_batch_end(c);
	else
		reply_accepted(c);
}

/* --- the two methods ---------------------------------------------------------------------------- */

void
mcp_http_post(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct buf *parsed = &c->front->parsed;
	struct mp_value message;
	enum json_fault fault;
	struct rpc rpc;
	size_t at;

	buf_reset(parsed, 1u << 20);
	fault = json_read(body, parsed, &at);
	if (fault != JSON_OK || !mp_value(buf_view(parsed), &message)) {
		reply_error(c, 400, NULL, rpc_code_of_fault(fault), json_fault_text(fault));
		return;
	}
	if (message.class == MP_ARRAY) {
		serve_batch(c, q, who, &message);
		return;
	}
	rpc_read(&message, &rpc);
	switch (rpc.kind) {
	case RPC_REQUEST:
		serve_request(c, q, who, &rpc);
		break;
	case RPC_NOTIFICATION:
		serve_notification(c, q, who, &rpc);
		break;
	case RPC_RESPONSE:
		serve_response(c, q, who, &message);
		break;
	case RPC_INVALID:
		reply_error(c, 400, &rpc.id, RPC_INVALID_REQUEST, rpc.problem);
		break;
	}
}

/* The work of a session that ended is stopped; its streams end without an answer. */
static void
stop_session(struct front *f, const uint8_t body[SESSION_BODY])
{
	struct exchange *x;

	do {	/* from the start again: ending one may end others of the same connection */
		LIST_FOREACH(x, &f->running, running)
			if (x->has_session && x->call != NULL &&
			    memcmp(x->session, body, SESSION_BODY) == 0)
				break;
		if (x != NULL)
			exchange_withdraw(x);
	} while (x != NULL);
}

void
mcp_http_delete(struct conn *c, const struct http_request *q, struct principal *who)
{
	struct http_reply r = { .status = 405, .allow = "POST" }, done = { .status = 200 };
	struct session session;

	if (header_era(q) == HEADER_MODERN) {
		conn_refuse(c, 405, "there are no sessions in this revision", &r);
		return;
	}
	if (!check_session(c, q, who, NULL, &session))
		return;
	session_end(c->front->sessions, session.body, clock_unix_ms() / 1000);
	control_session_ended(c->front, session.body);
	stop_session(c->front, session.body);
	conn_reply(c, &done, NOTHING);
}

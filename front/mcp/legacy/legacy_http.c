/*
 * legacy_http.c - the streamable HTTP transport of 2025-03-26 to 2025-11-25: sessions, their event
 * streams, and the batches of 2025-03-26.
 */
#include "base/json/json_put.h"
#include "base/system/clock.h"
#include "front/mcp/elicit.h"
#include "front/mcp/legacy/batch.h"
#include "front/http/conn_write.h"
#include "front/to_supervisor.h"
#include "front/mcp/legacy/hub.h"
#include "front/mcp/legacy/legacy_http.h"
#include "front/mcp/mcp_handlers.h"
#include "front/mcp/mcp_http.h"
#include "front/mcp/session_over.h"

/* Find the session of a legacy message.  False: the refusal was sent. */
static bool
check_session(struct conn *c, const struct http_request *q, struct principal *who,
    const struct mp_value *id, struct session *session)
{
	struct span given = q->field[HTTP_SESSION_ID];

	if (given.p == NULL) {
		http_error(c, 400, id, RPC_INVALID_REQUEST,
		    "the Mcp-Session-Id header is missing; initialize opens a session");
		return false;
	}
	if (!session_check(c->front->sessions, given, principal_binding(who), clock_unix_ms() / 1000, session)) {
		http_error(c, 404, id, RPC_INVALID_REQUEST,
		    "there is no such session, or it has ended; initialize opens a new one");
		return false;
	}
	return true;
}

static void
legacy_http_dispatch(struct exchange *x, const struct rpc *rpc)
{
	if (!mcp_dispatch(x, rpc->method, &rpc->params))
		mcp_error(x, 200, RPC_METHOD_NOT_FOUND, "there is no such method", SPAN_NONE);
}

static struct exchange *
session_exchange(struct conn *c, struct principal *who, const struct session *session,
    const struct mp_value *id)
{
	struct exchange *x = http_exchange(c, who, (enum mcp_revision)session->revision, id);

	memcpy(x->session.body, session->body, SESSION_BODY);
	x->session.known = true;
	/* With several fronts the client's answer may reach another front, where the question is not known. */
	x->accepts.can = c->front->conf.alone ? session->can : 0;
	x->accepts.notices = session->notices;
	return x;
}

static void
legacy_request(struct conn *c, const struct http_request *q, struct principal *who, const struct rpc *rpc)
{
	struct session session;

	if (span_is_str(rpc->method, "initialize"))
		legacy_http_dispatch(http_exchange(c, who, MCP_LATEST_LEGACY, &rpc->id), rpc);
	else if (check_session(c, q, who, &rpc->id, &session))
		legacy_http_dispatch(session_exchange(c, who, &session, &rpc->id), rpc);
}

void
legacy_notice(struct front *f, const struct rpc *rpc, const uint8_t session[SESSION_BODY])
{
	struct exchange *x;

	if (span_is_str(rpc->method, "notifications/cancelled") &&
	    (x = exchange_find(f, NULL, session, &rpc->params)) != NULL)
		exchange_withdraw(x);
}

static void
legacy_notification(struct conn *c, const struct http_request *q, struct principal *who,
    const struct rpc *rpc)
{
	struct session session;

	if (http_header_era(q) == HEADER_UNKNOWN) {
		http_error(c, 400, NULL, RPC_INVALID_REQUEST, "this MCP-Protocol-Version is not supported");
		return;
	}
	/* A notification without a session has no effect. */
	if (q->field[HTTP_SESSION_ID].p != NULL) {
		if (!check_session(c, q, who, NULL, &session))
			return;
		legacy_notice(c->front, rpc, session.body);
	}
	http_accepted(c);
}

/* A client's response to a question. */
static void
legacy_response(struct conn *c, const struct http_request *q, struct principal *who,
    const struct mp_value *message)
{
	struct session session;

	if (http_header_era(q) == HEADER_UNKNOWN)
		http_error(c, 400, NULL, RPC_INVALID_REQUEST, "this MCP-Protocol-Version is not supported");
	else if (!check_session(c, q, who, NULL, &session))
		return;
	else if (elicit_answered(c->front, NULL, session.body, message))
		http_accepted(c);
	else
		http_error(c, 400, NULL, RPC_INVALID_REQUEST,
		    "nothing was asked under this id, or no answer is waited for any more");
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
		x = session_exchange(c, who, session, &rpc.id);
		if (span_is_str(rpc.method, "initialize"))
			mcp_error(x, 200, RPC_INVALID_REQUEST, "initialize must not be part of a batch", SPAN_NONE);
		else
			legacy_http_dispatch(x, &rpc);
		break;
	case RPC_INVALID:
		x = session_exchange(c, who, session, &rpc.id);
		mcp_error(x, 200, RPC_INVALID_REQUEST, rpc.problem, SPAN_NONE);
		break;
	case RPC_NOTIFICATION:
		legacy_notice(c->front, &rpc, session->body);
		break;
	case RPC_RESPONSE:
		elicit_answered(c->front, NULL, session->body, message);
		break;
	}
}

static void
legacy_batch(struct conn *c, const struct http_request *q, struct principal *who,
    const struct mp_value *batch)
{
	struct mp_iter it = mp_iter(batch);
	const char *problem = NULL;
	struct session session;
	struct mp_value message;
	bool answers = false;

	if (http_header_era(q) == HEADER_MODERN)
		problem = "batches are not part of this revision";
	else if (http_header_era(q) == HEADER_UNKNOWN)
		problem = "this MCP-Protocol-Version is not supported";
	else if (q->field[HTTP_SESSION_ID].p == NULL && (problem = batch_problem(batch, MCP_2025_03_26)) == NULL)
		problem = "a batch needs a session of 2025-03-26";
	if (problem == NULL && !check_session(c, q, who, NULL, &session))
		return;
	if (problem == NULL)
		problem = batch_problem(batch, (enum mcp_revision)session.revision);
	if (problem != NULL) {
		http_error(c, 400, NULL, RPC_INVALID_REQUEST, problem);
		return;
	}
	while (mp_next(&it, &message)) {
		struct rpc rpc;

		rpc_read(&message, &rpc);
		answers |= rpc.kind == RPC_REQUEST || rpc.kind == RPC_INVALID;
	}
	if (answers)
		http_batch_begin(c);
	it = mp_iter(batch);
	while (!c->dead && mp_next(&it, &message))
		serve_batched(c, who, &message, &session);
	if (answers)
		http_batch_end(c);
	else
		http_accepted(c);
}

bool
legacy_check_get(struct conn *c, const struct http_request *q)
{
	struct http_reply modern = { .status = 405, .allow = "POST" };

	switch (http_header_era(q)) {
	case HEADER_MODERN:
		conn_refuse(c, 405, "there are no sessions in this revision", &modern);
		return false;
	case HEADER_UNKNOWN:
		http_error(c, 400, NULL, RPC_INVALID_REQUEST, "this MCP-Protocol-Version is not supported");
		return false;
	default:
		break;
	}
	/*
	 * A GET can only be answered with an event stream, so a wildcard or an absent Accept is enough (RFC
	 * 9110, 12.5.1).
	 */
	if (!q->takes_stream) {
		conn_refuse(c, 406, "the answer is a stream: Accept must allow text/event-stream", NULL);
		return false;
	}
	if (c->front->stop.begun) {
		conn_refuse(c, 503, "the server is stopping",
		    &(struct http_reply){ .refusal = ERR_SERVICE_UNAVAILABLE });
		return false;
	}
	return true;
}

/* Open another standing stream.  Beyond the bound the oldest is closed: most likely its client has gone. */
static void
open_standing(struct conn *c, struct hub *h)
{
	struct stream *s, *next, *own;

	conn_stream_begin(c);
	own = stream_open(h, c, true);
	for (s = TAILQ_FIRST(&h->streams); s != NULL; s = next) {
		next = stream_next(s);
		if (s == own || !stream_is_standing(s))
			continue;
		if (stream_conn(s) == NULL)
			stream_adopt(own, s);
		else if (h->nstanding > STREAM_STANDING_MAX)
			stream_close(s);
	}
}

static void
legacy_get(struct conn *c, const struct http_request *q, struct principal *who)
{
	struct span last = q->field[HTTP_LAST_EVENT_ID];
	struct event_id id = { .standing = true };
	struct session session;
	struct hub *h;

	if (!legacy_check_get(c, q) || !check_session(c, q, who, NULL, &session))
		return;
	if (last.p != NULL && last.len > 0 && !event_id_parse(last, &id)) {
		http_error(c, 400, NULL, RPC_INVALID_REQUEST, "the Last-Event-ID was not given out by this server");
		return;
	}
	h = hub_of(c->front, who, session.body, (enum mcp_revision)session.revision);
	hub_subscriber(h);
	if (last.len == 0 || !stream_resume(h, c, &id)) {
		if (id.standing)
			open_standing(c, h); /* the stream is unknown here: begin a new one */
		else {
			conn_stream_begin(c);
			conn_stream_end(c);
		}
	}
	conn_flush(c);
}

static void
legacy_delete(struct conn *c, const struct http_request *q, struct principal *who)
{
	struct http_reply modern = { .status = 405, .allow = "POST" };
	struct http_reply done = { .status = 200, .type = "application/json" };
	struct buf body = { .max = 0 };
	struct session session;

	switch (http_header_era(q)) {
	case HEADER_MODERN:
		conn_refuse(c, 405, "there are no sessions in this revision", &modern);
		return;
	case HEADER_UNKNOWN:
		http_error(c, 400, NULL, RPC_INVALID_REQUEST, "this MCP-Protocol-Version is not supported");
		return;
	default:
		break;
	}
	if (!check_session(c, q, who, NULL, &session))
		return;
	hub_session_ended(c->front, session.body);
	supervisor_session_ended(c->front, session.body);
	session_over_tell(c->front, session.body);
	audit_session_ended(c->front, span_str(who->id));
	json_put_object(&body, NULL);
	json_put_cstr(&body, "message", "Session terminated");
	json_end_object(&body);
	conn_reply(c, &done, buf_view(&body));
	buf_fini(&body);
}

/* A client of 2025-03-26 or later can resume the stream for missed events. */
static void
legacy_stream(struct conn *c, const struct exchange *x)
{
	struct hub *h = x->session.known && !mcp_is_modern(x) && x->revision >= MCP_2025_03_26 ?
	    hub_of(c->front, x->who, x->session.body, x->revision) :
	    NULL;

	if (h != NULL)
		stream_open(h, c, false);
}

static struct subscriber *
legacy_subscriber(const struct exchange *x)
{
	struct hub *h = x->session.known ? hub_of(x->front, x->who, x->session.body, x->revision) : NULL;

	return h == NULL ? NULL : hub_subscriber(h);
}

const struct era legacy_era = {
	.request = legacy_request, .notification = legacy_notification, .response = legacy_response,
	.batch = legacy_batch, .get = legacy_get, .delete = legacy_delete,
	.stream_begin = legacy_stream, .stream_put = stream_put, .stream_finish = stream_finish,
	.stream_break = stream_break, .subscriber = legacy_subscriber,
};

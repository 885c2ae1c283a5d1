/*
 * sse.c - the HTTP+SSE transport of 2024-11-05: one event stream for all server messages, and POSTs
 * for client messages.  The session begins and ends with the stream.
 */
#include "base/system/clock.h"
#include "front/mcp/elicit.h"
#include "front/mcp/legacy/batch.h"
#include "front/http/conn_write.h"
#include "front/to_supervisor.h"
#include "front/mcp/legacy/hub.h"
#include "front/mcp/legacy/legacy_http.h"
#include "front/mcp/mcp_handlers.h"
#include "front/mcp/mcp_http.h"
#include "front/mcp/legacy/sse.h"

#define MESSAGE		SPAN("event: message\n")
#define QUEUE_MAX	256u	/* unanswered messages of one stream; beyond: 503 */

static void
leave_if_stopping(struct conn *c)
{
	if (c->front->stop.begun && TAILQ_EMPTY(&c->exchanges))
		conn_stream_end(c);
}

static void
sse_answer(struct exchange *x, const struct mcp_answer *a)
{
	struct conn *c = x->client;

	TAILQ_REMOVE(&c->exchanges, x, of_client);
	if (c->dead || c->hub == NULL) {
		result_free(a->result); /* the session and its stream have ended already */
		return;
	}
	conn_stream_put(c, MESSAGE, a);
	leave_if_stopping(c);
	conn_flush(c);
}

static bool
sse_notify(struct exchange *x, struct span message)
{
	struct conn *c = x->client;

	conn_stream_put(c, MESSAGE, &(struct mcp_answer){ .before = message });
	conn_flush(c);
	return !c->dead;
}

static bool
sse_can_notify(const struct exchange *x)
{
	const struct conn *c = x->client;

	return !c->dead && c->hub != NULL && out_pending(&c->out) < CONN_NOTIFY_MAX;
}

static void
sse_withdraw(struct exchange *x)
{
	struct conn *c = x->client;

	TAILQ_REMOVE(&c->exchanges, x, of_client);
}

static struct subscriber *
sse_subscriber(struct exchange *x)
{
	struct conn *c = x->client;

	return c->hub == NULL ? NULL : hub_subscriber(c->hub);
}

static void
sse_remember(struct exchange *x)
{
	struct conn *c = x->client;

	if (c->hub == NULL)
		return;
	c->hub->revision = x->revision;
	c->hub->can = x->accepts.can;
	session_set_client(x->front->sessions, c->hub->session, audit_client(x));
}

static const struct transport sse_transport = {
	.sessions = false, .surface = AUDIT_SURFACE_MCP, .address = http_address,
	.answer = sse_answer, .notify = sse_notify,
	.can_notify = sse_can_notify, .withdraw = sse_withdraw, .subscriber = sse_subscriber,
	.remember = sse_remember,
};

void
sse_open(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct front *f = c->front;
	uint64_t now = clock_unix_ms() / 1000;
	char id[SESSION_ID_MAX + 1];
	struct session session;
	struct buf event = { .max = 0 };

	(void)body;
	if (!f->conf.alone) {
		/* The client's POSTs could reach another front. */
		conn_refuse(c, 404, "HTTP+SSE needs server.fronts: 1; use /mcp", NULL);
		return;
	}
	if (!legacy_check_get(c, q))
		return;
	session_begin(f->sessions, MCP_2024_11_05, 0, principal_binding(who), SPAN_NONE, now, id);
	session_check(f->sessions, span_str(id), principal_binding(who), now, &session);
	c->hub = hub_of(f, who, session.body, MCP_LATEST_LEGACY); /* until initialize sets the negotiated revision */
	c->hub->sse = c;
	conn_stream_begin(c);
	/* A relative URL has the same origin, whatever path or host a proxy shows. */
	buf_printf(&event, "event: endpoint\ndata: " SSE_POST_PATH "?sessionId=%s\n\n", id);
	conn_stream_raw(c, buf_view(&event));
	buf_fini(&event);
	conn_flush(c);
}

void
sse_lost(struct conn *c)
{
	struct hub *h = c->hub;
	uint8_t session[SESSION_BODY];

	memcpy(session, h->session, SESSION_BODY);
	c->hub = NULL;
	h->sse = NULL;
	hub_session_ended(c->front, session);
	supervisor_session_ended(c->front, session);
}

void
sse_stopping(struct conn *c)
{
	leave_if_stopping(c);
	conn_flush(c);
}

/* The stream of ?sessionId=. NULL: no such stream of this principal. */
static struct conn *
stream_of(struct conn *c, const struct http_request *q, struct principal *who, unsigned *notices)
{
	static const char name[] = "sessionId=";
	size_t n = sizeof(name) - 1;
	struct session session;
	struct hub *h;

	if (q->query.len <= n || memcmp(q->query.p, name, n) != 0 ||
	    !session_check(c->front->sessions, span_of(q->query.p + n, q->query.len - n), principal_binding(who),
		clock_unix_ms() / 1000, &session))
		return NULL;
	*notices = session.notices;
	h = hub_find(c->front, session.body);
	return h == NULL ? NULL : h->sse;
}

static void
serve_request(struct conn *stream, struct principal *who, unsigned notices, const struct rpc *rpc)
{
	struct exchange *x = exchange_new(stream->front, &sse_transport, stream, who, stream->hub->revision, &rpc->id);

	memcpy(x->session.body, stream->hub->session, SESSION_BODY);
	x->session.known = true;
	x->accepts.can = stream->hub->can;
	x->accepts.notices = notices;
	TAILQ_INSERT_TAIL(&stream->exchanges, x, of_client);
	if (rpc->kind == RPC_INVALID)
		mcp_error(x, 200, RPC_INVALID_REQUEST, rpc->problem, SPAN_NONE);
	else if (!mcp_dispatch(x, rpc->method, &rpc->params))
		mcp_error(x, 200, RPC_METHOD_NOT_FOUND, "there is no such method", SPAN_NONE);
}

static void
serve_message(struct conn *stream, struct principal *who, unsigned notices, const struct mp_value *message)
{
	struct rpc rpc;

	rpc_read(message, &rpc);
	switch (rpc.kind) {
	case RPC_REQUEST:
	case RPC_INVALID:
		serve_request(stream, who, notices, &rpc);
		break;
	case RPC_NOTIFICATION:
		if (span_is_str(rpc.method, "notifications/initialized"))
			hub_subscriber(stream->hub);
		else
			legacy_notice(stream->front, &rpc, stream->hub->session);
		break;
	case RPC_RESPONSE:
		elicit_answered(stream->front, NULL, stream->hub->session, message);
		break;
	}
}

/* Answered one by one, as this revision allows on streams. */
static void
serve_batch(struct conn *c, struct conn *stream, struct principal *who, unsigned notices,
    const struct mp_value *batch)
{
	const char *problem = batch_problem(batch, stream->hub->revision);
	struct mp_iter it = mp_iter(batch);
	struct mp_value message;

	if (problem != NULL) {
		http_error(c, 400, NULL, RPC_INVALID_REQUEST, problem);
		return;
	}
	http_accepted(c);
	while (!stream->dead && mp_next(&it, &message))
		serve_message(stream, who, notices, &message);
}

static void
serve_posted(struct conn *c, struct conn *stream, struct principal *who, unsigned notices, const struct mp_value *message)
{
	struct rpc rpc;

	if (message->class == MP_ARRAY) {
		serve_batch(c, stream, who, notices, message);
		return;
	}
	rpc_read(message, &rpc);
	if (rpc.kind == RPC_INVALID) {
		http_error(c, 400, &rpc.id, RPC_INVALID_REQUEST, rpc.problem);
		return;
	}
	http_accepted(c);
	serve_message(stream, who, notices, message);
}

void
sse_post(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	unsigned notices = 0;
	struct conn *stream = stream_of(c, q, who, &notices);
	struct buf parsed = { .max = 0 };
	struct mp_value message;

	if (stream == NULL)
		http_error(c, 404, NULL, RPC_INVALID_REQUEST, "there is no such session, or its stream has ended");
	else if (http_header_era(q) == HEADER_UNKNOWN || http_header_era(q) == HEADER_MODERN)
		http_error(c, 400, NULL, RPC_INVALID_REQUEST, "this MCP-Protocol-Version is not supported here");
	else if (stream->out.n >= QUEUE_MAX || out_pending(&stream->out) >= CONN_NOTIFY_MAX)
		http_error(c, 503, NULL, RPC_INTERNAL, "the client does not read this session's event stream");
	else if (http_parse_message(c, body, &parsed, &message))
		serve_posted(c, stream, who, notices, &message);
	buf_fini(&parsed);
}

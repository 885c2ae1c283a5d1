/* http_transport.c - exchanges on HTTP connections: one response, or an event stream that ends with the response. */
#include "front/audit_requests.h"
#include "front/conn.h"
#include "front/conn_write.h"
#include "front/http_transport.h"
#include "front/hub.h"

#define MESSAGE	SPAN("event: message\n")

/* --- streams ---------------------------------------------------------------------------- */

/* Whether a client of this session can resume the stream for missed events. */
static bool
is_resumable(const struct exchange *x)
{
	return x->session.known && !mcp_is_modern(x) && x->revision >= MCP_2025_03_26;
}

/* Turn the response into an event stream. */
static void
begin_stream(struct conn *c, const struct exchange *x)
{
	struct hub *h = is_resumable(x) ? hub_of(c->front, x->who, x->session.body, x->revision) : NULL;

	conn_stream_begin(c);
	if (h != NULL)
		stream_open(h, c, false);
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
http_transport_put(struct conn *c, struct span answers, const struct mcp_answer *a)
{
	if (c->stream != NULL)
		stream_put(c->stream, answers, a);
	else
		conn_stream_put(c, MESSAGE, a);
}

static void
end_if_last(struct conn *c)
{
	if (TAILQ_EMPTY(&c->exchanges) && !c->batching) {
		conn_stream_end(c);
		if (c->stream != NULL)
			stream_finish(c->stream);
	}
	conn_flush(c);
}

/* --- the transport ------------------------------------------------------------------------ */

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
	http_transport_put(c, buf_view(&x->id), a);
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
	http_transport_put(c, SPAN_NONE, &(struct mcp_answer){ .before = message });
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
	struct hub *h = x->session.known ? hub_of(x->front, x->who, x->session.body, x->revision) : NULL;

	return h == NULL ? NULL : hub_subscriber(h);
}

bool
http_address(const struct exchange *x, char out[ADDRESS_TEXT_MAX])
{
	audit_address(x->client, out);
	return true;
}

const struct transport http_transport = {
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
		stream_break(c->stream);
	while ((x = TAILQ_FIRST(&c->exchanges)) != NULL) {
		TAILQ_REMOVE(&c->exchanges, x, of_client);
		if (x->session.known && x->transport == &http_transport)
			exchange_orphan(x);
		else
			exchange_abandon(x);
	}
}

/* --- batches -------------------------------------------------------------------------------- */

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

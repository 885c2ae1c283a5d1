#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "front/http/conn.h"
#include "front/http/conn_write.h"
#include "front/mcp/legacy/hub.h"
#include "front/calls/metering.h"
#include "front/mcp/legacy/sse.h"

struct hub *
hub_find(struct front *f, const uint8_t session[SESSION_BODY])
{
	void **own = session_own(f->sessions, session);

	return own == NULL ? NULL : *own;
}

struct hub *
hub_of(struct front *f, struct principal *who, const uint8_t session[SESSION_BODY], enum mcp_revision revision)
{
	void **own = session_own(f->sessions, session);
	struct hub *h;

	if (own == NULL || *own != NULL)
		return own == NULL ? NULL : *own;
	h = mem_new(1, sizeof(*h));
	h->front = f;
	h->who = who;
	h->revision = revision;
	memcpy(h->session, session, SESSION_BODY);
	TAILQ_INIT(&h->streams);
	LIST_INSERT_HEAD(&f->hubs.all, h, of_front);
	*own = h;
	return h;
}

void
hub_gone(void *hub)
{
	struct hub *h = hub;
	struct conn *sse = h->sse;
	struct stream *s;

	while ((s = TAILQ_FIRST(&h->streams)) != NULL)
		stream_close(s);
	if (h->subscribing)
		subscriber_end(h->front, &h->subscriber);
	LIST_REMOVE(h, of_front);
	if (h->is_empty)
		TAILQ_REMOVE(&h->front->hubs.empty, h, empty);
	free(h);
	if (sse != NULL) {
		sse->hub = NULL;
		sse->close = true;
		conn_stream_end(sse);
		conn_flush(sse);
	}
}

void
hub_emptied(struct hub *h)
{
	if (h->is_empty)
		return;
	h->is_empty = true;
	TAILQ_INSERT_TAIL(&h->front->hubs.empty, h, empty);
}

void
hubs_tick(struct front *f)
{
	struct hub *h;

	while ((h = TAILQ_FIRST(&f->hubs.empty)) != NULL) {
		void **own = session_own(f->sessions, h->session);

		TAILQ_REMOVE(&f->hubs.empty, h, empty);
		h->is_empty = false;
		if (!TAILQ_EMPTY(&h->streams) || h->subscriber.nuris > 0 || h->sse != NULL)
			continue;
		if (own != NULL)
			*own = NULL;
		hub_gone(h);
	}
}

bool
hub_in_use(void *hub)
{
	const struct hub *h = hub;

	return h->nstanding > 0 || h->sse != NULL;
}

/* The stream for messages outside a request: one with a connection, else the last one that lost its connection. */
static struct stream *
hub_standing(const struct hub *h)
{
	struct stream *s, *last = NULL;

	for (s = TAILQ_FIRST(&h->streams); s != NULL; s = stream_next(s)) {
		if (!stream_is_standing(s))
			continue;
		if (stream_conn(s) != NULL)
			return s;
		last = s;
	}
	return last;
}

/* Cut off a client that does not read its stream.  True when the client keeps up. */
static bool
keeps_up(struct conn *c)
{
	if (out_pending(&c->out) < CONN_NOTIFY_MAX)
		return true;
	metering_log_refusal(c->front, "cut off a client that does not read its stream");
	conn_drop(c);
	return false;
}

/* Send a message outside a request, on exactly one stream of the session.  False: the session has ended. */
static bool
deliver(struct hub *h, struct span message)
{
	const struct mcp_answer a = { .before = message };
	struct conn *c = h->sse;
	struct stream *s;

	if (c != NULL) {
		if (keeps_up(c)) {
			conn_stream_put(c, SPAN("event: message\n"), &a);
			conn_flush(c);
		}
		return !c->dead; /* an HTTP+SSE session ends with its connection */
	}
	if ((s = hub_standing(h)) == NULL)
		return true; /* no stream is open */
	if (stream_conn(s) != NULL && !keeps_up(stream_conn(s)))
		s = hub_standing(h);
	stream_put(s, SPAN_NONE, &a);
	/* Writing may find that the connection is lost.  Then the message moves to another stream, or is kept. */
	while ((c = stream_conn(s)) != NULL) {
		struct stream *gone = s;

		conn_flush(c);
		if (stream_conn(s) != NULL)
			break;
		stream_missed(s);
		if ((s = hub_standing(h)) != gone)
			stream_adopt(s, gone);
	}
	return true;
}

static bool
hub_send_change(struct subscriber *s, struct span message)
{
	return deliver(s->owner, message);
}

struct subscriber *
hub_subscriber(struct hub *h)
{
	if (!h->subscribing) {
		h->subscribing = true;
		h->subscriber =
		    (struct subscriber){ .lists = IPC_LISTS_ALL, .send = hub_send_change, .who = h->who, .owner = h };
		subscriber_begin(h->front, &h->subscriber);
	}
	return &h->subscriber;
}

/* A running call of the session; NULL: none. */
static struct exchange *
call_of(const struct front *f, const uint8_t session[SESSION_BODY])
{
	struct exchange *x;

	LIST_FOREACH(x, &f->running, running)
		if (x->session.known && x->stage == EXCHANGE_CALLING &&
		    memcmp(x->session.body, session, SESSION_BODY) == 0)
			return x;
	return NULL;
}

void
hub_session_ended(struct front *f, const uint8_t session[SESSION_BODY])
{
	struct exchange *x;

	/* Search from the start each time: ending one call may end others on the same connection. */
	while ((x = call_of(f, session)) != NULL)
		exchange_withdraw(x);
	session_end(f->sessions, session, clock_unix_ms() / 1000);
}

void
hubs_shutdown(struct front *f)
{
	struct stream *s, *next;
	struct hub *h, *other;

	/* Ending an SSE stream ends its hub. */
	for (h = LIST_FIRST(&f->hubs.all); h != NULL; h = other) {
		other = LIST_NEXT(h, of_front);
		for (s = TAILQ_FIRST(&h->streams); s != NULL; s = next) {
			next = stream_next(s);
			if (stream_is_standing(s))
				stream_close(s);
		}
		if (h->sse != NULL)
			sse_stopping(h->sse);
	}
}

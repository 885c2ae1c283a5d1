/* conn_write.c - see conn.h: answers on their way out. */
#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "front/conn.h"

#define EVENT_BEGIN	"event: message\ndata: "	/* one line of JSON, always: see mcp-facts 4.1 */
#define EVENT_END	"\n\n"

static const char json_type[] = "application/json";

/* --- getting bytes out ---------------------------------------------------------------- */

/* The response is out: the next request, or the end. */
static void
response_ended(struct conn *c)
{
	c->mode = MODE_SINGLE;
	c->cors = NULL;
	if (c->close && c->unread && !c->eof) {
		c->state = CONN_LINGER;
		shutdown(c->fd, SHUT_WR);
		conn_timer(c, TIMER_LINGER);
		return;
	}
	if (c->close || c->eof || c->front->stopping) {
		conn_drop(c);
		return;
	}
	c->state = CONN_HEAD;
	conn_timer(c, TIMER_IDLE);
	if (c->in.len > 0)
		conn_chore(c);
}

static void
after_write(struct conn *c, enum out_status status)
{
	if (status == OUT_DEAD) {
		conn_drop(c);
		return;
	}
	if (status == OUT_MORE) {
		if (!c->write_armed)
			event_add(&c->writable, NULL);
		c->write_armed = true;
		if (c->timer != TIMER_WRITE)
			conn_timer(c, TIMER_WRITE);
		return;
	}
	if (c->write_armed)
		event_del(&c->writable);
	c->write_armed = false;
	if (c->state == CONN_FLUSHING)
		response_ended(c);
	else if (c->state == CONN_SERVING && c->mode == MODE_STREAM)
		conn_timer(c, TIMER_COMMENT);
	else if (c->state == CONN_SERVING)
		conn_timer(c, TIMER_NONE);
}

void
conn_flush(struct conn *c)
{
	if (!c->dead)
		after_write(c, out_flush(&c->out, c->fd));
}

void
conn_on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct conn *c = arg;

	(void)fd, (void)what;
	conn_timer(c, TIMER_NONE);	/* it took something: a new deadline for the rest */
	conn_flush(c);
}

/* Queue one piece of a stream, in a chunk of its own where the client understands chunks. */
static void
put_piece(struct conn *c, struct span a, struct blob *b, struct span d)
{
	size_t n = a.len + d.len + (b == NULL ? 0 : b->len);
	char size[20];

	if (c->minor > 0)
		out_bytes(&c->out, span_of(size, (size_t)snprintf(size, sizeof(size), "%zx\r\n", n)));
	out_bytes(&c->out, a);
	if (b != NULL)
		out_blob(&c->out, b);
	out_bytes(&c->out, d);
	if (c->minor > 0)
		out_bytes(&c->out, SPAN("\r\n"));
}

/* --- heads ---------------------------------------------------------------------------- */

static void
complete_reply(const struct conn *c, struct http_reply *r)
{
	r->close = c->close;
	r->keep = c->keep && !c->close;
	r->cors_origin = span_str(c->cors);
}

static enum http_body
framing_of(struct conn *c)
{
	if (c->minor > 0)
		return HTTP_BODY_CHUNKED;
	c->close = true;
	return HTTP_BODY_TO_CLOSE;
}

static void
put_head(struct buf *out, struct conn *c, struct http_reply *r)
{
	complete_reply(c, r);
	http_put_head(out, r, clock_unix_ms() / 1000);
}

void
conn_reply(struct conn *c, struct http_reply *r, struct span body)
{
	static struct buf whole;

	if (c->dead)
		return;
	r->body = body.len > 0 || r->status != 204 ? HTTP_BODY_LENGTH : HTTP_BODY_NONE;
	r->length = body.len;
	if (c->front->stopping)
		c->close = true;
	buf_reset(&whole, OUT_BLOCK);
	put_head(&whole, c, r);
	if (!c->head_only)
		buf_span(&whole, body);
	c->state = CONN_FLUSHING;
	after_write(c, out_send(&c->out, c->fd, buf_view(&whole), NULL, (struct span){ NULL, 0 }));
}

void
conn_refuse(struct conn *c, int status, const char *message, struct http_reply *extra)
{
	struct http_reply plain = { .status = status }, *r = extra != NULL ? extra : &plain;
	struct buf body = { .max = 0 };

	c->front->figures.refused++;
	r->status = status;
	r->type = json_type;
	buf_str(&body, "{\"error\":{\"code\":\"");
	for (const char *p = http_reason(status); *p != '\0'; p++)
		buf_byte(&body, *p == ' ' ? '_' : (uint8_t)(*p | 0x20));
	buf_str(&body, "\",\"message\":");
	json_write_string(&body, span_str(message));
	buf_str(&body, "}}");
	conn_reply(c, r, buf_view(&body));
	buf_fini(&body);
}

/* --- streams --------------------------------------------------------------------------- */

static void
begin_stream(struct conn *c)
{
	struct buf head = { .max = 0 };
	struct http_reply r = {
		.status = 200, .body = framing_of(c), .type = "text/event-stream", .stream = true
	};

	put_head(&head, c, &r);
	out_bytes(&c->out, buf_view(&head));
	buf_fini(&head);
	c->mode = MODE_STREAM;
}

static void
begin_array(struct conn *c)
{
	struct buf head = { .max = 0 };
	struct http_reply r = { .status = 200, .body = framing_of(c), .type = json_type };

	put_head(&head, c, &r);
	out_bytes(&c->out, buf_view(&head));
	buf_fini(&head);
	c->mode = MODE_ARRAY;
	c->first = true;
}

static void
end_stream(struct conn *c)
{
	if (c->mode == MODE_ARRAY)
		put_piece(c, c->first ? SPAN("[]") : SPAN("]"), NULL, (struct span){ NULL, 0 });
	if (c->minor > 0)
		out_bytes(&c->out, SPAN("0\r\n\r\n"));
	c->state = CONN_FLUSHING;
}

void
conn_comment(struct conn *c)
{
	put_piece(c, SPAN(":\n\n"), NULL, (struct span){ NULL, 0 });
	conn_flush(c);
}

static void
put_message(struct conn *c, const struct answer *a)
{
	struct span opening = SPAN(EVENT_BEGIN), ending = SPAN(EVENT_END);

	if (c->mode == MODE_ARRAY) {
		opening = c->first ? SPAN("[") : SPAN(",");
		ending = (struct span){ NULL, 0 };
		c->first = false;
	}
	put_piece(c, opening, NULL, (struct span){ NULL, 0 });
	if (a->result != NULL)
		out_source(&c->out, (struct source){ result_fill, result_release, a->result }, c->minor > 0);
	else
		put_piece(c, a->before, a->blob, a->after);
	if (ending.len > 0)
		put_piece(c, ending, NULL, (struct span){ NULL, 0 });
}

/* --- single answers ---------------------------------------------------------------------- */

/*
 * A result that fits one block goes out in one write, with its length; a
 * larger one block by block, in chunks, as the client takes them.
 */
static enum out_status
send_result(struct conn *c, struct http_reply *r, struct result *result)
{
	static struct buf block, head;
	struct span whole;
	enum out_status status;
	char size[20];
	bool more;

	buf_reset(&head, HTTP_HEAD_ROOM);
	buf_reset(&block, 4 * OUT_BLOCK);
	buf_reserve(&block, HTTP_HEAD_ROOM);	/* the head goes right before the body */
	block.len = HTTP_HEAD_ROOM;
	more = result_fill(result, &block);
	r->body = more ? framing_of(c) : HTTP_BODY_LENGTH;
	r->length = block.len - HTTP_HEAD_ROOM;
	put_head(&head, c, r);
	if (more && c->minor > 0) {
		buf_append(&head, size, (size_t)snprintf(size, sizeof(size), "%zx\r\n", r->length));
		buf_append(&block, "\r\n", 2);
	}
	whole = span_of(block.p + HTTP_HEAD_ROOM - head.len, block.len - HTTP_HEAD_ROOM + head.len);
	memcpy(block.p + HTTP_HEAD_ROOM - head.len, head.p, head.len);
	if (more) {
		out_bytes(&c->out, whole);
		out_source(&c->out, (struct source){ result_fill, result_release, result }, c->minor > 0);
		if (c->minor > 0)
			out_bytes(&c->out, SPAN("0\r\n\r\n"));
		status = out_flush(&c->out, c->fd);
	} else {
		result_free(result);
		status = out_send(&c->out, c->fd, whole, NULL, (struct span){ NULL, 0 });
	}
	return status;
}

static void
send_single(struct conn *c, const struct answer *a)
{
	static struct buf front;
	struct http_reply r = {
		.status = a->status, .body = HTTP_BODY_LENGTH, .type = json_type,
		.session = a->session, .challenge = a->challenge, .retry_after = a->retry_after,
		.length = a->before.len + (a->blob == NULL ? 0 : a->blob->len) + a->after.len,
	};

	if (c->front->stopping)
		c->close = true;
	c->state = CONN_FLUSHING;
	if (a->result != NULL) {
		after_write(c, send_result(c, &r, a->result));
		return;
	}
	buf_reset(&front, OUT_BLOCK);
	put_head(&front, c, &r);
	buf_span(&front, a->before);
	if (a->blob == NULL)
		buf_span(&front, a->after);
	after_write(c, out_send(&c->out, c->fd, buf_view(&front), a->blob,
	    a->blob == NULL ? (struct span){ NULL, 0 } : a->after));
}

/* --- the transport ------------------------------------------------------------------------ */

struct exchange *
conn_exchange(struct conn *c, struct principal *who, enum mcp_revision revision,
    const struct mp_value *id)
{
	struct exchange *x = exchange_new(c->front, &http_transport, c, who, revision, id);

	TAILQ_INSERT_TAIL(&c->exchanges, x, of_client);
	c->state = CONN_SERVING;
	conn_timer(c, TIMER_NONE);
	return x;
}

static void
end_if_last(struct conn *c)
{
	if (TAILQ_EMPTY(&c->exchanges) && !c->batching)
		end_stream(c);
	conn_flush(c);
}

static void
http_answer(struct exchange *x, const struct answer *a)
{
	struct conn *c = x->client;

	TAILQ_REMOVE(&c->exchanges, x, of_client);
	if (c->dead) {
		result_free(a->result);
		return;
	}
	if (c->mode == MODE_SINGLE && !c->accepts_json && c->accepts_stream && a->status == 200)
		begin_stream(c);
	if (c->mode == MODE_SINGLE) {
		send_single(c, a);
		return;
	}
	put_message(c, a);
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

	if (c->mode == MODE_SINGLE)
		begin_stream(c);
	put_message(c, &(struct answer){ .before = message });
	conn_flush(c);
	return !c->dead;
}

static void
http_cut(struct exchange *x)
{
	conn_drop(x->client);
}

/* Cancelled by message: an event stream that ends without an answer. */
static void
http_withdraw(struct exchange *x)
{
	struct conn *c = x->client;

	TAILQ_REMOVE(&c->exchanges, x, of_client);
	if (c->dead)
		return;
	if (c->mode == MODE_SINGLE)
		begin_stream(c);
	end_if_last(c);
}

const struct transport http_transport = {
	.sessions = true, .answer = http_answer, .notify = http_notify,
	.can_notify = http_can_notify, .withdraw = http_withdraw, .cut = http_cut,
};

void
conn_batch_begin(struct conn *c)
{
	c->state = CONN_SERVING;
	c->batching = true;
	if (c->accepts_stream)
		begin_stream(c);
	else
		begin_array(c);
}

void
conn_batch_end(struct conn *c)
{
	c->batching = false;
	if (!c->dead)
		end_if_last(c);
}

/* conn_read.c - see conn.h: from received bytes to served requests. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/log.h"
#include "base/mem.h"
#include "front/http/caller.h"
#include "front/http/conn.h"
#include "front/http/conn_read.h"
#include "front/http/conn_write.h"
#include "front/calls/metering.h"

void
conn_read_refuse(struct conn *c, int status)
{
	static const struct {
		int status;
		const char *message;
	} rows[] = {
		{ 408, "the request did not arrive in time" },
		{ 413, "the body is larger than limits.body_bytes allows" },
		{ 414, "the request target is too long" },
		{ 417, "only Expect: 100-continue is understood" },
		{ 431, "the header section is larger than 16 KiB or has more than 100 fields" },
		{ 501, "only the chunked transfer coding is understood" },
		{ 503, "too many unfinished requests; try again in a moment" },
		{ 505, "only HTTP/1.1 and HTTP/1.0 are understood" },
	};
	const char *message = "the request is not valid HTTP/1.1";

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].status == status)
			message = rows[i].message;
	metering_log_refusal(c->front, "refused with %d: %s", status, message);
	c->close = c->unread = true;
	conn_refuse(c, status, message, NULL);
}

/* Copy from the head what the response needs after the head is gone. */
static void
note_request(struct conn *c, const struct http_request *q)
{
	c->minor = q->minor;
	c->close = q->close;
	c->keep = q->minor == 0 && !q->close;
	c->accepts_json = q->accepts_json;
	trace_read(q->field[HTTP_TRACEPARENT], &c->trace);
	c->accepts_stream = q->accepts_stream;
	c->head_only = q->method == HTTP_HEAD;
	c->mode = MODE_SINGLE;
	c->user->delivered(c);
}

static void
conn_read_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	c->state = CONN_SERVING;
	c->unread = false;
	c->admitted = true;
	conn_timer(c, TIMER_NONE);
	log_debug("%.*s, %zu bytes, %s", SPAN_FMT(q->path), body.len, who != NULL ? who->id : "anybody");
	c->user->serve(c, q, who, body);
}

/* Forget a head that was kept. */
static void
forget_late(struct conn *c)
{
	free(c->late);
	c->late = NULL;
	c->whole = false;
	buf_fini(&c->head);
	buf_fini(&c->body);
}

/* Keep the head of a request that cannot be served at once. */
static void
keep_late(struct conn *c, const struct http_request *q, struct span head)
{
	buf_span(&c->head, head);
	c->late = mem_new(1, sizeof(*c->late));
	*c->late = *q;
	http_request_move(c->late, head.p, c->head.p);
	c->chunked = (struct http_chunked){ 0 };
}

/* Read the body of a request that was admitted. */
static void
await_body(struct conn *c, bool begun)
{
	c->state = CONN_BODY;
	conn_timer(c, TIMER_BODY);
	if (c->late->expect_continue && !begun)
		out_send(&c->out, c->fd, SPAN("HTTP/1.1 100 Continue\r\n\r\n"), NULL, SPAN_NONE);
}

/* The request waits for a verdict on its credential, which has a deadline of its own. */
static void
await_verdict(struct conn *c)
{
	c->state = CONN_ADMITTING;
	conn_timer(c, TIMER_NONE);
}

/* Whether the body of a request has arrived, and where it is. */
static bool
has_arrived(const struct conn *c, const struct http_request *q, struct span data, struct span *body)
{
	*body = span_of(data.p, 0);
	switch (q->framing) {
	case HTTP_NO_BODY:
		return true;
	case HTTP_LENGTH:
		body->len = (size_t)q->length;
		return data.len >= q->length;
	default:
		*body = buf_view(&c->body);
		return c->whole;
	}
}

/*
 * Handle a complete head at the start of data.  Returns how many bytes of data are consumed.  The body
 * is served from data when it has arrived completely.
 */
static size_t
take_head(struct conn *c, struct span data, size_t head_len)
{
	struct span head = span_of(data.p, head_len), rest = span_of(data.p + head_len, data.len - head_len), body;
	struct principal *who = NULL;
	struct http_request q;
	int status = http_parse_head(head, &q);
	bool all;

	c->scan = (struct http_scan){ 0, 0 };
	if (status != 0) {
		conn_read_refuse(c, status);
		return data.len;
	}
	note_request(c, &q);
	status = caller_begin(c, &q);
	if (status != 0) {
		c->close = c->unread = true;
		conn_refuse(c, status, "too many requests of this client are being served", NULL);
		return data.len;
	}
	all = has_arrived(c, &q, rest, &body);
	if (!all)
		c->close = c->unread = true; /* kept when the head alone is refused */
	switch (c->user->head(c, &q, NULL, &who)) {
	case GATE_REFUSED:
		return all ? head_len + body.len : data.len;
	case GATE_WAITS:
		c->unread = false;
		keep_late(c, &q, head);
		await_verdict(c);
		return head_len;
	case GATE_PASS:
		break;
	}
	if (all) {
		conn_read_serve(c, &q, who, body);
		return head_len + body.len;
	}
	c->close = q.close;
	c->unread = false;
	keep_late(c, &q, head);
	await_body(c, rest.len > 0);
	return head_len;
}

/*
 * The body has arrived for a head that was kept.  The credential is checked again: it may have been revoked, or
 * its sender blocked, since the head arrived.  False: the request waits again, for a verdict.
 */
static bool
serve_late(struct conn *c, struct span body)
{
	struct principal *who = NULL;
	enum gate gate;

	note_request(c, c->late);
	c->unread = false;
	gate = c->user->head(c, c->late, NULL, &who);
	if (gate == GATE_WAITS) {
		await_verdict(c);
		return false;
	}
	if (gate == GATE_PASS)
		conn_read_serve(c, c->late, who, body);
	forget_late(c);
	return true;
}

static size_t
take_body(struct conn *c, struct span data)
{
	size_t used, length = (size_t)c->late->length;
	int status;

	if (c->late->framing == HTTP_LENGTH)
		return data.len >= length && serve_late(c, span_of(data.p, length)) ? length : 0;
	status = http_chunked_read(&c->chunked, data, &used, &c->body, c->user->body_max(c));
	if (status < 0) {
		conn_read_refuse(c, -status);
		forget_late(c);
		return data.len;
	}
	if (status > 0) {
		c->whole = true;
		serve_late(c, buf_view(&c->body));
	}
	return used;
}

/* The verdict for the request that waited: refuse it, serve it, or read its body. */
static void
conn_admit(struct conn *c, const struct verdict *verdict)
{
	struct span body;
	struct principal *who = NULL;
	bool all = has_arrived(c, c->late, buf_view(&c->in), &body), from_input = c->late->framing == HTTP_LENGTH;

	note_request(c, c->late);
	if (!all)
		c->close = c->unread = true;
	if (c->user->head(c, c->late, verdict, &who) != GATE_PASS) {
		if (all && from_input)
			buf_consume(&c->in, body.len);
		else if (!all)
			buf_fini(&c->in);
		forget_late(c);
		return;
	}
	if (!all) {
		c->close = c->late->close;
		c->unread = false;
		await_body(c, c->in.len > 0);
		return;
	}
	conn_read_serve(c, c->late, who, body);
	if (from_input)
		buf_consume(&c->in, body.len);
	forget_late(c);
}

/* While a request waits for its verdict, stop reading once CONN_AHEAD_MAX bytes are buffered. */
static void
listen_while_waiting(struct conn *c)
{
	bool deaf = c->state == CONN_ADMITTING && c->in.len > CONN_AHEAD_MAX;

	if (deaf == c->deaf || c->eof)
		return;
	c->deaf = deaf;
	conn_hear(c, !deaf);
}

void
conn_told(void *conn, const struct verdict *verdict)
{
	struct conn *c = conn;

	c->waiting = NULL;
	conn_admit(c, verdict);
	if (c->in.len == 0)
		buf_fini(&c->in);
	conn_charge(c);
	if (c->dead)
		return;
	listen_while_waiting(c);
	/* What has arrived meanwhile: the body, or the next request. */
	if (c->in.len > 0)
		conn_chore(c);
}

/* Serve the complete requests in data, one after another.  Returns how many bytes are consumed. */
static size_t
consume(struct conn *c, struct span data)
{
	size_t at = 0;

	while (!c->dead && at < data.len && (c->state == CONN_HEAD || c->state == CONN_BODY)) {
		struct span rest = span_of(data.p + at, data.len - at);
		size_t used;
		int n;

		if (c->state == CONN_BODY) {
			used = take_body(c, rest);
			at += used;
			if (used == 0)
				break;
			continue;
		}
		if (c->scan.at == 0 && rest.len >= 2 && rest.p[0] == '\r' && rest.p[1] == '\n') {
			at += 2; /* RFC 9112 2.2: an empty line before a request is passed over */
			continue;
		}
		n = http_scan_head(&c->scan, rest);
		if (n == 0) {
			if (c->timer != TIMER_HEAD)
				conn_timer(c, TIMER_HEAD);
			break;
		}
		if (n < 0) {
			conn_read_refuse(c, -n);
			return data.len;
		}
		at += take_head(c, rest, (size_t)n);
	}
	return at;
}

void
conn_consume_input(struct conn *c)
{
	struct buf in = c->in;
	size_t used;

	if (in.len == 0 || c->dead)
		return;
	used = consume(c, buf_view(&in));
	buf_consume(&c->in, used);
	if (c->in.len == 0)
		buf_fini(&c->in);
	conn_charge(c);
}

static ssize_t
read_some(struct conn *c, void *p, size_t n)
{
	ssize_t got;

	do
		got = read(c->fd, p, n);
	while (got < 0 && errno == EINTR);
	return got;
}

/* The client has shut down its sending side. */
static void
on_end(struct conn *c)
{
	c->eof = true;
	/* An orderly end, no reset: the client has read all that was sent. */
	if (c->state == CONN_HEAD)
		c->user->delivered(c);
	/* EOF drops the connection.  A response that is being written is finished first. */
	if (c->state != CONN_FLUSHING) {
		conn_drop(c);
		return;
	}
	conn_hear(c, false);
	c->close = true;
}

static void
discard(struct conn *c, size_t n)
{
	c->discarded += n;
	if (c->discarded > CONN_LINGER_MAX)
		conn_drop(c);
}

/* Buffer bytes that the client sends before the running request is answered. */
static void
keep_ahead(struct conn *c, const uint8_t *p, size_t n)
{
	if (c->unread) {
		discard(c, n);
		return;
	}
	buf_append(&c->in, p, n);
	conn_charge(c);
	if (c->in.len > CONN_AHEAD_MAX) {
		metering_log_refusal(c->front, "closed a connection that sent %zu bytes ahead", c->in.len);
		conn_drop(c);
	}
}

/* Refuse a request that is too large for the room left for unfinished requests. */
static void
refuse_unfinished(struct conn *c)
{
	c->user->forget(c);
	buf_fini(&c->in);
	forget_late(c);
	conn_charge(c);
	conn_read_refuse(c, 503);
}

void
conn_on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct conn *c = arg;
	uint8_t *block = conns_block(c->front->conns);
	ssize_t n = read_some(c, block, CONN_BLOCK);

	(void)fd, (void)what;
	if (n < 0) {
		if (errno != EAGAIN)
			conn_drop(c);
		return;
	}
	if (n == 0) {
		on_end(c);
		return;
	}
	if (c->state == CONN_LINGER)
		discard(c, (size_t)n);
	else if (c->state == CONN_SERVING || c->state == CONN_FLUSHING)
		keep_ahead(c, block, (size_t)n);
	else if (c->in.len == 0) {
		size_t used = consume(c, span_of(block, (size_t)n));

		if (used < (size_t)n && !c->dead) {
			buf_append(&c->in, block + used, (size_t)n - used);
			conn_charge(c);
		}
	} else {
		buf_append(&c->in, block, (size_t)n);
		conn_consume_input(c);
	}
	if (!c->dead && c->state < CONN_SERVING && conn_overdrawn(c))
		refuse_unfinished(c);
	else if (!c->dead)
		listen_while_waiting(c);
}
